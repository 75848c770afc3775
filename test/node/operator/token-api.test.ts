import { beforeEach, describe, expect, test } from "vitest";
import { type RegisterKey, TOKEN_SLOTS } from "../../../mesh/core/replica/register-keys.ts";
import { SCOPES } from "../../../node/operator/access/principal.ts";
import type { MemberStatus } from "../../../node/operator/status/status.ts";
import { hashOfToken, isTokenText, newTokenText } from "../../../node/operator/tokens/token-text.ts";
import { TOKENS_MAX, type Tokens } from "../../../node/operator/tokens/tokens.ts";
import { GateWorld, SHOP } from "../gate/gate-world.ts";
import { adminWorld, TOKEN as ROOT } from "./admin-world.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What a token may do that has no limits. */
const PLAN = { scopes: ["read"], namespace: undefined, rooms: undefined, expiresMs: undefined } as const;

type Admin = ReturnType<typeof adminWorld>;

let world: GateWorld;
let admin: Admin;
let tokens: Tokens;
let knowsTokens: boolean;
let lines: Readonly<Record<string, unknown>>[];
let members: readonly object[];

beforeEach(() => {
  world = new GateWorld({
    rooms: [
      SHOP,
      { ...SHOP, name: "team:shop", host: "team.example" },
      { ...SHOP, name: "team:bar", host: "bar.example" },
      { ...SHOP, name: "other:shop", host: "other.example" },
    ],
  });
  knowsTokens = true;
  lines = [];
  members = [];
  admin = adminWorld(world, {
    note: (fields) => lines.push({ ...fields }),
    knowsTokens: () => knowsTokens,
    seen: (status) => ({
      ...status,
      warnings: status.rooms.map(({ name }) => `room ${name}: no origin answers`),
      members: members as MemberStatus[],
    }),
  });
  ({ tokens } = admin);
});

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

async function ask(secret: string, method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await admin.ask(method, path, body, { authorization: `Bearer ${secret}` });
  const text = await answer.text();
  return { status: answer.status, text, body: text.startsWith("{") ? JSON.parse(text) : {} };
}

/** What the API answers to a question by each of these secrets. */
async function answersTo(...secrets: string[]): Promise<number[]> {
  return Promise.all(secrets.map(async (secret) => (await ask(secret, "GET", "/v1/rooms")).status));
}

async function made(order: object, by = ROOT): Promise<string> {
  const { status, body, text } = await ask(by, "POST", "/v1/tokens", { name: "ci", scopes: ["read"], ...order });
  expect([status, text]).toEqual([201, expect.anything()]);
  return String(body.secret);
}

describe("a token's text", () => {
  test("is found by scanners, and its checksum shows that it is whole", () => {
    const text = newTokenText();
    expect(text).toMatch(/^anteroom_[0-9A-Za-z]{42}$/);
    expect(isTokenText(text)).toBe(true);
    expect(new Set(Array.from({ length: 100 }, newTokenText)).size).toBe(100);
    for (const wrong of [text.slice(0, -1), `${text}0`, text.toLowerCase(), `${text}\n`, text.replace("anteroom_", "")])
      expect(isTokenText(wrong)).toBe(false);
    for (let at = 9; at < text.length; at++) {
      const other = text[at] === "x" ? "y" : "x";
      expect(isTokenText(text.slice(0, at) + other + text.slice(at + 1))).toBe(false);
    }
  });
});

