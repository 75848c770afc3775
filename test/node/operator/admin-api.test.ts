import { beforeEach, describe, expect, test } from "vitest";
import { CLOUDFLARE } from "../../../node/adapters/cloudflare/routes.ts";
import { PassMaker } from "../../../node/cookie/pass.ts";
import { adminApi } from "../../../node/operator/admin-api.ts";
import type { MeshOrders } from "../../../node/operator/api/mesh.ts";
import type { NodeStatus } from "../../../node/operator/status/status.ts";
import { Rollouts } from "../../../node/rooms/rollouts.ts";
import { dashboardParts } from "../../cmd/dashboard-parts.ts";
import { LANE, VISITOR_KEYS } from "../../cmd/lane-parts.ts";
import { tokenParts } from "../../cmd/token-parts.ts";
import { GateWorld, MINUTE_MS, SHOP, START_MS } from "../gate/gate-world.ts";
import { MESH as MESH_KEY } from "../peer/lone-peer.ts";

const TOKEN = "the-token";
const JSON_BODY = { "content-type": "application/json" };

let world: GateWorld;
let app: ReturnType<typeof adminApi>;
let isReady: boolean;
const faults: string[] = [];
let orders: string[];

const MEMBERS = ["12D3KooWaaaaOne1", "12D3KooWbbbbTwo2", "12D3KooWccccLost"].map((node) => ({ node }));

const MESH: MeshOrders = {
  leave: async () => {
    orders.push("leave");
    if (orders.length > 1) return { isRefused: true, problem: "Cannot leave a second time" };
    return { left: true, heir: "12D3KooWbbbbTwo2", message: "left" };
  },
  former: () => ["12D3KooWddddPast"],
  forget: async (nodes, { forMs }) => {
    orders.push(`forget ${nodes.join(" ")}${forMs === undefined ? "" : ` ${forMs}`}`);
    const already = nodes.filter((node) => node.endsWith("Past"));
    const forgotten = nodes.filter((node) => !node.endsWith("Past"));
    if (forgotten.every((node) => node.endsWith("Lost"))) return { ok: true, forgotten, already };
    return { ok: false, reason: "answers", problem: `Cannot forget ${nodes.join(", ")} as it answers` };
  },
};

beforeEach(() => {
  world = new GateWorld();
  isReady = true;
  orders = [];
  const { error, warn, info, debug } = silent();
  app = adminApi({
    dashboard: dashboardParts(),
    adapters: [CLOUDFLARE],
    ...tokenParts(),
    rooms: world.rooms,
    passes: new PassMaker(MESH_KEY),
    lane: LANE,
    visitorKeys: VISITOR_KEYS,
    token: TOKEN,
    status: () => ({ version: "1", now_ms: START_MS, rooms: [], members: MEMBERS }) as unknown as NodeStatus,
    metrics: async () => "anteroom_inside 1\n",
    notReady: () => (isReady ? undefined : "draining"),
    onFault: (error) => faults.push(String(error)),
    mesh: MESH,
    rollouts: new Rollouts({
      rooms: world.rooms,
      probe: async ({ url }) => (url.includes("down") ? "Unable to connect" : undefined),
      clock: () => world.nowMs,
      minuteMs: MINUTE_MS,
      rank: () => 0,
      log: silent(),
    }),
    log: { error, warn, info, debug },
    nodeNames: () => ({ "12D3KooWccccLost": "gate3" }),
  });
});

describe("a disk that refuses", () => {
  const CHANGES: readonly [method: string, path: string, body?: object][] = [
    ["POST", "/v1/rooms", { ...SHOP, name: "museum", host: "museum.example" }],
    ["PATCH", "/v1/rooms/shop", { total_active_users: 9 }],
    ["DELETE", "/v1/rooms/shop"],
    ["POST", "/v1/rooms/apply", { rooms: [{ ...SHOP, total_active_users: 9 }] }],
    ["POST", "/v1/rooms/shop/hold"],
  ];

  test.each(CHANGES)("answers 503 to %s %s, and changes nothing, then or later", async (method, path, body) => {
    const roomsNow = async () => (await ask("GET", "/v1/rooms")).json();
    const before = await roomsNow();
    world.peer.take();
    world.diskIsFull = true;
    const refused = await ask(method, path, body);
    const error = (await refused.json()) as Record<string, string>;
    expect([refused.status, error.code, error.detail]).toEqual([503, "not-stored", expect.stringContaining("full")]);
    world.diskIsFull = false;
    expect(await roomsNow()).toEqual(before);
    expect(
      world.peer.outbox
        .take()
        .writes.keys()
        .filter((key) => key.startsWith("ledger/room/"))
        .toArray(),
    ).toEqual([]);
    expect((await ask(method, path, body)).status).toBeLessThan(300);
    expect(await roomsNow()).not.toEqual(before);
  });
});

