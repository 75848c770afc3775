/** A room that asks its visitors to enter: the session of one who does not look at the page is short. */

import { beforeEach, describe, expect, test } from "vitest";
import { parseRoom } from "../../../node/config/room-document.ts";
import { cookieIn, fieldOf } from "./fake-exchange.ts";
import { GateWorld, MINUTE_MS, SHOP, START_MS, saleAt } from "./gate-world.ts";

const HTML = { Accept: "text/html" };
const ROOM = { ...SHOP, total_active_users: 1, session_duration: 3, enter_within_seconds: 90 };
const AGAIN = "/a?b=c&__anteroom=again";

let world: GateWorld;
let place: string;
beforeEach(async () => {
  world = await GateWorld.full(ROOM);
  place = await world.joinLine({ headers: HTML });
  // The first visitor's session ends.
  world.nowMs += 2 * MINUTE_MS;
  later();
});

/** Lets time pass until a session of 90 s is over, and one of three minutes is not. */
function later(): void {
  world.nowMs += 3 * MINUTE_MS + 10_000;
  world.room().meshRoom.tick(world.nowMs);
}

const poll = (cookie: string) => world.told(cookie, { headers: { "Anteroom-Poll": "1" } });

const inside = () => world.room().admission.inside(world.nowMs);

describe("a visitor whose turn it is", () => {
  test("is asked to enter, and a poll of the page does not enter", async () => {
    const { cookie, ...told } = await poll(place);
    expect(told).toMatchObject({ cfWaitingRoom: { inWaitingRoom: false }, anteroom: { enterSeconds: 90 } });
    world.nowMs += 30_000;
    expect((await poll(cookie)).anteroom.enterSeconds).toBe(60);
    expect(inside()).toBe(1);
    later();
    expect(inside()).toBe(0);
    expect((await world.ask({ headers: { ...HTML, Cookie: cookie } })).kind).toBe("forward");
  });

  test("does not enter by the icon that a browser loads with the page", async () => {
    const { cookie } = await poll(place);
    const icon = { target: "/favicon.ico", headers: { "Sec-Fetch-Mode": "no-cors", Cookie: cookie } };
    const { plan } = await world.forwarded(icon);
    expect(plan.onResponse({ status: 200, reason: "OK", headers: [] })).toEqual([]);
    later();
    expect(inside()).toBe(0);
  });

  test("has a whole session after entering, also within the same minute", async () => {
    const { cookie } = await poll(place);
    const { plan } = await world.forwarded({ target: "/a?b=c", headers: { ...HTML, Cookie: cookie } });
    const entered = cookieIn(plan.onResponse({ status: 200, reason: "OK", headers: [] }));
    later();
    expect(inside()).toBe(1);
    expect((await poll(entered)).anteroom.enterSeconds).toBeUndefined();
  });

  test("without JavaScript gets a page with a link, and nothing asks again by itself", async () => {
    const answer = await world.answered({ target: AGAIN, headers: { ...HTML, Cookie: place } });
    expect(answer.body).toContain("It is your turn");
    expect(answer.body).toContain('<a id="go" class="button" href="/a?b=c">Enter now</a>');
    expect([answer.status, fieldOf(answer.headers, "Refresh")]).toEqual([200, undefined]);
    expect(fieldOf(answer.headers, "Content-Language")).toBe("en-US");
    const Cookie = cookieIn(answer.headers);
    expect((await world.ask({ target: "/a?b=c", headers: { ...HTML, Cookie } })).kind).toBe("forward");
  });

  test("who asks for the page itself enters at once", async () => {
    expect((await world.ask({ headers: { ...HTML, Cookie: place } })).kind).toBe("forward");
    later();
    expect(inside()).toBe(1);
  });
});

test("a turn is not said to last longer than its slot, where an event has shorter sessions than the room", async () => {
  const startMs = START_MS + 10 * MINUTE_MS;
  const sale = saleAt(startMs, { session_duration: 1 });
  world = new GateWorld({ rooms: [{ ...ROOM, enter_within_seconds: 180, events: [sale] }] });
  world.nowMs = startMs - MINUTE_MS;
  const before = await world.joinLine({ headers: HTML });
  world.nowMs = startMs + 10_000;
  const { cookie, anteroom } = await poll(before);
  // Good for this minute and the next.
  expect(anteroom.enterSeconds).toBe(110);
  world.nowMs += 30_000;
  expect((await poll(cookie)).anteroom.enterSeconds).toBe(80);
});

test("a room that does not ask admits as before", async () => {
  world.rooms.update("shop", { enter_within_seconds: 0 });
  expect((await poll(place)).anteroom).not.toHaveProperty("enterSeconds");
  later();
  expect(inside()).toBe(1);
});

test("sessions that nothing renews have no turn to enter in", () => {
  expect(parseRoom({ ...ROOM, disable_session_renewal: true })).toMatchObject({
    problems: [{ path: "enter_within_seconds", problem: expect.stringContaining("beside disable_session_renewal") }],
  });
});
