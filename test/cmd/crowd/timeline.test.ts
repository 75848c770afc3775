import { expect, test } from "vitest";
import { timelineHeading, timelineRow } from "../../../cmd/crowd/timeline.ts";

const ROOM = { inside: 5, total_active_users: 10, admitted_this_minute: 2, new_users_per_minute: 4 };
const row = (waiting: number, wait_seconds: number | null) =>
  timelineRow({ seconds: 65, came: 7, room: { ...ROOM, waiting, wait_seconds } }, { color: false, width: 80 });

test.each([
  { waiting: 3, seconds: 90, wait: "2 min" },
  { waiting: 3, seconds: null, wait: "–" },
  { waiting: 0, seconds: null, wait: "none" },
  { waiting: 0, seconds: 12, wait: "none" },
])("with $waiting waiting and an estimate of $seconds s, the column WAIT has $wait", ({ waiting, seconds, wait }) => {
  const end = timelineHeading().length;
  expect(row(waiting, seconds).slice(0, end).trimEnd().endsWith(`  ${wait}`)).toBe(true);
});