describe("the token", () => {
  const ROUTES = [
    ["GET", "/v1/status"],
    ["GET", "/v1/rooms"],
    ["GET", "/v1/rooms/shop"],
    ["GET", "/v1/rooms/shop/visitor-keys"],
    ["POST", "/v1/rooms"],
    ["PATCH", "/v1/rooms/shop"],
    ["DELETE", "/v1/rooms/shop"],
    ["POST", "/v1/rooms/apply"],
    ["POST", "/v1/rooms/shop/rollout"],
    ["POST", "/v1/preview"],
    ["POST", "/v1/leave"],
    ["POST", "/v1/forget"],
    ["GET", "/v1/nothing"],
  ] as const;

  test.each(ROUTES)("is needed for %s %s", async (method, path) => {
    for (const authorization of [undefined, "", "Bearer", "Bearer ", `Bearer ${TOKEN}x`, `Basic ${TOKEN}`, TOKEN]) {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
      const response = await app.request(path, { method, headers, ...(method === "POST" && { body: "{}" }) });
      expect(response.status).toBe(401);
      expect(((await response.json()) as Failed).code).toBe("unauthorized");
    }
    expect(world.rooms.byName("shop")?.room.queueAll).toBe(false);
    expect(orders).toEqual([]);
  });

  test.each([
    ["/healthz", 200, "ok\n"],
    ["/readyz", 200, "ready\n"],
    ["/metrics", 200, "anteroom_inside 1\n"],
  ])("is not needed for %s", async (path, status, text) => {
    const response = await app.request(path);
    expect([response.status, await response.text()]).toEqual([status, text]);
  });
});

test("a draining node is healthy, but not ready", async () => {
  isReady = false;
  expect((await app.request("/readyz")).status).toBe(503);
  expect((await app.request("/healthz")).status).toBe(200);
});

describe("rooms", () => {
  test("are listed and got in snake_case, with id and dates", async () => {
    const { rooms } = (await (await ask("GET", "/v1/rooms")).json()) as { rooms: Document[] };
    expect(rooms).toHaveLength(1);
    const { room } = (await (await ask("GET", "/v1/rooms/shop")).json()) as { room: Document };
    expect(room).toEqual(rooms[0]);
    expect(room).toMatchObject({ ...SHOP, queueing_method: "fifo", created_on: "2026-09-11T11:45:00.000Z" });
    expect(room.id).toMatch(/^[0-9a-f]{16}$/);
  });

  test("are made, changed and deleted", async () => {
    const made = await ask("POST", "/v1/rooms", { ...SHOP, name: "bar", host: "bar.example" });
    expect([made.status, ((await made.json()) as Told).room.name]).toEqual([201, "bar"]);
    const changed = await ask("PATCH", "/v1/rooms/bar", {
      total_active_users: 7,
      cookie_attributes: { secure: "never" },
    });
    expect(((await changed.json()) as Told).room).toMatchObject({
      total_active_users: 7,
      new_users_per_minute: 10,
      cookie_attributes: { samesite: "auto", secure: "never" },
    });
    const deleted = await ask("DELETE", "/v1/rooms/bar");
    expect([deleted.status, ((await deleted.json()) as Told).room.name]).toEqual([200, "bar"]);
    expect((await ask("GET", "/v1/rooms/bar")).status).toBe(404);
  });

  test("are applied as a rooms file: those named are made or changed, others stay, the same again changes nothing", async () => {
    const rooms = [
      { ...SHOP, total_active_users: 5 },
      { ...SHOP, name: "bar", host: "bar.example" },
    ];
    const apply = async () => ((await (await ask("POST", "/v1/rooms/apply", { rooms })).json()) as Applied).results;
    expect(await apply()).toEqual([
      { name: "shop", outcome: "updated", changes: [{ field: "total_active_users", from: "2", to: "5" }] },
      { name: "bar", outcome: "created" },
    ]);
    world.nowMs += 1_000;
    expect((await apply()).map(({ outcome }) => outcome)).toEqual(["unchanged", "unchanged"]);
    const { room } = (await (await ask("GET", "/v1/rooms/bar")).json()) as { room: Document };
    expect(room.modified_on).toBe(room.created_on);
    await ask("POST", "/v1/rooms/apply", { rooms: [] });
    expect(world.rooms.all()).toHaveLength(2);
  });

  test("what was got can be applied again: read-only fields are read over", async () => {
    const { rooms } = (await (await ask("GET", "/v1/rooms")).json()) as { rooms: Document[] };
    const { results } = (await (await ask("POST", "/v1/rooms/apply", { rooms })).json()) as Applied;
    expect(results).toEqual([{ name: "shop", outcome: "unchanged" }]);
  });
});

