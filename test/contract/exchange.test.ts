/**
 * The contract of `Exchange`, held by the one with sockets and by the one that tests and simulations use in its place.
 */

import { describe, expect, test } from "vitest";
import type { Exchange, ForwardPlan, OriginTarget } from "../../node/http/message.ts";
import { FakeExchange } from "../node/gate/fake-exchange.ts";
import { client } from "../node/http/peer.ts";
import { answering, eventually, gate, origin, target } from "../node/http/wire.ts";
import { MemoryExchange } from "../sim/memory-exchange.ts";

/** Gives an exchange to `use`, and returns when the client has what it gets. `to` is asked if it is forwarded. */
type Serve = (use: (exchange: Exchange) => void) => Promise<void>;

const OVER_TCP: Serve = async (use) => {
  const thrown: unknown[] = [];
  const served = gate((exchange) => {
    try {
      use(exchange);
    } catch (error) {
      thrown.push(error);
      throw error;
    }
  });
  const peer = await client(served.port, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  await peer.done();
  if (thrown.length > 0) throw thrown[0];
};

const IN_MEMORY: Serve = async (use) => use(new FakeExchange());

function planTo(to: OriginTarget, onFailure: ForwardPlan["onFailure"] = () => undefined): ForwardPlan {
  return { origin: to, headers: ["Host", "a"], onResponse: ({ headers }) => headers, onFailure };
}

describe.each([
  ["over TCP", OVER_TCP],
  ["in memory", IN_MEMORY],
])("an exchange %s", (_, serve) => {
  test("is answered once", async () => {
    await expect(serve((exchange) => exchange.answer(200, [], "one"))).resolves.toBeUndefined();
    const twice = serve((exchange) => {
      exchange.answer(200, [], "one");
      exchange.answer(200, [], "two");
    });
    await expect(twice).rejects.toThrow("Cannot answer as the exchange must be open");
  });

  test("is not forwarded when it was answered", async () => {
    const { target: to } = answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    const both = serve((exchange) => {
      exchange.answer(200, [], "one");
      exchange.forward(planTo(to));
    });
    await expect(both).rejects.toThrow("Cannot forward as the exchange must be open");
  });

  test("is not answered while the origin is asked", async () => {
    const { target: to } = answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    const both = serve((exchange) => {
      exchange.forward(planTo(to));
      exchange.answer(200, [], "one");
    });
    await expect(both).rejects.toThrow("Cannot answer as the exchange must be open");
  });
});

describe("when the client has gone", () => {
  test("over TCP, answers do nothing", async () => {
    let last: Exchange | undefined;
    const silent = origin();
    const served = gate((exchange) => {
      last = exchange;
      exchange.forward(planTo(silent.target));
    });
    const peer = await client(served.port, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await silent.peer();
    peer.reset();
    await eventually(() => last?.gone === true);
    expect(() => last?.answer(200, [], "late")).not.toThrow();
    expect(served.errors).toEqual([]);
  });

  test("in memory, answers do nothing, and the forward is reported", () => {
    const outcomes: string[] = [];
    const request = { method: "GET", target: "/", minorVersion: 1 as const, headers: [], authority: "a", host: "a" };
    const exchange = new MemoryExchange({ request, remoteAddress: "192.0.2.1" }, ({ kind }) => outcomes.push(kind));
    let abandoned = 0;
    exchange.forward({ ...planTo(target("http://127.0.0.1:1")), onAbandoned: () => (abandoned += 1) });
    exchange.leave();
    exchange.leave();
    exchange.answer(200, [], "late");
    expect([exchange.gone, abandoned, outcomes]).toEqual([true, 1, ["forward"]]);
  });
});

test("in memory, a failure must be answered, and the origin speaks once", async () => {
  const to = target("http://127.0.0.1:1");
  const unanswered = new FakeExchange();
  unanswered.forward(planTo(to));
  const first = await unanswered.outcome;
  if (first.kind !== "forward") throw new Error("unreachable");
  expect(() => first.plan.onFailure({ kind: "timeout", detail: "" })).toThrow("must be answered");
  const answered = new FakeExchange();
  answered.forward(planTo(to));
  const second = await answered.outcome;
  if (second.kind !== "forward") throw new Error("unreachable");
  second.plan.onResponse({ status: 200, reason: "OK", headers: [] });
  expect(() => second.plan.onResponse({ status: 200, reason: "OK", headers: [] })).toThrow("Cannot take");
  expect(() => second.plan.onFailure({ kind: "timeout", detail: "" })).toThrow("Cannot take");
});
