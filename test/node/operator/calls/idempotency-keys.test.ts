/** A change that is sent twice with one idempotency key is made once. */

import { Hono } from "hono";
import { describe, expect, test } from "vitest";
import { identified, ROOT } from "../../../../node/operator/access/principal.ts";
import {
  ANSWERS_BYTES_MAX,
  IdempotencyKeys,
  KEY_KEPT_MS,
  KEYS_MAX,
} from "../../../../node/operator/calls/idempotency-keys.ts";
import type { AdminEnv } from "../../../../node/operator/logs/audit.ts";
import { adminWorld } from "../admin-world.ts";

const MUSEUM = { name: "museum", host: "museum.example", total_active_users: 5, new_users_per_minute: 3 };
const KEY = { "Idempotency-Key": '"8e03978e-40d5-43dd-bc93-6894a57f9324"' };

const CHANGES: readonly (readonly [method: string, path: string, body: object | undefined])[] = [
  ["POST", "/v1/rooms", MUSEUM],
  ["PATCH", "/v1/rooms/shop", { description: "x" }],
  ["PUT", "/v1/rooms/museum", MUSEUM],
  ["DELETE", "/v1/rooms/shop", undefined],
  ["POST", "/v1/rooms/shop/hold", undefined],
  ["POST", "/v1/rooms/apply", { rooms: [MUSEUM] }],
  ["POST", "/v1/rooms/shop/passes", { key: "order-1" }],
  ["POST", "/v1/lane/rotate", {}],
  ["POST", "/v1/leave", undefined],
  [
    "POST",
    "/v1/rooms/shop/events",
    { name: "sale", event_start_time: "2026-09-12T10:00:00Z", event_end_time: "2026-09-12T12:00:00Z" },
  ],
];

