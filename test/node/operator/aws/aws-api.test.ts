/** The routes of AWS's Virtual Waiting Room in front of a whole gate: shapes, statuses, tokens, and the limit. */

import { generateKeyPairSync } from "node:crypto";
import fc from "fast-check";
import { importJWK, type JWTPayload, jwtVerify } from "jose";
import { beforeEach, describe, expect, test } from "vitest";
import type { Minute } from "../../../../mesh/core/ids.ts";
import { awsApi, TOKENS_PER_SECOND } from "../../../../node/operator/aws/aws-api.ts";
import { tokenSpan } from "../../../../node/operator/aws/request-id.ts";
import { SigningKey } from "../../../../node/operator/aws/signing-key.ts";
import { GateWorld, MINUTE_MS } from "../../gate/gate-world.ts";

const ISSUER = "https://vwr.example.com";
const EVENT = "Sample";
const ROOM = {
  name: EVENT,
  host: "vwr.example.com",
  total_active_users: 2,
  new_users_per_minute: 100,
  session_duration: 5,
};
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const KEY = new SigningKey(JSON.stringify({ ...privateKey.export({ format: "jwk" }), kid: "theirs" }));
const VERIFIER = await importJWK({ ...KEY.jwk }, "RS256");

interface Reply {
  readonly status: number;
  // Whatever comes is compared as it is.
  readonly body: Readonly<Record<string, unknown>>;
}

class Client {
  readonly world: GateWorld;
  readonly app: ReturnType<typeof awsApi>;

  constructor(rooms: readonly object[] = [ROOM]) {
    this.world = new GateWorld({ rooms });
    const { world } = this;
    this.app = awsApi({
      ...{ rooms: world.rooms, gate: world.gate, seal: world.seal, key: KEY, issuer: ISSUER, minuteMs: MINUTE_MS },
      clock: () => world.nowMs,
      steadyMs: () => world.nowMs,
      waiting: (name) => world.room(name).meshRoom.waitingHere,
    });
  }

  async send(path: string, init?: RequestInit, from = "203.0.113.9"): Promise<Response> {
    return this.app.fetch(new Request(`http://127.0.0.1${path}`, init), { from });
  }

  async get(path: string): Promise<Reply> {
    const answer = await this.send(path);
    return { status: answer.status, body: (await answer.json()) as Reply["body"] };
  }

  async post(path: string, body: unknown, from?: string): Promise<Reply> {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const answer = await this.send(
      path,
      { method: "POST", body: text, headers: { "Content-Type": "application/json" } },
      from,
    );
    return { status: answer.status, body: (await answer.json()) as Reply["body"] };
  }

  async assign(): Promise<string> {
    const { status, body } = await this.post("/assign_queue_num", { event_id: EVENT });
    if (status !== 200) throw new Error(`Not assigned: ${status} ${JSON.stringify(body)}`);
    return String(body.api_request_id);
  }

  generate(id: string): Promise<Reply> {
    return this.post("/generate_token", { event_id: EVENT, request_id: id });
  }

  number(id: string): Promise<Reply> {
    return this.get(`/queue_num?event_id=${EVENT}&request_id=${encodeURIComponent(id)}`);
  }

  async serving(): Promise<number> {
    return Number((await this.get(`/serving_num?event_id=${EVENT}`)).body.serving_counter);
  }

  async claims(reply: Reply, use = "access_token"): Promise<JWTPayload> {
    const { payload, protectedHeader } = await jwtVerify(String(reply.body[use]), VERIFIER, {
      ...{ issuer: ISSUER, audience: EVENT, algorithms: ["RS256"], currentDate: new Date(this.world.nowMs) },
    });
    expect(protectedHeader).toEqual({ alg: "RS256", typ: "JWT", kid: "theirs" });
    return payload;
  }
}

let client: Client;

beforeEach(() => {
  client = new Client();
});

