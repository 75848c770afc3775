/** A room through an event, as its visitors meet it: pre-queue, start, end. */

import { describe, expect, test } from "vitest";
import { GateWorld, MINUTE_MS, SHOP, START_MS, saleAt } from "./gate-world.ts";

const SALE_MS = START_MS + 10 * MINUTE_MS;
const END_MS = SALE_MS + 30 * MINUTE_MS;

const SALE = saleAt(SALE_MS);

function worldWith(event: object, room: object = {}): GateWorld {
  return new GateWorld({ rooms: [{ ...SHOP, total_active_users: 100, ...room, events: [{ ...SALE, ...event }] }] });
}

describe("an event with a pre-queue", () => {
  test("lets visitors in as ever before it, holds new ones in it, and lets them in at the start, to the ms", async () => {
    const world = worldWith({});
    expect(await world.outcome()).toBe("admitted");
    world.nowMs = SALE_MS - 5 * MINUTE_MS - 1;
    expect(await world.outcome()).toBe("admitted");
    world.nowMs += 1;
    const cookie = await world.joinLine();
    world.nowMs = SALE_MS - 1;
    expect(await world.outcome({ headers: { Cookie: cookie } })).toBe("polled");
    world.nowMs = SALE_MS;
    expect(await world.outcome({ headers: { Cookie: cookie } })).toBe("admitted");
  });

  test("says when it opens, as data and as a page that counts down", async () => {
    const world = worldWith({ shuffle_at_event_start: true });
    world.nowMs = SALE_MS - 3 * MINUTE_MS + 500;
    const cookie = await world.joinLine();
    const { cfWaitingRoom, anteroom } = await world.told(cookie);
    expect(cfWaitingRoom).toMatchObject({
      isEventPrequeueing: true,
      isEventActive: false,
      timeUntilEventStart: 3,
      timeUntilEventStartFormatted: "3 minutes",
      timeUntilEventEnd: 0,
      shuffleAtEventStart: true,
      queueAll: true,
      waitTimeKnown: false,
    });
    expect(anteroom).toMatchObject({ position: 0, drawing: true, secondsToStart: 180 });
    const { body } = await world.answered({ headers: { Accept: "text/html", Cookie: cookie } });
    expect(String(body)).toContain('data-state="prequeueDrawn"');
    expect(String(body)).toContain('data-opens="180"');
    expect(String(body)).toContain('<strong id="countdown">3:00</strong>');
    const arabic = { Accept: "text/html", "Accept-Language": "ar", Cookie: cookie };
    expect(String((await world.answered({ headers: arabic })).body)).toContain('<strong id="countdown">٣:٠٠</strong>');
  });
});

describe("an event's own values", () => {
  test("apply from the start, and the room's own again from the end on", async () => {
    const world = worldWith({ prequeue_start_time: null, total_active_users: 1, new_users_per_minute: 1 });
    await world.fill();
    world.nowMs = SALE_MS;
    const { room } = world.room();
    expect([room.totalActiveUsers, room.newUsersPerMinute]).toEqual([100, 10]);
    expect(await world.outcome()).toBe("admitted");
    expect(await world.outcome()).toBe("joined");
    expect([world.room().room.totalActiveUsers, world.room().declared.totalActiveUsers]).toEqual([1, 100]);
    const { cfWaitingRoom, anteroom } = await world.told();
    expect(cfWaitingRoom).toMatchObject({ isEventActive: true, timeUntilEventEnd: 30, timeUntilEventStart: 0 });
    expect(anteroom).toMatchObject({ secondsToEnd: 1_800 });
    world.nowMs = END_MS;
    expect(await world.outcome()).toBe("admitted");
    expect(world.room().room.totalActiveUsers).toBe(100);
  });

  test("are followed when an operator changes the event under way, or deletes it", async () => {
    const world = worldWith({ prequeue_start_time: null, total_active_users: 1, new_users_per_minute: 1 });
    world.nowMs = SALE_MS;
    await world.outcome();
    expect(await world.outcome()).toBe("joined");
    world.rooms.update("shop", { events: [{ ...SALE, prequeue_start_time: null }] });
    expect(await world.outcome()).toBe("admitted");
    world.rooms.update("shop", { events: [] });
    expect(world.room().event).toBeUndefined();
  });
});

test("a clock that is set back before the start takes back what it had begun", async () => {
  const world = worldWith({});
  world.nowMs = SALE_MS;
  expect(await world.outcome()).toBe("admitted");
  world.nowMs = SALE_MS - 1;
  expect(await world.outcome()).toBe("joined");
});
