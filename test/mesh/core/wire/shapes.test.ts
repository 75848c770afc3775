import { describe, expect, test } from "vitest";
import { accountId, byteString, listOf, minute, nodeId, rowData, whole } from "../../../../mesh/core/wire/shapes.ts";

const gift = { room: "shop", resource: "arrivals", to: "bert", totals: [[5, 7]] };
const row = (change: object) => ({ account: "anna", gifts: [{ ...gift, ...change }], counts: [] });
const count = (change: object) => ({
  account: "anna",
  gifts: [],
  counts: [{ room: "shop", kind: "in", totals: [[5, 7]], ...change }],
});

describe("a name", () => {
  test.each(["12D3KooWBj7xTfSHVX6dCwBxPLcUvTKZSvNVAoHgz3EYUGBYa5Tn", "0123456789abcdef", "node-1", "a.b:c_d"])(
    "may be %s",
    (name) => {
      expect([nodeId, accountId].every((shape) => shape.safeParse(name).success)).toBe(true);
    },
  );

  test.each(["", "a/b", "a b", "a\nb", "ä", "x".repeat(65), 7, null, {}])("may not be %j", (name) =>
    expect(accountId.safeParse(name).success).toBe(false),
  );
});

test.each([-1, 0.5, 2 ** 53, Number.NaN, "1", null])("%j is no whole number and no minute", (value) => {
  expect([whole, minute].some((shape) => shape.safeParse(value).success)).toBe(false);
});

describe("a row", () => {
  test("may be empty, or hold gifts and counts", () => {
    for (const good of [
      { account: "anna", gifts: [], counts: [] },
      row({}),
      row({ resource: "active", totals: [[0, 7]] }),
      count({}),
    ])
      expect(rowData.safeParse(good).data).toEqual(good);
  });

  test.each([
    ["a gift of active under a minute", row({ resource: "active" })],
    ["an unknown resource", row({ resource: "gold" })],
    ["a total above what may be given", row({ totals: [[5, 2 ** 51 + 2]] })],
    ["a negative total", row({ totals: [[5, -1]] })],
    ["half a minute", row({ totals: [[0.5, 1]] })],
    ["a triple for a pair", row({ totals: [[5, 1, 1]] })],
    ["more minutes than any cell keeps", row({ totals: Array.from({ length: 65 }, (_, at) => [at, 1]) })],
    ["an unknown kind of count", count({ kind: "away" })],
    ["no account", { gifts: [], counts: [] }],
  ])("with %s is none", (_, bad) => expect(rowData.safeParse(bad).success).toBe(false));
});

test("lists and byte strings are looked at only if they are not too long", () => {
  let looked = 0;
  const counting = whole.refine(() => {
    looked += 1;
    return true;
  });
  expect(listOf(counting, 2).safeParse([1, 2, 3]).success).toBe(false);
  expect(looked).toBe(0);
  expect(listOf(counting, 2).safeParse([1, 2]).data).toEqual([1, 2]);
  expect(listOf(counting, 2).safeParse("12").success).toBe(false);
  expect(byteString(2).safeParse(new Uint8Array(2)).success).toBe(true);
  expect(byteString(2).safeParse(new Uint8Array(3)).success).toBe(false);
  expect(byteString(2).safeParse([1]).success).toBe(false);
});
