/** Bad input to the API in Cloudflare's form: 4xx in the envelope with all problems, and nothing changed. */

import { beforeEach, describe, expect, test } from "vitest";
import { CloudflareWorld, idOf, present, SHOP, ZONE } from "./cloudflare-world.ts";

let cloudflare: CloudflareWorld;
let room: string;
const ROOMS = `/zones/${ZONE}/waiting_rooms`;
const { zone_id: _zone, ...BODY } = SHOP;

beforeEach(async () => {
  cloudflare = new CloudflareWorld();
  room = idOf(present(await cloudflare.client.waitingRooms.create(SHOP)));
});

interface Envelope {
  readonly success: boolean;
  readonly result: unknown;
  readonly errors: readonly {
    readonly code: number;
    readonly message: string;
    readonly source?: { readonly pointer: string };
  }[];
}

/** Sends it, and holds that it is refused in the envelope and changes nothing. */
async function refused(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
  const before = cloudflare.snapshot();
  const { status, body: answer } = await cloudflare.raw(method, path, body, headers);
  expect(cloudflare.snapshot()).toBe(before);
  expect(cloudflare.schemaFaults()).toEqual([]);
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(500);
  const { errors } = answer as Envelope;
  return {
    status,
    codes: errors.map(({ code }) => code),
    pointers: errors.map(({ source }) => source?.pointer),
    errors,
  };
}

describe("values of a room", () => {
  const CASES: readonly (readonly [fields: object, pointers: readonly string[]])[] = [
    [{ total_active_users: 1.5, new_users_per_minute: "5" }, ["/total_active_users", "/new_users_per_minute"]],
    [{ cookie_attributes: { same_site: "lax" } }, ["/cookie_attributes/same_site"]],
    [{ name: "zone:shop" }, ["/name"]],
    [{ enabled_origin_commands: ["revoke", "revoke"] }, ["/enabled_origin_commands"]],
    [{ enabled_origin_commands: null }, ["/enabled_origin_commands"]],
    [{ anteroom: { enabled_origin_commands: "extend" } }, ["/anteroom/enabled_origin_commands"]],
    [{ additional_routes: [{ host: "x.example", path: "/", port: 5 }] }, ["/additional_routes/0/port"]],
    [
      { turnstile_mode: "visible_non_interactive", turnstile_action: "block" },
      ["/turnstile_mode", "/turnstile_action"],
    ],
    [{ unknown_field: 1 }, ["/unknown_field"]],
    [{ queue_max: 5 }, ["/queue_max"]],
    [{ rules: [], events: [] }, ["/rules", "/events"]],
    [
      { anteroom: { queue_max: 0, nonsense: 1, name: "x" } },
      ["/anteroom/queue_max", "/anteroom/nonsense", "/anteroom/name"],
    ],
    [{ anteroom: "x" }, ["/anteroom"]],
    [{ anteroom: null }, ["/anteroom"]],
    [
      {
        name: "!",
        total_active_users: 0,
        session_duration: 99,
        foo: 1,
        turnstile_mode: "visible_managed",
        anteroom: { pace: 1 },
      },
      ["/name", "/total_active_users", "/session_duration", "/foo", "/turnstile_mode", "/anteroom/pace"],
    ],
  ];

  test.each(CASES)("%j is refused, wherever it is sent", async (fields, pointers) => {
    const whole = { ...BODY, name: "other", host: "other.example", ...fields };
    for (const [method, path, body] of [
      ["POST", ROOMS, whole],
      ["PUT", `${ROOMS}/${room}`, whole],
      ["PATCH", `${ROOMS}/${room}`, fields],
    ] as const) {
      const { status, pointers: found } = await refused(method, path, body);
      expect([status, [...found].sort()]).toEqual([400, [...pointers].sort()]);
    }
  });

  test("an order of an operator is not changed by a document", async () => {
    const { pointers } = await refused("PATCH", `${ROOMS}/${room}`, {
      anteroom: { operator_order: { order: "hold" } },
    });
    expect(pointers).toEqual(["/anteroom/operator_order"]);
  });

  test("wrong values, a taken name and a taken route are said at once", async () => {
    const taken = {
      ...BODY,
      session_duration: 0,
      additional_routes: [{ host: "shop.example", path: "/" }],
      host: "x.example",
    };
    const { pointers } = await refused("POST", ROOMS, taken);
    expect([...pointers].sort()).toEqual(["/additional_routes/0", "/name", "/session_duration"]);
    const { id } = present(await cloudflare.client.waitingRooms.create({ ...SHOP, name: "two", host: "two.example" }));
    const patch = { name: "shop", host: "shop.example", session_duration: 0 };
    const { pointers: patched } = await refused("PATCH", `${ROOMS}/${id}`, patch);
    expect([...patched].sort()).toEqual(["/host", "/name", "/session_duration"]);
    const { codes, errors } = await refused("PATCH", `${ROOMS}/${id}`, { name: "shop" });
    expect(codes).toEqual([1409]);
    expect(errors[0]?.message).toContain('name = "shop" is taken');
  });

  test("a field that cannot be had says so, with what to do", async () => {
    const { errors } = await refused("PATCH", `${ROOMS}/${room}`, { turnstile_mode: "visible_managed" });
    expect(errors).toMatchObject([{ code: 1406, message: expect.stringContaining("write invisible") }]);
  });
});

