/** `Anteroom-Visitor`: what an origin gets to know of the visitors inside, and that nobody else can say it. */

import { jwtVerify } from "jose";
import { beforeEach, describe, expect, test } from "vitest";
import { VisitorKeys } from "../../../node/keys/visitor-keys.ts";
import { MESH } from "../peer/lone-peer.ts";
import { type Asked, fieldOf, fieldsOf } from "./fake-exchange.ts";
import { GateWorld, MINUTE_MS, SHOP } from "./gate-world.ts";

const ROOM = { ...SHOP, session_duration: 5, visitor_header: true };
const keys = new VisitorKeys(MESH);

let world: GateWorld;

beforeEach(() => {
  world = new GateWorld({ rooms: [ROOM, { ...ROOM, name: "other", host: "other.example" }] });
});

/** The header of a request that goes to the origin; undefined for none, an error for several. */
async function sent(asked: Asked = {}): Promise<string | undefined> {
  const { plan } = await world.forwarded(asked);
  const values = fieldsOf(plan.headers, "Anteroom-Visitor");
  expect(values.length).toBeLessThan(2);
  return values[0];
}

/** As a stock library reads it, at the world's time. */
async function verified(token: string | undefined, room = "shop", generation = 1) {
  const key = Buffer.from(keys.key({ room: world.room(room).id, generation }));
  const options = { algorithms: ["HS256"], audience: room, issuer: "anteroom", currentDate: new Date(world.nowMs) };
  return (await jwtVerify(token ?? "", key, options)).payload;
}

describe("the header of a visitor inside", () => {
  test("says session, room, lane, admission and end, also on the first request", async () => {
    const admittedMs = world.nowMs;
    const token = await sent();
    const claims = await verified(token);
    expect(claims).toEqual({
      iss: "anteroom",
      aud: "shop",
      sub: expect.stringMatching(/^[\w-]{22}$/),
      room: "shop",
      lane: 0,
      admitted_at: admittedMs / 1_000,
      exp: admittedMs / 1_000 + 120,
    });
  });

  test("is the same text for a minute, and then another one of the same session", async () => {
    const Cookie = await world.comeIn();
    const first = await sent({ headers: { Cookie } });
    world.nowMs += 59_000;
    const { sub, admitted_at } = await verified(await sent({ headers: { Cookie } }));
    world.nowMs += 61_000;
    const later = await sent({ headers: { Cookie } });
    expect(later).not.toBe(first);
    expect(await verified(later)).toMatchObject({ sub, admitted_at });
    await expect(verified(first)).rejects.toThrow(/"exp"/);
  });

  test("never outlives the session by more than its slot does", async () => {
    world = new GateWorld({ rooms: [{ ...ROOM, session_duration: 1, disable_session_renewal: true }] });
    const Cookie = await world.comeIn();
    const endMs = world.nowMs + 2 * MINUTE_MS;
    world.nowMs = endMs - 1_000;
    const { exp } = await verified(await sent({ headers: { Cookie } }));
    expect(exp).toBe(endMs / 1_000 + 5);
  });

  test("is of another key after a rotation, at once", async () => {
    const Cookie = await world.comeIn();
    const before = await sent({ headers: { Cookie } });
    world.rooms.update("shop", { visitor_key_generation: 2 });
    const after = await sent({ headers: { Cookie } });
    await expect(verified(after)).rejects.toThrow(/signature/);
    expect(await verified(after, "shop", 2)).toEqual(await verified(before));
  });
});

const FORGED = ["Anteroom-Visitor", "anteroom-visitor", "ANTEROOM_VISITOR", "Anteroom.Visitor", "anteroom_Visitor"];

describe("what visitors write in its place", () => {
  test.each(FORGED)("as %s is replaced by the gate's own", async (name) => {
    const { plan } = await world.forwarded({
      headers: [name, "forged", "X", "y", name, "twice", "Accept", "text/html"],
    });
    expect(plan.headers.join("\n")).not.toMatch(/forged|twice/);
    expect(fieldOf(plan.headers, "X")).toBe("y");
    expect(await verified(fieldOf(plan.headers, "Anteroom-Visitor"))).toBeDefined();
  });

  const OTHERS = ["Anteroom_Origin_Secret", "anteroom.origin.secret", "ANTEROOM_PASS"];
  test.each([...FORGED, ...OTHERS])(
    "as %s never reaches an origin, whatever lets the request through",
    async (name) => {
      const rooms = [
        { ...SHOP, name: "off" },
        { ...ROOM, name: "suspended", host: "suspended.example", suspended: true },
        { ...ROOM, name: "bypassed", host: "bypassed.example", bypass_cidrs: ["203.0.113.0/24"] },
        { ...ROOM, name: "passthrough", host: "assets.example" },
      ];
      world = new GateWorld({ rooms });
      const cases: Asked[] = [
        { host: "shop.example" },
        { host: "suspended.example" },
        { host: "bypassed.example", webSocket: true },
        { host: "assets.example", headers: { "Sec-Fetch-Mode": "no-cors" } },
        { host: "nowhere.example" },
        { method: "OPTIONS", headers: { Origin: "https://a.example", "Access-Control-Request-Method": "GET" } },
      ];
      for (const { headers = {}, ...asked } of cases) {
        const { plan } = await world.forwarded({ ...asked, headers: { ...headers, [name]: "forged" } });
        expect([asked, plan.headers.join("\n")]).toEqual([asked, expect.not.stringMatching(/forged|visitor/i)]);
      }
    },
  );
});
