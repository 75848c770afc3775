import { beforeEach, describe, expect, test } from "vitest";
import { GateWorld, SHOP } from "../gate/gate-world.ts";
import { adminWorld, TOKEN } from "./admin-world.ts";

type Admin = ReturnType<typeof adminWorld>;

let world: GateWorld;
let app: Admin["app"];
let ask: Admin["ask"];
let isReady: boolean;

beforeEach(() => {
  isReady = true;
  world = new GateWorld();
  ({ app, ask } = adminWorld(world, {
    notReady: () => (isReady ? undefined : "draining"),
    // A disk that refuses is none.
    onFault: () => undefined,
  }));
});

interface Answer {
  readonly room: Readonly<Record<string, unknown>>;
  readonly rooms: readonly Readonly<Record<string, unknown>>[];
  readonly results: readonly { readonly name: string; readonly outcome: string }[];
  readonly code: string;
  readonly detail: string;
  readonly hint?: string;
  readonly problems?: readonly { readonly path?: string }[];
}

async function answered(...call: Parameters<typeof ask>): Promise<Answer & { readonly status: number }> {
  const answer = await ask(...call);
  return { ...((await answer.json()) as Answer), status: answer.status };
}

describe("a disk that refuses", () => {
  const CHANGES: readonly [method: string, path: string, body?: object][] = [
    ["POST", "/v1/rooms", { ...SHOP, name: "museum", host: "museum.example" }],
    ["PATCH", "/v1/rooms/shop", { total_active_users: 9 }],
    ["DELETE", "/v1/rooms/shop"],
    ["POST", "/v1/rooms/apply", { rooms: [{ ...SHOP, total_active_users: 9 }] }],
    ["POST", "/v1/rooms/shop/hold"],
  ];

  test.each(CHANGES)("answers 503 to %s %s, and changes nothing, then or later", async (method, path, body) => {
    const before = await answered("GET", "/v1/rooms");
    world.peer.take();
    world.diskIsFull = true;
    const detail = expect.stringContaining("full");
    expect(await answered(method, path, body)).toMatchObject({ status: 503, code: "not-stored", detail });
    world.diskIsFull = false;
    expect(await answered("GET", "/v1/rooms")).toEqual(before);
    const { writes } = world.peer.outbox.take();
    expect([...writes.keys()].filter((key) => key.startsWith("ledger/room/"))).toEqual([]);
    expect((await ask(method, path, body)).status).toBeLessThan(300);
    expect(await answered("GET", "/v1/rooms")).not.toEqual(before);
  });
});

