import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RECORDS_AT_ONCE } from "../../../node/history/history-messages.ts";
import { contentOf, HistoryWorld, recordAt, storeAt } from "../history/history-world.ts";

const NAMES = ["a", "b", "c"];

/** Lets all nodes ask each other until nothing more comes. */
function settle(world: HistoryWorld, rounds: number): void {
  for (let round = 1; round <= rounds; round++) {
    world.steadyMs += 20_000;
    for (const { sync } of world.nodes) sync.tick(world.steadyMs);
    world.carry();
  }
}

function worldOf(names = NAMES) {
  let seed = 7;
  const random = () => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  return new HistoryWorld(names, random);
}

function expectEqual({ nodes }: HistoryWorld): void {
  const [first, ...others] = nodes.map(({ store }) => contentOf(store));
  for (const other of others) expect(other).toEqual(first);
}

describe("the history of all nodes", () => {
  test("what a node missed is filled in by others, in bounded pieces", () => {
    const world = worldOf();
    const [a, b, c] = world.nodes;
    for (const node of world.nodes) node.sync.begin(100 as never);
    world.reaches = (one, other) => one !== "c" && other !== "c";
    const minutes = 3 * RECORDS_AT_ONCE;
    for (let minute = 100; minute < 100 + minutes; minute++) {
      a?.close(minute + 1, [recordAt(minute, 1)]);
      b?.close(minute + 1, []);
      c?.close(minute + 1, [recordAt(minute, 2)]);
      world.carry();
    }
    expect(world.nodes.map(({ store }) => store.records)).toEqual([minutes, minutes, minutes]);
    world.reaches = () => true;
    let most = 0;
    for (let round = 1; round <= 60; round++) {
      for (const { sync } of world.nodes) sync.tick(round * 1_000);
      world.carry(({ message }) => {
        const pieces = message.kind === "history" ? message.pieces : [];
        most = Math.max(
          most,
          pieces.reduce((sum, { records }) => sum + records.length, 0),
        );
        return false;
      });
    }
    expect(most).toBe(RECORDS_AT_ONCE);
    expect(world.nodes.map(({ store }) => store.records)).toEqual([2 * minutes, 2 * minutes, 2 * minutes]);
    expectEqual(world);
  });

  test("a node under pressure neither asks nor answers, and keeps its own minutes", () => {
    const world = worldOf(["a", "b"]);
    const [a, b] = world.nodes;
    if (a === undefined || b === undefined) throw new Error("Broken: there are two nodes");
    for (const node of world.nodes) node.sync.begin(100 as never);
    settle(world, 1);
    a.isCalm = false;
    a.close(101, [recordAt(100, 5)]);
    world.carry(() => true);
    const said: string[] = [];
    for (let round = 0; round < 5; round++) {
      world.steadyMs += 20_000;
      for (const { sync } of world.nodes) sync.tick(world.steadyMs);
      world.carry(({ from, message }) => {
        if (from === "a") said.push(message.kind);
        return false;
      });
    }
    expect([said, a.store.records, b.store.records]).toEqual([[], 1, 0]);
    a.isCalm = true;
    settle(world, 2);
    expect(b.store.records).toBe(1);
  });

  test("a crash loses the open minute, says so, and counts no minute twice", () => {
    const world = worldOf(["a", "b"]);
    const [a] = world.nodes;
    for (const node of world.nodes) node.sync.begin(100 as never);
    a?.close(101, [recordAt(100, 5)]);
    a?.restart(101);
    a?.close(102, [recordAt(101, 3)]);
    settle(world, 5);
    expectEqual(world);
    const runs = world.nodes[1]?.store.sources.filter(({ node }) => node === "a");
    expect(runs?.map(({ until, end, next }) => [until, end, next])).toEqual([
      [101, "crashed", 2],
      [102, "open", 2],
    ]);
  });

  test("a node that lost its file has all of it again, and begins another run", () => {
    const world = worldOf();
    const [a, b] = world.nodes;
    if (a === undefined) throw new Error("Broken: there is a node");
    for (const node of world.nodes) node.sync.begin(100 as never);
    for (let minute = 100; minute < 110; minute++) a.close(minute + 1, [recordAt(minute, 1)]);
    settle(world, 5);
    const before = b === undefined ? undefined : contentOf(b.store);
    a.store = storeAt().store;
    a.restart(110);
    a.close(111, [recordAt(110, 9)]);
    settle(world, 10);
    expectEqual(world);
    expect(b?.store.records).toBe(11);
    expect(before).toHaveLength(3);
  });

  test("all nodes end up with the same, whatever was lost, doubled, cut off or restarted", () => {
    const step = fc.record({
      node: fc.nat(2),
      kind: fc.constantFrom("close", "idle", "restart", "stop", "back", "carry", "lose", "tick", "cut", "heal"),
      amount: fc.integer({ min: 1, max: 9 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const world = worldOf();
        const minutes = [100, 100, 100];
        let counted = 0;
        let steadyMs = 0;
        for (const node of world.nodes) node.sync.begin(100 as never);
        for (const { node: at, kind, amount } of steps) {
          const node = world.nodes[at];
          const minute = minutes[at] ?? 0;
          if (node === undefined) continue;
          if (kind === "close" || kind === "idle") {
            const records = kind === "idle" ? [] : [recordAt(minute, amount), recordAt(minute, 1, "other")];
            counted += kind === "idle" ? 0 : amount + 1;
            node.close(minute + 1, records);
            minutes[at] = minute + 1;
          } else if (kind === "restart") node.restart(minute);
          else if (kind === "stop") {
            node.close(minute + 1, [recordAt(minute, amount)], "stopped");
            counted += amount;
            node.restart(minute);
          } else if (kind === "back") {
            node.close(minute + 1, [], "stopped");
            node.sync.begin((minute - amount) as never);
            minutes[at] = minute - amount;
          } else if (kind === "carry") world.carry();
          else if (kind === "lose") world.carry(() => true);
          else if (kind === "cut") world.reaches = (one, other) => one !== NAMES[at] && other !== NAMES[at];
          else if (kind === "heal") world.reaches = () => true;
          else {
            steadyMs += 16_000;
            node.sync.tick(steadyMs);
          }
        }
        world.reaches = () => true;
        for (let round = 0; round < 30; round++) {
          steadyMs += 16_000;
          for (const { sync } of world.nodes) sync.tick(steadyMs);
          world.carry();
        }
        expectEqual(world);
        for (const { store } of world.nodes) {
          const rows = store.rowsOf(store.rooms, { from: 0 as never, to: 1_000 as never });
          expect(rows.reduce((sum, { counts }) => sum + (counts[4] ?? 0), 0)).toBe(counted);
        }
      }),
      { numRuns: 40 },
    );
  });
});
