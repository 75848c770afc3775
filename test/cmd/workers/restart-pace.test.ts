import { expect, test } from "vitest";
import { RestartPace } from "../../../cmd/workers/restart-pace.ts";

test("the first restart comes at once, further ones ever later, up to ten seconds", () => {
  const pace = new RestartPace();
  expect(Array.from({ length: 9 }, () => pace.waitMsAfter(10))).toEqual([
    100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000,
  ]);
});

test("a worker that has run for a minute starts from the beginning", () => {
  const pace = new RestartPace();
  expect([10, 10, 60_000, 10].map((ranMs) => pace.waitMsAfter(ranMs))).toEqual([100, 200, 100, 200]);
});
