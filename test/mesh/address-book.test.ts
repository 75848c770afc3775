import { expect, test } from "vitest";
import { AddressBook } from "../../mesh/address-book.ts";
import type { NodeId } from "../../mesh/core/ids.ts";

const PEER = "peer" as NodeId;

test("addresses are kept once, in the order in which they were sent, those that worked last first", () => {
  const book = new AddressBook();
  expect(book.of(PEER)).toEqual([]);
  book.add(PEER, ["a", "b"]);
  book.add(PEER, ["b", "c"]);
  expect(book.of(PEER)).toEqual(["a", "b", "c"]);
  book.worked(PEER, "c");
  book.worked(PEER, "b");
  expect(book.of(PEER)).toEqual(["b", "c", "a"]);
  book.remove(PEER);
  expect(book.of(PEER)).toEqual([]);
});

test("of too many the oldest go, but not the one that worked last", () => {
  const book = new AddressBook();
  book.add(PEER, ["works", "old"]);
  for (let at = 0; at < 100; at++) book.add(PEER, [`${at}`]);
  expect(book.of(PEER)).toHaveLength(32);
  expect(book.of(PEER)[0]).toBe("works");
  expect(book.of(PEER).at(-1)).toBe("99");
  expect(book.of(PEER)).not.toContain("old");
});