describe("the token", () => {
  test("is needed for every call under /v1 but the description of the API", async () => {
    const paths = app.routes.filter(({ path, method }) => path.startsWith("/v1/") && method !== "ALL");
    expect(paths.length).toBeGreaterThan(40);
    for (const { method, path } of [...paths, { method: "GET", path: "/v1/nothing" }]) {
      if (path === "/v1/openapi.json") continue;
      for (const authorization of ["", "Bearer", "Bearer ", `Bearer ${TOKEN}x`, `Basic ${TOKEN}`, TOKEN]) {
        const target = path.replace(":name", "shop").replace(/:\w+/g, "x");
        const { status, code } = await answered(method, target, method === "GET" ? undefined : {}, { authorization });
        expect([method, path, status, code]).toEqual([method, path, 401, "unauthorized"]);
      }
    }
    for (const field of ["token", "access_token", "Authorization"])
      expect((await app.request(`/v1/rooms?${field}=${TOKEN}`)).status).toBe(401);
    expect(world.room().room.queueAll).toBe(false);
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

test("a change may repeat fields as they were read, and not change those that are changed elsewhere", async () => {
  const { room } = await answered("GET", "/v1/rooms/shop");
  expect((await ask("PATCH", "/v1/rooms/shop", room)).status).toBe(200);
  const rollout = { from: [{ url: "http://old.example" }], started_at: "2026-01-01T00:00:00Z" };
  const operator_order = { order: "open", since: "2026-01-01T00:00:00Z", node: "n" };
  for (const patch of [{ id: "0123456789abcdef" }, { id: 5 }, { id: null }, { rollout }, { operator_order }]) {
    const refused = await answered("PATCH", "/v1/rooms/shop", { ...patch, total_active_users: 77 });
    expect([refused.status, refused.problems?.map(({ path }) => path)]).toEqual([422, Object.keys(patch)]);
  }
  await ask("POST", "/v1/rooms/shop/hold");
  expect((await ask("PATCH", "/v1/rooms/shop", { operator_order: null })).status).toBe(422);
  const after = await answered("GET", "/v1/rooms/shop");
  expect(after.room).toMatchObject({ total_active_users: room.total_active_users, operator_order: { order: "hold" } });
});

describe("a preview", () => {
  test("is the page as a visitor in the middle of a line sees it", async () => {
    const response = await ask("POST", "/v1/preview", {
      custom_page_html: "<p>{{position}} {{waitTimeFormatted}}</p>",
    });
    expect(response.headers.get("content-type")).toMatch(/^text\/html/);
    expect(await response.text()).toBe("<p>42 4 minutes</p>");
    const builtIn = await ask("POST", "/v1/preview", { custom_page_html: "" });
    expect(await builtIn.text()).toContain("You are in line");
    const page = { title: "Kulturhaus", accent: "#0a7d4f", texts: { "de-DE": { message: "Gleich geht es los." } } };
    const branded = await ask("POST", "/v1/preview", { custom_page_html: "", page, language: "de-DE" });
    const html = await branded.text();
    for (const part of ["Kulturhaus", "#0a7d4f", "Gleich geht es los.", 'lang="de-DE"']) expect(html).toContain(part);
    const wrong = { custom_page_html: "", page: { accent: "green" }, language: "klingon" };
    const { problems } = await answered("POST", "/v1/preview", wrong);
    expect(problems?.map(({ path }) => path)).toEqual(["page.accent", "language"]);
  });

  test.each([
    ["larger than a room's page", "x".repeat(300_000)],
    ["larger in bytes", "会".repeat(100_000)],
    ["larger as JSON", "\0".repeat(100_000)],
    ["that takes long", `{{a${" ".repeat(200_000)}x}}`],
  ])("of a template %s is refused", async (_, template) => {
    expect((await ask("POST", "/v1/preview", { custom_page_html: template })).status).toBe(422);
  });
});

test("what verifies a room's visitor header is not to be kept by readers of the answer", async () => {
  await ask("PATCH", "/v1/rooms/shop", { visitor_header: true });
  const answer = await ask("GET", "/v1/rooms/shop/visitor-keys");
  expect(answer.headers.get("cache-control")).toBe("no-store");
  const about = { room: "shop", is_on: true, issuer: "anteroom", audience: "shop", algorithm: "HS256" };
  expect(await answer.json()).toMatchObject({ visitor_keys: { ...about, keys: [{ kid: "1" }, { kid: "2" }] } });
});

test("an order to leave is passed on, and names the heir; a second one is refused with 409", async () => {
  const response = await ask("POST", "/v1/leave");
  expect(await response.json()).toEqual({ left: true, heir: "12D3KooWbbbbTwo2", message: "left" });
  const again = await answered("POST", "/v1/leave");
  expect(again).toMatchObject({ status: 409, code: "conflict", detail: "Cannot leave a second time" });
  expect(again.hint).toContain("wait for the answer to the first order");
});

describe("a browser that is logged in to the dashboard", () => {
  test("may give orders with its cookie and the CSRF field, and not with the cookie alone", async () => {
    const form = new URLSearchParams({ token: TOKEN });
    const made = await app.request("/dashboard/login", { method: "POST", body: form });
    const Cookie = made.headers.get("Set-Cookie")?.split(";")[0] ?? "";
    const page = await (await app.request("/dashboard", { headers: { Cookie } })).text();
    const csrf = /name="csrf" content="([^"]*)"/.exec(page)?.[1] ?? "";
    const hold = async (headers: Record<string, string>) =>
      (await app.request("/v1/rooms/shop/hold", { method: "POST", headers })).status;
    expect(await hold({ Cookie })).toBe(401);
    expect(await hold({ Cookie, "content-type": "text/plain", Origin: "https://evil.example" })).toBe(401);
    expect(await hold({ Cookie, "Anteroom-Csrf": "x" })).toBe(401);
    expect(await hold({ "Anteroom-Csrf": csrf })).toBe(401);
    expect(await hold({ Cookie, "Anteroom-Csrf": csrf })).toBe(200);
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
    ] as const) {
      const response = await ask(method, path, body, { "content-type": type });
      expect([response.status, await response.text()]).toEqual([415, expect.stringContaining("--json DATA")]);
    }
    expect(world.room().order).toBeUndefined();
    expect(world.room().declared.totalActiveUsers).not.toBe(9);
  });

  test.each(["application/json", "APPLICATION/JSON; charset=utf-8"])("is taken as %s", async (type) => {
    expect((await ask("PATCH", "/v1/rooms/shop", body, { "content-type": type })).status).toBe(200);
  });

  test("may be none at all, whatever its type", async () => {
    for (const type of ["", "text/plain"])
      expect((await ask("POST", "/v1/rooms/shop/hold", undefined, { "content-type": type })).status).toBe(200);
  });
});

test("a page of another site gets no leave by a preflight, and its answers have no leave either", async () => {
  const asked = { Origin: "https://evil.example", "Access-Control-Request-Method": "POST" };
  for (const path of ["/v1/rooms", "/v1/tokens", "/client/v4/zones/z/waiting_rooms", "/metrics", "/dashboard"]) {
    const preflight = await app.request(path, { method: "OPTIONS", headers: asked });
    expect(preflight.ok).toBe(false);
    for (const answer of [preflight, await ask("GET", path, undefined, asked)])
      expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
  }
});
