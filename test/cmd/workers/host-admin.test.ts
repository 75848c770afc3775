import { afterEach, beforeEach, expect, test } from "vitest";
import type { Up } from "../../../cmd/child.ts";
import { type HostAdmin, startHostAdmin } from "../../../cmd/workers/host-admin.ts";

const LOOPBACK = { host: "127.0.0.1", port: 0 };
const up = new Map<number, Up>();
let admin: HostAdmin;
let workers: { stop: (now: boolean) => unknown }[] = [];

/** A worker that answers in its own way. */
function workerThat(fetch: (request: Request) => Response | Promise<Response>, number = 1): void {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch });
  workers.push(server);
  up.set(number, { told: "up", node: `n${number}`, gate: "", admin: `127.0.0.1:${server.port}`, mesh: "" });
}

/** A worker's admin API: it tells what reached it. */
function worker(number: number, { ready = true } = {}): void {
  workerThat(async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/readyz") return new Response("", { status: ready ? 200 : 503 });
    if (pathname === "/metrics") return new Response(`# TYPE x gauge\nx ${number}\n`);
    const { authorization = "", host } = Object.fromEntries(request.headers);
    return Response.json({ number, pathname, authorization, host, body: await request.text() }, { status: 201 });
  }, number);
}

const ask = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${admin.address.port}${path}`, init);

beforeEach(() => {
  admin = startHostAdmin({
    settings: { admin: LOOPBACK, adminHosts: [], metrics: undefined, workers: 2 },
    up: () => up,
    tokenOf: (number) => `token-${number}`,
  });
});
afterEach(() => {
  admin.stop();
  for (const server of workers) server.stop(true);
  workers = [];
  up.clear();
});

test("a request goes to the first worker that is up, as it came, with that worker's own token", async () => {
  worker(2);
  const init = { method: "POST", body: "{}", headers: { authorization: "Bearer token-1" } };
  const answer = await ask("/v1/rooms?x=1", init);
  expect(answer.status).toBe(201);
  const [host] = [up.get(2)?.admin];
  expect(await answer.json()).toEqual({
    number: 2,
    pathname: "/v1/rooms",
    authorization: "Bearer token-2",
    host,
    body: "{}",
  });
  const foreign = await (await ask("/v1/rooms", { headers: { authorization: "Bearer else" } })).json();
  expect(foreign).toMatchObject({ authorization: "Bearer else" });
});

test("a body that no call takes is refused", async () => {
  worker(1);
  const answer = await ask("/v1/rooms", { method: "POST", body: new Uint8Array(18 * 1024 * 1024) });
  expect(answer.status).toBe(413);
});

/** A stream with one byte, and no end. */
const endless = () => new ReadableStream({ start: (sink) => sink.enqueue(new Uint8Array(1)) });

test("lines are handed on as they come", async () => {
  workerThat(async ({ body }) => Response.json((await body?.getReader().read())?.value?.length));
  const headers = { "content-type": "application/x-ndjson; charset=utf-8" };
  const answer = await ask("/v1/rooms/shop/passes", { method: "POST", body: endless(), headers });
  expect(await answer.json()).toBe(1);
});

test("a worker hears that the reader of its answer has gone", async () => {
  const gone = Promise.withResolvers<void>();
  workerThat(({ signal }) => {
    signal.addEventListener("abort", () => gone.resolve());
    return new Response(endless());
  });
  const stop = new AbortController();
  const { body } = await ask("/v1/draws/X/file", { signal: stop.signal });
  await body?.getReader().read();
  stop.abort();
  await gone.promise;
});

test("metrics are those of all workers", async () => {
  worker(2);
  const text = await (await ask("/metrics")).text();
  expect(text).toContain('x{worker="2"} 2');
  expect(text).toContain('anteroom_worker_up{worker="1"} 0');
});

test("a host is ready while any worker is", async () => {
  expect((await ask("/readyz")).status).toBe(503);
  worker(1, { ready: false });
  expect((await ask("/readyz")).status).toBe(503);
  worker(2);
  expect((await ask("/readyz")).status).toBe(200);
});

test("a taken port is refused, and a Host that is not known", async () => {
  const again = () =>
    startHostAdmin({
      settings: { admin: admin.address, adminHosts: [], metrics: undefined, workers: 1 },
      up: () => up,
      tokenOf: String,
    });
  expect(again).toThrow("the port is taken");
  expect((await ask("/metrics", { headers: { host: "evil.example" } })).status).toBe(421);
});