describe("a token", () => {
  test("is shown once, and kept as a hash", async () => {
    const secret = await made({ scopes: ["operate", "read"], namespace: "team", expires: "90d" });
    const { body, text } = await ask(ROOT, "GET", "/v1/tokens");
    const expires = new Date(world.nowMs + 90 * DAY_MS).toISOString();
    expect(body.tokens).toEqual([
      {
        ...{ name: "ci", scopes: ["read", "operate"], namespace: "team", rooms: null, expired: false },
        ...{ created_on: new Date(world.nowMs).toISOString(), created_by: "admin.token", expires_on: expires },
        ...{ last_used_here: null, previous_secret: null },
      },
    ]);
    const stored = JSON.stringify(
      Array.from({ length: TOKEN_SLOTS }, (_, at) => admin.registers.get(`token:${at}` as RegisterKey)?.document),
    );
    for (const shown of [text, stored, JSON.stringify(lines)]) expect(shown).not.toContain(secret.slice(9, 30));
    expect(stored).toContain(hashOfToken(secret));
    expect(text).not.toContain(hashOfToken(secret));
    expect(await ask(hashOfToken(secret), "GET", "/v1/rooms")).toMatchObject({
      status: 401,
      body: { code: "unauthorized" },
    });
  });

  test("is good for its scopes and rooms; a room of others is unknown, and names no other", async () => {
    const secret = await made({ scopes: ["read", "operate"], namespace: "team" });
    expect((await ask(secret, "POST", "/v1/rooms/team:shop/hold")).status).toBe(200);
    expect(world.rooms.byName("team:shop")?.order?.kind).toBe("hold");
    const others = ["other:shop", "shop", "gone", "team", "Team:shop", "team:", "team%3Ashop%00"];
    for (const room of [...others, "other:shop%2f..%2fteam:shop"]) {
      const { status, text } = await ask(secret, "POST", `/v1/rooms/${room}/hold`);
      expect([status, text]).toEqual([
        404,
        expect.stringContaining(`Cannot find room ${decodeURIComponent(room).replace("\0", "\\u0000")}`),
      ]);
      expect(text).toContain("rooms here are team:shop, team:bar");
    }
    expect((await ask(secret, "POST", "/v1/rooms/team%3Abar/hold")).status).toBe(200);
    expect((await ask(secret, "PATCH", "/v1/rooms/team:shop", { queue_all: true })).status).toBe(403);
    expect((await ask(secret, "POST", "/v1/leave")).status).toBe(403);
    expect(lines.filter(({ actor }) => actor === "ci").map(({ audit }) => audit)).toEqual(["room hold", "room hold"]);
  });

  test("with a namespace or rooms has no say about the mesh, whatever its scopes are", async () => {
    for (const limit of [{ namespace: "team" }, { rooms: ["shop"] }]) {
      const { secret } = tokens.create({ ...PLAN, name: "ci", scopes: SCOPES, ...limit }, "admin.token");
      expect((await ask(secret, "POST", "/v1/leave")).status).toBe(403);
      world.nowMs += 1;
    }
  });

  test("sees the rooms of its namespace in lists and status, and warnings about these", async () => {
    const secret = await made({ namespace: "team" });
    const names = (body: Answer["body"]) => (body.rooms as { name: string }[]).map(({ name }) => name);
    expect(names((await ask(secret, "GET", "/v1/rooms")).body)).toEqual(["team:shop", "team:bar"]);
    const { body } = await ask(secret, "GET", "/v1/status");
    expect(names(body)).toEqual(["team:shop", "team:bar"]);
    expect(body.warnings).toEqual(["room team:shop: no origin answers", "room team:bar: no origin answers"]);
    expect(names((await ask(ROOT, "GET", "/v1/rooms")).body)).toHaveLength(4);
  });

  test("ends at its time, by the time of the rooms", async () => {
    const secret = await made({ expires: "12h" });
    world.nowMs += DAY_MS / 2 - 1;
    expect(await answersTo(secret)).toEqual([200]);
    world.nowMs += 1;
    const { status, text } = await ask(secret, "GET", "/v1/rooms");
    expect([status, text]).toEqual([401, expect.stringContaining("it has expired")]);
    const { body } = await ask(ROOT, "GET", "/v1/tokens/ci");
    expect(body.token).toMatchObject({ expired: true });
  });

  test("deleted names the nodes that go on without knowing it, and is refused, also after another one got its name", async () => {
    const before = await made({});
    members = [
      { node: "12D3KooWaaaa", state: "alive" },
      { node: "12D3KooWbbbb", state: "unreachable" },
    ];
    const deleted = await ask(ROOT, "DELETE", "/v1/tokens/ci");
    expect(deleted).toMatchObject({ status: 200, body: { silent_nodes: ["12D3KooWbbbb"] } });
    expect(await answersTo(before)).toEqual([401]);
    const after = await made({});
    expect(await answersTo(before, after)).toEqual([401, 200]);
    expect((await ask(ROOT, "DELETE", "/v1/tokens/other")).status).toBe(404);
  });

  const rotate = (body: object) => ask(ROOT, "POST", "/v1/tokens/ci/rotate", body);
  const rotated = async (body: object) => String((await rotate(body)).body.secret);

  test("stands until it is deleted or has expired, also rotated", async () => {
    await made({ expires: "12h" });
    const [token] = tokens.all();
    if (token === undefined) throw new Error("Broken: no token was made");
    await rotate({});
    expect(tokens.stands(token)).toBe(true);
    world.nowMs += DAY_MS / 2;
    expect(tokens.stands(token)).toBe(false);
    await ask(ROOT, "DELETE", "/v1/tokens/ci");
    await made({});
    expect(tokens.stands(token)).toBe(false);
  });

  test("rotated, is good by both secrets for the grace, and by the new one from then on", async () => {
    const first = await made({});
    const second = await rotated({ grace: "1h" });
    expect(await answersTo(first, second)).toEqual([200, 200]);
    world.nowMs += HOUR_MS;
    expect(await answersTo(first, second)).toEqual([401, 200]);
    const third = await rotated({ grace: "0m" });
    expect(await answersTo(first, second, third)).toEqual([401, 401, 200]);
    const [fourth, fifth] = [await rotated({}), await rotated({})];
    expect(await answersTo(third, fourth, fifth)).toEqual([401, 200, 200]);
  });

  test("rotated to end earlier than the grace, ends with both secrets, and with the first for good", async () => {
    const first = await made({});
    const second = await rotated({ expires: "1h", grace: "24h" });
    world.nowMs += HOUR_MS;
    expect(await answersTo(first, second)).toEqual([401, 401]);
    expect((await rotate({})).status).toBe(409);
    const third = await rotated({ expires: "1d" });
    expect(await answersTo(first, second, third)).toEqual([401, 401, 200]);
  });

  test("says when it was last used at this node", async () => {
    const secret = await made({});
    world.nowMs += 5_000;
    await ask(secret, "GET", "/v1/rooms");
    const { body } = await ask(ROOT, "GET", "/v1/tokens/ci");
    expect(body.token).toMatchObject({ last_used_here: new Date(world.nowMs).toISOString() });
  });

  test("is not checked before the node has heard which there are; the host's own is", async () => {
    const secret = await made({});
    knowsTokens = false;
    expect(await answersTo(secret, ROOT)).toEqual([503, 200]);
  });
});

