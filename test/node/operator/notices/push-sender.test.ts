/** Word of the turn goes to a push service as a browser can read it, and never elsewhere. */

import { createECDH, randomBytes } from "node:crypto";
import { decrypt } from "http_ece";
import { importJWK, jwtVerify } from "jose";
import { afterEach, expect, test } from "vitest";
import type { Room } from "../../../../node/config/room.ts";
import { PushKeys } from "../../../../node/keys/push-keys.ts";
import { type PushParts, PushSender, type Turn } from "../../../../node/operator/notices/push-sender.ts";
import { GateWorld, SHOP } from "../../gate/gate-world.ts";
import { MESH } from "../../peer/lone-peer.ts";

const KEYS = new PushKeys(MESH);
const UNTIL_MS = Date.UTC(2026, 10, 29, 12, 5);
const NOW_MS = UNTIL_MS - 4 * 60_000 - 500;
/** Where a test of its own clock verifies tokens. */
const CURRENT = { currentDate: new Date(NOW_MS) };

interface Got {
  readonly path: string;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** A push service on this host, which answers with `statuses`, the last one for ever. */
function service(statuses: readonly number[]) {
  const got: Got[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const { pathname: path } = new URL(request.url);
      got.push({ path, headers: request.headers, body: Buffer.from(await request.arrayBuffer()) });
      const status = statuses[Math.min(got.length, statuses.length) - 1] ?? 201;
      return new Response("", { status, headers: { Location: "/elsewhere" } });
    },
  });
  servers.push(server);
  return { got, origin: `http://127.0.0.1:${server.port}` };
}
const servers: ReturnType<typeof Bun.serve>[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.stop(true);
});

/** A browser that has subscribed. */
function subscribed(origin: string, language = "de-DE") {
  const privateKey = createECDH("prime256v1");
  const p256dh = privateKey.generateKeys("base64url");
  const auth = randomBytes(16).toString("base64url");
  const left = JSON.stringify({ endpoint: `${origin}/secret-of-ada`, keys: { p256dh, auth }, language });
  const read = (body: Buffer): unknown =>
    JSON.parse(decrypt(body, { version: "aes128gcm", privateKey, authSecret: auth }).toString("utf8"));
  return { left, read };
}

function sender(parts: Partial<PushParts> = {}) {
  const logged: unknown[] = [];
  const note = (...line: unknown[]): void => void logged.push(line);
  const clock = { nowMs: NOW_MS };
  const pushes = new PushSender({
    keys: KEYS,
    fetch,
    proxyOf: () => false,
    clock: () => clock.nowMs,
    log: { error: note, warn: note, info: note, debug: note },
    mayPush: ({ hostname }) => hostname === "127.0.0.1",
    ...parts,
  });
  return { pushes, logged, clock };
}

function roomWith(changes: object = {}): Room {
  return new GateWorld({ rooms: [{ ...SHOP, ...changes }] }).room().room;
}

const turn = (left: string, room = roomWith()): Turn => ({ room, left, untilMs: UNTIL_MS });

test("a browser reads whose turn it is, in its language, and the service who sends it, for how long", async () => {
  const { got, origin } = service([201]);
  const { left, read } = subscribed(origin);
  const { pushes, logged } = sender();
  pushes.add(turn(left));
  await pushes.tick();
  await pushes.tick();
  expect(got).toHaveLength(1);
  const [{ path, headers, body } = { path: "", headers: new Headers(), body: Buffer.alloc(0) }] = got;
  expect(path).toBe("/secret-of-ada");
  expect(read(body)).toEqual({
    title: "Sie sind an der Reihe",
    text: "Bitte treten Sie bis {time} ein. Danach ist die nächste Person an der Reihe.",
    language: "de-DE",
    until: UNTIL_MS,
  });
  expect([headers.get("ttl"), headers.get("urgency"), headers.get("content-encoding")]).toEqual([
    "241",
    "high",
    "aes128gcm",
  ]);
  const [, token = "", key = ""] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(headers.get("authorization") ?? "") ?? [];
  expect(key).toBe(KEYS.publicKey);
  const point = Buffer.from(key, "base64url");
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString("base64url"));
  const jwk = await importJWK({ kty: "EC", crv: "P-256", x: x ?? "", y: y ?? "" }, "ES256");
  const { payload } = await jwtVerify(token, jwk, { audience: origin, ...CURRENT });
  expect(payload).toEqual({ aud: origin, sub: "https://shop.example", exp: Math.floor(NOW_MS / 1_000) + 3_600 });
  expect([pushes.counts, logged]).toEqual([{ delivered: 1, failed: 0, dropped: 0 }, []]);
});

test.each<[string, object, string | undefined]>([
  ["the room's support", { page: { support_url: "mailto:help@shop.example" } }, "mailto:help@shop.example"],
  ["nobody, in a room of all hosts", { host: "*" }, undefined],
])("a service that has a question is sent to %s", async (_, changes, contact) => {
  const { got, origin } = service([201]);
  const { pushes } = sender();
  pushes.add(turn(subscribed(origin).left, roomWith(changes)));
  await pushes.tick();
  const [, claims = ""] = got[0]?.headers.get("authorization")?.split(".") ?? [];
  expect(JSON.parse(Buffer.from(claims, "base64url").toString()).sub).toBe(contact);
});

