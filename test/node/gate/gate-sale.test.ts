/** What meets in a sale: a draw that waits, and proofs of work. */

import { describe, expect, test } from "vitest";
import type { Asked } from "./fake-exchange.ts";
import { GateWorld, MINUTE_MS, SHOP, START_MS, saleAt } from "./gate-world.ts";
import { proofOf } from "./page-solver.ts";

const SALE_MS = START_MS + 10 * MINUTE_MS;
const EVENT = saleAt(SALE_MS, { shuffle_at_event_start: true, draw: true });
const SALE = { ...SHOP, refresh_interval_seconds: 20, events: [EVENT] };
const HARD = { proof_of_work_mode: "always", proof_of_work_action: "infinite_queue" };
const JSON_ACCEPT = { Accept: "application/json" };
const DRAW = "/.anteroom/draw";

/** A visitor who waits: what the answer says, and the newest cookie. */
async function wait(world: GateWorld, cookie = "", asked: Asked = {}) {
  const { cfWaitingRoom, anteroom, cookie: next } = await world.told(cookie, asked);
  const { refreshIntervalSeconds: pause, infiniteQueue: isUnproved } = cfWaitingRoom;
  return { ...anteroom, pause, isUnproved, cookie: next };
}

/** Many who come one after another: their cookies. */
async function places(world: GateWorld, count: number): Promise<string[]> {
  const taken: string[] = [];
  for (let place = 0; place < count; place++) taken.push((await wait(world)).cookie);
  return taken;
}

/** How many visitors the draw has, as anybody may read. */
async function drawn(world: GateWorld): Promise<number> {
  return JSON.parse((await world.answered({ target: DRAW })).body).draws[0].visitors;
}

describe("a draw that waits for its public value", () => {
  const rooms = [{ ...SALE, events: [{ ...EVENT, draw_public_value: "a lottery" }] }];

  test("says so on the page and to programs, and visitors ask at their usual pace", async () => {
    const world = new GateWorld({ rooms });
    world.runTo(SALE_MS - MINUTE_MS / 2);
    const { cookie } = await wait(world);
    expect((await wait(world, cookie)).drawWaitsFor).toBeUndefined();
    world.runTo(SALE_MS + 5_000);
    const soon = await wait(world, cookie);
    expect([soon.drawWaitsFor, soon.position]).toEqual(["value", 0]);
    world.runTo(SALE_MS + 3 * MINUTE_MS);
    expect(await wait(world, cookie)).toMatchObject({ drawWaitsFor: "value", pause: 20 });
    const { body } = await world.answered({ headers: { Cookie: cookie, Accept: "text/html" } });
    expect(body).toContain('data-state="drawValue"');
    expect(body).toContain("The draw is waiting for a public number that is not known yet.");
  });

  test("goes on when the value is there", async () => {
    const world = new GateWorld({ rooms });
    world.runTo(SALE_MS - MINUTE_MS / 2);
    const { cookie } = await wait(world);
    world.runTo(SALE_MS + MINUTE_MS);
    const live = world.rooms.byName("shop");
    const [draw] = live?.draws ?? [];
    if (live === undefined || draw === undefined) throw new Error("Broken: the room has a draw");
    world.rooms.giveDrawValue(live, draw, "1 2 3 4 5 6");
    world.runTo(SALE_MS + MINUTE_MS + 5_000);
    expect(await world.outcome({ headers: { Cookie: cookie } })).toBe("admitted");
  });
});

