import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Minute, NodeId } from "../../../mesh/core/ids.ts";
import type { Piece } from "../../../node/history/minute-record.ts";
import { contentOf, recordAt, storeAt } from "../history/history-world.ts";

const FLOOR = 0 as Minute;
let directory = "";
let path = "";

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "history-"));
  path = join(directory, "history.db");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Minutes 100 to 119 of a node, from a number on. */
function pieceOf(from: number, count: number, more: Partial<Piece> = {}): Piece {
  const records = Array.from({ length: count }, (_, at) => recordAt(99 + from + at, from + at));
  const until = (99 + from + count) as Minute;
  const source = { node: "n" as NodeId, run: 1, locality: "eu", since: 100 as Minute, end: "open" as const };
  return { ...source, first: 1, next: from + count, until, from, records, ...more };
}

describe("the store of minutes", () => {
  test("merging is idempotent and commutative once all pieces have come", () => {
    const pieces = [1, 6, 11, 16].map((from) => pieceOf(from, 5));
    const whole = storeAt().store;
    whole.take(pieces, FLOOR);
    fc.assert(
      fc.property(fc.array(fc.nat(3), { maxLength: 20 }), (order) => {
        const { store } = storeAt();
        for (const at of order)
          store.take(
            pieces.filter((_, index) => index === at),
            FLOOR,
          );
        // Those that came too early are asked for again, in order.
        for (const piece of pieces) store.take([piece, piece], FLOOR);
        expect(contentOf(store)).toEqual(contentOf(whole));
      }),
      { numRuns: 50 },
    );
    expect(whole.records).toBe(20);
  });

  test("a record never changes: another one with its number is ignored", () => {
    const { store } = storeAt();
    store.take([pieceOf(1, 5)], FLOOR);
    const before = contentOf(store);
    store.take([{ ...pieceOf(1, 5), records: [1, 2, 3, 4, 5].map((at) => recordAt(99 + at, 77)) }], FLOOR);
    store.take([pieceOf(1, 3), pieceOf(3, 1)], FLOOR);
    expect(contentOf(store)).toEqual(before);
  });

  test("records after a gap are not taken, unless nobody has those before", () => {
    const { store } = storeAt();
    store.take([pieceOf(1, 2)], FLOOR);
    store.take([pieceOf(6, 5)], FLOOR);
    expect(store.records).toBe(2);
    store.take([pieceOf(6, 5, { first: 6 })], FLOOR);
    expect(store.sources[0]).toMatchObject({ first: 6, next: 11, until: 110 });
    expect(store.records).toBe(5);
  });

  test("all of it survives the process", () => {
    const { store } = storeAt(path);
    store.take([pieceOf(1, 20, { end: "stopped" })], FLOOR);
    const before = contentOf(store);
    store.close();
    expect(contentOf(storeAt(path).store)).toEqual(before);
  });

  test("what is older than the floor is removed, and not taken again", () => {
    const { store } = storeAt();
    store.take([pieceOf(1, 20)], FLOOR);
    store.prune(110 as Minute);
    expect(store.sources[0]).toMatchObject({ first: 11, next: 21 });
    expect(store.rowsOf(store.rooms, { from: 0 as Minute, to: 200 as Minute })).toHaveLength(10);
    const other = storeAt().store;
    other.take([pieceOf(1, 20)], 110 as Minute);
    expect(contentOf(other)).toEqual(contentOf(store));
    store.prune(200 as Minute);
    expect([store.records, store.sources, store.rooms]).toEqual([0, [], []]);
  });

  test("of more records than there is room for, the oldest go first", () => {
    const { store } = storeAt(":memory:", { recordsMax: 12 });
    store.take([pieceOf(1, 20)], FLOOR);
    store.prune(FLOOR);
    expect(store.sources[0]).toMatchObject({ first: 9, next: 21 });
  });

  test.each<[string, () => void]>([
    ["damaged", () => writeFileSync(path, "this is no database, and has never been one. ".repeat(100))],
    [
      "empty at its end",
      () => {
        const { store } = storeAt(path);
        store.take([pieceOf(1, 20)], FLOOR);
        store.close();
        writeFileSync(path, Buffer.concat([readFileSync(path).subarray(0, 5_000)]));
      },
    ],
    ["a directory", () => mkdirSync(path)],
    ["of another mesh", () => storeAt(path, { meshId: "other" }).store.close()],
    ["of longer minutes", () => storeAt(path, { minuteMs: 6_000 }).store.close()],
  ])("a file that is %s is set aside and named", (_, spoil) => {
    spoil();
    const { store, troubles } = storeAt(path);
    store.take([pieceOf(1, 20)], FLOOR);
    if (store.records === 0) store.take([pieceOf(1, 20)], FLOOR);
    expect(store.records).toBe(20);
    expect(existsSync(`${path}.aside`)).toBe(true);
    expect(troubles.join()).toContain(`was set aside as ${path}.aside`);
    expect(store.trouble).toBe(troubles.at(-1));
    store.close();
    expect(storeAt(path).store.records).toBe(20);
  });

  test("a place where no file can be made costs only what is kept", () => {
    const { store, troubles } = storeAt(join(directory, "missing", "history.db"));
    expect(store.take([pieceOf(1, 20)], FLOOR)).toBe(true);
    expect([store.records, troubles.join()]).toEqual([20, expect.stringContaining("is kept in memory")]);
    chmodSync(directory, 0o700);
  });

  test("a room has its records under all of its names", () => {
    const { store } = storeAt();
    const renamed = { ...recordAt(101, 2), name: "boutique" };
    store.take([{ ...pieceOf(1, 1), next: 3, records: [recordAt(100, 1), renamed] }], FLOOR);
    expect(store.rooms.map(({ room, name }) => [room, name])).toEqual([
      ["shop", "shop"],
      ["shop", "boutique"],
    ]);
    expect(store.lastBefore(store.rooms, 500 as Minute)?.counts[4]).toBe(2);
    expect(store.rowsOf(store.rooms.slice(1), { from: 0 as Minute, to: 500 as Minute })).toHaveLength(1);
  });
});
