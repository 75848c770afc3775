import { Hono } from "hono";
import { beforeEach, describe, expect, test } from "vitest";
import { WEBHOOKS_MAX } from "../../../../mesh/core/replica/register-keys.ts";
import { identified, needs, type Principal, ROOT } from "../../../../node/operator/access/principal.ts";
import { webhookRoutes } from "../../../../node/operator/api/webhooks.ts";
import { servingOn } from "../../../../node/operator/calls/serve.ts";
import { type AdminEnv, AuditLog } from "../../../../node/operator/logs/audit.ts";
import { signedHeaders, WebhookSecrets } from "../../../../node/operator/webhooks/webhook-secret.ts";
import { WebhookSender } from "../../../../node/operator/webhooks/webhook-sender.ts";
import { Webhooks } from "../../../../node/operator/webhooks/webhooks.ts";
import { type Fetch, outside } from "../../../../node/outside.ts";
import { GateWorld } from "../../gate/gate-world.ts";
import { type MeshNode, NoticeMesh } from "../notices/notice-mesh.ts";

interface Posted {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

const FIELDS = { name: "chat", url: "https://example.com/hook" };

let mesh: NoticeMesh;
let node: MeshNode;
let app: Hono<AdminEnv>;
let principal: Principal;
let posted: Posted[];
let answer: () => Response;
let sender: WebhookSender;
let logged: string[];
/** Names of tokens that are deleted. */
let gone: Set<string>;
/** Where names lead, other than to a public address. */
let addresses: Readonly<Record<string, readonly string[]>>;

beforeEach(() => {
  mesh = new NoticeMesh(1);
  node = mesh.node(0);
  for (const name of ["shop", "a:shop", "b:shop"]) mesh.room(name, "{}");
  mesh.pass(20);
  [principal, posted, logged, addresses, gone] = [ROOT, [], [], {}, new Set()];
  answer = () => new Response("x".repeat(100));
  const clock = () => mesh.nowMs;
  const write = (fields: object, message: string) => void logged.push(JSON.stringify([fields, message]));
  const log = { error: write, warn: write, info: write, debug: write };
  const secrets = new WebhookSecrets({ meshId: "m", meshKey: new Uint8Array(32) });
  const webhooks = new Webhooks({
    registers: node.registers,
    secrets,
    tokens: { stands: ({ name }) => !gone.has(name) },
    clock,
  });
  const fetch: Fetch = async (url, { headers, body }) => {
    posted.push({ url, headers: Object.fromEntries(new Headers(headers)), body: String(body) });
    return answer();
  };
  sender = new WebhookSender({
    ...{ mesh: "m", node: node.id, version: "1.2.3", webhooks, clock, random: () => 0.5, log },
    ...{ fetch, fetchOutside: outside(fetch, async (host) => addresses[host] ?? ["192.0.2.9"]) },
    proxyOf: (url) => url.includes("far.example") && "http://user:word@proxy.test:3128",
  });
  app = new Hono<AdminEnv>();
  const names = () => ["shop", "a:shop", "b:shop"];
  app.use(identified(() => principal, names));
  const serve = servingOn(app, needs);
  const audit = new AuditLog(new GateWorld().rooms, log);
  webhookRoutes(serve, { webhooks, sender, nowMs: clock, audit });
});

async function call(method: string, path: string, body?: unknown) {
  const response = await app.request(`/v1/webhooks${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: what a client gets is asserted field by field.
  return { status: response.status, body: (await response.json()) as any };
}

/** Time passes; what was sent has arrived: the receiver answers within the turn, so nothing of it is left after it. */
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    mesh.pass(1);
    sender.tick(node.status(), node.news);
    await new Promise(setImmediate);
  }
}

describe("a webhook", () => {
  test("shows its secret once, and is listed, changed and deleted", async () => {
    const made = await call("POST", "", FIELDS);
    expect(made).toMatchObject({ status: 201, body: { webhook: { ...FIELDS, types: [], rooms: [], enabled: true } } });
    expect(made.body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const { id } = made.body.webhook;
    const listed = await call("GET", "");
    expect(listed.body.webhooks).toEqual([made.body.webhook]);
    expect(JSON.stringify(listed.body)).not.toContain("whsec_");
    expect(JSON.stringify([...node.store.values()])).not.toContain(made.body.secret.slice(6));
    const changed = await call("PATCH", `/${id}`, { types: ["room.held"] });
    expect(changed).toMatchObject({ status: 200, body: { webhook: { ...FIELDS, id, types: ["room.held"] } } });
    expect((await call("DELETE", `/${id}`)).status).toBe(200);
    for (const [method, path] of [
      ["GET", ""],
      ["PATCH", ""],
      ["DELETE", ""],
      ["POST", "/rotate"],
      ["POST", "/test"],
    ] as const)
      expect((await call(method, `/${id}${path}`, method === "GET" ? undefined : {})).status).toBe(404);
  });

  test("gets notices that its secret signs, and both secrets after a rotation", async () => {
    const { body } = await call("POST", "", FIELDS);
    mesh.is("shop", { order: "hold" });
    await pass(4);
    expect(posted).toHaveLength(1);
    const headers: Readonly<Record<string, string>> = posted[0]?.headers ?? {};
    const sent = posted[0]?.body ?? "";
    const { "webhook-id": id = "", "webhook-timestamp": seconds } = headers;
    expect(JSON.parse(sent)).toMatchObject({ type: "room.held", room: "shop", id });
    expect(headers).toMatchObject(signedHeaders({ id, seconds: Number(seconds), body: sent }, [body.secret]));
    const rotated = await call("POST", `/${body.webhook.id}/rotate`);
    expect(rotated.body.secret).not.toBe(body.secret);
    expect(rotated.body.webhook.previous_secret_until).not.toBeNull();
    mesh.is("shop", {});
    await pass(4);
    expect(posted[1]?.headers["webhook-signature"]?.split(" ")).toHaveLength(2);
    mesh.nowMs += 86_400_000;
    mesh.is("shop", { order: "open" });
    await pass(4);
    expect(posted[2]?.headers["webhook-signature"]?.split(" ")).toHaveLength(1);
  });

  test.each([
    ["none", "x", ""],
    ["an empty name", { ...FIELDS, name: " " }, "name"],
    ["a name with a line break", { ...FIELDS, name: "a\nb" }, "name"],
    ["no URL", { name: "a" }, "url"],
    ["javascript", { name: "a", url: "javascript:alert(1)" }, "url"],
    ["a password", { name: "a", url: "https://u:p@example.com/" }, "url"],
    ["a fragment", { name: "a", url: "https://example.com/#x" }, "url"],
    ["a long URL", { name: "a", url: `https://example.com/${"x".repeat(3_000)}` }, "url"],
    ["a type of the prototype", { ...FIELDS, types: ["constructor"] }, "types[0]"],
    ["a misspelt field with a secret", { ...FIELDS, Url: "https://example.com/u:p" }, "Url"],
  ])("of %s is refused with its place, and nothing is made", async (_, document, path) => {
    const refused = await call("POST", "", document);
    expect(refused.status).toBe(422);
    expect(JSON.stringify(refused.body)).toContain(`"path":"${path}"`);
    expect(JSON.stringify(refused.body)).not.toContain("u:p");
    expect((await call("GET", "")).body.webhooks).toEqual([]);
  });