describe("a change that is refused says why, and leaves everything as it was", () => {
  const BAR = { ...SHOP, name: "bar", host: "bar.example" };
  const CASES: readonly (readonly [string, string, string, unknown, number, string])[] = [
    ["a room of that name", "POST", "/v1/rooms", SHOP, 409, "exists"],
    ["a route of another room", "POST", "/v1/rooms", { ...BAR, host: "SHOP.example", path: "/" }, 422, "invalid"],
    ["an unknown field", "POST", "/v1/rooms", { ...BAR, totl_active_users: 1 }, 422, "invalid"],
    ["a limit of 0", "PATCH", "/v1/rooms/shop", { total_active_users: 0 }, 422, "invalid"],
    ["a wrong type", "PATCH", "/v1/rooms/shop", { queue_all: "yes" }, 422, "invalid"],
    ["no fields at all", "PATCH", "/v1/rooms/shop", null, 422, "invalid"],
    ["a list for a room", "POST", "/v1/rooms", [BAR], 422, "invalid"],
    ["a template that does not parse", "PATCH", "/v1/rooms/shop", { custom_page_html: "{{#x}}" }, 422, "invalid"],
    ["one bad room among good ones", "POST", "/v1/rooms/apply", { rooms: [BAR, { name: "x" }] }, 422, "invalid"],
    ["two rooms on one route", "POST", "/v1/rooms/apply", { rooms: [BAR, { ...BAR, name: "baz" }] }, 422, "invalid"],
    ["no list of rooms", "POST", "/v1/rooms/apply", {}, 422, "invalid"],
    ["a trial run in other words", "POST", "/v1/rooms/apply?dry_run=1", { rooms: [BAR] }, 422, "invalid"],
    ["a trial run without a value", "POST", "/v1/rooms/apply?dry_run", { rooms: [BAR] }, 422, "invalid"],
    ["a room that is not there", "PATCH", "/v1/rooms/shoe", { queue_all: true }, 404, "not-found"],
    ["a room that is not there to be deleted", "DELETE", "/v1/rooms/shoe", undefined, 404, "not-found"],
    ["a preview without a template", "POST", "/v1/preview", {}, 422, "invalid"],
    ["a preview of a broken template", "POST", "/v1/preview", { custom_page_html: "{{#x}}" }, 422, "invalid"],
    ["a path that is not there", "GET", "/v1/nothing", undefined, 404, "not-found"],
  ];

  test.each(CASES)("%s", async (_, method, path, body, status, code) => {
    const before = await (await ask("GET", "/v1/rooms")).text();
    const response = await ask(method, path, body);
    const error = (await response.json()) as Failed;
    expect([response.status, error.code]).toEqual([status, code]);
    expect(error.detail).toMatch(/^Cannot /);
    if (code === "invalid") for (const problem of error.problems ?? [{}]) expect(problem).toHaveProperty("repair");
    expect(await (await ask("GET", "/v1/rooms")).text()).toBe(before);
  });

  test("all problems come at once", async () => {
    const body = { name: "a b", host: "http://x", total_active_users: 0, typo: 1 };
    const error = (await (await ask("POST", "/v1/rooms", body)).json()) as Failed;
    const paths = (error.problems ?? []).map(({ path }) => path).sort();
    expect(paths).toEqual(["host", "name", "new_users_per_minute", "total_active_users", "typo"]);
  });

  test("a body that is no JSON is a 400, a huge one a 413", async () => {
    const broken = await ask("POST", "/v1/rooms", undefined, "{not json");
    expect([broken.status, ((await broken.json()) as Failed).code]).toEqual([400, "bad-json"]);
    const huge = await ask("POST", "/v1/rooms", undefined, `"${"x".repeat(17 * 1024 * 1024)}"`);
    expect([huge.status, ((await huge.json()) as Failed).code]).toEqual([413, "too-large"]);
  });
});

