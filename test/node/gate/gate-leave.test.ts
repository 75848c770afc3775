/** A visitor who gives up the place in line. */

import { beforeEach, describe, expect, test } from "vitest";
import { fieldOf, fieldsOf } from "./fake-exchange.ts";
import { GateWorld } from "./gate-world.ts";

const HTML = { Accept: "text/html" };
const ASKED = "/a?b=c&__anteroom=leave";
const LEAVE = "/a?b=c&__anteroom=leave.sure";
const LEFT = "/a?b=c&__anteroom=left";
const FORM = { ...HTML, "Content-Type": "application/x-www-form-urlencoded", Origin: "http://shop.example" };

let world: GateWorld;
beforeEach(async () => {
  world = await GateWorld.full({ total_active_users: 1 });
});

const waiting = () => world.room().meshRoom.waitingHere;

describe("leaving the line", () => {
  test("frees the place at once, removes the cookie, and says so", async () => {
    const first = await world.joinLine({ headers: HTML });
    const second = await world.joinLine({ headers: HTML });
    expect(waiting()).toBe(2);
    const answer = await world.answered({ method: "POST", target: LEAVE, headers: { ...FORM, Cookie: first } });
    expect([answer.status, fieldOf(answer.headers, "Location")]).toEqual([303, LEFT]);
    expect(fieldOf(answer.headers, "Set-Cookie")).toMatch(/^__anteroom_shop=;.*Max-Age=0/);
    expect(waiting()).toBe(1);
    const page = await world.answered({ target: LEFT, headers: HTML });
    expect(page.status).toBe(200);
    expect(page.body).toContain("You have left the line");
    expect(page.body).toContain('<a href="/a?b=c">Join the line again</a>');
    expect(page.body).not.toContain("Error");
    expect([fieldsOf(page.headers, "Set-Cookie"), fieldOf(page.headers, "Refresh")]).toEqual([[], undefined]);
    expect(waiting()).toBe(1);
    expect((await world.told(second)).anteroom.position).toBe(1);
  });

  test.each([
    ["a form of another site", { method: "POST", headers: { ...FORM, Origin: "https://evil.example" } }],
    ["a form of a page that hides where it is from", { method: "POST", headers: { ...FORM, Origin: "null" } }],
    [
      "a frame of another site",
      { method: "POST", headers: { ...FORM, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "iframe" } },
    ],
    ["another host of the site", { method: "POST", headers: { ...FORM, Origin: "http://blog.shop.example" } }],
    ["a script of another site", { method: "POST", headers: { Accept: "*/*", Origin: "https://evil.example" } }],
    ["a link", { method: "GET", headers: HTML }],
  ])("is not done by %s", async (_, { method, headers }) => {
    const first = await world.joinLine({ headers: HTML });
    await world.answered({ method, target: LEAVE, headers: { ...headers, Cookie: first } });
    expect(waiting()).toBe(1);
    expect((await world.told(first)).anteroom.position).toBe(1);
  });

  test("by a visitor inside leads to the site, and ends nothing", async () => {
    world.rooms.update("shop", { total_active_users: 2 });
    const inside = await world.comeIn({ headers: HTML });
    const answer = await world.answered({ method: "POST", target: LEAVE, headers: { ...FORM, Cookie: inside } });
    expect([answer.status, fieldOf(answer.headers, "Location")]).toEqual([303, "/a?b=c"]);
    expect((await world.ask({ headers: { ...HTML, Cookie: inside } })).kind).toBe("forward");
  });

  test("twice is the same as once, and a place taken afterwards is a place", async () => {
    for (let at = 0; at < 2; at++)
      expect((await world.answered({ method: "POST", target: LEAVE, headers: FORM })).status).toBe(303);
    const again = await world.joinLine({ headers: HTML });
    const { body } = await world.answered({ target: LEFT, headers: { ...HTML, Cookie: again } });
    expect(body).toContain("You are next");
  });
});

describe("the button of the waiting page", () => {
  test("asks first, and goes back by itself where no step is taken", async () => {
    const Cookie = await world.joinLine({ headers: HTML });
    const page = await world.answered({ method: "POST", target: ASKED, headers: { ...FORM, Cookie } });
    expect(page.status).toBe(200);
    expect(page.body).toContain("<h1>Leave the line</h1>");
    expect(page.body).toContain('action="/a?b=c&amp;__anteroom=leave.sure"');
    expect(page.body).toContain('href="/a?b=c&amp;__anteroom=again">Stay in line</a>');
    expect(fieldOf(page.headers, "Refresh")).toBe("30; url=/a?b=c&__anteroom=again");
    expect(fieldsOf(page.headers, "Set-Cookie")).toEqual([]);
    const stays = await world.answered({ target: "/a?b=c&__anteroom=again", headers: { ...HTML, Cookie } });
    expect(stays.body).toContain("You are next");
  });

  test("asks nothing where there is no place to lose", async () => {
    const answer = await world.answered({ method: "POST", target: ASKED, headers: FORM });
    expect([answer.status, fieldOf(answer.headers, "Location")]).toEqual([303, LEFT]);
  });

  test("asks no program, which has nobody to ask", async () => {
    const Cookie = await world.joinLine({ headers: HTML });
    await world.answered({ method: "POST", target: ASKED, headers: { Accept: "*/*", Cookie } });
    expect(waiting()).toBe(0);
  });
});

describe("another tab, once the place is left or its cookie deleted", () => {
  const poll = (mark: string, headers: object = {}) =>
    world.told("", { target: `/a?__anteroom=${mark}`, headers: { "Anteroom-Poll": "1", ...headers } });

  test("says so, and takes no other place: its poll", async () => {
    for (let times = 0; times < 3; times++) {
      const { status, anteroom, headers } = await poll("poll.17.placed", { Cookie: "__anteroom_.kept=1; other=2" });
      expect([status, anteroom.placeGone]).toEqual([200, true]);
      expect(fieldsOf(headers, "Set-Cookie")).toEqual([]);
    }
    expect(waiting()).toBe(0);
  });

  test("says so, and takes no other place: its reload without JavaScript", async () => {
    const Cookie = await world.joinLine({ headers: HTML });
    const again = async (target: string, headers: object) =>
      /url=(\S+)/.exec(
        fieldOf((await world.answered({ target, headers: { ...HTML, ...headers } })).headers, "Refresh") ?? "",
      )?.[1] ?? "";
    const first = await again("/a", { Cookie });
    expect(first).toBe("/a?__anteroom=again.placed");
    const page = await world.answered({ target: first, headers: HTML });
    expect(page.body).toContain("You are no longer in line");
    expect(page.body).toContain('<a href="/a">Join the line again</a>');
    expect(fieldOf(page.headers, "Refresh")).toBeUndefined();
    expect(waiting()).toBe(1);
    expect(await world.outcome({ target: "/a", headers: HTML })).toBe("joined");
  });

  test("goes on with a place that was taken anew, and with a cookie that is only too old", async () => {
    const Cookie = await world.joinLine({ headers: HTML });
    const asked = { target: "/a?__anteroom=poll.17.placed" };
    expect(await world.outcome({ ...asked, headers: { "Anteroom-Poll": "1", Cookie } })).toBe("polled");
    world.nowMs += 86_400_000;
    expect(await world.outcome({ ...asked, headers: { "Anteroom-Poll": "1", Cookie } })).toBe("joined");
  });

  test("a page that had no place yet reads about cookies, as before", async () => {
    expect((await poll("poll.17")).anteroom.cookiesNeeded).toBe(true);
  });
});
