import { expect, test } from "vitest";
import { atLeast, atMost, checksTable } from "../../cmd/checks.ts";

const inside = { name: "most inside", promise: "never over", value: 60, limit: 60 } as const;

test("a limit is within what is allowed, one more is not", () => {
  expect(atMost(inside).ok).toBe(true);
  expect(atMost({ ...inside, value: 61 }).ok).toBe(false);
  expect(atLeast({ ...inside, value: 59 }).ok).toBe(false);
  expect(atLeast(inside).ok).toBe(true);
});

test("the table says which check failed, by what, and of which promise", () => {
  const checks = [
    atMost({ ...inside, value: 61, note: "at 1:04" }),
    atMost({ name: "longest idle", promise: "never early", value: 1.25, limit: 5, unit: "s" }),
    atLeast({ name: "use of slots", promise: "never early", value: 98.123, limit: 92, unit: "%" }),
    atMost({ name: "p99", promise: "never slow", value: 12, limit: null, unit: "ms" }),
    atMost({ name: "p50", promise: "never slow", value: 3, limit: null, aim: 1, unit: "ms" }),
    atLeast({ name: "in reach", promise: "never early", value: 70, limit: 60, aim: 90, unit: "%" }),
  ];
  expect(checksTable(checks, { color: false, width: 100 }).split("\n")).toEqual([
    "PROMISE      CHECK         MEASURED               LIMIT",
    "never over   most inside         61                  60  FAILED  at 1:04",
    "never early  longest idle    1.25 s                 5 s  ok",
    "never early  use of slots    98.1 %              ≥ 92 %  ok",
    "never slow   p99              12 ms                      –",
    "never slow   p50               3 ms            aim 1 ms  –",
    "never early  in reach          70 %  ≥ 60 %, aim ≥ 90 %  ok",
  ]);
});

test("a note that does not fit beside its check stands below it, whole", () => {
  const checks = [
    atMost({ ...inside, value: 61, note: "61 of 60 at 1:04, all of them at node 2, whose clock is 9 s ahead" }),
    atMost({ name: "p99", promise: "never slow", value: 12, limit: null, unit: "ms" }),
  ];
  expect(checksTable(checks, { color: false, width: 50 }).split("\n")).toEqual([
    "PROMISE     CHECK        MEASURED  LIMIT",
    "never over  most inside        61     60  FAILED",
    "  61 of 60 at 1:04, all of them at node 2, whose",
    "  clock is 9 s ahead",
    "never slow  p99             12 ms         –",
  ]);
});