  test("is tried at once, and the answer says what the receiver said", async () => {
    const { body } = await call("POST", "", FIELDS);
    const path = `/${body.webhook.id}/test`;
    expect(await call("POST", path)).toMatchObject({
      status: 200,
      body: { delivered: true, status: 200, error: null, proxy: null },
    });
    answer = () => new Response("", { status: 302, headers: { location: "http://127.0.0.1/" } });
    const moved = { delivered: false, status: 302, error: "status 302: redirects are not followed" };
    expect((await call("POST", path)).body).toMatchObject(moved);
    answer = () => {
      throw new Error(`Unable to connect to ${FIELDS.url}?token=1`);
    };
    expect((await call("POST", path)).body).toMatchObject({ delivered: false, status: null });
    expect(posted).toHaveLength(3);
    expect(logged.join()).not.toContain("/hook");
  });

  test("of a token that sees some rooms never leads to the node itself", async () => {
    principal = { ...ROOT, namespace: "a" };
    for (const url of ["http://127.0.0.1:8081/v1/leave", "http://localhost/", "http://[::1]/", "http://0/"]) {
      const refused = await call("POST", "", { ...FIELDS, url });
      expect([refused.status, JSON.stringify(refused.body)]).toEqual([422, expect.stringContaining('"path":"url"')]);
    }
    const { id } = (await call("POST", "", FIELDS)).body.webhook;
    expect((await call("PATCH", `/${id}`, { url: "http://127.0.0.1/" })).status).toBe(422);
    const path = `/${id}/test`;
    expect((await call("POST", path)).body.delivered).toBe(true);
    expect(posted.map(({ url, headers }) => [url, headers.host])).toEqual([["https://192.0.2.9/hook", "example.com"]]);
    addresses = { "example.com": ["127.0.0.1"] };
    const { delivered, error } = (await call("POST", path)).body;
    expect([delivered, error, posted.length]).toEqual([false, expect.stringContaining("the node itself"), 1]);
    principal = ROOT;
    expect((await call("PATCH", `/${id}`, { url: "http://127.0.0.1/" })).status).toBe(422);
    expect((await call("POST", "", { ...FIELDS, url: "http://127.0.0.1/" })).status).toBe(201);
  });

