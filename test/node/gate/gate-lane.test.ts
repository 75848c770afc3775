import { createHmac } from "node:crypto";
import { jwtVerify } from "jose";
import { beforeEach, describe, expect, test } from "vitest";
import { LaneKeys, laneCookieName } from "../../../node/cookie/lane-keys.ts";
import type { HeaderList } from "../../../node/http/message.ts";
import { lanePin } from "../../../node/rooms/lane-table.ts";
import { MESH } from "../peer/lone-peer.ts";
import { type Asked, fieldsOf, originAnswers } from "./fake-exchange.ts";
import { GateWorld, MINUTE_MS, SHOP, START_MS } from "./gate-world.ts";

const keys = new LaneKeys(MESH);

let world: GateWorld;
beforeEach(() => {
  world = new GateWorld();
});

/** What a proxy sends whose snippet was printed now. */
function snippet(generation = world.rooms.laneGeneration): string {
  return keys.snippetText({ generation, pin: lanePin(world.rooms.all()) });
}

const viaProxy = (more: Record<string, string> = {}, text = snippet()): Asked => ({
  headers: { "Anteroom-Lane": text, ...more },
});

/** `name=value` of all cookies that an answer sets. */
const cookiesOf = (headers: HeaderList): string[] =>
  fieldsOf(headers, "set-cookie").map((one) => one.split(";")[0] ?? "");
const laneIn = (headers: HeaderList): string | undefined =>
  fieldsOf(headers, "set-cookie").find((value) => value.startsWith("__anteroom_lane_"));
const tokenIn = (headers: HeaderList): string => laneIn(headers)?.split(";")[0]?.split("=")[1] ?? "";

/** The answer's fields for a visitor inside. */
async function answer(asked: Asked): Promise<HeaderList> {
  return originAnswers(await world.forwarded(asked));
}

/** A visitor who has come in by a proxy with the lane: session cookie and token. */
async function comeIn(): Promise<{ session: string; token: string }> {
  const headers = await answer(viaProxy());
  const [session = ""] = cookiesOf(headers);
  return { session, token: tokenIn(headers) };
}

function claimsOf(token: string): { aud: string; sub: string; iat: number; exp: number } {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
}

const withCookies = (...cookies: string[]): Asked => viaProxy({ Cookie: cookies.join("; ") });
const laneCookie = (token: string): string => `${laneCookieName(world.room().id)}=${token}`;