describe("making tokens", () => {
  test.each([
    [{ name: "a b" }, "name"],
    [{ name: "admin.token" }, "name"],
    [{ name: "ci\n" }, "name"],
    [{ scopes: [] }, "scopes"],
    [{ scopes: ["root"] }, "scopes[0]"],
    [{ scopes: ["read", "mesh"], namespace: "team" }, "scopes"],
    [{ scopes: ["mesh"], rooms: ["shop"] }, "scopes"],
    [{ namespace: "team:" }, "namespace"],
    [{ namespace: "team", rooms: ["other:shop"] }, "rooms"],
    [{ rooms: Array.from({ length: 101 }, (_, at) => `room-${at}`) }, "rooms"],
    [{ expires: "soon" }, "expires"],
    [{ expires: "2020-01-01T00:00:00Z" }, "expires"],
    [{ scope: ["read"] }, "scope"],
  ])("with %j is refused, and names %s", async (order, field) => {
    const { status, body } = await ask(ROOT, "POST", "/v1/tokens", { name: "ci", scopes: ["read"], ...order });
    const { problems } = body as unknown as { problems: { path: string; repair: string }[] };
    expect([status, problems.map(({ path }) => path)]).toEqual([422, [field]]);
    expect(tokens.all()).toEqual([]);
  });

  test.each(["ci", "CI"])("of a name that is taken, in any spelling, is refused: %s", async (name) => {
    await made({ name: "ci" });
    expect((await ask(ROOT, "POST", "/v1/tokens", { name, scopes: ["read"] })).status).toBe(409);
  });

  const TEAM = { name: "lead", scopes: ["read", "configure"], namespace: "team", expires: "30d" };

  test.each([
    [{ scopes: ["operate"] }, ["scopes"]],
    [{ scopes: ["read", "mesh"] }, ["scopes", "namespace"]],
    [{ namespace: "other" }, ["namespace"]],
    [{ namespace: undefined }, ["namespace"]],
    [{ namespace: undefined, rooms: ["team:shop"] }, ["namespace"]],
    [{ expires: "31d" }, ["expires"]],
  ])("goes no further than the token that makes it: %j", async (order, fields) => {
    const lead = await made(TEAM);
    const wanted = { name: "child", scopes: ["read"], namespace: "team", ...order };
    const { status, body } = await ask(lead, "POST", "/v1/tokens", wanted);
    const { problems } = body as unknown as { problems: { path: string }[] };
    expect(status).toBe(422);
    expect(problems.map(({ path }) => path)).toEqual(expect.arrayContaining(fields.slice(0, 1)));
    expect(tokens.all().map(({ name }) => name)).toEqual(["lead"]);
  });

  test("within it works, and the child ends with its maker at the latest", async () => {
    const lead = await made(TEAM);
    const child = await made({ name: "child", namespace: "team", rooms: ["team:shop"] }, lead);
    expect((await ask(child, "GET", "/v1/rooms/team:shop")).status).toBe(200);
    expect((await ask(child, "GET", "/v1/rooms/team:bar")).status).toBe(404);
    const [one, other] = tokens.all();
    expect([one?.expiresMs, one?.createdBy]).toEqual([other?.expiresMs, "lead"]);
  });

  test("tokens that may more, or elsewhere, are unknown to one that may less", async () => {
    const lead = await made(TEAM);
    await made({ name: "other", namespace: "other" });
    await made({ name: "all" });
    await made({ name: "strong", scopes: ["read", "operate"], namespace: "team" });
    await made({ name: "peer", namespace: "team" });
    const { body } = await ask(lead, "GET", "/v1/tokens");
    expect((body.tokens as { name: string }[]).map(({ name }) => name)).toEqual(["lead", "peer"]);
    for (const name of ["other", "all", "strong", "nobody"]) {
      expect((await ask(lead, "GET", `/v1/tokens/${name}`)).status).toBe(404);
      expect((await ask(lead, "DELETE", `/v1/tokens/${name}`)).status).toBe(404);
      expect((await ask(lead, "POST", `/v1/tokens/${name}/rotate`, {})).status).toBe(404);
    }
    // Another secret of it would outlive the own token.
    expect((await ask(lead, "POST", "/v1/tokens/peer/rotate", {})).status).toBe(422);
    expect((await ask(lead, "POST", "/v1/tokens/lead/rotate", { expires: "300d" })).status).toBe(422);
    expect((await ask(lead, "POST", "/v1/tokens/lead/rotate", {})).status).toBe(200);
  });

  test("ends at a number, and begins again once some are deleted", async () => {
    for (let at = 0; at < TOKENS_MAX; at++) tokens.create({ ...PLAN, name: `t${at}` }, "admin.token");
    expect((await ask(ROOT, "POST", "/v1/tokens", { name: "one", scopes: ["read"] })).status).toBe(409);
    for (let round = 0; round < 3; round++)
      for (let at = 0; at < TOKENS_MAX; at++) {
        const token = tokens.named(`t${at}`);
        if (token !== undefined) tokens.remove(token);
        tokens.create({ ...PLAN, name: `t${at}` }, "admin.token");
      }
    expect(tokens.all()).toHaveLength(TOKENS_MAX);
  });

  test("of one name at two nodes at once leaves the later one, and deleting it deletes both", async () => {
    const first = tokens.create({ ...PLAN, name: "ci" }, "admin.token");
    world.nowMs += 1;
    const second = tokens.create({ ...PLAN, name: "ci" }, "admin.token");
    expect([tokens.holderOf(first.secret), tokens.holderOf(second.secret)]).toMatchObject([undefined, { name: "ci" }]);
    tokens.remove(second.token);
    expect([tokens.all(), tokens.holderOf(first.secret)]).toEqual([[], undefined]);
  });
});

