/**
 * Claims of the source on its third generation: a counter hands out slots (README.md lists the facts). Here it is the
 * ticket counter.
 */

import { describe, expect, test } from "vitest";
import type { NodeId } from "../../mesh/core/ids.ts";
import type { RowData } from "../../mesh/core/ledger/row.ts";
import { slotsOf } from "../../mesh/core/ledger/shares.ts";
import { at, FakeRoomNode, M, partsOf, SELF } from "../node/admission/mesh/fake-room-node.ts";
import { RoomsWorld } from "../node/admission/mesh/rooms-world.ts";
import { IN_SAN_JOSE, LONDON, SAN_JOSE } from "./waiting-room-state.ts";

const NONE = { active: 0, arrivals: 0 };

describe("WR-15: a counter gives out each slot once, and the visitor after the last one queues", () => {
  test("visitor 10 of 10 slots goes in, visitor 11 queues", () => {
    const { ticketCounter } = partsOf(new FakeRoomNode(), { totalActiveUsers: 10, newUsersPerMinute: 10 });
    const asked = Array.from({ length: 11 }, (_, visitor) => [`visitor ${visitor}`, 0, "first"] as const);
    const kinds: string[] = [];
    ticketCounter.ask({ from: SELF, asked, free: NONE, units: NONE }, at(0), ({ answers }) =>
      kinds.push(...answers.map(({ kind }) => kind)),
    );
    expect(kinds).toEqual([...new Array(10).fill("go"), "waiting"]);
  });

  test.each([
    { arrivals: [7, 1], admitted: 8, queued: 0 },
    { arrivals: [8, 7], admitted: 10, queued: 5 },
  ])(
    "$arrivals arrivals at two nodes of one locality: $admitted in, $queued queue",
    ({ arrivals, admitted, queued }) => {
      const world = new RoomsWorld([SAN_JOSE, SAN_JOSE], { totalActiveUsers: 100, newUsersPerMinute: 10 });
      world.pass(3_000);
      const answers: string[] = [];
      for (const [node, visitors] of arrivals.entries())
        for (let visitor = 0; visitor < visitors; visitor++)
          world.arrive(node, (_, decision) => answers.push(decision.kind));
      world.pass(2_000);
      expect(answers.filter((kind) => kind === "admitted")).toHaveLength(admitted);
      expect(answers.filter((kind) => kind === "waiting")).toHaveLength(queued);
    },
  );
});

/**
 * San Jose's ticket counter with the 150 free slots of the source's state, and what other localities saw a minute
 * before.
 */
function inSanJose() {
  const roomNode = new FakeRoomNode();
  const { totalActiveUsers, newUsersPerMinute, activeUsers, trafficHistory } = IN_SAN_JOSE;
  roomNode.localities = new Map([
    ["here", [SELF]],
    ["London", ["london" as NodeId]],
    ["Delhi", ["delhi" as NodeId]],
  ]);
  for (const [locality, seen] of trafficHistory)
    roomNode.lastMinute.set(locality === SAN_JOSE ? "here" : locality, seen);
  const parts = partsOf(roomNode, { totalActiveUsers, newUsersPerMinute });
  for (let visitor = 0; visitor < activeUsers; visitor++) parts.admission.sessions.admit(`inside ${visitor}`, at(-60));
  /** Slots that another locality gets of San Jose's, and how many more it could have. */
  const lend = (locality: string, node: string, count: number) => {
    const wanted = { slots: { active: count, arrivals: count }, units: NONE };
    return parts.ticketCounter.lend({ node: node as NodeId, locality, joined: M }, wanted, at(0));
  };
  return { ...parts, lend };
}

const slotsIn = (row: RowData | undefined, limit = IN_SAN_JOSE.totalActiveUsers) =>
  row?.gifts.find(({ resource }) => resource === "active")?.totals.map(([, units]) => slotsOf(limit, units)) ?? [];

describe("WR-16: a locality's own slots are for its visitors; those of Anywhere are open to all", () => {
  test("San Jose keeps its 15 slots, and lends the others: London's 22 and Anywhere's 113", () => {
    const { lend } = inSanJose();
    const { row, free } = lend("Delhi", "delhi", 200);
    expect(slotsIn(row)).toEqual([135]);
    expect(free).toEqual(NONE);
  });

  test("what Delhi has taken of Anywhere is gone for London", () => {
    const { lend } = inSanJose();
    expect(slotsIn(lend("Delhi", "delhi", 100).row)).toEqual([100]);
    expect(slotsIn(lend("London", "london", 100).row)).toEqual([35]);
    expect(lend("Delhi", "delhi", 1).row).toBeUndefined();
  });

  test("128 users at one San Jose node are not queued; the next one is, while London's slots are kept for London", () => {
    const { config, ticketCounter, admission } = inSanJose();
    const kept = ticketCounter.elsewhere.keptBack("London", config.room, { joined: M, here: [], nowMs: at(0) });
    expect(admission.free(at(0)) - kept).toBe(128);
  });
});

test("WR-18: many counters each serve some of the nodes: visitors of San Jose leave London's alone", () => {
  const world = new RoomsWorld([SAN_JOSE, SAN_JOSE, LONDON, LONDON], { totalActiveUsers: 500, newUsersPerMinute: 500 });
  world.pass(3_000);
  const asked: string[] = [];
  world.loses = (message, to) => {
    if (["ask", "recall"].includes(message.kind)) asked.push(world.nodes.find(({ id }) => id === to)?.locality ?? "");
    return false;
  };
  const kinds: string[] = [];
  for (let visitor = 0; visitor < 150; visitor++) world.arrive(visitor % 2, (_, { kind }) => kinds.push(kind));
  world.pass(2_000);
  expect(kinds.filter((kind) => kind === "admitted")).toHaveLength(150);
  expect(asked.filter((locality) => locality === LONDON)).toEqual([]);
  expect(world.node(0).room.countersIn(SAN_JOSE)).not.toContain(world.node(2).room.countersIn(LONDON)[0]);
});

test("WR-1: a place that believes in 26 active users, while another one has 100, sends more, and the limit holds", () => {
  const world = new RoomsWorld([SAN_JOSE, LONDON], { totalActiveUsers: 200, newUsersPerMinute: 1_000 });
  const [sanJose, london] = [world.node(0), world.node(1)];
  const inside = ({ room }: typeof london): number => room.admission.inside(world.nowMs);
  const arrive = (index: number, count: number): void => {
    for (let visitor = 0; visitor < count; visitor++) world.arrive(index);
  };
  world.pass(3_000);
  arrive(0, 26);
  world.pass(2_000);
  const believed = (): number => inside(sanJose) + (sanJose.gauges.get(london.id)?.inside ?? 0);
  arrive(1, 74);
  world.pass(300);
  expect([believed(), inside(sanJose) + inside(london)]).toEqual([26, 100]);
  arrive(0, 200);
  arrive(1, 200);
  world.pass(100);
  expect(inside(sanJose)).toBeGreaterThan(26);
  expect(world.inside()).toBeLessThanOrEqual(200);
  world.pass(5_000);
  expect(world.inside()).toBe(200);
});
