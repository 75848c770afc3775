import { expect, test } from "vitest";
import { timeText } from "../../../node/config/cut-off-figures.ts";

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
