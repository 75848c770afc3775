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

  test("asks all again for a while, then is a member as before", () => {
    const { leaver, offers, told, state, start } = leaving();
    start();
    for (let ms = 100; ms <= 12_000; ms += 100) {
      leaver.tick(at(ms));
      if (leaver.heir !== undefined && offers.length > 0) leaver.refused(leaver.heir, offers.length, at(ms));
    }
    expect(told).toEqual([{ kind: "restart" }]);
    expect([leaver.isStopped, state.resumed]).toEqual([false, 1]);
    expect(offers.length).toBeGreaterThan(4);
  });

  test("continues with the same heir after a restart", () => {
    const { parts, state, start } = leaving();
    start();
    const again = new Leaver(parts);
    if (state.record !== undefined) again.restore(state.record, at(50_000));
    again.tick(at(50_000));
    expect([again.isStopped, again.heir, state.record?.attempt]).toEqual([true, anna, 1]);
    again.viewChanged((node) => node !== bert, at(50_000));
    expect(again.heir).toBe(anna);
    again.viewChanged((node) => node === bert, at(50_000));
    expect(again.heir).toBeUndefined();
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

  test("waits while a fence is up, and gives up if that lasts", () => {
    const { leaver, told, offers, state, start } = leaving({ mayOffer: false });
    start();
    expect([leaver.isStopped, leaver.isLeaving(at(0))]).toEqual([false, true]);
    leaver.tick(at(10_000));
    expect(told).toEqual([{ kind: "restart" }]);
    expect([leaver.isLeaving(at(10_000)), offers.length]).toEqual([false, 0]);
    state.mayOffer = true;
    start();
    expect(leaver.isStopped).toBe(true);
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

  test("asks the others whether a silent heir has left to them, and turns to the next if it took nothing over", () => {
    const { leaver, offers, sought, told, start } = leaving();
    start();
    expect(sought).toEqual([]);
    leaver.tick(at(1_000));
    expect(sought).toEqual([anna]);
    leaver.haveLeft([bert], cora, at(1_100));
    expect(leaver.heir).toBe(anna);
    leaver.haveLeft([anna], bert, at(1_100));
    leaver.tick(at(1_200));
    expect(offers.at(-1)).toBe("anna 2");
    expect(told).toEqual([]);
  });

  test("has left if its heir took it over before it left itself", () => {
    const { leaver, told, state, start } = leaving();
    start();
    leaver.haveLeft([anna, cora], bert, at(1_100));
    expect([leaver.isGone, state.gone, told]).toEqual([true, 1, [{ kind: "left", heir: bert }]]);
    leaver.haveLeft([anna], bert, at(1_200));
    expect(state.record).toMatchObject({ heir: bert, isGone: true });
  });

  test("takes nobody over for a while after it has given up", () => {
    const { leaver, state, start } = leaving();
    start();
    leaver.refused(anna, 1, at(9_000));
    state.there = [];
    leaver.tick(at(10_000));
    expect([leaver.isStopped, leaver.isLeaving(at(12_900)), leaver.isLeaving(at(13_000))]).toEqual([
      false,
      true,
      false,
    ]);
  });

  test("does not turn to a member that has left meanwhile", () => {
    const { leaver, offers, state, start } = leaving({ mayOffer: false });
    start();
    state.mayOffer = true;
    state.there = [bert];
    leaver.tick(at(100));
    expect(offers).toEqual(["bert 1"]);
  });
});
