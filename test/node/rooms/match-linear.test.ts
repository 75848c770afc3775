/** A path costs its length, and the longest one little: 0.2 ms on an idle machine. */

import { describe, test } from "vitest";
import { RouteTable } from "../../../node/rooms/match.ts";
import { expectFast, expectLinear, GROWTH } from "../../linear.ts";

const BYTES = 2_000;

/**
 * What a path may take at its longest (16 kB): fifty times what it takes. A double loop over as many bytes takes 200
 * ms.
 */
const LONGEST_MS = 10;

const table = new RouteTable([
  { host: "*", path: "/shop", value: "shop" },
  { host: "*", path: "/shop/vip", value: "vip" },
  { host: "*", path: "/Läden/von/nebenan", value: "shops" },
]);

/** Runs of what some step looks at, and what comes after them so that it does not find it. */
const RUNS: readonly (readonly [run: string, end: string])[] = [
  ["a", ""],
  ["/", "x"],
  ["//x", ""],
  [".", "x"],
  ["/.", "x"],
  ["/..", "x"],
  ["/ .", "x"],
  ["/%20", "."],
  ["%20", "x"],
  ["%20.", "x"],
  [";", "x"],
  [";/", ""],
  ["\\", "x"],
  ["%", ""],
  ["%25", "x"],
  ["%252525", "41"],
  ["%41", ""],
  ["a%41/", ""],
  ["%u0041", ""],
  ["%2f", "x"],
  ["%5c", "x"],
  ["%ff", "x"],
  ["%c2%a0", "x"],
  ["%e2%80%8b", "x"],
  ["%cc%96%cc%81", ""],
  ["\xcc\x96\xcc\x81", ""],
  ["%e1%84%80%e1%85%a1", ""],
  ["%3f", "x"],
  ["/shop", "x"],
  ["/%73hop", "x"],
];

describe.each(["/", "/shop/", "//", "/x;"])("after %s", (start) => {
  test.each(RUNS)("a run of %j before %j", (run, end) => {
    const pathOf = (bytes: number): string => start + run.repeat(Math.ceil(bytes / run.length)) + end;
    const find = (path: string): void => void table.find("h", path);
    expectLinear(BYTES, pathOf, find);
    expectFast(LONGEST_MS, pathOf(GROWTH * BYTES), find);
  });
});