test("a service that is busy is asked again after a pause, and a message is given up at the third failure", async () => {
  const { got, origin } = service([429, 503, 201, 500]);
  const { pushes, logged, clock } = sender();
  const pass = async (ticks: number) => {
    for (let tick = 0; tick < ticks; tick++) {
      await pushes.tick();
      clock.nowMs += 2_500;
    }
  };
  pushes.add(turn(subscribed(origin).left));
  await pass(2);
  expect(got).toHaveLength(1);
  await pass(8);
  expect([got.length, pushes.counts]).toEqual([3, { delivered: 1, failed: 2, dropped: 0 }]);
  pushes.add(turn(subscribed(origin).left));
  await pass(10);
  expect([got.length, pushes.counts]).toEqual([6, { delivered: 1, failed: 5, dropped: 1 }]);
  expect(JSON.stringify(logged)).toMatch(/status 500/);
});

test.each([404, 410, 403, 302])("status %s is final, and no redirect is followed", async (status) => {
  const { got, origin } = service([status]);
  const { pushes, clock } = sender();
  pushes.add(turn(subscribed(origin).left));
  await pushes.tick();
  clock.nowMs += 60_000;
  await pushes.tick();
  expect([got.map(({ path }) => path), pushes.counts.dropped]).toEqual([["/secret-of-ada"], 1]);
});

test("no other host is called, nor for a key that is none, nor after the turn", async () => {
  const { got, origin } = service([201]);
  const { pushes, clock } = sender();
  const strict = new PushSender({
    keys: KEYS,
    fetch,
    proxyOf: () => false,
    clock: () => NOW_MS,
    log: { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} },
  });
  strict.add(turn(subscribed(origin).left));
  await strict.tick();
  const { endpoint, keys, ...rest } = JSON.parse(subscribed(origin).left);
  pushes.add(turn(JSON.stringify({ endpoint, keys: { ...keys, p256dh: `BA${"A".repeat(85)}` }, ...rest })));
  await pushes.tick();
  pushes.add(turn(subscribed(origin).left));
  clock.nowMs = UNTIL_MS;
  await pushes.tick();
  expect([got, strict.counts.dropped, pushes.counts.dropped]).toEqual([[], 1, 2]);
});

test("silent hosts of one service hold up no other service, and are not asked again", async () => {
  const asked: string[] = [];
  const { pushes, clock } = sender({
    mayPush: () => true,
    fetch: async (url) => {
      const { hostname } = new URL(String(url));
      asked.push(hostname);
      if (hostname === "fcm.googleapis.com") return new Response("", { status: 201 });
      throw new DOMException("The operation timed out.", "TimeoutError");
    },
  });
  const silent = Array.from({ length: 40 }, (_, at) => `${at}-courier.push.apple.com`);
  for (const host of [...silent, "fcm.googleapis.com"]) pushes.add(turn(subscribed(`https://${host}`).left));
  await pushes.tick();
  expect(asked.toSorted()).toEqual([...silent.slice(0, 32), "fcm.googleapis.com"].toSorted());
  for (let tick = 0; tick < 3; tick++) {
    clock.nowMs += 5_000;
    await pushes.tick();
  }
  expect([asked.length, pushes.counts]).toEqual([41, { delivered: 1, failed: 40, dropped: 40 }]);
});

test("an error of our own fails one message, and leaves its place to the next", async () => {
  const { got, origin } = service([201]);
  const { pushes } = sender();
  const { left } = subscribed(origin);
  const broken = (): never => {
    throw new Error("broken");
  };
  const room = Object.defineProperty({ ...roomWith() }, "page", { get: broken });
  for (let count = 0; count < 32; count++) pushes.add(turn(left, room));
  await pushes.tick();
  pushes.add(turn(left));
  await pushes.tick();
  expect([got.length, pushes.counts]).toEqual([1, { delivered: 1, failed: 32, dropped: 0 }]);
  const other = sender({ mayPush: broken });
  other.pushes.add(turn(left));
  expect(other.pushes.counts.dropped).toBe(1);
});

test("32 are under way at once at most, 5,000 wait, and no log line has anything of a subscription", async () => {
  let underWay = 0;
  const all = Promise.withResolvers<void>();
  const { pushes, logged } = sender({
    fetch: async () => {
      underWay += 1;
      if (underWay === 32) all.resolve();
      await all.promise;
      throw new Error("Cannot connect to http://127.0.0.1/secret-of-ada");
    },
  });
  const one = turn(subscribed("http://127.0.0.1").left);
  for (let count = 0; count < 5_001; count++) pushes.add(one);
  expect(pushes.counts.dropped).toBe(1);
  await Promise.all([pushes.tick(), pushes.tick()]);
  expect([underWay, pushes.counts.failed]).toEqual([32, 32]);
  pushes.close();
  expect(logged).toHaveLength(1);
  expect(JSON.stringify(logged)).not.toMatch(/secret-of-ada|p256dh/);
});