describe("a token of the fast lane", () => {
  test("comes with the admission, and is good to the end of the minute", async () => {
    world.nowMs = START_MS + 20_000;
    const headers = await answer(viaProxy());
    expect(laneIn(headers)).toMatch(/; Path=\/; Max-Age=40; HttpOnly; SameSite=Lax$/);
    const claims = claimsOf(tokenIn(headers));
    expect(claims).toMatchObject({ aud: world.room().id, iat: (START_MS + 20_000) / 1_000 });
    expect(claims.exp).toBe((START_MS + MINUTE_MS) / 1_000);
  });

  test("is a JWS that any library checks with the room's key", async () => {
    const { token } = await comeIn();
    const pin = lanePin(world.rooms.all());
    const key = Buffer.from(keys.key({ room: world.room().id, generation: 1, pin }));
    const { protectedHeader } = await jwtVerify(token, key, { currentDate: new Date(START_MS) });
    expect(protectedHeader).toEqual({ alg: "HS256", typ: "JWT", kid: "1" });
  });

  test("is given to nobody whose proxy has no snippet, or says what no snippet says", async () => {
    const forged = `${snippet().slice(0, -1)}${snippet().endsWith("A") ? "B" : "A"}`;
    const { session } = await comeIn();
    for (const text of ["", "1", forged, `${"x".repeat(16)}.1.${"y".repeat(22)}`])
      expect(laneIn(await answer(viaProxy({ Cookie: session }, text))), text).toBeUndefined();
    expect(world.gate.fastLane.warnings(world.nowMs)).toEqual([]);
  });

  test("comes with a check-in, and with the next answer while the request has none", async () => {
    const { session, token } = await comeIn();
    expect(laneIn(await answer(withCookies(session, laneCookie(token))))).toBeUndefined();
    expect(tokenIn(await answer(withCookies(session)))).toBe(token);
    world.nowMs += MINUTE_MS;
    const headers = await answer(withCookies(session, laneCookie(token)));
    expect(claimsOf(tokenIn(headers)).exp).toBe((START_MS + 2 * MINUTE_MS) / 1_000);
    const [renewed = ""] = cookiesOf(headers);
    const poll = await world.answered(viaProxy({ Cookie: renewed, "Anteroom-Poll": "1" }));
    expect(tokenIn(poll.headers)).toBe(tokenIn(headers));
  });

  test("is not given where the check-in is not on the disk", async () => {
    const { session } = await comeIn();
    world.nowMs += MINUTE_MS;
    world.diskIsFull = true;
    expect(laneIn(await answer(withCookies(session)))).toBeUndefined();
  });

  test("ends before the slot of a session that is not renewed", async () => {
    world = new GateWorld({ rooms: [{ ...SHOP, disable_session_renewal: true }] });
    const { session } = await comeIn();
    world.nowMs = START_MS + MINUTE_MS + 10_000;
    const { exp } = claimsOf(tokenIn(await answer(withCookies(session))));
    expect(exp).toBe((START_MS + 2 * MINUTE_MS - 10_000) / 1_000);
    world.nowMs = START_MS + MINUTE_MS + 55_000;
    expect(laneIn(await answer(withCookies(session)))).toBeUndefined();
  });

  test("is only for the host, whatever the room's own cookie is for", async () => {
    world = new GateWorld({ rooms: [{ ...SHOP, host: "www.shop.example", cookie_domain: "shop.example" }] });
    const fields = fieldsOf(await answer({ ...viaProxy(), host: "www.shop.example" }), "set-cookie");
    expect(fields.filter((field) => field.includes("Domain="))).toHaveLength(1);
    expect(fields.find((field) => field.startsWith("__anteroom_lane_"))).not.toContain("Domain=");
  });

  // Which rooms take no part, lane-table.test.ts says.
  test("is not given in a room whose origin may end sessions", async () => {
    world = new GateWorld({ rooms: [{ ...SHOP, enabled_origin_commands: ["revoke"] }] });
    expect(laneIn(await answer(viaProxy()))).toBeUndefined();
  });

  test("is not given to a visitor who has still to enter", async () => {
    world = new GateWorld({ rooms: [{ ...SHOP, total_active_users: 1, enter_within_seconds: 60 }] });
    await world.fill();
    const place = await world.joinLine({ headers: { Accept: "text/html" } });
    world.nowMs += 2 * MINUTE_MS + 6_000;
    const called = await world.answered(viaProxy({ Cookie: place, "Anteroom-Poll": "1" }));
    expect([world.room().counts.requests.admitted, laneIn(called.headers)]).toEqual([2, undefined]);
    const [trial = ""] = cookiesOf(called.headers);
    expect(laneIn((await world.answered(viaProxy({ Cookie: trial, "Anteroom-Poll": "1" }))).headers)).toBeUndefined();
    expect(laneIn(await answer(viaProxy({ Cookie: trial })))).toBeDefined();
  });

  test("never reaches the origin, nor what the proxy says", async () => {
    const { session, token } = await comeIn();
    const { plan } = await world.forwarded(withCookies("a=1", laneCookie(token), session, laneCookie("x"), "b=2"));
    expect(plan.headers.join(" ")).not.toMatch(/anteroom_|anteroom-lane/i);
    expect(plan.headers[plan.headers.indexOf("Cookie") + 1]).toBe("a=1; b=2");
  });
});

describe("an old snippet", () => {
  test.each([
    ["path", { path: "/other" }, false],
    ["origin", { origin: "http://other.internal" }, false],
    ["origin's port", { origin: "http://own.internal:81" }, false],
    ["limit", { total_active_users: 7 }, true],
    ["name", { name: "store" }, true],
  ])("a change of the %s makes it old: %j", async (_, patch, isStill) => {
    world = new GateWorld({ rooms: [{ ...SHOP, origin: "http://own.internal" }] });
    const before = snippet();
    const { session } = await comeIn();
    world.rooms.update("shop", patch);
    const target = "path" in patch ? "/other" : "/";
    const headers = await answer({ ...viaProxy({ Cookie: session }, before), target });
    expect(laneIn(headers) !== undefined).toBe(isStill);
  });

  test("accepts the next generation of keys, and not the one after that", async () => {
    const before = snippet();
    const { session, token } = await comeIn();
    world.rooms.rotateLane(1);
    const next = await answer(viaProxy({ Cookie: `${session}; ${laneCookie(token)}` }, before));
    expect(Buffer.from(tokenIn(next).split(".")[0] ?? "", "base64url").toString()).toContain('"kid":"2"');
    expect(world.gate.fastLane.warnings(world.nowMs)).toEqual([]);
    world.rooms.rotateLane(1);
    expect(laneIn(await answer(viaProxy({ Cookie: session }, before)))).toBeUndefined();
    expect(world.gate.fastLane.warnings(world.nowMs)).toHaveLength(1);
  });
});

test("keys of two rooms, generations, pins and meshes differ", () => {
  const scope = { room: world.room().id, generation: 1, pin: "p".repeat(16) };
  const all = [
    keys.key(scope),
    keys.key({ ...scope, generation: 2 }),
    keys.key({ ...scope, pin: "q".repeat(16) }),
    keys.key({ ...scope, room: "0".repeat(16) as typeof scope.room }),
    new LaneKeys({ ...MESH, meshId: "f".repeat(16) }).key(scope),
    new LaneKeys({ ...MESH, meshKey: new Uint8Array(32) }).key(scope),
  ];
  expect(new Set(all).size).toBe(all.length);
  expect(createHmac("sha256", keys.key(scope)).update("x").digest("hex")).toHaveLength(64);
});
