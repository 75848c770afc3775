import { expect, test } from "vitest";
import type { Room } from "../../../../node/config/room.ts";
import { MINUTE_MS, RoomsWorld } from "./rooms-world.ts";

const RAMP: Partial<Room> = {
  totalActiveUsers: 100_000,
  newUsersPerMinute: 100_000,
  ramp: { start: 120, percent: 50, minutes: 2 },
  refreshIntervalSeconds: 5,
};

/** A world whose visitors come at `perSecond`, each at another node, and poll every few seconds; who is let in is counted by second. */
class Flood {
  readonly world: RoomsWorld;
  readonly bySecond: number[] = [];
  readonly #startMs: number;
  #count = 0;

  constructor(localities: readonly string[], change: Partial<Room>) {
    this.world = new RoomsWorld(localities, change);
    this.world.pass(3_000);
    this.#startMs = this.world.nowMs;
  }

  run(seconds: number, perSecond: number): void {
    for (let step = 0; step < seconds * 10; step++) {
      for (let count = 0; count < perSecond / 10; count++) this.#arrive(this.#count++ % this.world.nodes.length);
      this.world.pass(100);
    }
  }

  /** Admissions of each minute of the run. */
  byMinute(): number[] {
    const counts: number[] = [];
    for (const [second, count] of this.bySecond.entries()) {
      const minute = Math.floor((this.#startMs + second * 1_000) / MINUTE_MS) - Math.floor(this.#startMs / MINUTE_MS);
      counts[minute] = (counts[minute] ?? 0) + (count ?? 0);
    }
    return counts;
  }

  #arrive(at: number): void {
    this.world.arrive(at, (id, decision) => this.#decided(at, id, decision));
  }

  #decided(at: number, id: string, decision: { kind: string; place?: { key: number } }): void {
    if (decision.kind === "admitted") {
      const second = Math.floor((this.world.nowMs - this.#startMs) / 1_000);
      this.bySecond[second] = (this.bySecond[second] ?? 0) + 1;
    } else if (decision.place !== undefined) {
      const { key } = decision.place;
      this.world.time.after(2_000, () => this.world.poll(at, id, key, (next) => this.#decided(at, id, next)));
    }
  }
}

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
    expect(Math.max(...Array.from({ length: 60 }, (_, second) => flood.bySecond[second] ?? 0))).toBeLessThanOrEqual(14);
  },
);

test("CT-9: after a pause the line is let in along the ramp, in the order of joining", () => {
  const flood = new Flood(["sjc", "sjc", "lon"], { ...RAMP, queueAll: true });
  flood.run(60, 50);
  expect(flood.byMinute().reduce((sum, count) => sum + (count ?? 0), 0)).toBe(0);
  flood.world.configure({ queueAll: false });
  flood.run(125, 0);
  const [, ...minutes] = flood.byMinute();
  for (const count of minutes.slice(0, 2)) expect(count ?? 0).toBeLessThanOrEqual(122);
  expect(minutes[1] ?? 0).toBeGreaterThan(108);
  expect(flood.world.nodes.reduce((sum, { room }) => sum + room.admission.waiting, 0)).toBeGreaterThan(2_500);
});
