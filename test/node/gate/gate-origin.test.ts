import { describe, expect, test } from "vitest";
import { cookieIn, fieldOf, originAnswers, originFails } from "./fake-exchange.ts";
import { GateWorld, LOOP_NAME, SHOP } from "./gate-world.ts";

const REVOKING = { ...SHOP, enabled_origin_commands: ["revoke"] };

describe("what the origin gets", () => {
  test("the same on every way through: suspended, bypassed, passed, in no room", async () => {
    const rooms = [
      { ...SHOP, suspended: true },
      { ...SHOP, name: "bypassed", host: "b.example", bypass_cidrs: ["203.0.113.0/24"] },
      { ...SHOP, name: "open", host: "o.example" },
    ];
    const world = new GateWorld({ rooms, originSecret: "between us" });
    for (const host of ["shop.example", "b.example", "o.example", "nowhere.example"]) {
      const { plan } = await world.forwarded({ method: "HEAD", host, headers: { Cookie: "__anteroom_shop=1" } });
      expect(fieldOf(plan.headers, "Cookie")).toBeUndefined();
      expect(fieldOf(plan.headers, "Anteroom-Origin-Secret")).toBe("between us");
      expect(fieldOf(plan.headers, "X-Forwarded-For")).toBe("203.0.113.7");
      expect(plan.origin.authority).toBe("origin.internal:3000");
    }
    expect(world.gate.unmatched).toBe(1);
  });

  test("no secret, while one of the room's origins is named by somebody who sees some rooms only", async () => {
    const world = new GateWorld({
      rooms: [{ ...SHOP, suspended: true, origin: "http://own.example" }],
      originSecret: "between us",
    });
    const secret = async () => fieldOf((await world.forwarded()).plan.headers, "Anteroom-Origin-Secret");
    expect(await secret()).toBe("between us");
    const origin = [{ url: "http://own.example" }, { url: "http://theirs.example", weight: 0 }];
    const author = { sees: (room: string) => room === "shop" };
    expect(world.rooms.update("shop", { origin }, { author }).ok).toBe(true);
    expect(await secret()).toBeUndefined();
  });

  test.each(["/../admin", "/a/..%2f..%5cadmin", "/%2e%2e/admin", "/..;/admin", "/..\\admin?x", "/a/.%00./admin"])(
    "never %s, which leads out of the folder that the room's origin names",
    async (target) => {
      const rooms = [{ ...SHOP, origin: "http://origin.internal:3000/shop" }];
      const world = new GateWorld({ rooms });
      const refused = await world.answered({ target });
      expect([refused.status, refused.body]).toEqual([400, expect.stringContaining("Address not clear")]);
      const { plan } = await world.forwarded({ target: "/a/%2e.x/..y//b?/../c" });
      expect(plan.origin.basePath).toBe("/shop");
      expect(await new GateWorld().forwarded({ target })).toBeDefined();
    },
  );

  test.each(["shop.example", "nowhere.example"])(
    "of %s that comes back from there is answered 508, and takes nothing",
    async (host) => {
      const world = new GateWorld();
      const { plan } = await world.forwarded({ host });
      const inside = world.room().admission.inside(world.nowMs);
      const back = await world.answered({ host, headers: plan.headers });
      expect(back.status).toBe(508);
      expect(back.body).toContain("leads back to its waiting room");
      expect(world.room().admission.inside(world.nowMs)).toBe(inside);
      expect(world.logged.filter(({ message }) => message.includes("looped"))).toMatchObject([
        { level: "error", fields: { host } },
      ]);
    },
  );

  test.each([
    ["CDN-Loop", `cloudflare, ${LOOP_NAME}; v=1`, 508],
    ["Via", `1.1 ${LOOP_NAME}`, 508],
    ["Via", "1.1 anteroom", 200],
    ["CDN-Loop", "anteroom-fedcba9876543210", 200],
  ])("that has %s: %s gets %i", async (name, value, status) => {
    const outcome = await new GateWorld().ask({ headers: { [name]: value } });
    expect(outcome.kind === "forward" ? 200 : outcome.status).toBe(status);
  });
});

