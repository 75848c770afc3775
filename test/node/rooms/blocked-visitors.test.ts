import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { NodeId } from "../../../mesh/core/ids.ts";
import type { Register } from "../../../mesh/core/replica/registers.ts";
import {
  BLOCK_DAYS_MAX,
  BLOCKED_MAX,
  BlockedVisitors,
  type Blocks,
  blocksIn,
  blocksRegister,
  merged,
} from "../../../node/rooms/blocked-visitors.ts";
import { RoomShelf, SHOP } from "./room-shelf.ts";

const HOUR_MS = 3_600_000;
const NONE: Blocks = new Map();

/** Few numbers and moments, so that many orders are about one visitor, and some given at once. */
const blocks = fc
  .array(fc.tuple(fc.constantFrom("A", "B", "C", "D"), fc.record({ atMs: fc.nat(5), untilMs: fc.nat(5) })))
  .map((orders): Blocks => new Map(orders));
/** About as many as are kept, so that leaving out is part of the law. */
const many = fc
  .tuple(fc.integer({ min: BLOCKED_MAX - 50, max: BLOCKED_MAX }), fc.nat(60), fc.nat(7))
  .map(([count, from, atMs]): Blocks => manyBlocks(count, from, atMs));
const some = fc.oneof({ weight: 8, arbitrary: blocks }, { weight: 1, arbitrary: many });

function manyBlocks(count: number, from: number, atMs: number): Blocks {
  return new Map(Array.from({ length: count }, (_, at) => [`N${from + at}`, { atMs: atMs + (at % 3), untilMs: 9 }]));
}

function registerOf(all: Blocks): Register {
  return { ...blocksRegister("shop", all, 0), stamp: { wallMs: 0, counter: 0, node: "a" as NodeId } };
}

const listOf = (all: Blocks) => [...all];

describe("merging orders about blocked visitors", () => {
  test("is commutative, associative and idempotent, and keeps no more than there may be", () => {
    fc.assert(
      fc.property(some, some, some, (one, other, third) => {
        const both = merged(one, other);
        expect(listOf(merged(other, one))).toEqual(listOf(both));
        expect(listOf(merged(both, third))).toEqual(listOf(merged(one, merged(other, third))));
        expect(listOf(merged(both, both))).toEqual(listOf(both));
        expect(listOf(merged(both, one))).toEqual(listOf(both));
        expect(both.size).toBeLessThanOrEqual(BLOCKED_MAX);
      }),
    );
  });

  test("survives a register", () => {
    fc.assert(
      fc.property(some, (all) => {
        expect(listOf(blocksIn(registerOf(merged(all, NONE))) ?? NONE)).toEqual(listOf(merged(all, NONE)));
      }),
    );
  });

  test("lets the later order count, also where it ends earlier; of too many the earliest are left out", () => {
    const later = new Map([["A", { atMs: 2, untilMs: 3 }]]);
    expect(listOf(merged(new Map([["A", { atMs: 1, untilMs: 9 }]]), later))).toEqual(listOf(later));
    const full = manyBlocks(BLOCKED_MAX, 0, 5);
    expect([merged(full, later).has("A"), merged(full, new Map([["A", { atMs: 8, untilMs: 9 }]])).has("A")]).toEqual([
      false,
      true,
    ]);
  });
});