describe("bodies", () => {
  const CHANGES = () =>
    [
      ["POST", ROOMS],
      ["PUT", `${ROOMS}/${room}`],
      ["PATCH", `${ROOMS}/${room}`],
      ["POST", `${ROOMS}/${room}/events`],
      ["POST", `${ROOMS}/${room}/rules`],
      ["PUT", `${ROOMS}/${room}/rules`],
      ["PUT", `${ROOMS}/settings`],
      ["PATCH", `${ROOMS}/settings`],
      ["POST", `${ROOMS}/preview`],
    ] as const;

  test.each([
    ["no JSON", "{", {}, [400, 1400]],
    ["nothing", "", {}, [400, 1400]],
    ["a text", '"x"', {}, [400, 1401]],
    ["null", "null", {}, [400, 1401]],
    ["a form", "name=shop", { "Content-Type": "application/x-www-form-urlencoded" }, [415, 1415]],
    ["plain text", "{}", { "Content-Type": "text/plain" }, [415, 1415]],
    ["JSON of a look-alike type", "{}", { "Content-Type": "application/jsonx" }, [415, 1415]],
    ["very deep JSON", `${"[".repeat(50)}${"]".repeat(50)}`, {}, [400, 1400]],
    ["10 MB", JSON.stringify({ description: "x".repeat(10_000_000) }), {}, [413, 1413]],
  ] as const)("%s is refused by every route", async (_what, body, headers, expected) => {
    for (const [method, path] of CHANGES()) {
      const { status, codes } = await refused(method, path, body, headers);
      expect([method, path, status, codes[0]]).toEqual([method, path, ...expected]);
    }
  });

  test("JSON with a charset is JSON", async () => {
    const headers = { "Content-Type": "application/json; charset=utf-8" };
    const { status } = await cloudflare.raw("PATCH", `${ROOMS}/${room}`, { description: "x" }, headers);
    expect(status).toBe(200);
  });

  test("keys that objects have by themselves are unknown fields", async () => {
    const body = '{"__proto__": {"suspended": true}, "constructor": 1}';
    const { pointers } = await refused("PATCH", `${ROOMS}/${room}`, body);
    expect(pointers).toEqual(["/__proto__", "/constructor"]);
  });
});

describe("paths", () => {
  test.each(["a%2Fb", "..%2f..%2f", "%00", "%zz", "x".repeat(5_000), "shop", `${ZONE}:shop`])(
    "a room %j is not found",
    async (id) => {
      for (const [method, path] of [
        ["GET", `${ROOMS}/${id}`],
        ["DELETE", `${ROOMS}/${id}`],
        ["GET", `${ROOMS}/${id}/status`],
        ["GET", `${ROOMS}/${id}/events`],
        ["GET", `${ROOMS}/${id}/events/x/details`],
        ["DELETE", `${ROOMS}/${id}/rules/x`],
      ] as const)
        expect((await refused(method, path)).status).toBe(404);
    },
  );

  test.each([
    ["POST", `${ROOMS}/settings`],
    ["DELETE", ROOMS],
    ["PUT", ROOMS],
    ["GET", `${ROOMS}/preview`],
    ["GET", "/zones"],
    ["GET", "/user/tokens/verify"],
    ["POST", "/accounts/a/waiting_rooms"],
  ])("%s %s is no route", async (method, path) => {
    const { status } = await refused(method, path, method === "GET" || method === "DELETE" ? undefined : {});
    expect(status).toBe(404);
  });
});

test("a disk that refuses is an error in the envelope, and the change can be made again", async () => {
  const calls = [
    ["PATCH", `${ROOMS}/${room}`, { total_active_users: 9 }],
    ["PATCH", `${ROOMS}/settings`, { search_engine_crawler_bypass: true }],
    ["DELETE", `${ROOMS}/${room}`, undefined],
  ] as const;
  for (const [method, path, body] of calls) {
    const before = cloudflare.snapshot();
    cloudflare.world.diskIsFull = true;
    const { status, body: answer } = await cloudflare.raw(method, path, body);
    expect([method, status, (answer as Envelope).errors[0]?.code]).toEqual([method, 503, 1503]);
    expect(cloudflare.snapshot()).toBe(before);
    cloudflare.world.diskIsFull = false;
    expect((await cloudflare.raw(method, path, body)).status).toBe(200);
  }
  expect(cloudflare.schemaFaults()).toEqual([]);
});
