import { expect, test } from "vitest";
import { momentOf } from "../../../cmd/visitor/moment.ts";

const NOW_MS = Date.UTC(2026, 10, 27, 10, 5);

test.each([
  ["10:02", "2026-11-27T10:02:00.000Z"],
  ["10:02:30", "2026-11-27T10:02:30.000Z"],
  ["10:05", "2026-11-27T10:05:00.000Z"],
  // It is still to come today.
  ["10:06", "2026-11-26T10:06:00.000Z"],
  ["24:01", "24:01"],
  ["10:02 CET", "10:02 CET"],
  ["2026-11-27T11:02:00+01:00", "2026-11-27T11:02:00+01:00"],
])("%s is %s", (text, moment) => {
  expect(momentOf(text, NOW_MS)).toBe(moment);
});
