/**
 * Times, numbers and shutting down: who may keep the gate waiting, and for how long.
 *
 * The gate's clock moves by the test's hand only, so these are the limits of a real gate, and each has two sides: what
 * it leaves alone, and what it ends.
 */

import { describe, expect, test } from "vitest";
import { DEFAULT_HTTP_LIMITS } from "../../../node/http/limits.ts";
import type { Exchange } from "../../../node/http/message.ts";
import { moreThanTheHostHolds } from "./host-buffers.ts";
import { ask, client, type Peer } from "./peer.ts";
import { settled } from "./settled.ts";
import { bodyOf, eventually, GET, gate, origin, proxy, statusOf, type TestGate } from "./wire.ts";

const { headMs, idleMs, bodyMs, stallMs, standstillMs, silenceMs, lingerMs, sweepMs } = DEFAULT_HTTP_LIMITS;

/** Lets `ms` pass, second by second, and before each the client sends `bytes`. */
async function dripping({ pass }: TestGate, ms: number, peers: Peer | readonly Peer[], bytes: string): Promise<void> {
  for (let passed = 0; passed < ms; passed += sweepMs) {
    for (const peer of [peers].flat()) peer.send(bytes);
    await pass(sweepMs);
  }
}

function isOpen({ closed, ended }: Peer): boolean {
  return !closed && !ended;
}

describe("a client that keeps the gate waiting", () => {
  test("for the end of a head gets 408, however steadily it drips", async () => {
    const waiting = gate();
    const peer = await client(waiting.port, "GET / HTTP/1.1\r\nX: ");
    await dripping(waiting, headMs, peer, "x");
    expect([peer.text, isOpen(peer)]).toEqual(["", true]);
    await dripping(waiting, sweepMs, peer, "x");
    expect(statusOf(await peer.done())).toBe(408);
  });

  test("without a word is closed without a word", async () => {
    const { port, listener, pass } = gate();
    const peer = await client(port);
    await pass(headMs);
    expect(listener.connections).toBe(1);
    await pass(sweepMs);
    expect(listener.connections).toBe(0);
    expect(await peer.done()).toBe("");
  });

  test("between two requests has longer, then is closed", async () => {
    const { port, pass } = gate();
    const peer = await client(port, GET);
    await peer.heard("GET /a");
    await pass(idleMs);
    peer.send(GET);
    await peer.until(({ text }) => text.match(/GET \/a/g)?.length === 2);
    await pass(idleMs);
    expect(isOpen(peer)).toBe(true);
    await pass(sweepMs);
    expect((await peer.done()).match(/HTTP/g)).toHaveLength(2);
  });

  test("for the head of a second request gets 408", async () => {
    const { port, pass } = gate();
    const peer = await client(port, `${GET}GET /b`);
    await pass(headMs);
    expect(isOpen(peer)).toBe(true);
    await pass(sweepMs);
    expect(await peer.done()).toMatch(/GET \/aHTTP\/1\.1 408/);
  });

  test("for its body gets 408 below the least rate, and not above", async () => {
    const slow = proxy(origin().target);
    const quick = proxy(origin().target);
    const head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n";
    const [slowPeer, quickPeer] = [await client(slow.port, head), await client(quick.port, head)];
    // At 500 B/s a byte is worth 2 ms, so this client is given 32 s.
    await dripping(slow, bodyMs + 1_000, slowPeer, "x".repeat(20));
    expect(isOpen(slowPeer)).toBe(true);
    await dripping(slow, 2_000, slowPeer, "x".repeat(20));
    expect(statusOf(await slowPeer.done())).toBe(408);
    await dripping(quick, 3 * bodyMs, quickPeer, "x".repeat(505));
    expect(isOpen(quickPeer)).toBe(true);
  });

  test("by not reading its answer is cut off", async () => {
    const answer = "x".repeat(await moreThanTheHostHolds());
    const { port, listener, pass } = gate((exchange) => exchange.answer(200, [], answer));
    const peer = await client(port);
    peer.pause();
    peer.send(GET);
    await pass(stallMs);
    expect(listener.connections).toBe(1);
    await pass(sweepMs);
    expect(listener.connections).toBe(0);
  });

  test("for the rest of a body that nobody wants is closed soon, not after the time of a body", async () => {
    const lingering = gate();
    const peer = await client(lingering.port, "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n");
    await peer.heard("POST /a");
    await dripping(lingering, lingerMs, peer, "x");
    expect(lingering.listener.connections).toBe(1);
    await dripping(lingering, sweepMs, peer, "x");
    expect(lingering.listener.connections).toBe(0);
  });

  test("and sends on for ever after its last answer is cut off", async () => {
    const { port, listener } = gate();
    const peer = await client(port, "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 900000000\r\n\r\n");
    await peer.heard("POST /a");
    peer.send(Buffer.alloc(20_000_000));
    await eventually(() => listener.connections === 0);
  });

  test("is not charged for the time in which the gate itself stood still", async () => {
    const { port, clock, pass } = gate();
    const peer = await client(port, "GET / HTTP/1.1\r\nX: ");
    await settled();
    clock.standStill(3_600_000);
    await settled();
    expect(isOpen(peer)).toBe(true);
    await pass(headMs);
    expect(statusOf(await peer.done())).toBe(408);
  });
});

