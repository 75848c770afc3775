/** A visitor in line leaves an address at which to be told of the turn. */

import { beforeEach, describe, expect, test } from "vitest";
import type { Called } from "../../../node/admission/mesh/contacts.ts";
import { hashSource } from "../../../node/gate/own-page.ts";
import { supportId } from "../../../node/gate/support-id.ts";
import { ContactSeal } from "../../../node/keys/contact-seal.ts";
import { PushKeys } from "../../../node/keys/push-keys.ts";
import { MESH } from "../peer/lone-peer.ts";
import { cookieIn, fieldOf } from "./fake-exchange.ts";
import { GateWorld, MINUTE_MS, SHOP } from "./gate-world.ts";

const HTML = { Accept: "text/html" };
const TARGET = "/a?b=c&__anteroom=notify";
const FORM = { ...HTML, "Content-Type": "application/x-www-form-urlencoded", Origin: "http://shop.example" };
const APP = { Accept: "application/json", "Content-Type": "application/x-www-form-urlencoded" };
const ROOM = {
  ...SHOP,
  total_active_users: 1,
  session_duration: 3,
  notify: { by: ["email", "phone"], grace_minutes: 5 },
};

let world: GateWorld;
beforeEach(async () => {
  world = await GateWorld.full(ROOM);
});

const kept = () => world.room().meshRoom.contacts.size;
const form = (contact: string) => `contact=${encodeURIComponent(contact)}`;
const leave = (cookie: string, contact: string, headers: Readonly<Record<string, string>> = FORM) =>
  world.answered({ method: "POST", target: TARGET, headers: { ...headers, Cookie: cookie }, body: form(contact) });

function pass(ms: number): Called[] {
  const called: Called[] = [];
  for (const endMs = world.nowMs + ms; world.nowMs < endMs; ) {
    world.nowMs += 500;
    world.peer.tick({ wallMs: world.nowMs, steadyMs: world.nowMs });
    called.push(...world.room().meshRoom.contacts.takeCalled());
  }
  return called;
}

test("a page has the form where the room allows it, and says what was left", async () => {
  const cookie = await world.joinLine({ headers: HTML });
  const page = await world.answered({ headers: { ...HTML, Cookie: cookie } });
  expect(page.body).toContain('<form method="post" action="/?__anteroom=notify">');
  expect(page.body).toContain("E-mail address / Phone number");
  const answer = await leave(cookie, " アダ+shop@例え.jp ");
  expect([answer.status, fieldOf(answer.headers, "Location")]).toEqual([303, "/a?b=c&__anteroom=again.placed"]);
  expect(kept()).toBe(1);
  const after = await world.answered({ headers: { ...HTML, Cookie: cookieIn(answer.headers) } });
  expect(after.body).toContain("You will get a message when it is your turn.");
  expect(after.body).not.toContain("__anteroom=notify");
  world.rooms.update("shop", { notify: null });
  expect((await world.answered({ headers: { ...HTML, Cookie: cookie } })).body).not.toContain("__anteroom=notify");
  pass(500);
  expect(kept()).toBe(0);
});

test("one who closes the page is called in turn, with what was left, and has the session on coming back", async () => {
  const cookie = await world.joinLine({ headers: HTML });
  const after = cookieIn((await leave(cookie, "+49 (30) 123-456")).headers);
  const called = pass(4.5 * MINUTE_MS);
  const seal = new ContactSeal(MESH);
  const { id } = world.room();
  expect(called.map((one) => seal.opened(one.sealed, id, one.id))).toEqual([{ by: "phone", text: "+4930123456" }]);
  expect(called.map((one) => seal.opened(one.sealed, id, "another"))).toEqual([undefined]);
  for (const one of called) world.room().meshRoom.contacts.told(one);
  expect(await world.outcome({ headers: { ...HTML, Cookie: after } })).toBe("admitted");
  expect(kept()).toBe(0);
});

