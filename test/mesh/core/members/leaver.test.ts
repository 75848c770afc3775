import { describe, expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import { Leaver, type LeavingRecord, type Left } from "../../../../mesh/core/members/leaver.ts";

const [anna, bert, cora] = ["anna", "bert", "cora"] as NodeId[] as [NodeId, NodeId, NodeId];

function at(ms: number) {
  return { wallMs: ms, steadyMs: ms };
}

function leaving({ mayOffer = true, canSend = true } = {}) {
  const offers: string[] = [];
  const told: Left[] = [];
  const state = {
    mayOffer,
    canSend,
    there: [anna, bert] as NodeId[],
    record: undefined as LeavingRecord | undefined,
    resumed: 0,
    gone: 0,
  };
  const sought: NodeId[] = [];
  const parts = {
    self: cora,
    mayOffer: () => state.mayOffer,
    canSend: () => state.canSend,
    candidates: () => state.there,
    seek: (node: NodeId) => sought.push(node),
    store: (record: LeavingRecord) => {
      state.record = record;
    },
    offer: (heir: NodeId, attempt: number) => offers.push(`${heir} ${attempt}`),
    resumed: () => {
      state.resumed += 1;
    },
    gone: () => {
      state.gone += 1;
    },
  };
  const leaver = new Leaver(parts);
  const start = () => leaver.start(at(0), (left) => told.push(left));
  return { leaver, offers, sought, told, state, parts, start };
}

describe("a leaver", () => {
  test("asks the next one only after a refusal, under a new number", () => {
    const { leaver, offers, told, start } = leaving();
    start();
    leaver.tick(at(5_000));
    expect(offers).toEqual(["anna 1", "anna 1"]);
    leaver.refused(anna, 0, at(5_000));
    leaver.refused(bert, 1, at(5_000));
    expect(leaver.heir).toBe(anna);
    leaver.refused(anna, 1, at(5_000));
    leaver.tick(at(5_100));
    expect(offers.at(-1)).toBe("bert 2");
    leaver.taken(bert);
    expect(told).toEqual([{ kind: "left", heir: bert }]);
  });

  test("that was given up on by who asked answers the next one who asks", () => {
    const { leaver, told, start } = leaving();
    start();
    leaver.tick(at(10_000));
    expect(told).toEqual([{ kind: "unanswered", heir: anna }]);
    start();
    leaver.taken(anna);
    expect(told.at(-1)).toEqual({ kind: "left", heir: anna });
  });

  test("that may not offer yet works for up to a minute, and then looks for an heir as long as ever", () => {
    const { leaver, offers, told, state, start } = leaving({ mayOffer: false });
    start();
    leaver.tick(at(59_000));
    expect([told, leaver.isStopped, leaver.isLeaving(at(59_000))]).toEqual([[], false, true]);
    Object.assign(state, { mayOffer: true, there: [] });
    leaver.tick(at(59_500));
    state.there = [bert];
    leaver.tick(at(69_000));
    expect([told, offers]).toEqual([[], ["bert 1"]]);
  });

  test.each([{ canSend: false }, { mayOffer: false }])("with %o for a minute does not stop", (lack) => {
    const { leaver, told, offers, state, start } = leaving(lack);
    start();
    leaver.tick(at(60_000));
    expect([told, offers, state.record]).toEqual([[{ kind: "restart" }], [], undefined]);
  });
});
