/** When connections to an origin are used again, and when not. */

import { describe, expect, test } from "vitest";
import { ask, client, type Peer } from "./peer.ts";
import { answering, bodyOf, eventually, origin, proxy, statusOf } from "./wire.ts";

const LAST = "GET /last HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n";
const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

describe("connections to an origin", () => {
  test("are used again", async () => {
    const behind = answering(OK);
    const { port } = proxy(behind.target);
    for (let n = 0; n < 3; n += 1) await ask(port, LAST);
    expect(behind.peers).toHaveLength(1);
  });

  test.each([
    ["asked to close", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"],
    ["said to last a second", "HTTP/1.1 200 OK\r\nKeep-Alive: timeout=1\r\nContent-Length: 2\r\n\r\nok"],
    ["spoke on after its answer", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n\r\n"],
    ["spoke HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok"],
    ["sent a body where none may be", "HTTP/1.1 204 No Content\r\n\r\nok"],
  ])("are not used again when the origin %s", async (_, answer) => {
    const behind = answering(answer);
    const { port } = proxy(behind.target);
    for (let n = 0; n < 2; n += 1) await ask(port, LAST);
    expect(behind.peers).toHaveLength(2);
  });

  test("that spoke while idle are not used again, and nobody gets what they said", async () => {
    const behind = answering(OK);
    const { port } = proxy(behind.target);
    await ask(port, LAST);
    const first = await behind.peer();
    first.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison");
    await first.until(({ closed, ended }) => closed || ended);
    expect(bodyOf(await ask(port, LAST))).toBe("ok");
    expect(behind.peers).toHaveLength(2);
  });

  test("are closed when idle for too long", async () => {
    const behind = answering(OK);
    const { port } = proxy(behind.target, { limits: { sweepMs: 10, originIdleMs: 40 } });
    await ask(port, LAST);
    await (await behind.peer()).until(({ closed, ended }) => closed || ended);
  });

  test("that die under a request without body are replaced once, if it is idempotent", async () => {
    let requests = 0;
    const behind = origin((peer) => {
      requests += 1;
      if (requests === 2) peer.reset();
      else peer.send(OK);
    });
    const { port } = proxy(behind.target);
    await ask(port, LAST);
    expect(bodyOf(await ask(port, LAST))).toBe("ok");
    expect([requests, behind.peers.length]).toEqual([3, 2]);
  });

  test("that die under a POST are not tried again", async () => {
    let requests = 0;
    const behind = origin((peer) => {
      requests += 1;
      if (requests === 2) peer.reset();
      else peer.send(OK);
    });
    const { port } = proxy(behind.target);
    await ask(port, LAST);
    expect(statusOf(await ask(port, LAST.replace("GET", "POST")))).toBe(502);
    expect(requests).toBe(2);
  });

  test("idle for a while serve no request that cannot be repeated", async () => {
    const behind = answering(OK);
    const { port } = proxy(behind.target, { limits: { originIdleUnsafeMs: 20 } });
    await ask(port, LAST);
    await new Promise((resolve) => setTimeout(resolve, 40));
    await ask(port, LAST.replace("GET", "POST"));
    expect(behind.peers).toHaveLength(2);
  });

  test("are as many as requests are in flight: 3,000 to a slow origin", async () => {
    const behind = origin();
    const { port, exchanges } = proxy(behind.target);
    const peers: Peer[] = [];
    // In hundreds, as a listening socket's backlog has room for some hundreds that were not accepted yet.
    while (peers.length < 3_000)
      peers.push(...(await Promise.all(Array.from({ length: 100 }, () => client(port, LAST)))));
    await eventually(() => exchanges.length === 3_000 && behind.peers.length === 3_000, "3,000 requests in flight");
    await eventually(() => behind.peers.every(({ text }) => text.endsWith("\r\n\r\n")));
    for (const peer of behind.peers) peer.send(OK);
    for (const peer of peers) expect(bodyOf(await peer.done())).toBe("ok");
  }, 20_000);
});
