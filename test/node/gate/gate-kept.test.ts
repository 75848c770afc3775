/** A place is kept for the estimated wait and the room's grace; its cookie says so to every gate. */

import { describe, expect, test } from "vitest";
import { GateWorld, MINUTE_MS, SHOP, saleAt } from "./gate-world.ts";

/** One visitor a minute comes in, so that the wait of each is known in minutes. */
const SLOW = { ...SHOP, total_active_users: 1_000, new_users_per_minute: 1 };

/** A place at the end of a line of `waiting`, its wait in ms, and its gate. */
async function endOfLine(waiting: number, room: object = {}) {
  const world = new GateWorld({ rooms: [{ ...SLOW, ...room }] });
  // The first one comes in where the room is not held.
  await world.ask();
  for (let before = 0; before < waiting; before++) await world.joinLine();
  const { anteroom, cookie: place } = await world.told();
  const waitMs = (anteroom.waitSeconds75Percentile ?? 0) * 1_000;
  return { world, waitMs, place, keptMinutes: anteroom.placeKeptMinutes };
}

describe("the place of a visitor who does not ask", () => {
  test("is kept for place_kept_minutes beyond the wait, and the answer says how many", async () => {
    const room = { place_kept_minutes: 60 };
    const { world, waitMs, place, keptMinutes } = await endOfLine(40, room);
    expect(keptMinutes).toBe(60);
    world.nowMs += waitMs + 60 * MINUTE_MS;
    expect(await world.outcome({ headers: { Cookie: place } })).not.toBe("joined");
  });

  test("is judged by what the room says now", async () => {
    const { world, place } = await endOfLine(0, { queue_all: true });
    world.rooms.update("shop", { place_kept_minutes: 30 });
    world.nowMs += 30 * MINUTE_MS;
    expect(await world.outcome({ headers: { Cookie: place } })).toBe("polled");
  });

  test("in a pre-queue is kept until the start and for the minutes", async () => {
    const startMs = Date.UTC(2026, 8, 11, 14, 0);
    const event = saleAt(startMs, { prequeue_start_time: new Date(startMs - 3 * 3_600_000).toISOString() });
    const world = new GateWorld({ rooms: [{ ...SHOP, queue_all: true, events: [event] }] });
    const place = await world.joinLine();
    world.nowMs = startMs + 10 * MINUTE_MS;
    expect(await world.outcome({ headers: { Cookie: place } })).toBe("polled");
  });
});
