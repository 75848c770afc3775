import { describe, expect, test } from "vitest";
import { islandFigures, islandText, islandWarnings, timeText } from "../../../node/config/island-figures.ts";
import { parseRoom } from "../../../node/config/room-document.ts";

const TIMES = { leaseMs: 30_000, islandMs: 120_000, minuteMs: 60_000 };

function rooms(...durations: number[]) {
  return durations.map((session_duration, index) => {
    const limits = { total_active_users: 1, new_users_per_minute: 1 };
    const parsed = parseRoom({ name: `room-${index}`, host: `h${index}`, ...limits, session_duration });
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
    return parsed.value;
  });
}

const warned = (islandMs: number, ...durations: number[]) =>
  islandWarnings({ ...TIMES, islandMs }, rooms(...durations));

test("the figures are lease, island time and session, and the minute and the grace of slots", () => {
  expect(islandFigures(TIMES, 5)).toEqual({ browsesMs: 450_000, idleMs: 515_000 });
  expect(islandText(TIMES, 5)).toBe(
    "Island time 2 min: an active visitor of a cut-off gate can browse for 7 min 30 s, and a lost node's share is idle for up to 8 min 35 s",
  );
});

describe("an island time", () => {
  test.each([
    [120_000, 1],
    [120_000, 30],
    [60_000, 5],
    [300_000, 5],
    [600_000, 20],
  ])("of %d ms is in proportion to sessions of %d minutes", (islandMs, minutes) => {
    expect(warned(islandMs, minutes)).toEqual([]);
  });

  test("says nothing where there is no room", () => {
    expect(warned(3_600_000)).toEqual([]);
  });

  test("that is longer than the longest session is long, with both figures of it and of a shorter one", () => {
    expect(warned(600_000, 1, 5)).toEqual([
      "--island 10 min is long for room room-1, whose sessions last 5 min: a lost node's share is idle for up to 16 min 35 s, with --island 5 min for 11 min 35 s; an active visitor of a cut-off gate can browse for 15 min 30 s and 10 min 30 s",
    ]);
  });

  test.each([0, 59_999])("of %d ms is short, as sessions are extended once a minute", (islandMs) => {
    expect(warned(islandMs, 5)).toEqual([expect.stringMatching(/^--island .* is short for room room-0.*8 min 35 s/)]);
  });
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