describe("with as many connections as there may be", () => {
  test("silent ones make room for those that speak, the longest silent first", async () => {
    const { port, listener } = gate(undefined, { limits: { connectionsMax: 50 } });
    const silent: Peer[] = [];
    // One after another, so that the gate sees them in this order.
    for (let n = 0; n < 50; n += 1) {
      silent.push(await client(port));
      await eventually(() => listener.connections === n + 1);
    }
    for (let n = 0; n < 5; n += 1)
      expect(bodyOf(await ask(port, GET.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")))).toBe("GET /a");
    expect(listener.connections).toBeLessThanOrEqual(50);
    await settled();
    // Each asks once the one before it has gone, so the first one's room serves them all.
    expect(silent.map(({ closed }) => closed)).toEqual(silent.map((_, at) => at === 0));
  });

  /**
   * Takes all of a gate's 6 connections by `take`, again and again: others get in once `afterMs` have passed, and not
   * before.
   */
  async function besieged(
    take: (port: number) => Promise<Peer>,
    { afterMs = 0, drip = "", large = Buffer.alloc(0) }: { afterMs?: number; drip?: string; large?: Buffer } = {},
  ) {
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
    const besiegedGate = gate(
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
      { limits: { connectionsMax: 6 } },
    );
    const { port, listener, pass } = besiegedGate;
    for (let round = 0; round < 2; round += 1) {
      const taken = await Promise.all(Array.from({ length: 6 }, () => take(port)));
      await settled();
      if (afterMs > 0) {
        expect((await visit(port)).text).toBe("");
        if (drip === "") await pass(afterMs);
        else await dripping(besiegedGate, afterMs, taken, drip);
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
      return peer;
    }),
  );

  /** One sweep more than a standstill: the next one sees it. */
  const STILL_MS = standstillMs + 2 * sweepMs;

  test("those that do not send their body make room after a moment", () =>
    besieged((port) => client(port, "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\n"), {
      afterMs: STILL_MS,
    }));

  test("those that drip their body make room, though each is quick enough by itself", () =>
    besieged((port) => client(port, "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\n"), {
      afterMs: STILL_MS,
      drip: "x".repeat(4_000),
    }));

  test("those that send their body well stay", async () => {
    const busy = proxy(origin().target, { limits: { connectionsMax: 2 } });
    const head = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 90000000\r\n\r\n";
    const peers = [await client(busy.port, head), await client(busy.port, head)];
    await dripping(busy, 20_000, peers, "x".repeat(20_000));
    expect(await ask(busy.port, GET)).toBe("");
    expect(peers.map(isOpen)).toEqual([true, true]);
    for (const peer of peers) peer.reset();
  });

  test("those that do not read their answer make room after a moment", async () => {
    const bytes = await moreThanTheHostHolds();
    const large = Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${bytes}\r\n\r\n${"x".repeat(bytes)}`);
    const take = async (port: number): Promise<Peer> => {
      const peer = await client(port);
      peer.pause();
      peer.send(GET.replace("/a", "/large"));
      return peer;
    };
    await besieged(take, { afterMs: STILL_MS, large });
  });

  test("silent WebSockets make room", () =>
    besieged(
      async (port) => {
        const fields = "Host: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
        const peer = await client(port, `GET /w HTTP/1.1\r\n${fields}\r\n`);
        await peer.heard("101");
        return peer;
      },
      { afterMs: silenceMs + 2 * sweepMs },
    ));

  test("and all at work, a new one is refused and the others stay", async () => {
    const { port, exchanges, pass } = gate(() => undefined, { limits: { connectionsMax: 3 } });
    const busy = await Promise.all(Array.from({ length: 3 }, () => client(port, GET)));
    await eventually(() => exchanges.length === 3);
    await pass(2 * silenceMs);
    expect(await ask(port, GET)).toBe("");
    for (const exchange of exchanges) exchange.answer(200, [], "done");
    for (const peer of busy) await peer.heard("done");
  });
});

describe("draining", () => {
  test("ends idle connections, lets running exchanges finish with Connection: close, and takes no new ones", async () => {
    const open: Exchange[] = [];
    const { port, listener, pass } = gate((exchange) => open.push(exchange));
    const idle = await client(port);
    const busy = await client(port, GET);
    await eventually(() => open.length === 1);
    const drained = listener.drain(5_000);
    await idle.done();
    await expect(client(port)).rejects.toThrow();
    await pass(4_999);
    open[0]?.answer(200, [], "last words");
    expect(await busy.done()).toMatch(/Connection: close\r\n.*last words$/s);
    await drained;
    expect(listener.connections).toBe(0);
  });

  test("ends what still runs at the deadline", async () => {
    const { port, listener, exchanges, ends, pass } = gate(() => undefined);
    const busy = await client(port, GET);
    await eventually(() => exchanges.length === 1);
    const drained = listener.drain(30_000);
    await pass(30_000);
    await drained;
    await busy.done();
    expect([listener.connections, ends[0]?.abortedBy]).toEqual([0, "client"]);
  });
});
