import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RoomEvent } from "../../../node/config/event.ts";
import type { Room } from "../../../node/config/room.ts";
import { nextEvent, phaseOf, roomAt } from "../../../node/rooms/event-in-force.ts";
import { roomOf, smallest } from "../config/documents.ts";

const [PREQUEUE, START, END] = [1_000_000, 2_000_000, 3_000_000];

const SALE: RoomEvent = {
  name: "sale",
  description: "",
  suspended: false,
  startMs: START,
  endMs: END,
  prequeueMs: PREQUEUE,
  shuffles: true,
  isDrawn: false,
  drawValue: "",
  totalActiveUsers: 50,
  newUsersPerMinute: 5,
  sessionDuration: 2,
  disableSessionRenewal: true,
  queueingMethod: "random",
  customPageHtml: "<h1>sale</h1>",
  ramp: { start: 1, unit: "min", percent: 50, minutes: 1 },
};

const INHERITS: Partial<RoomEvent> = {
  totalActiveUsers: undefined,
  newUsersPerMinute: undefined,
  sessionDuration: undefined,
  disableSessionRenewal: undefined,
  queueingMethod: undefined,
  customPageHtml: "",
  ramp: undefined,
};

const LIMITS = { total_active_users: 500, new_users_per_minute: 100 };

const roomWith = (...events: readonly RoomEvent[]): Room => ({ ...roomOf(smallest(LIMITS)), events });

describe("a room with an event", () => {
  const room = roomWith(SALE);

  test("works as declared before the pre-queue, and from the end on", () => {
    for (const nowMs of [0, PREQUEUE - 1, END, END + 1]) expect(roomAt(room, nowMs).room).toBe(room);
  });

  test("holds new visitors from the pre-queue to the start, by its own limits", () => {
    for (const nowMs of [PREQUEUE, START - 1])
      expect(roomAt(room, nowMs).room).toMatchObject({
        queueAll: true,
        totalActiveUsers: 500,
        newUsersPerMinute: 100,
        sessionDuration: 5,
        queueingMethod: "random",
        customPageHtml: "<h1>sale</h1>",
        event: { name: "sale", phase: "prequeue", startMs: START, endMs: END, shuffles: true },
      });
  });

  test("has the event's values from the very start to the end", () => {
    for (const nowMs of [START, END - 1])
      expect(roomAt(room, nowMs).room).toMatchObject({
        queueAll: false,
        totalActiveUsers: 50,
        newUsersPerMinute: 5,
        sessionDuration: 2,
        disableSessionRenewal: true,
        queueingMethod: "random",
        ramp: SALE.ramp,
        event: { phase: "active" },
      });
  });

  test("inherits what the event does not set", () => {
    const { room: active } = roomAt(roomWith({ ...SALE, ...INHERITS }), START);
    expect({ ...active, event: undefined }).toEqual({ ...room, events: active.events, event: undefined });
  });

  test("takes no notice of a suspended one", () => {
    const suspended = roomWith({ ...SALE, suspended: true });
    for (const nowMs of [PREQUEUE, START]) expect(roomAt(suspended, nowMs).room).toBe(suspended);
    expect(nextEvent(suspended, 0)).toBeUndefined();
  });

  test("without a pre-queue goes on as declared up to the start", () => {
    const plain = roomWith({ ...SALE, prequeueMs: undefined, shuffles: false });
    expect(roomAt(plain, START - 1).room).toBe(plain);
    expect(roomAt(plain, START).room.totalActiveUsers).toBe(50);
  });

  test("stays held and stays suspended where the room is", () => {
    expect(roomAt({ ...room, queueAll: true }, START).room.queueAll).toBe(true);
    expect(roomAt({ ...room, suspended: true }, START).room.suspended).toBe(true);
  });

  test("is the same for the whole time that it says, whatever the events", () => {
    const events = fc.array(fc.tuple(fc.nat(50), fc.integer({ min: 1, max: 9 }), fc.nat(5), fc.boolean()), {
      maxLength: 5,
    });
    fc.assert(
      fc.property(events, fc.nat(1_000), (drawn, nowMs) => {
        let fromMs = 0;
        const all = drawn.map(([apart, length, before, suspended], index): RoomEvent => {
          const startMs = fromMs + apart + before;
          const endMs = startMs + length;
          fromMs = endMs;
          const prequeueMs = before === 0 ? undefined : startMs - before;
          return { ...SALE, name: `e${index}`, suspended, startMs, endMs, prequeueMs };
        });
        const declared = roomWith(...all);
        const { room: now, sinceMs, untilMs } = roomAt(declared, nowMs);
        expect(sinceMs <= nowMs && nowMs < untilMs).toBe(true);
        for (const otherMs of [Math.max(0, sinceMs), Math.min(2_000, untilMs - 1)]) {
          const other = roomAt(declared, otherMs);
          expect([other.sinceMs, other.untilMs]).toEqual([sinceMs, untilMs]);
          expect(other.room.event).toEqual(now.event);
        }
      }),
    );
  });

  test("knows the phase of each event, and which one is next", () => {
    const phases = [0, PREQUEUE, START, END].map((nowMs) => phaseOf(SALE, nowMs));
    expect(phases).toEqual(["upcoming", "prequeue", "active", "ended"]);
    expect(phaseOf({ ...SALE, suspended: true }, START)).toBe("suspended");
    const later = { ...SALE, name: "later", startMs: 2 * END, endMs: 3 * END, prequeueMs: undefined };
    expect([0, START, 2 * END].map((nowMs) => nextEvent(roomWith(later, SALE), nowMs)?.name)).toEqual([
      "sale",
      "later",
      undefined,
    ]);
  });
});