test("a register that is no token is none, and what a newer release has put there stays", () => {
  for (const document of ["", "[]", '{"name":"x"}', "{", '{"name":"a","scopes":["read"],"hash":"x","created_by":"y"}'])
    admin.registers.set(new Map([["token:3" as RegisterKey, { firstName: "", document, createdMs: 0 }]]));
  expect(tokens.all()).toEqual([]);
  const document = JSON.stringify({
    ...{ name: "a", scopes: ["read", "fly"], hash: hashOfToken("x"), created_by: "y", later: true },
  });
  admin.registers.set(new Map([["token:3" as RegisterKey, { firstName: "", document, createdMs: 0 }]]));
  expect(tokens.all()).toMatchObject([{ name: "a", scopes: ["read"] }]);
});

describe("a token of a namespace", () => {
  let secret: string;
  beforeEach(async () => {
    secret = await made({ name: "lead", scopes: ["read", "operate", "configure"], namespace: "team" });
  });
  const NEW = { ...SHOP, name: "team:new", host: "new.example" };

  test("makes rooms in it, and none elsewhere", async () => {
    expect((await ask(secret, "POST", "/v1/rooms", NEW)).status).toBe(201);
    for (const name of ["new", "other:new", "TEAM:new", "teams:new"]) {
      const { status, text } = await ask(secret, "POST", "/v1/rooms", { ...NEW, name, host: "x.example" });
      expect([status, text]).toEqual([422, expect.stringContaining("write team:NAME")]);
    }
  });

  test("renames no room out of it", async () => {
    for (const name of ["shop2", "other:x"])
      expect((await ask(secret, "PATCH", "/v1/rooms/team:shop", { name })).status).toBe(422);
    expect((await ask(secret, "PATCH", "/v1/rooms/team:shop", { name: "team:x" })).status).toBe(200);
  });

  test("reaches no room of others by any route with a room in its path", async () => {
    const event = { name: "e", event_start_time: "2040-01-01T00:00:00Z", event_end_time: "2040-01-02T00:00:00Z" };
    const before = JSON.stringify(world.rooms.byName("other:shop")?.declared);
    const paths = admin.app.routes.filter(({ path, method }) => path.startsWith("/v1/rooms/:") && method !== "ALL");
    expect(paths.length).toBeGreaterThan(10);
    for (const { method, path } of paths) {
      const target = path.replace(/:(?!name)\w+/g, "e").replace(":name", "other:shop");
      const { status } = await ask(secret, method, target, method === "GET" ? undefined : { ...event, stop: true });
      expect([method, path, status]).toEqual([method, path, 404]);
    }
    expect(JSON.stringify(world.rooms.byName("other:shop")?.declared)).toBe(before);
  });

  test("applies rooms of its own, and refuses a file with one of others, known or not", async () => {
    const apply = (...rooms: object[]) => ask(secret, "POST", "/v1/rooms/apply", { rooms });
    expect((await apply(NEW)).status).toBe(200);
    for (const name of ["other:shop", "other:gone", "shop"]) {
      const { status, text } = await apply({ ...NEW, description: "x" }, { ...SHOP, name, host: "y.example" });
      expect([status, text]).toEqual([404, expect.stringContaining(`Cannot find room ${name}`)]);
    }
    expect(world.rooms.byName("team:new")?.declared.description).toBe("");
  });

  test("does not reach a room by the name that it had in the namespace before", async () => {
    world.rooms.update("team:bar", { name: "other:bar" });
    const was = { ...SHOP, name: "team:bar", host: "bar.example", total_active_users: 99 };
    for (const [method, path, body] of [
      ["POST", "/v1/rooms/apply", { rooms: [was] }],
      ["POST", "/v1/rooms", was],
      ["PATCH", "/v1/rooms/team:bar", { total_active_users: 99 }],
    ] as const) {
      const { status, text } = await ask(secret, method, path, body);
      expect(status).toBeGreaterThanOrEqual(404);
      expect(text).not.toContain("other:bar");
    }
    expect(world.rooms.byName("other:bar")?.declared.totalActiveUsers).not.toBe(99);
  });

  test("is not told whose host it asks for", async () => {
    const { status, text } = await ask(secret, "POST", "/v1/rooms", { ...NEW, host: "other.example" });
    expect([status, text]).toEqual([422, expect.stringContaining("a room that this token does not see")]);
    expect(text).not.toContain("other:shop");
    const own = await ask(secret, "POST", "/v1/rooms", { ...NEW, host: "bar.example" });
    expect([own.status, own.text]).toEqual([422, expect.stringContaining("team:bar")]);
  });

  describe("takes no more than its share", () => {
    const named = (count: number, more: object = {}) =>
      Array.from({ length: count }, (_, at) => ({ ...NEW, ...more, name: `team:r${at}`, host: `r${at}.example` }));
    const tried = (rooms: object[]) => ask(secret, "POST", "/v1/rooms/apply?dry_run=true", { rooms });
    const share = expect.stringContaining("have a quarter per namespace");

    test("of rooms, and of their bytes", async () => {
      expect((await tried(named(248))).status).toBe(200);
      expect(await tried(named(249))).toMatchObject({ status: 422, text: share });
      const long = { custom_page_html: `<p>{{position}}${"x".repeat(250_000)}` };
      expect((await tried(named(16, long))).status).toBe(200);
      expect(await tried(named(17, long))).toMatchObject({ status: 422, text: share });
      const both = { rooms: named(249) };
      expect((await ask(ROOT, "POST", "/v1/rooms/apply?dry_run=true", both)).status).toBe(200);
    });

    test("of tokens", async () => {
      const namespace = "team";
      for (let at = 2; at < TOKENS_MAX / 4; at++) tokens.create({ ...PLAN, namespace, name: `t${at}` }, "lead");
      await made({ name: "last", namespace }, secret);
      const more = { name: "more", scopes: ["read"], namespace };
      expect(await ask(secret, "POST", "/v1/tokens", more)).toMatchObject({ status: 409, text: share });
      await made(more);
    });
  });

  describe("names no origin at the node itself", () => {
    test.each(["unix:/run/docker.sock", "http://127.0.0.1:8081"])("%s", async (origin) => {
      const before = JSON.stringify(world.rooms.all().map(({ declared }) => declared));
      const several = [{ url: "http://10.255.255.1", weight: 1 }, { url: origin }];
      world.rooms.update("team:bar", { origin: "http://10.255.255.2" });
      for (const [method, path, body] of [
        ["POST", "/v1/rooms", { ...NEW, origin }],
        ["POST", "/v1/rooms", { ...NEW, origin: several }],
        ["PATCH", "/v1/rooms/team:bar", { origin }],
        ["POST", "/v1/rooms/apply", { rooms: [{ ...NEW, origin }] }],
        ["POST", "/v1/rooms/team:bar/rollout", { to: origin }],
        ["POST", "/client/v4/zones/team/waiting_rooms", { ...NEW, name: "new", anteroom: { origin } }],
      ] as const) {
        const { status, text } = await ask(secret, method, path, body);
        const isTheirs = path.startsWith("/client");
        expect([path, status, text]).toEqual([path, isTheirs ? 400 : 422, expect.stringContaining("the node itself")]);
      }
      world.rooms.update("team:bar", { origin: "" });
      expect(JSON.stringify(world.rooms.all().map(({ declared }) => declared))).toBe(before);
      expect((await ask(ROOT, "PATCH", "/v1/rooms/team:bar", { origin })).status).toBe(200);
      expect((await ask(secret, "PATCH", "/v1/rooms/team:bar", { queue_all: true })).status).toBe(200);
      expect(world.rooms.byName("team:bar")?.outside).toEqual([]);
    });

    test("and what it names is never to lead there, through rollouts and changes of others", async () => {
      const outsideOf = (name: string) => world.rooms.byName(name)?.outside;
      const targetsOf = (name: string) =>
        world.rooms.byName(name)?.origin.all.map(({ url, address: { isOutside } }) => [url, isOutside]);
      const [mine, next, local] = ["http://a.example", "http://b.example", "http://127.0.0.1:9"];
      world.rooms.update("team:bar", { origin: local });
      expect((await ask(secret, "POST", "/v1/rooms/team:bar/rollout", { to: next })).status).toBe(200);
      expect(targetsOf("team:bar")).toEqual([
        [next, true],
        [local, undefined],
      ]);
      expect((await ask(secret, "POST", "/v1/rooms", { ...NEW, origin: mine })).status).toBe(201);
      expect(outsideOf("team:new")).toEqual([mine]);
      await ask(ROOT, "PATCH", "/v1/rooms/team:new", { queue_all: true });
      expect(outsideOf("team:new")).toEqual([mine]);
      await ask(ROOT, "PATCH", "/v1/rooms/team:new", { origin: next });
      const both = [
        [next, undefined],
        [mine, true],
      ];
      expect([outsideOf("team:new"), targetsOf("team:new")]).toEqual([[mine], both]);
    });
  });

  describe("claims nothing at a host that it does not see", () => {
    beforeEach(() => {
      const led = { event_id: "led", protects: ["https://led.example/shop"] };
      for (const room of [
        { name: "other:sale", host: "sale.example", path: "/sale" },
        { name: "other:web", host: "www.site.example", cookie_domain: "site.example" },
        { name: "other:deep", host: "a.b.deep.example" },
        { name: "other:led", host: "queue.example", session_duration: 5, queue_it: led },
      ])
        expect(world.rooms.create({ ...SHOP, ...room })).toMatchObject({ ok: true });
    });

    const CLAIMS: readonly [string, object][] = [
      ["below a path", { host: "other.example", path: "/checkout" }],
      ["in capitals", { host: "OTHER.example", path: "/checkout" }],
      ["above a path", { host: "sale.example", path: "/" }],
      ["beside a path", { host: "sale.example", path: "/other" }],
      ["by a further route", { additional_routes: [{ host: "other.example", path: "/js" }] }],
      ["as every host", { host: "*", path: "/x" }],
      ["as every host, by a further route", { additional_routes: [{ host: "*", path: "/" }] }],
      ["in the domain of its cookie", { host: "evil.site.example" }],
      ["at the domain of its cookie", { host: "site.example" }],
      [
        "as the queue of its site",
        { session_duration: 5, queue_it: { event_id: "x", protects: ["https://other.example/shop"] } },
      ],
      [
        "as the queue of a site of another queue",
        { session_duration: 5, queue_it: { event_id: "x", protects: ["https://led.example/"] } },
      ],
      ["by a cookie for its parent", { host: "evil.deep.example", cookie_domain: "deep.example" }],
      ["by a cookie around its domain", { host: "x.y.site.example", cookie_domain: "y.site.example" }],
    ];

    test.each(CLAIMS)("%s", async (_, claim) => {
      const room = { ...NEW, ...claim };
      const before = JSON.stringify(world.rooms.all().map(({ declared }) => declared));
      for (const [method, path, body] of [
        ["POST", "/v1/rooms", room],
        ["PATCH", "/v1/rooms/team:bar", claim],
        ["POST", "/v1/rooms/apply", { rooms: [room] }],
        ["POST", "/v1/rooms/apply?dry_run=true", { rooms: [room] }],
      ] as const) {
        const { status, text } = await ask(secret, method, path, body);
        expect([path, status, text]).toEqual([path, 422, expect.stringMatching(/this token does not see|all rooms/)]);
        expect(text).not.toContain("other:");
      }
      const { cookie_domain, queue_it, ...there } = { ...room, name: "new" } as Record<string, unknown>;
      const theirs = { ...there, anteroom: { ...(cookie_domain !== undefined && { cookie_domain }), queue_it } };
      const { status, text } = await ask(secret, "POST", "/client/v4/zones/team/waiting_rooms", theirs);
      expect([status, text]).toEqual([400, expect.not.stringContaining("other:")]);
      expect(JSON.stringify(world.rooms.all().map(({ declared }) => declared))).toBe(before);
    });

    test("but keeps what others have given to it, and takes hosts that no room has", async () => {
      world.rooms.create({ ...SHOP, name: "team:blog", host: "other.example", path: "/blog" });
      expect((await ask(secret, "PATCH", "/v1/rooms/team:blog", { queue_all: true })).status).toBe(200);
      expect((await ask(secret, "PATCH", "/v1/rooms/team:blog", { path: "/" })).status).toBe(422);
      expect((await ask(secret, "PATCH", "/v1/rooms/team:blog", { host: "free.example" })).status).toBe(200);
      expect((await ask(secret, "PATCH", "/v1/rooms/team:blog", { host: "other.example" })).status).toBe(422);
      expect((await ask(ROOT, "PATCH", "/v1/rooms/team:blog", { host: "other.example", path: "/b" })).status).toBe(200);
    });

    test("nor where a room out of sight has every host, or cannot be read", async () => {
      const id = world.rooms.byName("other:deep")?.id as RegisterKey;
      const document = JSON.stringify({ name: "other:deep", host: "hidden.example", path: "/", later: true });
      const stamp = { wallMs: world.nowMs, node: world.peer.roomNode.self, count: 1 };
      world.rooms.follow(id as never, { firstName: "other:deep", document, createdMs: 1, stamp } as never);
      expect(world.rooms.unreadable).toHaveLength(1);
      const claim = { ...NEW, host: "hidden.example", path: "/x" };
      expect((await ask(secret, "POST", "/v1/rooms", claim)).status).toBe(422);
      expect((await ask(secret, "POST", "/v1/rooms", NEW)).status).toBe(201);
      world.rooms.create({ ...SHOP, name: "rest", host: "*" });
      expect((await ask(secret, "POST", "/v1/rooms", { ...NEW, name: "team:b", host: "b.example" })).status).toBe(422);
    });
  });
});