test("who comes at the end of the turn has a whole session", async () => {
  world = await GateWorld.full({ ...ROOM, session_duration: 6, notify: { by: ["email"], grace_minutes: 3 } });
  const after = cookieIn((await leave(await world.joinLine({ headers: HTML }), "ada@example.com")).headers);
  expect(pass(7.5 * MINUTE_MS)).toHaveLength(1);
  world.nowMs += MINUTE_MS;
  const inside = await world.comeIn({ headers: { ...HTML, Cookie: after } });
  const renewed = await world.comeIn({ target: "/logo.png", headers: { Cookie: inside } });
  world.nowMs += 4 * MINUTE_MS;
  expect(await world.outcome({ headers: { ...HTML, Cookie: renewed } })).toBe("inside");
});

test("the place is kept for a day although the wait is short, also by the cookies of later polls", async () => {
  const cookie = cookieIn((await leave(await world.joinLine({ headers: HTML }), "ada@example.com")).headers);
  world.rooms.update("shop", { queue_all: true });
  world.nowMs += 20 * MINUTE_MS;
  const polled = await world.answered({ headers: { ...HTML, Cookie: cookie } });
  const later = cookieIn(polled.headers) || cookie;
  world.nowMs += 20 * 60 * MINUTE_MS;
  expect(await world.outcome({ headers: { ...HTML, Cookie: later } })).toBe("polled");
});

describe("nothing is kept", () => {
  test.each([
    ["no address", "ada"],
    ["an address with a line end", "ada@example.com\r\nBcc: eve@example.com"],
    ["too long a one", `${"a".repeat(300)}@example.com`],
    ["too long a one, which has fewer letters", `${"例".repeat(60)}@${"例".repeat(30)}.jp`],
    ["nothing", ""],
  ])("of %s", async (_, contact) => {
    const cookie = await world.joinLine({ headers: HTML });
    const answer = await leave(cookie, contact);
    const target = "/a?b=c&__anteroom=again.placed.unclear";
    expect([answer.status, fieldOf(answer.headers, "Location")]).toEqual([303, target]);
    const page = await world.answered({ target, headers: { ...HTML, Cookie: cookie } });
    expect(page.body).toContain("Please check what you have written.");
    expect((await leave(cookie, contact, APP)).body).toBe('{"anteroom":{"contactKept":false}}');
    expect(kept()).toBe(0);
  });

  test("of a visitor without a place, of another site's page, or where the room does not allow it", async () => {
    const cookie = await world.joinLine({ headers: HTML });
    await leave("", "ada@example.com");
    await leave(cookie, "ada@example.com", { ...FORM, Origin: "https://evil.example" });
    world.rooms.update("shop", { notify: { by: ["phone"] } });
    await leave(cookie, "ada@example.com");
    world.rooms.update("shop", { notify: null });
    await leave(cookie, "ada@example.com");
    expect(kept()).toBe(0);
  });

  test("that is not on disk", async () => {
    const cookie = await world.joinLine({ headers: HTML });
    world.diskIsFull = true;
    expect((await leave(cookie, "ada@example.com")).status).toBe(503);
  });
});

test("a visitor has one contact: the last one; and none after leaving the line", async () => {
  const cookie = await world.joinLine({ headers: HTML });
  await leave(cookie, "ada@example.com");
  const answer = await leave(cookie, "bob@example.com");
  expect(kept()).toBe(1);
  const after = { ...FORM, Cookie: cookieIn(answer.headers) };
  await world.answered({ method: "POST", target: "/?__anteroom=leave.sure", headers: after });
  expect(kept()).toBe(0);
});

test("nor after an operator puts the visitor at the front: it goes with the place", async () => {
  const left = cookieIn((await leave(await world.joinLine({ headers: APP }), "ada@example.com", APP)).headers);
  const { helpDesk } = world.room().meshRoom;
  helpDesk.look(supportId(world.opened(left).id), { action: "admit", placeMs: undefined }, world.nowMs);
  const { cookie: moved } = await world.told(left);
  expect([(await world.told(moved)).anteroom.contactKept, kept()]).toEqual([false, 0]);
});

