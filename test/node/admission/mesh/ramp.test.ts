import { expect, test } from "vitest";
import type { Room } from "../../../../node/config/room.ts";
import { Flood } from "./flood.ts";

const RAMP: Partial<Room> = {
  totalActiveUsers: 100_000,
  newUsersPerMinute: 100_000,
  ramp: { start: 120, unit: "min", percent: 50, minutes: 2 },
  refreshIntervalSeconds: 20,
};

test.each([[["sjc"]], [["sjc", "sjc", "lon"]], [["sjc", "sjc", "sjc", "lon", "lon", "del", "del", "del"]]])(
  "a room at %j keeps to its ramp, and uses it",
  (localities) => {
    const flood = new Flood(localities, RAMP);
    flood.run(5 * 60, 6);
    const minutes = flood.byMinute();
    const levels = [120, 120, 180, 180, 270];
    for (const [minute, level] of levels.entries()) {
      expect(minutes[minute] ?? 0, `minute ${minute}`).toBeLessThanOrEqual(level + 2);
      if (minute > 0) expect(minutes[minute] ?? 0, `minute ${minute}`).toBeGreaterThan(level * 0.85);
    }
    // One visitor in hundreds: polls follow the forecast, and this one's came between two slots of other gates.
    expect(flood.overtakes.counts.beyondInterval).toBeLessThanOrEqual(1);
    expect(Math.max(...Array.from({ length: 60 }, (_, second) => flood.bySecond[second] ?? 0))).toBeLessThanOrEqual(14);
  },
);

test.each([
  ["of four minutes, in steps", 4, [60, 90, 120]],
  ["of two minutes, at once", 2, [120, 120, 120]],
])("CT-9: without a ramp, a room goes on after a hold %s", (_, minutes, levels) => {
  const { ramp: _ramp, ...room } = RAMP;
  const flood = new Flood(["sjc", "sjc", "lon"], { ...room, newUsersPerMinute: 120 });
  flood.world.configure({ queueAll: true });
  flood.run(minutes * 60, 5);
  flood.world.configure({ queueAll: false });
  flood.run(levels.length * 60, 0);
  const admitted = flood.byMinute().slice(minutes);
  for (const [at, level] of levels.entries()) {
    expect(admitted[at] ?? 0, `minute ${at}`).toBeLessThanOrEqual(level + 2);
    expect(admitted[at] ?? 0, `minute ${at}`).toBeGreaterThan(level * 0.8);
  }
});

test("CT-9: after a pause the line is let in along the ramp, in the order of joining", () => {
  const flood = new Flood(["sjc", "sjc", "lon"], { ...RAMP, queueAll: true });
  flood.run(60, 50);
  expect(flood.byMinute().reduce((sum, count) => sum + (count ?? 0), 0)).toBe(0);
  flood.world.configure({ queueAll: false });
  flood.run(125, 0);
  const [, ...minutes] = flood.byMinute();
  for (const count of minutes.slice(0, 2)) expect(count ?? 0).toBeLessThanOrEqual(122);
  expect(minutes[1] ?? 0).toBeGreaterThan(108);
  expect(flood.overtakes.counts.beyondInterval).toBe(0);
  expect(flood.world.nodes.reduce((sum, { room }) => sum + room.admission.waiting, 0)).toBeGreaterThan(2_500);
});
