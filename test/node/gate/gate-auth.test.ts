import { beforeEach, describe, expect, test } from "vitest";
import { type Answered, type Asked, fieldOf, fieldsOf } from "./fake-exchange.ts";
import { GateWorld, MINUTE_MS, SHOP } from "./gate-world.ts";

const PROXY = "10.0.0.9";
const HTML = { Accept: "text/html" };

let world: GateWorld;
beforeEach(() => {
  world = new GateWorld({ trustedProxies: [PROXY] });
});

const nginx = (target: string, headers: Record<string, string> = {}, more: Asked = {}): Asked => ({
  from: PROXY,
  target: "/.anteroom/auth/nginx",
  headers: { "X-Original-URI": target, "X-Original-Method": "GET", "X-Forwarded-For": "203.0.113.7", ...headers },
  ...more,
});
const ask = (asked: Asked): Promise<Answered> => world.answered(asked);

describe("a proxy that sends others to the gate", () => {
  test("hears of a visitor inside, with the cookies for the origin and the visitor", async () => {
    const session = await world.comeIn();
    const yes = await ask(nginx("/a?b", { Cookie: `a=1; ${session}` }));
    expect([yes.status, fieldOf(yes.headers, "Cookie"), fieldsOf(yes.headers, "Set-Cookie")]).toEqual([200, "a=1", []]);
    world.nowMs += MINUTE_MS;
    const later = await ask(nginx("/a?b", { Cookie: session }));
    const [set] = fieldsOf(later.headers, "Set-Cookie");
    expect([set?.startsWith("__anteroom_shop="), fieldOf(later.headers, "Anteroom-Set-Cookie-1")]).toEqual([true, set]);
  });

  test("hears no of others, and nothing changes for them: no slot, no place, no cookie", async () => {
    const no = await ask(nginx("/", HTML));
    expect([no.status, fieldsOf(no.headers, "Set-Cookie")]).toEqual([401, []]);
    expect([world.room().admission.free(world.nowMs), world.room().counts.requests.asked]).toEqual([2, 1]);
    await world.fill();
    const place = await world.joinLine({ headers: HTML });
    expect((await ask(nginx("/", { ...HTML, Cookie: place }))).status).toBe(401);
    expect(world.room().counts.requests.polled).toBe(0);
  });

  test.each([
    ["a poll", "/", { "Anteroom-Poll": "1" }],
    ["a mark", "/?__anteroom=again", {}],
    ["a pass in the address", "/?x=1&anteroom_pass=p", {}],
    ["the draw", "/.anteroom/draw", {}],
    ["another room's path that is contested", "/vip/../x", {}],
    ["the question itself", "/.anteroom/auth/nginx", {}],
  ])("sends %s to the gate, of visitors inside too", async (_, target, headers) => {
    world = new GateWorld({ trustedProxies: [PROXY], rooms: [SHOP, { ...SHOP, name: "vip", path: "/vip" }] });
    const session = await world.comeIn();
    expect((await ask(nginx(target, { ...headers, Cookie: session }))).status).toBe(401);
  });

  test("sends all of a room to the gate whose origin may end sessions", async () => {
    world = new GateWorld({ trustedProxies: [PROXY], rooms: [{ ...SHOP, enabled_origin_commands: ["revoke"] }] });
    const session = await world.comeIn();
    expect((await ask(nginx("/", { Cookie: session }))).status).toBe(401);
  });

  test("may send what belongs to no room, and what bypasses one", async () => {
    world = new GateWorld({
      trustedProxies: [PROXY],
      rooms: [{ ...SHOP, path: "/shop", bypass_cidrs: ["203.0.113.7"] }],
    });
    expect((await ask(nginx("/other"))).status).toBe(200);
    expect((await ask(nginx("/shop"))).status).toBe(200);
    expect((await ask(nginx("/shop", { "X-Forwarded-For": "203.0.113.8" }))).status).toBe(401);
  });
});

describe("a question", () => {
  test("of an address that is no trusted proxy is not answered", async () => {
    const session = await world.comeIn();
    for (const from of ["203.0.113.7", "10.0.0.10"])
      expect((await ask(nginx("/", { Cookie: session }, { from }))).status).toBe(404);
  });

  test("in another dialect's field, without a field, or with two is refused", async () => {
    const session = await world.comeIn();
    const from = { from: PROXY, target: "/.anteroom/auth/nginx" };
    const method = ["X-Original-Method", "GET"];
    for (const headers of [
      ["X-Forwarded-Uri", "/", "X-Forwarded-Method", "GET", "Cookie", session],
      [...method, "X-Original-URI", "/", "X-Original-URI", "/", "Cookie", session],
      [...method, "X-Original-URI", "http://shop.example/", "Cookie", session],
      [...method, "X-Original-URI", "", "Cookie", session],
      ["X-Original-Method", "G T", "X-Original-URI", "/", "Cookie", session],
    ])
      expect((await ask({ ...from, headers })).status, headers.join()).toBe(400);
    for (const target of ["/.anteroom/auth", "/.anteroom/auth/", "/.anteroom/auth/other", "/.anteroom/auth/nginx/x"])
      expect((await ask(nginx("/", { Cookie: session }, { target }))).status, target).toBe(404);
  });

  test("looks at one field only: a visitor's own say nothing", async () => {
    world = new GateWorld({ trustedProxies: [PROXY], rooms: [SHOP, { ...SHOP, name: "vip", path: "/vip" }] });
    const session = await world.comeIn();
    const asked = nginx("/vip", { Cookie: session, "X-Forwarded-Uri": "/", "X-Original-URL": "/" });
    expect((await ask(asked)).status).toBe(401);
    expect((await ask(nginx("/", { Cookie: session, "X-Forwarded-Uri": "/vip" }))).status).toBe(200);
  });
});
