import { describe, expect, test } from "vitest";
import type { Minute, NodeId } from "../../../../mesh/core/ids.ts";
import { due, Elsewhere, waitingByMinute } from "../../../../node/admission/mesh/elsewhere.ts";
import { coarser } from "../../../../node/admission/mesh/line-places.ts";
import type { Waiting } from "../../../../node/admission/mesh/room-node.ts";
import { roomWith } from "../room-with.ts";
import { at, FakeRoomNode, gaugeOf, M, MINUTE_MS, nodes, ROOM, SELF } from "./fake-room-node.ts";

const SHOP = roomWith({ totalActiveUsers: 100, newUsersPerMinute: 100 });

const [SIBLING, FAR, FARTHER] = nodes("sibling", "far", "farther") as [NodeId, NodeId, NodeId];

/** This node and a sibling here, two nodes there; each has 10 slots free, this one 5. */
function elsewhere() {
  const roomNode = new FakeRoomNode();
  roomNode.localities = new Map([
    ["here", [SELF, SIBLING]],
    ["there", [FAR, FARTHER]],
  ]);
  roomNode.others = [SIBLING, FAR, FARTHER];
  for (const node of roomNode.others) roomNode.gauges.set(node, gaugeOf(10));
  return {
    roomNode,
    rooms: new Elsewhere({ id: ROOM, roomNode, config: { room: SHOP } }, () => ({ active: 5, arrivals: 5 })),
  };
}

function line(...waiting: readonly [number, number][]): Waiting {
  return waiting.map(([minute, count]) => [minute as Minute, count]);
}

test("free slots are as a node reported when it was asked, until it next says what it has", () => {
  const { roomNode, rooms } = elsewhere();
  rooms.correct(SIBLING, { active: 1, arrivals: 0 }, 0);
  expect(rooms.freeAt(SIBLING, 0)).toEqual({ active: 1, arrivals: 0 });
  roomNode.gauges.set(SIBLING, gaugeOf(7));
  expect(rooms.freeAt(SIBLING, 0)).toMatchObject({ active: 7, arrivals: 7 });
});

describe("visitors before a place in the lines of others", () => {
  const told = (count: number) => ({ ...gaugeOf(0), places: Array.from({ length: count }, (_, at) => [at, at, 1]) });

  test("count as told last, whether the node that told them answers or not", () => {
    const { roomNode, rooms } = elsewhere();
    roomNode.gauges.set(FAR, told(8) as never);
    expect([rooms.ahead(5, "here", []), rooms.ahead(100, "here", []), rooms.ahead(100, "there", [])]).toEqual([
      5, 8, 0,
    ]);
    roomNode.alive = () => new Map([["here", [SELF, SIBLING]]]);
    expect(rooms.ahead(100, "here", [])).toBe(8);
  });
});

describe("what a locality keeps back from another one's visitor", () => {
  /** A quarter of the last minute's visitors came in here: of the 35 free slots that is 9. */
  function kept(joinedAt: number, waiting: Waiting, nowMs = at(0)): number {
    const { roomNode, rooms } = elsewhere();
    roomNode.lastMinute.set("here", 25).set("there", 75);
    return rooms.keptBack("here", SHOP, { joined: joinedAt as Minute, here: waiting, nowMs });
  }

  test("is its reserve by the traffic of the last minute", () => {
    expect(kept(M, [])).toBe(9);
  });

  test("is what those need who have waited as long, if that is more", () => {
    expect(kept(M, line([M - 1, 8], [M, 4]))).toBe(12);
    expect(kept(M - 1, line([M - 1, 8], [M, 4]))).toBe(9);
  });
});

describe("what a line is due of the free slots", () => {
  const of = (free: number, lines: Readonly<Record<string, Waiting>>) =>
    Object.keys(lines).map((locality) => due(locality, free, new Map(Object.entries(lines))));

  test("comes after those elsewhere who joined in an earlier minute", () => {
    expect(of(4, { here: line([M, 10]), there: line([M - 1, 3]) })).toEqual([1, 3]);
    expect(of(4, { here: line([M, 10]), there: line([M - 1, 9]) })).toEqual([0, 4]);
  });

  test("is its part of those who joined in the same minute, and all parts together are all slots", () => {
    expect(of(4, { here: line([M, 10]), there: line([M, 30]) })).toEqual([1, 3]);
    for (let free = 0; free <= 21; free++) {
      const parts = of(free, { a: line([M - 1, 1], [M, 7]), b: line([M, 5]), c: line([M, 8]) });
      expect(parts.reduce((sum, part) => sum + part, 0)).toBe(free);
    }
  });
});

describe("a line by minutes of joining", () => {
  const keyAt = (minute: number) => minute * MINUTE_MS * 1_000;
  const lineOf = (ranges: readonly (readonly [number, number, number])[]) =>
    waitingByMinute(coarser(ranges), MINUTE_MS);

  /** A line whose places a draw has spread: each in a minute of its own. */
  const drawn = (count: number, apart: number, from = 0) =>
    lineOf(
      Array.from({ length: count }, (_, index) => {
        const key = keyAt(M + from + apart * index);
        return [key, key, 1];
      }),
    );

  test("of two drawn lines, is due its part, whichever has the first place", () => {
    const lines = new Map([
      ["here", drawn(600, 7)],
      ["there", drawn(600, 7, 3)],
    ]);
    for (const free of [60, 300, 900])
      expect(Math.abs(due("here", free, lines) - free / 2)).toBeLessThanOrEqual(600 / 32);
  });
});