  test("writes for people if its format is that of a chat", async () => {
    const { body } = await call("POST", "", { ...FIELDS, format: "slack" });
    await call("POST", `/${body.webhook.id}/test`);
    expect(JSON.parse(posted.at(-1)?.body ?? "")).toEqual({
      text: expect.stringContaining("A test of this webhook."),
    });
    expect(await call("PATCH", `/${body.webhook.id}`, { format: "irc" })).toMatchObject({
      status: 422,
      body: { problems: [{ path: "format", value: '"irc"', repair: "write json, slack, teams" }] },
    });
  });

  test("names the proxy by which a trial went, without its password", async () => {
    const { body } = await call("POST", "", { ...FIELDS, url: "https://far.example/hook" });
    expect((await call("POST", `/${body.webhook.id}/test`)).body.proxy).toBe("http://proxy.test:3128");
  });

  test("whose receiver is down says so, warns, and delivers in order once it is up", async () => {
    const { body } = await call("POST", "", FIELDS);
    answer = () => new Response("", { status: 503 });
    for (let order = 0; order < 10; order++) {
      mesh.is("shop", order % 2 === 0 ? { order: "hold" } : {});
      await pass(12);
    }
    const down = (await call("GET", `/${body.webhook.id}`)).body.webhook;
    expect(down).toMatchObject({ waiting: 10, delivered: 0, dead_letters: 0, last_error: "status 503" });
    expect(sender.warnings(mesh.nowMs)).toEqual([
      expect.stringContaining("https://example.com takes no notices since"),
    ]);
    posted.length = 0;
    answer = () => new Response(null, { status: 204 });
    await pass(300);
    expect(posted.map((each) => JSON.parse(each.body).type)).toEqual(
      Array.from({ length: 5 }, () => ["room.held", "room.resumed"]).flat(),
    );
    expect((await call("GET", `/${body.webhook.id}`)).body.webhook).toMatchObject({
      waiting: 0,
      delivered: 10,
      failing_since: null,
    });
    expect(sender.warnings(mesh.nowMs)).toEqual([]);
  });