describe("a client", () => {
  test("gets an id, its number, and tokens once it is served", async () => {
    const id = await client.assign();
    expect(id).toMatch(/^[\w.-]{20,4000}$/);
    const { status, body } = await client.number(id);
    expect([status, body.event_id, body.status]).toEqual([200, EVENT, 1]);
    expect(body.entry_time).toBe(Math.floor(client.world.nowMs / 1_000));
    expect(await client.serving()).toBeGreaterThanOrEqual(Number(body.queue_number));
    const reply = await client.generate(id);
    expect(reply.status).toBe(200);
    expect(Object.keys(reply.body)).toEqual(["access_token", "refresh_token", "id_token", "token_type", "expires_in"]);
    expect(reply.body.token_type).toBe("Bearer");
    const claims = await client.claims(reply);
    expect(Object.keys(claims).sort()).toEqual([
      "aud",
      "exp",
      "iat",
      "iss",
      "nbf",
      "queue_position",
      "sub",
      "token_use",
    ]);
    expect(claims).toMatchObject({ sub: id, token_use: "access", queue_position: body.queue_number });
    expect(Number(claims.exp) - client.world.nowMs / 1_000).toBe(reply.body.expires_in);
    expect((await client.claims(reply, "id_token")).token_use).toBe("id");
    expect((await client.claims(reply, "refresh_token")).token_use).toBe("refresh");
  });

  test("that asks for tokens again gets the same ones, until they end", async () => {
    const ids = [await client.assign(), await client.assign(), await client.assign()];
    const first = await client.generate(ids[0] ?? "");
    client.world.nowMs += 90_000;
    const again = await client.generate(ids[0] ?? "");
    expect(again.body.access_token).toBe(first.body.access_token);
    expect(Number(again.body.expires_in)).toBe(Number(first.body.expires_in) - 90);
    expect(client.world.room(EVENT).admission.inside(client.world.nowMs)).toBe(2);
    client.world.nowMs += 6 * MINUTE_MS;
    expect((await client.generate(ids[0] ?? "")).status).toBe(410);
    // Whose turn it was not has kept the place, and is served now: twice the same.
    const late = await client.generate(ids[2] ?? "");
    expect(late.status).toBe(200);
    client.world.nowMs += 61_000;
    expect((await client.generate(ids[2] ?? "")).body.access_token).toBe(late.body.access_token);
    client.world.nowMs += 7 * MINUTE_MS;
    expect((await client.generate(ids[2] ?? "")).status).toBe(410);
    expect(client.world.room(EVENT).admission.inside(client.world.nowMs)).toBe(0);
  });

  test("that is not served yet gets 202, and keeps its number and its order", async () => {
    for (let at = 0; at < 2; at++) await client.assign();
    const [one, two] = [await client.assign(), await client.assign()];
    const numbers = await Promise.all(
      [one, two].map(async (id) => Number((await client.number(id)).body.queue_number)),
    );
    expect(numbers[1]).toBeGreaterThan(numbers[0] ?? 0);
    expect(await client.generate(two)).toEqual({ status: 202, body: { error: "Request ID not being served yet" } });
    expect((await client.generate(one)).status).toBe(202);
    client.world.nowMs += 1_000;
    expect(await client.serving()).toBeLessThan(numbers[1] ?? 0);
    expect((await client.get(`/waiting_num?event_id=${EVENT}`)).body).toEqual({ waiting_num: 2 });
    client.world.rooms.update(EVENT, { total_active_users: 3 });
    expect((await client.generate(two)).status).toBe(202);
    expect((await client.generate(one)).status).toBe(200);
    expect((await client.generate(two)).status).toBe(202);
    expect((await client.number(two)).body.queue_number).toBe(numbers[1]);
  });
});

test("a place is kept for a client that did not ask for hours", async () => {
  client = new Client([{ ...ROOM, place_kept_minutes: 1, refresh_interval_seconds: 1 }]);
  for (let at = 0; at < 2; at++) await client.assign();
  const id = await client.assign();
  const { body } = await client.number(id);
  client.world.nowMs += 5 * 60 * MINUTE_MS;
  const reply = await client.generate(id);
  expect(reply.status).toBe(200);
  expect((await client.claims(reply)).queue_position).toBe(body.queue_number);
});

describe("what cannot be", () => {
  test.each<[string, string, number]>([
    ["/serving_num", "", 400],
    ["/serving_num?event_id=Other", "", 400],
    ["/waiting_num?event_id=Other", "", 400],
    ["/public_key", "", 400],
    ["/queue_num?event_id=Sample", "", 400],
    ["/queue_num?event_id=Sample&request_id=made-up", "", 400],
    ["/queue_pos_expiry?event_id=Sample&request_id=made-up", "", 400],
    ["/nothing", "", 404],
    ["/assign_queue_num", "", 404],
    ["/assign_queue_num", "not JSON", 400],
    ["/assign_queue_num", "[]", 400],
    ["/assign_queue_num", "null", 400],
    ["/assign_queue_num", "{}", 400],
    ["/assign_queue_num", '{"event_id": {"a": 1}}', 400],
    ["/assign_queue_num", '{"event_id": "__proto__"}', 400],
    ["/generate_token", '{"event_id": "Sample"}', 400],
    ["/generate_token", '{"event_id": "Sample", "request_id": 7}', 400],
  ])("%s %s is %i, and takes nothing", async (path, body, status) => {
    const reply = body === "" ? await client.get(path) : await client.post(path, body);
    expect(reply.status).toBe(status);
    expect(client.world.room(EVENT).admission.inside(client.world.nowMs)).toBe(0);
  });

  test("an id of another room, or one that was changed, is nobody's", async () => {
    client = new Client([ROOM, { ...ROOM, name: "other", host: "other.example.com" }]);
    const id = await client.assign();
    expect((await client.post("/generate_token", { event_id: "other", request_id: id })).status).toBe(400);
    const changed = id.slice(0, -3) + (id.endsWith("AAA") ? "BBB" : "AAA");
    expect((await client.generate(changed)).status).toBe(400);
  });

  test.each([
    { invite_only: true },
    { queueing_method: "random" },
    { proof_of_work_mode: "always" },
    { session_duration: 2 },
    { enter_within_seconds: 30 },
  ])("a room with %o is no event", async (fields) => {
    client = new Client([{ ...ROOM, ...fields }]);
    expect((await client.post("/assign_queue_num", { event_id: EVENT })).status).toBe(400);
  });

  test("a full line and an address that asks too often get no number", async () => {
    client = new Client([{ ...ROOM, total_active_users: 1, queue_max: 1, new_places_per_address_per_minute: 3 }]);
    await client.assign();
    await client.assign();
    expect(await client.post("/assign_queue_num", { event_id: EVENT })).toEqual({
      status: 503,
      body: { error: "The queue is full" },
    });
    expect((await client.post("/assign_queue_num", { event_id: EVENT })).status).toBe(429);
    expect((await client.post("/assign_queue_num", { event_id: EVENT }, "198.51.100.1")).status).toBe(503);
  });

  test("nobody is held back by an order that is lifted, and nobody comes in before", async () => {
    client.world.rooms.order(EVENT, "hold");
    const id = await client.assign();
    expect((await client.generate(id)).status).toBe(202);
    client.world.rooms.order(EVENT, undefined);
    expect((await client.generate(id)).status).toBe(200);
  });

  test("while the disk refuses, there is no token; afterwards there is", async () => {
    for (let at = 0; at < 2; at++) await client.assign();
    const id = await client.assign();
    client.world.rooms.update(EVENT, { total_active_users: 3 });
    client.world.diskIsFull = true;
    expect((await client.generate(id)).status).toBe(503);
    client.world.diskIsFull = false;
    expect((await client.generate(id)).status).toBe(200);
  });

  test("more tokens than a node signs in a second are asked for again", async () => {
    const id = await client.assign();
    const replies = await Promise.all(Array.from({ length: TOKENS_PER_SECOND + 5 }, () => client.generate(id)));
    expect(replies.filter(({ status }) => status === 503)).toHaveLength(5);
  });
});

