/** A path costs its length. */

import { describe, test } from "vitest";
import { RouteTable } from "../../../node/rooms/match.ts";
import { expectLinear } from "../../linear.ts";

const BYTES = 2_000;

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
    expectLinear(BYTES, pathOf, (path) => void table.find("h", path));
  });
});