  test("is one of so many that a mesh has room for, and a deleted one makes room", async () => {
    const first = (await call("POST", "", FIELDS)).body.webhook;
    for (let at = 1; at < WEBHOOKS_MAX; at++) expect((await call("POST", "", FIELDS)).status).toBe(201);
    expect((await call("POST", "", FIELDS)).status).toBe(409);
    for (let id = first.id, times = 0; times < 5; id = (await call("GET", "")).body.webhooks[0].id, times++) {
      expect((await call("DELETE", `/${id}`)).status).toBe(200);
      expect((await call("POST", "", FIELDS)).status).toBe(201);
    }
    expect((await call("GET", `/${first.id}`)).status).toBe(404);
  });
});

describe("a token of a namespace", () => {
  const OF_A: Principal = { name: "a", scopes: ["read", "configure"], namespace: "a" };

  test("sends by its webhooks as long as it is there, and another one may take them over", async () => {
    principal = { ...OF_A, createdMs: 1 };
    const { id } = (await call("POST", "", FIELDS)).body.webhook;
    const order = async (kind: "hold" | "open") => {
      mesh.is("a:shop", { order: kind });
      await pass(5);
      return posted.splice(0).length;
    };
    expect(await order("hold")).toBe(1);
    answer = () => new Response("", { status: 503 });
    expect(await order("open")).toBeGreaterThan(0);
    gone.add("a");
    principal = ROOT;
    answer = () => new Response("");
    await pass(60);
    expect(await order("hold")).toBe(0);
    const webhook = (await call("GET", `/${id}`)).body.webhook;
    expect(webhook).toMatchObject({ waiting: 0, last_error: expect.stringContaining("the token is gone") });
    principal = { ...OF_A, name: "b", createdMs: 2 };
    expect((await call("PATCH", `/${id}`, {})).body.webhook.last_error).toBeNull();
    expect(await order("open")).toBe(1);
    gone.add("b");
    expect(await order("hold")).toBe(0);
    principal = ROOT;
    expect((await call("PATCH", `/${id}`, {})).status).toBe(200);
    expect(await order("open")).toBe(1);
  });

  test("has a quarter of the webhooks, and leaves a quarter to those who see all rooms", async () => {
    const statuses = async (count: number) => {
      const all = [];
      for (let at = 0; at < count; at++) all.push((await call("POST", "", FIELDS)).status);
      return [...new Set(all)];
    };
    for (const namespace of ["a", "b", "c"]) {
      principal = { ...OF_A, namespace };
      expect(await statuses(WEBHOOKS_MAX / 4)).toEqual([201]);
      expect(await statuses(1)).toEqual([409]);
    }
    principal = { ...OF_A, namespace: "d" };
    expect(await statuses(1)).toEqual([409]);
    principal = ROOT;
    expect(await statuses(WEBHOOKS_MAX / 4)).toEqual([201]);
  });

  test("sees and makes webhooks of its own, which get its rooms' notices alone", async () => {
    const other = (await call("POST", "", FIELDS)).body.webhook;
    principal = OF_A;
    expect((await call("GET", "")).body.webhooks).toEqual([]);
    expect((await call("GET", `/${other.id}`)).status).toBe(404);
    expect((await call("DELETE", `/${other.id}`)).status).toBe(404);
    expect((await call("POST", "", { ...FIELDS, rooms: ["b:shop"] })).status).toBe(422);
    expect((await call("POST", "", { ...FIELDS, namespace: "b" })).status).toBe(422);
    const url = "https://example.com/a";
    expect((await call("POST", "", { ...FIELDS, url })).status).toBe(201);
    for (const room of ["shop", "a:shop", "b:shop"]) mesh.is(room, { order: "hold" });
    await pass(5);
    const toA = posted.filter((each) => each.url.endsWith("/a"));
    expect(toA.map(({ body }) => JSON.parse(body))).toMatchObject([{ room: "a:shop", namespace: "a" }]);
    expect(posted).toHaveLength(4);
  });
});