describe("revoke", () => {
  test.each(["Anteroom-Command", "cf-waiting-room-command"])("by %s ends the stay", async (name) => {
    const world = new GateWorld({ rooms: [REVOKING] });
    const cookie = await world.comeIn();
    const forward = await world.forwarded({ headers: { Cookie: cookie } });
    const headers = originAnswers(forward, ["Content-Type", "text/plain", name, " Revoke "]);
    expect(headers).toEqual([
      "Content-Type",
      "text/plain",
      "Set-Cookie",
      "__anteroom_shop=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax",
      ...["Cache-Control", "private"],
    ]);
    world.nowMs += 60_000 + 6_000;
    expect(world.room().admission.inside(world.nowMs)).toBe(0);
    expect(await world.outcome({ headers: { Cookie: cookie } })).toBe("admitted");
    expect(world.room().counts).toMatchObject({ revoked: 1, badCookies: { revoked: 1 } });
  });

  test("of a request without a stay does nothing, and is not shown either", async () => {
    const world = new GateWorld({ rooms: [REVOKING] });
    const image = { headers: { "Sec-Fetch-Mode": "no-cors" } };
    for (const asked of [image, { host: "nowhere.example" }]) {
      const headers = originAnswers(await world.forwarded(asked), ["Cf-Waiting-Room-Command", "revoke", "X", "y"]);
      expect(headers).toEqual(["X", "y"]);
    }
  });
});

describe("an origin that fails", () => {
  test.each([
    ["unreachable", 502],
    ["bad-response", 502],
    ["timeout", 504],
  ] as const)("%s is answered with %i, and the new visitor's stay is kept", async (kind, status) => {
    const world = new GateWorld();
    const exchange = await world.exchange({ headers: { Accept: "text/html" } });
    const answer = originFails(exchange, kind);
    expect(answer.status).toBe(status);
    expect(fieldOf(answer.headers, "Cache-Control")).toBe("private, no-store");
    expect(fieldOf(answer.headers, "Content-Type")).toBe("text/html; charset=utf-8");
    const cookie = cookieIn(answer.headers);
    expect(await world.outcome({ headers: { Cookie: cookie } })).toBe("inside");
    expect(world.gate.failures[kind]).toBe(1);
  });
});

describe("an origin that breaks off within its answer", () => {
  const HEAD = { status: 200, reason: "OK", headers: [] };
  const BROKEN = { kind: "bad-response", detail: "it broke off within its answer" } as const;

  test("has failed: in the log, in the metrics, for its target and for the throttle", async () => {
    const world = new GateWorld();
    const { plan } = await world.forwarded({ target: "/big?secret=1" });
    plan.onResponse(HEAD);
    const [target] = world.room().origin.all;
    expect([target?.failures, world.gate.failures["bad-response"], world.logged]).toEqual([0, 0, []]);
    let failed = 0;
    world.room().observer.failed = () => {
      failed += 1;
    };
    plan.onBroken?.(BROKEN);
    expect([target?.requests, target?.failures, world.gate.failures["bad-response"], failed]).toEqual([1, 1, 1, 1]);
    const fields = { origin: "origin.internal:3000", room: "shop", path: "/big", ...BROKEN };
    expect(world.logged).toMatchObject([{ level: "warn", message: "origin broke off its answer", fields }]);
    // It may be the request that makes it do that.
    expect(target?.health.isUp).toBe(true);
  });

  test("counts once if its answer was a failure already", async () => {
    const world = new GateWorld();
    const { plan } = await world.forwarded();
    plan.onResponse({ ...HEAD, status: 500 });
    plan.onBroken?.(BROKEN);
    expect(world.room().origin.all[0]?.failures).toBe(1);
  });
});

describe("an origin with a name of its own (origin_host)", () => {
  test("is asked by it, and hears the visitor's in X-Forwarded-Host", async () => {
    const world = new GateWorld({ rooms: [{ ...SHOP, origin_host: "Shop.Hosted.example" }] });
    const { plan } = await world.forwarded();
    expect(plan.origin.askedAs).toBe("shop.hosted.example");
    expect(fieldOf(plan.headers, "X-Forwarded-Host")).toBe("shop.example");
  });
});