describe("an idempotency key", () => {
  test.each(CHANGES)("makes %s %s once, and gives the same answer again", async (method, path, body) => {
    const { ask, world } = adminWorld();
    const first = await ask(method, path, body, KEY);
    expect([first.ok, first.headers.get("Idempotency-Replayed")]).toEqual([true, null]);
    const generation = world.rooms.laneGeneration;
    const rooms = await (await ask("GET", "/v1/rooms")).text();
    world.nowMs += 60_000;
    const second = await ask(method, path, body, KEY);
    expect([second.status, await second.text()]).toEqual([first.status, await first.text()]);
    for (const name of ["ETag", "Location", "Content-Type"])
      expect([name, second.headers.get(name)]).toEqual([name, first.headers.get(name)]);
    expect(second.headers.get("Idempotency-Replayed")).toBe("true");
    expect([await (await ask("GET", "/v1/rooms")).text(), world.rooms.laneGeneration]).toEqual([rooms, generation]);
  });

  test("is not for another body, path, method or condition", async () => {
    const { ask } = adminWorld();
    const tag = (await ask("GET", "/v1/rooms/shop")).headers.get("ETag") ?? "";
    await ask("PATCH", "/v1/rooms/shop", { description: "x" }, KEY);
    for (const [method, path, body, headers] of [
      ["PATCH", "/v1/rooms/shop", { description: "y" }, KEY],
      ["PUT", "/v1/rooms/shop", { ...MUSEUM, name: "shop" }, KEY],
      ["POST", "/v1/rooms/shop/hold", undefined, KEY],
      ["DELETE", "/v1/rooms/shop", undefined, KEY],
      ["PATCH", "/v1/rooms/shop", { description: "x" }, { ...KEY, "If-Match": tag }],
    ] as const) {
      const refused = await ask(method, path, body, headers);
      expect([refused.status, await refused.json()]).toMatchObject([422, { code: "key-reused" }]);
    }
    const { room } = (await (await ask("GET", "/v1/rooms/shop")).json()) as { room: Record<string, unknown> };
    expect([room.description, room.operator_order]).toEqual(["x", null]);
  });

  test("of a change that failed or was refused may be used again", async () => {
    const { ask, world } = adminWorld();
    world.diskIsFull = true;
    const failed = await ask("POST", "/v1/rooms", MUSEUM, KEY);
    expect([failed.status, await failed.json()]).toMatchObject([503, { code: "not-stored" }]);
    world.diskIsFull = false;
    expect((await ask("GET", "/v1/rooms/museum")).status).toBe(404);
    expect((await ask("POST", "/v1/rooms", { ...MUSEUM, total_active_users: 0 }, KEY)).status).toBe(422);
    expect((await ask("POST", "/v1/rooms", { ...MUSEUM, name: "shop" }, KEY)).status).toBe(409);
    expect((await ask("POST", "/v1/rooms", MUSEUM, KEY)).status).toBe(201);
    world.diskIsFull = true;
    expect((await ask("POST", "/v1/rooms", MUSEUM, KEY)).status).toBe(201);
  });

  test("of a request that is still being answered gets 409, and the change is made once", async () => {
    let done = 0;
    const { ask, gate } = slowApp(() => {
      done += 1;
      return new Response("done");
    });
    const first = ask("one");
    await gate.started;
    const meanwhile = await ask("one");
    expect([meanwhile.status, meanwhile.headers.get("Retry-After")]).toEqual([409, "1"]);
    expect(await meanwhile.json()).toMatchObject({ code: "in-progress" });
    gate.open();
    expect([(await first).status, (await ask("one")).status, done]).toEqual([200, 200, 1]);
  });

  test.each(["", '""', '"a', 'a"b', "a b", "a, a", "ä", "x".repeat(256), `"${"x".repeat(256)}"`])(
    "cannot be %j",
    async (key) => {
      const { ask } = adminWorld();
      // A field with such characters arrives as Latin-1.
      const refused = await ask("POST", "/v1/rooms", MUSEUM, { "Idempotency-Key": key });
      expect([refused.status, await refused.json()]).toMatchObject([
        400,
        { code: "bad-request", problems: [{ path: "Idempotency-Key" }] },
      ]);
      expect((await ask("GET", "/v1/rooms/museum")).status).toBe(404);
    },
  );

  test("means the same with and without quotes", async () => {
    const { ask } = adminWorld();
    await ask("POST", "/v1/rooms", MUSEUM, { "Idempotency-Key": "k-1" });
    expect((await ask("POST", "/v1/rooms", MUSEUM, { "Idempotency-Key": '"k-1"' })).status).toBe(201);
  });

  test("is forgotten after a day", async () => {
    const { ask, world } = adminWorld();
    await ask("POST", "/v1/rooms", MUSEUM, KEY);
    world.nowMs += KEY_KEPT_MS - 1;
    expect((await ask("POST", "/v1/rooms", MUSEUM, KEY)).status).toBe(201);
    world.nowMs += 1;
    expect((await ask("POST", "/v1/rooms", MUSEUM, KEY)).status).toBe(409);
  });
});

describe("many keys", () => {
  test("push out the oldest by number", async () => {
    let done = 0;
    const { ask, gate } = slowApp(() => new Response(String(++done)));
    gate.open();
    for (let at = 0; at < KEYS_MAX + 1; at++) await ask(`k${at}`);
    expect(await (await ask(`k${KEYS_MAX}`)).text()).toBe(String(KEYS_MAX + 1));
    expect(await (await ask("k1")).text()).toBe("2");
    expect(await (await ask("k0")).text()).toBe(String(KEYS_MAX + 2));
  });

  test("push out the oldest by size of their answers", async () => {
    let done = 0;
    const large = "x".repeat(ANSWERS_BYTES_MAX / 4);
    const { ask, gate } = slowApp(() => new Response(`${++done}${large}`));
    gate.open();
    for (const key of ["a", "b", "c", "d"]) await ask(key);
    expect((await (await ask("d")).text())[0]).toBe("4");
    expect((await (await ask("b")).text())[0]).toBe("2");
    expect((await (await ask("a")).text())[0]).toBe("5");
  });
});

/** An app that answers once its gate is open. */
function slowApp(act: () => Response) {
  const keys = new IdempotencyKeys(() => 0);
  const app = new Hono<AdminEnv>();
  const opened = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  app.use(
    identified(
      () => ROOT,
      () => [],
    ),
  );
  app.post("/", (c) =>
    keys.once(c, async () => {
      started.resolve();
      await opened.promise;
      return act();
    }),
  );
  const ask = async (key: string) => app.request("/", { method: "POST", headers: { "Idempotency-Key": key } });
  return { ask, gate: { open: () => opened.resolve(), started: started.promise } };
}
