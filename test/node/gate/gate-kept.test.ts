/** A place is kept for the estimated wait and the room's grace; its cookie says so to every gate. */

import { describe, expect, test } from "vitest";
import { parseRoom } from "../../../node/config/room-document.ts";
import { cookieIn } from "./fake-exchange.ts";
import { GateWorld, MINUTE_MS, SHOP, saleAt } from "./gate-world.ts";

/** One visitor a minute comes in, so that the wait of each is known in minutes. */
const SLOW = { ...SHOP, total_active_users: 1_000, new_users_per_minute: 1 };

/** A place at the end of a line of `waiting`, its wait in ms, and its gate. */
async function endOfLine(waiting: number, room: object = {}) {
  const world = new GateWorld({ rooms: [{ ...SLOW, ...room }] });
  // The first one comes in where the room is not held.
  await world.ask();
  for (let before = 0; before < waiting; before++) await world.joinLine();
  const { headers, body } = await world.answered({ headers: { Accept: "application/json" } });
  const { anteroom } = JSON.parse(body);
  const waitMs = (anteroom.waitSeconds75Percentile ?? 0) * 1_000;
  return { world, waitMs, place: cookieIn(headers), keptMinutes: anteroom.placeKeptMinutes };
}

/** What becomes of a place that is shown again so much later. */
async function shownLater(waiting: number, lateMs: (waitMs: number) => number, room: object = {}): Promise<string> {
  const { world, waitMs, place } = await endOfLine(waiting, room);
  world.nowMs += lateMs(waitMs);
  return world.outcome({ headers: { Cookie: place } });
}

describe("the place of a visitor who does not ask", () => {
  test("is kept for place_kept_minutes beyond the wait, and the answer says how many", async () => {
    const room = { place_kept_minutes: 60 };
    expect((await endOfLine(1, room)).keptMinutes).toBe(60);
    expect(await shownLater(40, (wait) => wait + 60 * MINUTE_MS, room)).not.toBe("joined");
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

test.each([0, 241, 1.5, "10", -1])("place_kept_minutes: %s is refused, with what to write", (minutes) => {
  expect(parseRoom({ ...SHOP, place_kept_minutes: minutes })).toMatchObject({
    problems: [{ path: "place_kept_minutes", repair: expect.stringContaining("1 to 240") }],
  });
});