describe("a body that is too much is an answer of 4xx, and costs little", () => {
  const deep = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);
  const ROUTES = [
    ["POST", "/v1/rooms"],
    ["PATCH", "/v1/rooms/shop"],
    ["POST", "/v1/rooms/apply"],
    ["POST", "/v1/rooms/shop/rollout"],
    ["POST", "/v1/preview"],
    ["POST", "/v1/forget"],
  ] as const;

  test.each(ROUTES)("deep, broken or of nothing: %s %s", async (method, path) => {
    const bodies = [
      deep("[", "]", 21),
      deep("[", "]", 1_000_000),
      deep('{"a":', "}", 21),
      "[".repeat(1_000_000),
      '{"name":'.repeat(100_000),
      "",
      "{",
      '"',
      "null",
      "5",
      "[]",
      `"${'\\"'.repeat(500_000)}`,
      '{"__proto__":{"to":"x"}}',
    ];
    for (const body of bodies) {
      const headers = { authorization: `Bearer ${TOKEN}`, ...JSON_BODY };
      const response = await app.request(path, { method, headers, body });
      expect([body.slice(0, 20), response.status]).toEqual([body.slice(0, 20), expect.toSatisfy(is4xx)]);
    }
  });

  test.each(ROUTES)("large: %s %s", async (method, path) => {
    const body = JSON.stringify({ name: "x".repeat(17 * 1024 * 1024) });
    const headers = { authorization: `Bearer ${TOKEN}`, ...JSON_BODY };
    const response = await app.request(path, { method, headers, body });
    expect(response.status).toBe(413);
  });

  test("a preview larger than a room's page, and one that takes long", async () => {
    for (const template of [
      "x".repeat(300_000),
      "会".repeat(100_000),
      `{{a${" ".repeat(200_000)}x}}`,
      "\0".repeat(100_000),
    ])
      expect((await ask("POST", "/v1/preview", { custom_page_html: template })).status).toBe(422);
  });

  const is4xx = (status: number) => status >= 400 && status < 500;
});

test("a change may repeat fields as they were read, and not change those that are changed elsewhere", async () => {
  const { room } = (await (await ask("GET", "/v1/rooms/shop")).json()) as { room: Record<string, unknown> };
  expect((await ask("PATCH", "/v1/rooms/shop", room)).status).toBe(200);
  const rollout = { from: [{ url: "http://old.example" }], started_at: "2026-01-01T00:00:00Z" };
  const operator_order = { order: "open", since: "2026-01-01T00:00:00Z", node: "n" };
  for (const patch of [{ id: "0123456789abcdef" }, { id: 5 }, { id: null }, { rollout }, { operator_order }]) {
    const refused = await ask("PATCH", "/v1/rooms/shop", { ...patch, total_active_users: 77 });
    const error = (await refused.json()) as Failed;
    expect([refused.status, error.problems?.map(({ path }) => path)]).toEqual([422, Object.keys(patch)]);
  }
  await ask("POST", "/v1/rooms/shop/hold");
  expect((await ask("PATCH", "/v1/rooms/shop", { operator_order: null })).status).toBe(422);
  const after = (await (await ask("GET", "/v1/rooms/shop")).json()) as { room: Record<string, unknown> };
  expect(after.room).toMatchObject({ total_active_users: room.total_active_users, operator_order: { order: "hold" } });
});

test("a hold may say that all is sold, and nothing else", async () => {
  const held = async (body?: object) => (await ask("POST", "/v1/rooms/shop/hold", body)).json();
  expect(await held({ sold_out: true })).toMatchObject({ room: { operator_order: { order: "sold-out" } } });
  expect(await held({ soldout: true })).toMatchObject({ problems: [{ path: "soldout" }] });
  expect(await held({})).toMatchObject({ room: { operator_order: { order: "hold" } } });
});