describe("the blocked visitors of a room", () => {
  const nodeWith = (all: Blocks = NONE) => new BlockedVisitors(registerOf(all));
  const ordered = (node: BlockedVisitors, number: string, untilMs: number, nowMs: number): Register => {
    const all = node.with(number, untilMs, nowMs) ?? NONE;
    node.apply(all);
    return registerOf(all);
  };

  test("of two nodes that wrote at once are blocked at both; what all know is not written again", () => {
    const [one, other] = [nodeWith(), nodeWith()];
    const a = ordered(one, "A", 20, 10);
    const b = ordered(other, "B", 20, 11);
    expect(other.hear(b, 12)).toBeUndefined();
    // The later register came through.
    const both = one.hear(b, 12);
    expect(listOf(both ?? NONE).map(([number]) => number)).toEqual(["B", "A"]);
    expect(other.hear(registerOf(both ?? NONE), 12)).toBeUndefined();
    expect([one.of("B", 12), other.of("A", 12)]).toMatchObject([{ untilMs: 20 }, { untilMs: 20 }]);
    expect(listOf(other.hear(a, 12) ?? NONE)).toEqual(listOf(both ?? NONE));
  });

  test("stay free when a node returns that did not hear of it, however long the block was", () => {
    const [here, away] = [nodeWith(), nodeWith()];
    const block = ordered(here, "A", BLOCK_DAYS_MAX * 24 * HOUR_MS, 0);
    away.hear(block, 1);
    ordered(here, "A", HOUR_MS, HOUR_MS);
    const returnMs = BLOCK_DAYS_MAX * 24 * HOUR_MS - 1;
    here.hear(block, returnMs);
    expect([here.of("A", returnMs), away.of("A", returnMs)?.untilMs]).toEqual([undefined, returnMs + 1]);
  });

  test("are forgotten once no block of before can be in force any more", () => {
    const node = nodeWith();
    ordered(node, "A", HOUR_MS, 0);
    const overMs = BLOCK_DAYS_MAX * 24 * HOUR_MS;
    expect([node.with("B", overMs + 1, overMs - 1)?.size, node.with("B", overMs + 1, overMs)?.size]).toEqual([2, 1]);
  });

  test("are no more than there may be: one of them may still be freed, and one whose turn it was makes room", () => {
    const node = nodeWith(manyBlocks(BLOCKED_MAX, 0, 0));
    expect(node.with("A", 20, 5)).toBeUndefined();
    expect(node.with("N7", 5, 5)?.size).toBe(BLOCKED_MAX);
    expect(node.with("A", 20, 5 + BLOCK_DAYS_MAX * 24 * HOUR_MS)?.size).toBe(1);
  });

  test("of a clock that is behind: the order that came later counts", () => {
    const node = nodeWith();
    ordered(node, "A", 2_000, 1_000);
    ordered(node, "A", 900, 900);
    expect(node.of("A", 1_100)).toBeUndefined();
  });

  test.each([
    ["no JSON", "{"],
    ["a list of something else", "[1]"],
    ["times of no time", '[["A",-1,"x"]]'],
  ])("stay blocked by a register with %s, over which nothing is written", (_, document) => {
    const bad = { ...registerOf(NONE), document };
    expect(blocksIn(bad)).toBeUndefined();
    const node = nodeWith(new Map([["A", { atMs: 1, untilMs: 20 }]]));
    expect(node.hear(bad, 2)).toBeUndefined();
    expect(node.of("A", 2)).toBeDefined();
  });

  test("are read where a later release says more of each, or keeps more of them", () => {
    const node = nodeWith();
    const later = Array.from({ length: BLOCKED_MAX + 1 }, (_, at) => [`N${at}`, 1 + at, 9_000, "why"]);
    const register = { ...registerOf(NONE), document: JSON.stringify(later) };
    expect(node.hear(register, 2)).toBeUndefined();
    expect([node.of("N0", 2), node.of("N1", 2)]).toEqual([undefined, { atMs: 2, untilMs: 9_000 }]);
  });

  test("never have an end that is no time", () => {
    expect(() => nodeWith().with("A", Number.NaN, 1)).toThrow("no time");
  });
});

describe("a block in a node's registers", () => {
  const block = (shelf: RoomShelf, number: string, forMs: number) => {
    const live = shelf.rooms.byName("shop");
    return live && shelf.rooms.block(live, number, shelf.nowMs + forMs);
  };
  const isBlocked = (shelf: RoomShelf, number: string) =>
    shelf.rooms.byName("shop")?.blockOf(number, shelf.nowMs) !== undefined;

  test("survives a restart, and changes of the room", () => {
    const shelf = new RoomShelf();
    shelf.rooms.create(SHOP);
    block(shelf, "4QK7-X2MD", HOUR_MS);
    shelf.rooms.update("shop", { total_active_users: 9 });
    shelf.save();
    shelf.restart();
    expect([isBlocked(shelf, "4QK7-X2MD"), isBlocked(shelf, "4QK7-X2ME")]).toEqual([true, false]);
    shelf.nowMs += HOUR_MS;
    expect(isBlocked(shelf, "4QK7-X2MD")).toBe(false);
  });

  test.each([false, true])("is of a room that is created again no more (after a restart: %s)", (isAfterRestart) => {
    const shelf = new RoomShelf();
    shelf.rooms.create(SHOP);
    block(shelf, "4QK7-X2MD", HOUR_MS);
    shelf.rooms.remove("shop");
    shelf.nowMs += 1;
    if (isAfterRestart) shelf.restart();
    shelf.rooms.create(SHOP);
    expect(isBlocked(shelf, "4QK7-X2MD")).toBe(false);
    block(shelf, "4QK7-X2MD", HOUR_MS);
    expect(isBlocked(shelf, "4QK7-X2MD")).toBe(true);
  });

  test("is refused when there are too many, with what to do", () => {
    const shelf = new RoomShelf();
    shelf.rooms.create(SHOP);
    shelf.rooms.byName("shop")?.blocked.apply(manyBlocks(BLOCKED_MAX, 0, shelf.nowMs));
    const refused = block(shelf, "4QK7-X2MD", HOUR_MS);
    const message = expect.stringContaining("block them by a rule");
    expect(refused).toMatchObject({ ok: false, refusal: { code: "conflict", message } });
  });
});