test("an app reads what may be left, leaves it, and reads that it is kept", async () => {
  const { anteroom, cookie } = await world.told();
  expect(anteroom).toMatchObject({ notify: ["email", "phone"], contactKept: false });
  const answer = await leave(cookie, "ada@example.com", APP);
  expect([answer.status, answer.body]).toEqual([200, '{"anteroom":{"contactKept":true}}']);
  expect((await world.told(cookieIn(answer.headers))).anteroom.contactKept).toBe(true);
});

const SUBSCRIPTION = {
  endpoint: "https://fcm.googleapis.com/fcm/send/ada",
  keys: { p256dh: `BA${"A".repeat(85)}`, auth: "A".repeat(22) },
  language: "en-US",
};

test("a page of a room with push has the script that its policy names, and keeps what the browser gives", async () => {
  world = new GateWorld({ rooms: [{ ...ROOM, path: "/tickets", notify: { by: ["push"] } }] });
  await world.comeIn({ target: "/tickets", headers: HTML });
  const cookie = await world.joinLine({ target: "/tickets", headers: HTML });
  const page = await world.answered({ target: "/tickets?day=1", headers: { ...HTML, Cookie: cookie } });
  const [, attributes = ""] = /<form id="push"([^>]*)>/.exec(page.body) ?? [];
  expect(attributes).toContain('action="/tickets?day=1&amp;__anteroom=notify"');
  expect(attributes).toContain('data-worker="/tickets/.anteroom/push.js?%2Ftickets%3Fday%3D1"');
  expect(attributes).toContain(`data-key="${new PushKeys(MESH).publicKey}"`);
  expect(page.body).not.toContain('id="contact"');
  const scripts = [...page.body.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, body = ""]) => hashSource(body));
  expect(scripts).toHaveLength(2);
  const policy = fieldOf(page.headers, "Content-Security-Policy") ?? "";
  for (const script of scripts) expect(policy).toContain(script);
  expect(policy).toContain("worker-src 'self'");
  const left = { method: "POST", headers: { ...FORM, Cookie: cookie }, body: form(JSON.stringify(SUBSCRIPTION)) };
  const answer = await world.answered({ ...left, target: "/tickets?__anteroom=notify" });
  expect(kept()).toBe(1);
  const after = await world.answered({ target: "/tickets", headers: { ...HTML, Cookie: cookieIn(answer.headers) } });
  expect(after.body).toContain("You will get a message when it is your turn.");
  expect(after.body).toContain('data-key=""');
});

test("a page has no script of push after one that could not be kept, nor in a room without it", async () => {
  world.rooms.update("shop", { notify: { by: ["email", "push"] } });
  const cookie = await world.joinLine({ headers: HTML });
  const page = async (target: string) =>
    (await world.answered({ target, headers: { ...HTML, Cookie: cookie } })).body.includes('id="push"');
  expect(await page("/")).toBe(true);
  const answer = await leave(cookie, JSON.stringify({ ...SUBSCRIPTION, endpoint: "https://10.0.0.1/" }));
  expect([await page(fieldOf(answer.headers, "Location") ?? ""), kept()]).toEqual([false, 0]);
  world.rooms.update("shop", { notify: { by: ["email"] } });
  expect(await page("/")).toBe(false);
});

test("the service worker is served at any path, and takes no place", async () => {
  const inLine = () => world.room().meshRoom.waitingHere;
  const before = inLine();
  for (const target of ["/.anteroom/push.js", "/tickets/.anteroom/push.js?%2Ftickets"]) {
    const { status, headers, body } = await world.answered({ target, headers: HTML });
    expect([status, fieldOf(headers, "Content-Type")]).toEqual([200, "text/javascript; charset=utf-8"]);
    expect(body).toContain("notificationclick");
  }
  expect(inLine()).toBe(before);
  await world.answered({ target: "/buy?next=/.anteroom/push.js", headers: HTML });
  expect(inLine()).toBe(before + 1);
});

test("no log line has the address", async () => {
  world = await GateWorld.full(ROOM, { accessLog: true, logLevel: "debug" });
  await leave(await world.joinLine({ headers: HTML }), "ada@example.com");
  expect(JSON.stringify(world.logged)).not.toContain("ada");
});