test("a preview is the page as a visitor in the middle of a line sees it", async () => {
  const response = await ask("POST", "/v1/preview", { custom_page_html: "<p>{{position}} {{waitTimeFormatted}}</p>" });
  expect(response.headers.get("content-type")).toMatch(/^text\/html/);
  expect(await response.text()).toBe("<p>42 4 minutes</p>");
  const builtIn = await ask("POST", "/v1/preview", { custom_page_html: "" });
  expect(await builtIn.text()).toContain("You are in line");
  const page = { title: "Kulturhaus", accent: "#0a7d4f", texts: { "de-DE": { message: "Gleich geht es los." } } };
  const branded = await ask("POST", "/v1/preview", { custom_page_html: "", page, language: "de-DE" });
  const html = await branded.text();
  for (const part of ["Kulturhaus", "#0a7d4f", "Gleich geht es los.", 'lang="de-DE"']) expect(html).toContain(part);
  const wrong = { custom_page_html: "", page: { accent: "green" }, language: "klingon" };
  const { problems } = (await (await ask("POST", "/v1/preview", wrong)).json()) as { problems: { path: string }[] };
  expect(problems.map(({ path }) => path)).toEqual(["page.accent", "language"]);
});

test("the keys of a room's visitor header are those of this generation and the next", async () => {
  const keys = async () => {
    const answer = await ask("GET", "/v1/rooms/shop/visitor-keys");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    return ((await answer.json()) as { visitor_keys: { is_on: boolean; keys: { kid: string; key: string }[] } })
      .visitor_keys;
  };
  const before = await keys();
  expect(before).toMatchObject({
    room: "shop",
    is_on: false,
    issuer: "anteroom",
    audience: "shop",
    algorithm: "HS256",
  });
  await ask("PATCH", "/v1/rooms/shop", { visitor_header: true, visitor_key_generation: 2 });
  const after = await keys();
  expect(after.is_on).toBe(true);
  expect(after.keys[0]).toEqual(before.keys[1]);
  expect(after.keys.map(({ kid }) => kid)).toEqual(["2", "3"]);
  expect((await ask("GET", "/v1/rooms/nothing/visitor-keys")).status).toBe(404);
});

test("the status is the node's", async () => {
  const status = { version: "1", now_ms: START_MS, rooms: [], members: MEMBERS };
  expect(await (await ask("GET", "/v1/status")).json()).toEqual(status);
});

describe("orders of a rollout", () => {
  const ROLLOUT = "/v1/rooms/shop/rollout";
  const TO = "http://new.example";

  test("start, stop, take it back and finish it; the answer is the room", async () => {
    await ask("PATCH", "/v1/rooms/shop", { origin: "http://old.example" });
    const told = async (order: object) => ((await (await ask("POST", ROLLOUT, order)).json()) as Told).room.rollout;
    const begun = { from: [{ url: "http://old.example", weight: 1 }], state: "running" };
    expect(await told({ to: TO })).toMatchObject({ ...begun, started_at: "2026-09-11T11:45:05.000Z" });
    expect(await told({ stop: true })).toMatchObject({ state: "stopped", reason: "an operator stopped it" });
    expect(await told({ back: true })).toMatchObject({ state: "reversed", reason: "an operator took it back" });
    await told({ to: TO });
    expect(await told({ now: true })).toBeUndefined();
    expect(world.room().room.origin).toEqual([
      { url: TO, weight: 1 },
      { url: "http://old.example", weight: 0 },
    ]);
  });

  test.each([
    ["none", {}, 422, "invalid"],
    ["two at once", { to: TO, stop: true }, 422, "invalid"],
    ["to what does not answer", { to: "http://down.example" }, 422, "invalid"],
    ["to no text", { to: 5 }, 422, "invalid"],
    ["to stop where there is none", { stop: true }, 409, "conflict"],
  ])("%s: refused, and the room stays as it was", async (_, order, status, code) => {
    await ask("PATCH", "/v1/rooms/shop", { origin: "http://old.example" });
    const before = world.room().room;
    const response = await ask("POST", ROLLOUT, order);
    expect([response.status, ((await response.json()) as Failed).code]).toEqual([status, code]);
    expect(world.room().room).toBe(before);
  });

  test("of a room that is not there: 404", async () => {
    expect((await ask("POST", "/v1/rooms/pub/rollout", { to: TO })).status).toBe(404);
  });
});

