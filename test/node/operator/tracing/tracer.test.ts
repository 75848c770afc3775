import { beforeEach, describe, expect, test } from "vitest";
import type { Span } from "../../../../node/operator/tracing/span.ts";
import { Tracer } from "../../../../node/operator/tracing/tracer.ts";
import { type Asked, type FakeExchange, fieldsOf, originAnswers, originFails } from "../../gate/fake-exchange.ts";
import { GateWorld, SHOP } from "../../gate/gate-world.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = "b7ad6b7169203331";
const PROXY = "10.0.0.9";
const END = { status: 200, bytesSent: 512, bytesReceived: 0, abortedBy: undefined };

let spans: Span[];
let chance: number;
let world: GateWorld;
let tracer: Tracer;
beforeEach(() => {
  spans = [];
  chance = 0;
  let ids = 0;
  tracer = new Tracer({
    sample: 0.01,
    clock: () => world.nowMs,
    steadyMs: () => world.nowMs,
    random: () => chance,
    newId: (digits) => {
      ids += 1;
      return String(ids).padStart(digits, "a");
    },
    add: (span) => spans.push(span),
  });
  world = new GateWorld({ tracing: tracer, trustedProxies: [PROXY] });
});

const from = (flags: string, more: Asked = {}): Asked => ({
  ...more,
  headers: { traceparent: `00-${TRACE}-${PARENT}-${flags}`, tracestate: "v=1", ...more.headers },
});

/** What the origin gets of a request. */
async function forwarded(asked: Asked): Promise<{ exchange: FakeExchange; fields: (name: string) => string[] }> {
  const exchange = await world.exchange(asked);
  const outcome = await exchange.outcome;
  if (outcome.kind !== "forward") throw new Error("The request was not forwarded");
  return { exchange, fields: (name) => fieldsOf(outcome.plan.headers, name) };
}

async function answeredBy(exchange: FakeExchange): Promise<void> {
  const outcome = await exchange.outcome;
  if (outcome.kind === "forward") originAnswers(outcome);
  tracer.ended(exchange, END);
}

test("the gate's span continues the trace that came, and the origin's part has the gate's as parent", async () => {
  const { exchange, fields } = await forwarded(from("01", { target: "/cart?x=1" }));
  world.nowMs += 25;
  await answeredBy(exchange);
  const [gate, origin] = spans;
  expect(gate?.context.traceId).toBe(TRACE);
  expect([gate?.kind, gate?.parent, gate?.isError]).toEqual(["server", { spanId: PARENT, isRemote: true }, false]);
  expect(gate?.attributes).toEqual({
    "http.request.method": "GET",
    "url.scheme": "http",
    "url.path": "/cart",
    "url.query": "x=1",
    "server.address": "shop.example",
    "client.address": "203.0.113.7",
    "http.response.status_code": 200,
    "anteroom.room": "shop",
    "anteroom.outcome": "admitted",
    "anteroom.request": exchange.id,
  });
  expect([origin?.kind, origin?.parent]).toEqual(["client", { spanId: gate?.context.spanId, isRemote: false }]);
  expect(origin?.attributes).toEqual({
    "http.request.method": "GET",
    "server.address": "origin.internal",
    "server.port": 3_000,
    "url.full": "http://origin.internal:3000/cart?x=1",
    "http.response.status_code": 200,
  });
  expect([origin?.context.traceId, (origin?.endMs ?? 0) - (origin?.startMs ?? 0)]).toEqual([TRACE, 25]);
  expect(new Set([PARENT, gate?.context.spanId, origin?.context.spanId]).size).toBe(3);
  expect(fields("traceparent")).toEqual([`00-${TRACE}-${origin?.context.spanId}-01`]);
  expect(fields("tracestate")).toEqual(["v=1"]);
});

test("a pass is in no span", async () => {
  const exchange = await world.exchange({ target: "/cart?anteroom_pass=secret", method: "POST" });
  tracer.ended(exchange, END);
  expect(spans).not.toHaveLength(0);
  expect(JSON.stringify(spans)).not.toContain("secret");
});

