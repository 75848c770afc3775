import { expect, test } from "vitest";
import { cutOffFigures, cutOffText, timeText } from "../../../node/config/cut-off-figures.ts";

test("the figures are lease and session, and the minute and the grace of slots", () => {
  const figures = cutOffFigures({ leaseMs: 30_000, minuteMs: 60_000 }, 5);
  expect(figures).toEqual({ browsesMs: 330_000, idleMs: 395_000 });
  expect(cutOffText(figures)).toBe(
    "An active visitor of a cut-off gate can browse for 5 min 30 s, and a lost node's share is idle for up to 6 min 35 s",
  );
});

test.each([
  [0, "0 s"],
  [250, "250 ms"],
  [59_000, "59 s"],
  [60_000, "1 min"],
  [90_000, "1 min 30 s"],
  [3_600_000, "1 h"],
  [5_405_000, "1 h 30 min 5 s"],
])("%d ms are %s", (ms, text) => {
  expect(timeText(ms)).toBe(text);
});