describe("orders to the mesh", () => {
  test("leave is passed on, and names the heir", async () => {
    const response = await ask("POST", "/v1/leave");
    expect(await response.json()).toEqual({ left: true, heir: "12D3KooWbbbbTwo2", message: "left" });
    expect(orders).toEqual(["leave"]);
  });

  test("to leave while it is leaving is refused with 409", async () => {
    await ask("POST", "/v1/leave");
    const response = await ask("POST", "/v1/leave");
    const error = (await response.json()) as Failed;
    expect([response.status, error.code, error.detail]).toEqual([409, "conflict", "Cannot leave a second time"]);
    expect(error.hint).toContain("wait for the answer to the first order");
  });

  test.each(["12D3KooWccccLost", "ccccLost", "12D3KooWcc", "gate3"])("forget takes %s for the node", async (word) => {
    const response = await ask("POST", "/v1/forget", { nodes: [word] });
    const node = "12D3KooWccccLost";
    expect([response.status, await response.json()]).toEqual([
      200,
      { nodes: [node], forgotten: [node], already: [], names: { [node]: "gate3" } },
    ]);
    expect(orders).toEqual([`forget ${node}`]);
  });

  test("forget says by its name which node it refuses", async () => {
    const response = await ask("POST", "/v1/forget", { nodes: ["gate3", "One1"] });
    expect(((await response.json()) as Failed).detail).toBe("Cannot forget gate3, aaaaOne1 as it answers");
  });

  test("forget grants what was a member once, and takes each node once", async () => {
    const [lost, past] = ["12D3KooWccccLost", "12D3KooWddddPast"];
    const response = await ask("POST", "/v1/forget", { nodes: ["dddPast", "Lost", lost], timeout_seconds: 2.5 });
    expect([response.status, await response.json()]).toEqual([
      200,
      { nodes: [lost, past], forgotten: [lost], already: [past], names: { [lost]: "gate3" } },
    ]);
    expect(orders).toEqual([`forget ${past} ${lost} 2500`]);
  });

  test.each([0, -1, 20.1, "5", null])("forget waits no time such as %s", async (seconds) => {
    const response = await ask("POST", "/v1/forget", { nodes: ["Lost"], timeout_seconds: seconds });
    const error = (await response.json()) as Failed;
    expect([response.status, error.problems?.[0]?.path, orders]).toEqual([422, "timeout_seconds", []]);
  });

  test.each([
    ["a node that nobody knows", "ffffNone", 404, "not-found", "Cannot find node ffffNone"],
    ["a beginning that fits all", "12D3KooW", 404, "not-found", "as it fits 4"],
    ["next to nothing", "st", 404, "not-found", "shorter than 4 characters"],
    ["a node that the mesh keeps", "One1", 409, "refused", "as it answers"],
    ["no string", 5, 422, "invalid", "problems"],
  ])("forget refuses %s, with a hint", async (_, node, status, code, text) => {
    const response = await ask("POST", "/v1/forget", { nodes: [node] });
    const error = (await response.json()) as Failed;
    expect([response.status, error.code]).toEqual([status, code]);
    expect(error.detail).toContain(text);
    if (code !== "invalid") expect(error.hint).toMatch(/12D3KooWcccc|stop it for good first/);
  });
});

type Document = Readonly<Record<string, unknown>>;
interface Told {
  readonly room: Document;
}
interface Applied {
  readonly results: readonly { name: string; outcome: string }[];
}
interface Failed {
  readonly code: string;
  readonly detail: string;
  readonly hint?: string;
  readonly problems?: readonly { path?: string }[];
}

async function ask(method: string, path: string, document?: unknown, text?: string): Promise<Response> {
  const body = text ?? (document === undefined ? undefined : JSON.stringify(document));
  const headers = { authorization: `Bearer ${TOKEN}`, ...JSON_BODY };
  return app.request(path, { method, headers, ...(body !== undefined && { body }) });
}

function silent() {
  const nothing = () => undefined;
  return { error: nothing, warn: nothing, info: nothing, debug: nothing };
}

