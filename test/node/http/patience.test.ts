/** Times, numbers and shutting down: who may keep the gate waiting, and for how long. */

import { describe, expect, test } from "vitest";
import type { HttpLimits } from "../../../node/http/limits.ts";
import type { Exchange } from "../../../node/http/message.ts";
import { ask, client, type Peer } from "./peer.ts";
import { bodyOf, eventually, gate, origin, proxy, statusOf } from "./wire.ts";

const GET = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n";

/** Times of tests: a hundredth and less of the real ones. */
function limited(limits: Partial<HttpLimits>, onExchange?: (exchange: Exchange) => void) {
  return gate(onExchange, { limits: { sweepMs: 10, ...limits } });
}

async function dripping(peer: Peer, bytes: string): Promise<string> {
  const timer = setInterval(() => peer.send(bytes), 15);
  const text = await peer.done();
  clearInterval(timer);
  return text;
}

describe("a client that keeps the gate waiting", () => {
  test("for the end of a head gets 408, however steadily it drips", async () => {
    const { port } = limited({ headMs: 80 });
    const peer = await client(port, "GET / HTTP/1.1\r\nX: ");
    expect(statusOf(await dripping(peer, "x"))).toBe(408);
  });

  test("without a word is closed without a word", async () => {
    const { port } = limited({ headMs: 50 });
    expect(await (await client(port)).done()).toBe("");
  });

  test("between two requests has longer, then is closed", async () => {
    const { port } = limited({ headMs: 30, idleMs: 400 });
    const peer = await client(port, GET);
    await peer.heard("GET /a");
    await new Promise((resolve) => setTimeout(resolve, 80));
    peer.send(GET);
    await peer.until(({ text }) => text.match(/GET \/a/g)?.length === 2);
    expect((await peer.done()).match(/HTTP/g)).toHaveLength(2);
  });

  test("for the head of a second request gets 408", async () => {
    const { port } = limited({ headMs: 50, idleMs: 5_000 });
    const peer = await client(port, `${GET}GET /b`);
    expect(await peer.done()).toMatch(/GET \/aHTTP\/1\.1 408/);
  });

  test("for its body gets 408 below the least rate, and not above", async () => {
    const limits = { sweepMs: 10, bodyMs: 60, bodyBytesPerSecond: 100_000 };
    const { port } = proxy(origin().target, { limits });
    const slow = await client(port, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n");
    expect(statusOf(await dripping(slow, "x"))).toBe(408);
    const quick = await client(port, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n");
    const timer = setInterval(() => quick.send("x".repeat(3_000)), 15);
    await new Promise((resolve) => setTimeout(resolve, 200));
    clearInterval(timer);
    expect(quick.closed || quick.ended).toBe(false);
  });

  test("by not reading its answer is cut off", async () => {
    const { port, listener } = limited({ stallMs: 60 }, (exchange) => exchange.answer(200, [], "x".repeat(20_000_000)));
    const peer = await client(port);
    peer.pause();
    peer.send(GET);
    await eventually(() => listener.connections === 1);
    await eventually(() => listener.connections === 0);
  });

  test("for the rest of a body that nobody wants is closed soon, not after the time of a body", async () => {
    const { port, listener } = limited({ lingerMs: 40, bodyMs: 60_000 });
    const peer = await client(port, "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n");
    await peer.heard("POST /a");
    const timer = setInterval(() => peer.send("x"), 10);
    await eventually(() => listener.connections === 0);
    clearInterval(timer);
  });

  test("and sends on for ever after its last answer is cut off", async () => {
    const { port, listener } = limited({ lingerMs: 60_000, lingerBytesMax: 1_000_000 });
    const peer = await client(port, "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 900000000\r\n\r\n");
    await peer.heard("POST /a");
    peer.send(Buffer.alloc(20_000_000));
    await eventually(() => listener.connections === 0);
  });

  test("after its last answer is closed for good", async () => {
    const { port, listener } = limited({ lingerMs: 40 });
    const peer = await client(port, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\n\r\n");
    await peer.done();
    await eventually(() => listener.connections === 0);
  });
});

describe("with as many connections as there may be", () => {
  test("silent ones make room for those that speak, the longest silent first", async () => {
    const { port, listener } = limited({ connectionsMax: 200 });
    const silent = await Promise.all(Array.from({ length: 200 }, () => client(port)));
    for (let n = 0; n < 20; n += 1)
      expect(bodyOf(await ask(port, GET.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")))).toBe("GET /a");
    expect(listener.connections).toBeLessThanOrEqual(200);
    await eventually(() => silent.filter(({ closed }) => closed).length >= 1);
  });

  /** Those of some seconds. */
  const ASKS = 200;

  /**
   * Takes all of a gate's 6 connections by `take`, again and again: others get in when they have asked `asksMax` times,
   * and then at once.
   */
  async function besieged(take: (port: number) => Promise<unknown>, limits: Partial<HttpLimits> = {}, asksMax = 0) {
    const large = Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: 15000000\r\n\r\n${"x".repeat(15_000_000)}`);
    const behind = origin((peer) => {
      if (peer.text.includes("/large")) {
        peer.keep = false;
        peer.text = "";
        peer.send(large);
      } else if (peer.text.includes("Upgrade: websocket")) {
        peer.text = "";
        peer.send("HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
      } else if (peer.text.includes("GET /a")) {
        peer.text = "";
        peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
      }
    });
    const { port, listener } = gate(
      (exchange) => {
        if (exchange.request.target === "/answered") exchange.answer(503, [], "busy");
        else
          exchange.forward({
            origin: behind.target,
            headers: exchange.request.headers,
            onResponse: ({ headers }) => headers,
            onFailure: () => exchange.answer(502, [], "failed"),
          });
      },
      { limits: { sweepMs: 10, connectionsMax: 6, standstillMs: 40, silenceMs: 80, ...limits } },
    );
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(Array.from({ length: 6 }, () => take(port)));
      for (let asks = 0; asks < asksMax && statusOf((await visit(port)).text) !== 200; asks += 1) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      for (let visitor = 0; visitor < 3; visitor += 1) expect(statusOf((await visit(port)).text)).toBe(200);
    }
    expect(listener.connections).toBeLessThanOrEqual(6);
  }

  async function visit(port: number): Promise<Peer> {
    const peer = await client(port, GET);
    await peer.until(({ text, closed }) => closed || text.endsWith("ok"));
    return peer;
  }

  test.each([
    ["a length", "Content-Length: 60000"],
    ["chunks", "Transfer-Encoding: chunked"],
    ["a length too large to wait for", "Content-Length: 9000000"],
    ["100 (Continue)", "Content-Length: 60000\r\nExpect: 100-continue"],
  ])("those that have their answer and owe a body (%s) make room at once", (_, field) =>
    besieged(async (port) => {
      const peer = await client(port, `POST /answered HTTP/1.1\r\nHost: a\r\n${field}\r\n\r\n`);
      await peer.heard("busy");
    }),
  );

  test("those that do not send their body make room after a moment", () =>
    besieged((port) => client(port, "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\n"), {}, ASKS));

  test("those that drip their body make room, though each is quick enough by itself", () =>
    besieged(
      async (port) => {
        const peer = await client(port, "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\n");
        const timer = setInterval(() => (peer.closed ? clearInterval(timer) : peer.send("x".repeat(60))), 15);
        // None of them is one that has only just come.
        await new Promise((resolve) => setTimeout(resolve, 50));
      },
      {},
      ASKS,
    ));

  test("those that send their body well stay", async () => {
    const { port } = proxy(origin().target, { limits: { sweepMs: 10, connectionsMax: 2, standstillMs: 40 } });
    const peers = await Promise.all(
      Array.from({ length: 2 }, () => client(port, "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 90000000\r\n\r\n")),
    );
    const timers = peers.map((peer) => setInterval(() => peer.send("x".repeat(10_000)), 15));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await ask(port, GET)).toBe("");
    for (const timer of timers) clearInterval(timer);
    expect(peers.map(({ closed, ended }) => closed || ended)).toEqual([false, false]);
    for (const peer of peers) peer.reset();
  });

  test("those that do not read their answer make room after a moment", () =>
    besieged(
      async (port) => {
        const peer = await client(port);
        peer.pause();
        peer.send(GET.replace("/a", "/large"));
      },
      {},
      ASKS,
    ));

  test("silent WebSockets make room", () =>
    besieged(
      async (port) => {
        const fields = "Host: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
        await (await client(port, `GET /w HTTP/1.1\r\n${fields}\r\n`)).heard("101");
      },
      {},
      ASKS,
    ));

  test("and all at work, a new one is refused and the others stay", async () => {
    const { port, exchanges } = limited({ connectionsMax: 3 }, () => undefined);
    const busy = await Promise.all(Array.from({ length: 3 }, () => client(port, GET)));
    await eventually(() => exchanges.length === 3);
    expect(await ask(port, GET)).toBe("");
    for (const exchange of exchanges) exchange.answer(200, [], "done");
    for (const peer of busy) await peer.heard("done");
  });
});

describe("draining", () => {
  test("ends idle connections, lets running exchanges finish with Connection: close, and takes no new ones", async () => {
    const open: Exchange[] = [];
    const { port, listener } = gate((exchange) => open.push(exchange));
    const idle = await client(port);
    const busy = await client(port, GET);
    await eventually(() => open.length === 1);
    const drained = listener.drain(5_000);
    await idle.done();
    await expect(client(port)).rejects.toThrow();
    open[0]?.answer(200, [], "last words");
    expect(await busy.done()).toMatch(/Connection: close\r\n.*last words$/s);
    await drained;
    expect(listener.connections).toBe(0);
  });

  test("ends what still runs at the deadline", async () => {
    const { port, listener, exchanges, ends } = gate(() => undefined);
    const busy = await client(port, GET);
    await eventually(() => exchanges.length === 1);
    await listener.drain(30);
    await busy.done();
    expect([listener.connections, ends[0]?.aborted]).toEqual([0, true]);
  });
});