describe("whether a request is recorded", () => {
  beforeEach(() => {
    world = new GateWorld({ tracing: tracer, trustedProxies: [PROXY], rooms: [{ ...SHOP, total_active_users: 20 }] });
  });

  const counted = async (asked: Asked): Promise<number> => {
    const before = spans.length;
    const { exchange, fields } = await forwarded(asked);
    await answeredBy(exchange);
    if (spans.length === before)
      expect(fields("traceparent")).toEqual(fieldsOf(exchange.request.headers, "traceparent"));
    return spans.length - before;
  };

  test("is decided by the share where no trusted proxy has decided", async () => {
    expect(await counted({})).toBe(2);
    chance = 0.01;
    expect(await counted(from("01"))).toBe(0);
  });

  test("is what a trusted proxy says", async () => {
    expect(await counted(from("00", { from: PROXY }))).toBe(0);
    chance = 0.99;
    expect(await counted(from("01", { from: PROXY }))).toBe(2);
  });

  test("is decided by the share where a trusted proxy says nothing", async () => {
    expect(await counted({ from: PROXY })).toBe(2);
    chance = 0.99;
    expect(await counted({ from: PROXY })).toBe(0);
    expect(await counted({ from: PROXY, headers: { traceparent: "rubbish" } })).toBe(0);
  });
});

test("a trace that begins here replaces a traceparent that cannot be read, and the tracestate with it", async () => {
  const { exchange, fields } = await forwarded({ headers: { traceparent: "rubbish", tracestate: "v=1" } });
  await answeredBy(exchange);
  expect([fields("traceparent").length, fields("tracestate")]).toEqual([1, []]);
  expect(spans[0]?.parent).toBeUndefined();
});

test("a visitor in line has a span with the outcome, and no part of the origin", async () => {
  await world.fill();
  spans = [];
  const exchange = await world.exchange({ headers: { Accept: "text/html" } });
  tracer.ended(exchange, END);
  expect(spans.map(({ kind, attributes }) => [kind, attributes["anteroom.outcome"]])).toEqual([["server", "joined"]]);
});

test("a request that is sent again says so, and to whom it went last", async () => {
  const exchange = await world.exchange();
  const outcome = await exchange.outcome;
  if (outcome.kind !== "forward") throw new Error("The request was not forwarded");
  expect(outcome.plan.retry?.({ kind: "unreachable", detail: "for the test" })).toBeDefined();
  await answeredBy(exchange);
  expect(spans[1]).toMatchObject({
    isError: false,
    attributes: {
      "http.request.resend_count": 1,
      "server.address": "origin.internal",
      "http.response.status_code": 200,
    },
  });
});

test("an origin's failure is an error of both spans", async () => {
  const { exchange } = await forwarded({});
  originFails(exchange, "timeout");
  tracer.ended(exchange, { ...END, status: 504 });
  const seen = spans.map(({ isError, attributes }) => [isError, attributes["error.type"]]);
  expect(seen).toEqual([
    [true, "504"],
    [true, "timeout"],
  ]);
});

test("a client that left before its answer has no status, and is no error of the gate", async () => {
  const { exchange } = await forwarded({});
  tracer.ended(exchange, { ...END, status: 499, abortedBy: "client" });
  expect(spans[0]).toMatchObject({ isError: false, attributes: { "error.type": "client_gone" } });
  expect(spans[0]?.attributes["http.response.status_code"]).toBeUndefined();
  expect(spans[1]?.attributes["error.type"]).toBe("abandoned");
});

test("a visitor's own method is no name of a span", async () => {
  const exchange = await world.exchange({ method: "BREW" });
  tracer.ended(exchange, END);
  expect(spans[0]).toMatchObject({
    name: "HTTP",
    attributes: { "http.request.method": "_OTHER", "http.request.method_original": "BREW" },
  });
});

test("a question of a proxy has one span, with what became of the request that it is about", async () => {
  const Cookie = await world.comeIn();
  spans = [];
  const headers = { "X-Original-URI": "/a", "X-Original-Method": "GET", Cookie };
  const exchange = await world.exchange({ from: PROXY, target: "/.anteroom/auth/nginx", headers });
  tracer.ended(exchange, END);
  expect(spans.map(({ attributes }) => attributes["anteroom.outcome"])).toEqual(["inside"]);
});