describe("a browser that is logged in to the dashboard", () => {
  test("may give orders with its cookie and the CSRF field, and not with the cookie alone", async () => {
    const form = new URLSearchParams({ token: TOKEN });
    const made = await app.request("/dashboard/login", { method: "POST", body: form });
    const cookie = made.headers.get("Set-Cookie")?.split(";")[0] ?? "";
    const page = await (await app.request("/dashboard", { headers: { Cookie: cookie } })).text();
    const csrf = /name="csrf" content="([^"]*)"/.exec(page)?.[1] ?? "";
    const hold = (headers: Record<string, string>) => app.request("/v1/rooms/shop/hold", { method: "POST", headers });
    expect((await hold({ Cookie: cookie })).status).toBe(401);
    expect((await hold({ Cookie: cookie, "Anteroom-Csrf": "x" })).status).toBe(401);
    expect((await hold({ "Anteroom-Csrf": csrf })).status).toBe(401);
    expect((await hold({ Cookie: cookie, "Anteroom-Csrf": csrf })).status).toBe(200);
  });
});

describe("a body that is not JSON", () => {
  const body = JSON.stringify({ total_active_users: 9 });
  const TYPES = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/json", ""];

  test.each(TYPES)("by its content type %j is refused with 415, and changes nothing", async (type) => {
    for (const [method, path] of [
      ["PATCH", "/v1/rooms/shop"],
      ["POST", "/v1/rooms/shop/hold"],
      ["DELETE", "/v1/rooms/shop"],
      ["POST", "/v1/tokens"],
    ] as const) {
      const headers = { authorization: `Bearer ${TOKEN}`, "content-type": type };
      const response = await app.request(path, { method, headers, body });
      expect(response.status).toBe(415);
      expect(await response.text()).toContain("--json DATA");
    }
    expect(world.rooms.byName("shop")?.order).toBeUndefined();
    expect(world.rooms.byName("shop")?.declared.totalActiveUsers).not.toBe(9);
  });

  test.each(["application/json", "APPLICATION/JSON; charset=utf-8"])("is taken as %s", async (type) => {
    const headers = { authorization: `Bearer ${TOKEN}`, "content-type": type };
    expect((await app.request("/v1/rooms/shop", { method: "PATCH", headers, body })).status).toBe(200);
  });

  test("may be none at all, whatever its type", async () => {
    for (const type of ["", "text/plain"]) {
      const headers = { authorization: `Bearer ${TOKEN}`, ...(type && { "content-type": type }) };
      expect((await app.request("/v1/rooms/shop/hold", { method: "POST", headers })).status).toBe(200);
    }
  });
});

describe("a page of another site", () => {
  test("gets no leave by a preflight, and its answers have no leave either", async () => {
    const asked = { Origin: "https://evil.example", "Access-Control-Request-Method": "POST" };
    for (const path of ["/v1/rooms", "/v1/tokens", "/client/v4/zones/z/waiting_rooms", "/metrics", "/dashboard"]) {
      const preflight = await app.request(path, { method: "OPTIONS", headers: asked });
      expect(preflight.ok).toBe(false);
      const read = await app.request(path, { headers: { ...asked, authorization: `Bearer ${TOKEN}` } });
      for (const answer of [preflight, read])
        expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
    }
  });

  test("posts nothing with the cookie of a log-in, as a form or as text", async () => {
    const made = await app.request("/dashboard/login", { method: "POST", body: new URLSearchParams({ token: TOKEN }) });
    const cookie = (made.headers.get("Set-Cookie") ?? "").split(";")[0] ?? "";
    for (const type of ["text/plain", "application/x-www-form-urlencoded"])
      for (const path of ["/v1/rooms/shop/hold", "/v1/tokens", "/v1/leave"]) {
        const headers = { Cookie: cookie, "content-type": type, Origin: "https://evil.example" };
        const answer = await app.request(path, { method: "POST", headers, body: '{"name":"x","scopes":["mesh"]}' });
        expect(answer.status).toBe(401);
      }
    expect(orders).toEqual([]);
  });
});

test("10 MB are refused wherever they are sent", async () => {
  const body = JSON.stringify({ name: "x".repeat(10_000_000) });
  for (const [method, path] of [
    ["POST", "/v1/rooms"],
    ["PATCH", "/v1/rooms/shop"],
    ["DELETE", "/v1/rooms/shop"],
    ["POST", "/v1/rooms/shop/hold"],
    ["POST", "/v1/rooms/shop/events"],
    ["POST", "/v1/tokens"],
    ["POST", "/v1/tokens/ci/rotate"],
    ["POST", "/v1/lane/rotate"],
    ["POST", "/v1/leave"],
  ] as const)
    expect([method, path, (await ask(method, path, undefined, body)).status]).toEqual([method, path, 413]);
  expect(world.rooms.byName("shop")?.order).toBeUndefined();
});
