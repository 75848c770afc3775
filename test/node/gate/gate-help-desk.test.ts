import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import type { Look } from "../../../node/admission/mesh/help-desk.ts";
import type { LookAction } from "../../../node/admission/mesh/room-messages.ts";
import { readSupportId, supportId } from "../../../node/gate/support-id.ts";
import { cookieIn, fieldOf } from "./fake-exchange.ts";
import { GateWorld, MINUTE_MS, SHOP, START_MS } from "./gate-world.ts";

let world: GateWorld;
beforeEach(async () => {
  world = await GateWorld.full();
});

interface Waiting {
  cookie: string;
  readonly number: string;
}

async function joined(): Promise<Waiting> {
  world.nowMs += 1_000;
  const { cookie, anteroom } = await world.told();
  return { cookie, number: anteroom.supportId };
}

/** Four in line, a second apart. */
async function line() {
  return [await joined(), await joined(), await joined(), await joined()] as const;
}

/** What becomes of each, if all ask in this order. */
async function polls(visitors: readonly Waiting[]): Promise<string[]> {
  const outcomes: string[] = [];
  for (const visitor of visitors) outcomes.push(await poll(visitor));
  return outcomes;
}

/** Asks as the visitor's page does; keeps the new cookie. */
async function poll(visitor: Waiting): Promise<string> {
  const before = { ...world.room().counts.requests };
  const asked = { headers: { Cookie: visitor.cookie, Accept: "application/json" } };
  const outcome = await world.ask(asked);
  if (outcome.kind === "answer") visitor.cookie = cookieIn(outcome.headers) || visitor.cookie;
  const { requests } = world.room().counts;
  return Object.keys(requests).find((key) => Reflect.get(requests, key) !== Reflect.get(before, key)) ?? "";
}

const look = (number: string, action: LookAction = "find", placeMs?: number): Look =>
  world.room().meshRoom.helpDesk.look(number, { action, placeMs }, world.nowMs);

describe("a visitor who is looked for by the number on the page", () => {
  test("is found when the page asks the next time; the answer is given once", async () => {
    const [first, second] = [await joined(), await joined()];
    expect(look(second.number)).toMatchObject({ state: "looking", isNew: true });
    await poll(first);
    expect(look(second.number)).toMatchObject({ state: "looking", isNew: false });
    await poll(second);
    const sight = { state: "waiting", position: 2, sinceMs: START_MS + 2_000, isDone: false };
    expect(look(second.number)).toMatchObject({ state: "found", sight });
    expect(look(second.number)).toMatchObject({ state: "looking", isNew: true });
  });

  test("is found inside, with the end of the session", async () => {
    world = new GateWorld();
    const inside = await world.comeIn();
    const number = supportId(world.opened(inside).id);
    look(number);
    await world.exchange({ headers: { Cookie: inside } });
    const sight = { state: "inside", sinceMs: START_MS, untilMs: START_MS + 2 * MINUTE_MS };
    expect(look(number)).toMatchObject({ state: "found", sight });
  });

  test("is not seen if the page never asks", async () => {
    const gone = await joined();
    look(gone.number);
    world.nowMs += 74_000;
    expect(look(gone.number).state).toBe("looking");
    world.nowMs += 2_000;
    expect(look(gone.number)).toEqual({ state: "not-seen" });
    expect(world.room().meshRoom.helpDesk.isLooking).toBe(true);
    world.room().meshRoom.tick(world.nowMs);
    expect(world.room().meshRoom.helpDesk.isLooking).toBe(false);
  });
});

describe("a visitor who is admitted by an operator", () => {
  test("goes next, and not before a slot is free", async () => {
    const all = await line();
    const [, , , last] = all;
    look(last.number, "admit");
    expect(await poll(last)).toBe("polled");
    const sight = { state: "waiting", position: 1, sinceMs: START_MS, isDone: true };
    expect(look(last.number, "admit")).toMatchObject({ state: "found", sight });
    expect([world.room().admission.waiting, world.room().admission.inside(world.nowMs)]).toEqual([4, 2]);
    // Only one slot comes free.
    world.rooms.update("shop", { total_active_users: 3 });
    expect(await polls(all)).toEqual(["polled", "polled", "polled", "admitted"]);
    expect(world.room().admission.inside(world.nowMs)).toBe(3);
  });
});

