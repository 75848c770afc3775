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
  test("has stopped on disk, with the heir's name, before the offer leaves", () => {
    const { leaver, offers, state, start } = leaving();
    start();
    expect(state.record).toEqual({ attempt: 1, isStopped: true, heir: anna, isGone: false });
    expect(offers).toEqual(["anna 1"]);
    leaver.taken(bert);
    expect(leaver.isGone).toBe(false);
    leaver.taken(anna);
    expect([leaver.isGone, state.gone]).toEqual([true, 1]);
  });

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

  test("asked to leave again says so, and the first who asked is answered", () => {
    const { leaver, offers, told, start } = leaving();
    start();
    start();
    expect([told, offers]).toEqual([[{ kind: "underway" }], ["anna 1"]]);
    leaver.taken(anna);
    expect(told).toEqual([{ kind: "underway" }, { kind: "left", heir: anna }]);
  });

  test("asked to leave again while a fence is up keeps to its order", () => {
    const { leaver, told, offers, state, start } = leaving({ mayOffer: false });
    start();
    leaver.tick(at(9_000));
    start();
    expect(told).toEqual([{ kind: "underway" }]);
    state.mayOffer = true;
    leaver.tick(at(9_500));
    leaver.taken(anna);
    expect([offers, told.at(-1)]).toEqual([["anna 1"], { kind: "left", heir: anna }]);
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

  test("that could not send what it has does not stop", () => {
    const { told, offers, state, start } = leaving({ canSend: false });
    start();
    expect([told, offers, state.record]).toEqual([[{ kind: "restart" }], [], undefined]);
  });

  test("offers nothing while a fence is up, and then what there is to offer by then", () => {
    const { leaver, offers, state, start } = leaving();
    start();
    leaver.refused(anna, 1, at(100));
    state.mayOffer = false;
    leaver.tick(at(200));
    expect([leaver.isStopped, leaver.isOffering, offers]).toEqual([true, false, ["anna 1"]]);
    state.mayOffer = true;
    leaver.tick(at(300));
    expect(offers).toEqual(["anna 1", "bert 2"]);
  });
});