describe("a visitor who was in line before the pre-queue", () => {
  test("is on the list once a gate sees the cookie, and knows its id from the page", async () => {
    const world = new GateWorld({ rooms: [{ ...SALE, total_active_users: 1 }] });
    await world.comeIn();
    const { cookie } = await wait(world);
    world.runTo(SALE_MS - MINUTE_MS / 2);
    expect(await drawn(world)).toBe(0);
    expect((await wait(world, cookie)).draw).toMatch(/^\/\.anteroom\/draw#[0-9a-f]{13}$/);
    world.runTo(world.nowMs + 2_000);
    expect(await drawn(world)).toBe(1);
  });
});

describe.each([true, false])("a program that takes many places before a sale (a draw: %s)", (draw) => {
  const rooms = [{ ...SALE, events: [{ ...EVENT, draw }] }];

  test("and asks for none of them again stands behind all who were there at the close", async () => {
    const world = new GateWorld({ rooms: [{ ...rooms[0], total_active_users: 1 }] });
    world.runTo(SALE_MS - 4 * MINUTE_MS);
    const taken = await places(world, 30);
    let visitor = (await wait(world)).cookie;
    // As the page asks, in time for the close; and another comes just before it.
    for (let asked = 0; asked < 11; asked++) {
      world.runTo(world.nowMs + 20_000);
      visitor = (await wait(world, visitor)).cookie;
    }
    const last = (await wait(world)).cookie;
    world.runTo(SALE_MS + 5_000);
    world.rooms.update("shop", { queue_all: true });
    if (draw) expect(await drawn(world)).toBe(2);
    for (const cookie of taken) expect((await wait(world, cookie)).position).toBeGreaterThan(0);
    const found = [(await wait(world, visitor)).position, (await wait(world, last)).position];
    expect(found.toSorted()).toEqual([1, 2]);
  });

  test.each([
    [10_000, true],
    [2 * MINUTE_MS, false],
  ])("has its places if the gate was down until %i ms before the start: %s", async (upMs, keeps) => {
    const before = new GateWorld({ rooms });
    before.runTo(SALE_MS - 4 * MINUTE_MS);
    const taken = await places(before, 9);
    const times = { lastAliveMs: SALE_MS - 3 * MINUTE_MS, nowMs: SALE_MS - upMs };
    const world = new GateWorld({ rooms: [{ ...rooms[0], total_active_users: 1 }], ...times });
    world.runTo(SALE_MS - 5_000);
    await wait(world);
    world.runTo(SALE_MS + 5_000);
    world.rooms.update("shop", { queue_all: true });
    const late = await wait(world);
    world.nowMs += 1_000;
    // Before the one who came after the start, or behind.
    const found: number[] = [];
    for (const each of taken) found.push((await wait(world, each)).position);
    expect(late.position).toBe(2);
    expect(found.some((place) => place <= late.position)).toBe(keeps);
  });
});

describe("proof of work before a draw", () => {
  const rooms = [{ ...SALE, ...HARD }];

  test("a proof that comes after the start gives a place behind all who were drawn", async () => {
    // Held at the start, so that all wait.
    const world = new GateWorld({ rooms: [{ ...rooms[0], total_active_users: 1 }] });
    world.runTo(SALE_MS - MINUTE_MS / 2);
    const late: Awaited<ReturnType<typeof wait>>[] = [];
    for (let visitor = 0; visitor < 8; visitor++) late.push(await wait(world));
    const inTime: string[] = [];
    for (let visitor = 0; visitor < 8; visitor++) {
      const { challenge, cookie } = await wait(world);
      inTime.push((await wait(world, cookie, { headers: { "Anteroom-Proof": proofOf(challenge) } })).cookie);
    }
    world.runTo(SALE_MS - 1_000);
    for (const cookie of inTime) await wait(world, cookie);
    world.runTo(SALE_MS + 5_000);
    expect(await drawn(world)).toBe(8);
    world.rooms.update("shop", { queue_all: true });
    const positions = async (cookies: readonly string[]): Promise<number[]> => {
      const found: number[] = [];
      for (const cookie of cookies) found.push((await wait(world, cookie)).position);
      return found.sort((one, other) => one - other);
    };
    expect(await positions(inTime)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    const proved: string[] = [];
    for (const { challenge, cookie } of late) {
      world.nowMs += 10;
      proved.push((await wait(world, cookie, { headers: { "Anteroom-Proof": proofOf(challenge) } })).cookie);
    }
    expect(await positions(proved)).toEqual([9, 10, 11, 12, 13, 14, 15, 16]);
    expect(await positions(inTime)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(await drawn(world)).toBe(8);
  });

  test("an event without a limit asks nobody for a proof, and one that begins later does", async () => {
    const free = { ...EVENT, draw: false, shuffle_at_event_start: false, queueing_method: "passthrough" };
    const world = new GateWorld({ rooms: [{ ...SALE, ...HARD, events: [free] }] });
    expect((await wait(world)).isUnproved).toBe(true);
    world.runTo(SALE_MS + 1_000);
    expect(await world.outcome({ headers: JSON_ACCEPT })).toBe("admitted");
    world.runTo(SALE_MS + 31 * MINUTE_MS);
    expect((await wait(world)).isUnproved).toBe(true);
  });
});