describe("a visitor who is put back by an operator", () => {
  test("gets the place of the earlier moment, behind those who had joined and before those who joined later", async () => {
    const all = await line();
    const [, , , last] = all;
    // Between the first and the second.
    const placeMs = START_MS + 1_500;
    look(last.number, "put-back", placeMs);
    expect(await poll(last)).toBe("polled");
    const sight = { state: "waiting", position: 2, sinceMs: placeMs, isDone: true };
    expect(look(last.number, "put-back", placeMs)).toMatchObject({ state: "found", sight });
    expect([world.room().admission.waiting, world.room().admission.inside(world.nowMs)]).toEqual([4, 2]);
    world.rooms.update("shop", { total_active_users: 4 });
    expect(await polls(all)).toEqual(["admitted", "polled", "polled", "admitted"]);
    expect(world.room().admission.inside(world.nowMs)).toBe(4);
  });

  test("keeps a place that is better", async () => {
    const [first] = await line();
    look(first.number, "put-back", START_MS + 1_900);
    const { cookie } = first;
    await poll(first);
    const sight = { state: "waiting", position: 1, sinceMs: START_MS + 1_000, isDone: false };
    expect(look(first.number, "put-back", START_MS + 1_900)).toMatchObject({ state: "found", sight });
    expect([first.cookie, world.room().admission.waiting]).toEqual([cookie, 4]);
  });

  test("gets no other ticket where places are drawn by now", async () => {
    const [, , , last] = await line();
    const before = world.opened(last.cookie);
    look(last.number, "put-back", START_MS);
    world.rooms.update("shop", { queueing_method: "random" });
    await poll(last);
    expect(look(last.number, "put-back", START_MS)).toMatchObject({ sight: { isDone: false } });
    expect(world.opened(last.cookie)).toMatchObject({ key: Reflect.get(before, "key") });
  });
});

describe("a visitor who is removed by an operator", () => {
  test("loses the place, and hears of it once; the cookie goes with it", async () => {
    const [first] = await line();
    look(first.number, "remove");
    const { headers, anteroom } = await world.told(first.cookie, { headers: { "Anteroom-Poll": "1" } });
    expect(anteroom).toEqual({ position: 0, placeGone: true });
    expect(fieldOf(headers, "Set-Cookie")).toContain("Max-Age=0");
    expect([world.room().admission.waiting, look(first.number, "remove")]).toMatchObject([
      3,
      { state: "found", sight: { state: "waiting", isDone: true } },
    ]);
    expect(world.room().counts.requests.left).toBe(1);
  });

  test("reads why on a page that is loaded anew", async () => {
    const visitor = await joined();
    look(visitor.number, "remove");
    const page = await world.answered({ headers: { Cookie: visitor.cookie, Accept: "text/html" } });
    expect([page.status, page.body.includes("staff removed you")]).toEqual([200, true]);
  });

  test("loses the session, whose slot goes to the line; its copy is refused", async () => {
    world = new GateWorld({ rooms: [{ ...SHOP, session_duration: 5 }] });
    const inside = await world.comeIn();
    await world.fill();
    const next = await joined();
    const number = supportId(world.opened(inside).id);
    look(number, "remove");
    expect(await poll({ cookie: inside, number })).toBe("joined");
    expect(look(number, "remove")).toMatchObject({ state: "found", sight: { state: "inside", isDone: true } });
    // The slot is held to the end of the minute, and a grace.
    expect(await poll(next)).toBe("polled");
    world.nowMs += MINUTE_MS + 6_000;
    expect(await poll(next)).toBe("admitted");
    expect([await poll({ cookie: inside, number }), world.room().counts.badCookies.revoked]).toEqual(["joined", 2]);
  });
});

describe("a number that somebody reads out", () => {
  test("is short, readable aloud, and the same for the same visitor, whatever the id", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String()), (id) => {
        expect(supportId(id)).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
        expect(supportId(id)).toBe(supportId(id));
      }),
    );
    expect(supportId("AAAAAAAAAAAAAAAAAAAAAA")).toBe("0000-0000");
    expect(supportId("_____w")).toMatch(/^ZZZZ-ZZ/);
  });

  test.each([
    ["4QK7-X2MD", "4QK7-X2MD"],
    [" 4qk7 x2md", "4QK7-X2MD"],
    ["oIl7x2md", "0117-X2MD"],
    ["4QK7-X2M", undefined],
    ["4QK7-X2MU", undefined],
    ["", undefined],
  ])("%j is %j", (text, number) => {
    expect(readSupportId(text)).toBe(number);
  });
});