test("every route under /v1 takes a scope", async () => {
  const { secret } = tokens.create({ ...PLAN, name: "none", scopes: [] }, "admin.token");
  const open = [];
  for (const { method, path } of admin.app.routes) {
    if (!path.startsWith("/v1/") || path.endsWith("*") || path === "/v1/openapi.json") continue;
    const target = path.replace(":name", "shop").replace(/:\w+/g, "x");
    const { status } = await ask(secret, method === "ALL" ? "POST" : method, target, method === "GET" ? undefined : {});
    if (status !== 403) open.push(`${method} ${path} ${status}`);
  }
  expect(open).toEqual([]);
});

test("wrong tokens get 401 however many they are, and leave lines in the log for other addresses, and few in all", async () => {
  const refused = () => lines.filter(({ audit }) => audit === "token refused").map(({ from }) => from);
  const guess = async (from: string) => {
    const headers = { Authorization: "Bearer wrong" };
    expect((await admin.app.request("/v1/rooms", { headers }, { from })).status).toBe(401);
  };
  for (let at = 0; at < 50; at++) await guess("10.1.0.1");
  await guess("10.1.0.2");
  expect(refused()).toEqual(["10.1.0.1", "10.1.0.1", "10.1.0.2"]);
  for (let at = 0; at < 400; at++) await guess(`10.2.${at >> 8}.${at & 255}`);
  expect(refused().length).toBeLessThanOrEqual(20);
  expect(await answersTo(ROOT)).toEqual([200]);
});
