import { describe, expect, test } from "vitest";
import { GRACE_MS } from "../../../mesh/core/minute.ts";
import { done, MINUTE_MS, RoomShelf, SHOP, START_MS } from "./room-shelf.ts";

function admitted(kinds: readonly string[]): number {
  return kinds.filter((kind) => kind === "admitted").length;
}

describe("a room at work", () => {
  test("has the node's origin unless it names one", () => {
    const shelf = new RoomShelf();
    const live = done(shelf.rooms.create(SHOP));
    expect(live.origin.all[0]?.address.authority).toBe("origin.internal:3000");
    done(shelf.rooms.update("shop", { origin: "https://own.example/shop" }));
    expect(live.origin.all[0]?.address).toMatchObject({
      hostname: "own.example",
      port: 443,
      tls: true,
      basePath: "/shop",
    });
  });

  test("changes its bypass and its cookie with its configuration", () => {
    const shelf = new RoomShelf();
    const live = done(shelf.rooms.create(SHOP));
    const { cookieName } = live;
    done(
      shelf.rooms.update("shop", { cookie_suffix: "eu", bypass_cidrs: ["10.0.0.0/8"], rules: [{ expression: "ssl" }] }),
    );
    expect(live.cookieName).not.toBe(cookieName);
    const request = { method: "GET", target: "/", host: "shop.example.com", headers: [] };
    const from = (address: string, secure: boolean) =>
      live.ruling({ request, client: { address, secure } }) === "bypass_waiting_room";
    expect([from("10.0.0.1", false), from("203.0.113.1", true), from("203.0.113.1", false)]).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe("a room with an event and a ramp", () => {
  const AT = (ms: number): string => new Date(ms).toISOString();
  const event = {
    name: "sale",
    event_start_time: AT(START_MS + MINUTE_MS),
    event_end_time: AT(START_MS + 90 * MINUTE_MS),
  };
  const RAMPED = { ...SHOP, total_active_users: 9_000, new_users_per_minute: 9_000, ramp: "60/min/50/5" };

  test("begins its ramp at the start of the event, also where it hears of the event later", () => {
    const shelf = new RoomShelf();
    const live = done(shelf.rooms.create(RAMPED));
    const { declared } = done(shelf.rooms.update("shop", { events: [event] }));
    const stored = {
      firstName: "shop",
      room: declared,
      createdMs: START_MS,
      modifiedMs: START_MS,
      drawKey: undefined,
      outside: [],
    };
    live.configure({ ...stored, room: { ...declared, events: [] } }, shelf.nowMs);
    shelf.nowMs += 40 * MINUTE_MS;
    live.configure(stored, shelf.nowMs);
    expect(live.meshRoom.pace.startMs).toBe(START_MS + MINUTE_MS);
  });

  test("begins on time where the room got it after a look at rooms without events", () => {
    const shelf = new RoomShelf();
    const live = done(shelf.rooms.create(RAMPED));
    shelf.rooms.turn(shelf.nowMs);
    done(shelf.rooms.update("shop", { events: [event] }));
    shelf.nowMs += MINUTE_MS;
    shelf.rooms.turn(shelf.nowMs);
    expect(live.room.event?.phase).toBe("active");
  });

  test("lets in no more than its ramp from the very start of the event", () => {
    const shelf = new RoomShelf();
    done(
      shelf.rooms.create({
        ...RAMPED,
        total_active_users: 100,
        new_users_per_minute: 100,
        ramp: "",
        events: [{ ...event, total_active_users: 9_000, new_users_per_minute: 9_000, ramp: "60/min/50/5" }],
      }),
    );
    shelf.tick();
    shelf.nowMs += MINUTE_MS;
    shelf.rooms.turn(shelf.nowMs);
    expect(admitted(shelf.visit("shop", 500))).toBeLessThanOrEqual(2);
  });

  test("lets in no more than its ramp when an event with lower limits is over", () => {
    const shelf = new RoomShelf();
    const lower = { ...event, total_active_users: 100, new_users_per_minute: 100 };
    done(shelf.rooms.create({ ...RAMPED, events: [lower] }));
    // Never without visitors: that would start the ramp again as well.
    for (let minute = 1; minute <= 90; minute++) {
      shelf.nowMs += MINUTE_MS;
      shelf.rooms.turn(shelf.nowMs);
      shelf.tick();
      expect(admitted(shelf.visit("shop", minute === 90 ? 500 : 1))).toBe(1);
    }
  });
});

describe.each(["even", "adaptive"])("a room with the policy %s on one node", (slot_policy) => {
  const ROOM = { ...SHOP, slot_policy, total_active_users: 10, new_users_per_minute: 6, session_duration: 1 };

  test("admits what is free, minute by minute, and ends at the limits", () => {
    const shelf = new RoomShelf();
    const live = done(shelf.rooms.create({ ...ROOM, queue_max: 1 }));
    expect(admitted(shelf.visit("shop", 9))).toBe(6);
    expect(live.admission.free(shelf.nowMs)).toBe(0);
    shelf.nowMs += MINUTE_MS;
    for (let second = 0; second < 59; second++) live.admission.tick(shelf.nowMs + second * 1_000);
    shelf.nowMs += 59_000;
    expect(live.admission.waiting).toBe(0);
    expect(admitted(shelf.visit("shop", 9))).toBe(4);
    expect(live.admission.inside(shelf.nowMs)).toBe(10);
  });

  test("never holds more than total_active_users, though ended sessions count as gone a grace before their slots are free", () => {
    const shelf = new RoomShelf();
    const live = done(shelf.rooms.create({ ...ROOM, total_active_users: 6, queue_max: 1 }));
    shelf.visit("shop", 6);
    shelf.nowMs += 2 * MINUTE_MS;
    expect(live.admission.inside(shelf.nowMs)).toBe(6);
    expect(admitted(shelf.visit("shop", 9))).toBe(0);
    live.admission.tick(shelf.nowMs + GRACE_MS);
    expect(live.admission.free(shelf.nowMs + GRACE_MS)).toBe(6);
  });

  test("continues with the minute's slots after a change and after a restart, neither more nor fewer", () => {
    const shelf = new RoomShelf();
    done(shelf.rooms.create({ ...ROOM, total_active_users: 8 }));
    expect(admitted(shelf.visit("shop", 4))).toBe(4);
    const live = done(shelf.rooms.update("shop", { description: "changed" }));
    expect(live.admission.free(shelf.nowMs)).toBe(2);
    shelf.save();
    shelf.restart();
    expect(shelf.rooms.byName("shop")?.admission.free(shelf.nowMs)).toBe(2);
  });
});