test("the limit holds, counted by a checker of tokens with a minute of leeway", async () => {
  const action = fc.record({
    what: fc.constantFrom("assign", "generate", "generate", "generate again"),
    who: fc.nat({ max: 9 }),
    afterMs: fc.oneof(fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: 0, max: 120_000 })),
  });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 3, max: 6 }), fc.array(action, { maxLength: 60 }), async (session, actions) => {
      client = new Client([{ ...ROOM, session_duration: session }]);
      const ids: string[] = [];
      /** When each visitor's latest token ends, leeway included, in Unix seconds. */
      const ends = new Map<string, number>();
      for (const { what, who, afterMs } of actions) {
        client.world.nowMs += afterMs;
        const id = ids[who % Math.max(1, ids.length)];
        if (what === "assign") ids.push(await client.assign());
        else if (id !== undefined) {
          const reply = await client.generate(id);
          if (reply.status === 200) ends.set(id, Number((await client.claims(reply)).exp) + 60);
        }
        const inside = [...ends.values()].filter((end) => end * 1_000 >= client.world.nowMs);
        expect(inside.length).toBeLessThanOrEqual(ROOM.total_active_users);
      }
    }),
    { numRuns: 40 },
  );
});

test("a token ends a minute before its session's last good minute does", () => {
  const span = tokenSpan({ acceptedAt: 600_999, lastGood: 15 as Minute }, MINUTE_MS);
  expect(span).toEqual({ issuedSeconds: 600, expiresSeconds: 16 * 60 - 60 });
});

describe("the key", () => {
  test("is given as a public JWK without a secret part, for an event only", async () => {
    const { status, body } = await client.get(`/public_key?event_id=${EVENT}`);
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(["alg", "e", "kid", "kty", "n"]);
    expect(body).toMatchObject({ kty: "RSA", alg: "RS256", kid: "theirs", e: "AQAB" });
  });

  test("may be in PEM, and has a name that follows from it", () => {
    const pem = String(privateKey.export({ type: "pkcs8", format: "pem" }));
    expect(new SigningKey(pem).jwk).toEqual({ ...KEY.jwk, kid: expect.stringMatching(/^[\w-]{43}$/) });
    expect(new SigningKey(pem).jwk.kid).toBe(new SigningKey(pem).jwk.kid);
    const curve = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" });
    expect(() => new SigningKey(String(curve))).toThrow();
  });
});

test("what is too large is refused", async () => {
  const long = "a".repeat(5_000);
  expect((await client.number(long)).status).toBe(400);
  expect((await client.generate(long)).status).toBe(400);
  expect((await client.generate(long + long)).status).toBe(413);
});

test("pages of other sites may use the routes", async () => {
  const asked = await client.send("/assign_queue_num", { method: "OPTIONS" });
  expect(asked.status).toBe(200);
  expect(asked.headers.get("access-control-allow-origin")).toBe("*");
  expect(asked.headers.get("access-control-allow-methods")).toContain("POST");
  const id = await client.assign();
  expect((await client.get(`/queue_pos_expiry?event_id=${EVENT}&request_id=${id}`)).status).toBe(202);
});
