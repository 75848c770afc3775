/** When connections to an origin are used again, and when not. */

import { describe, expect, test } from "vitest";
import { DEFAULT_HTTP_LIMITS } from "../../../node/http/limits.ts";
import { ask, client } from "./peer.ts";
import { settled } from "./settled.ts";
import { answering, bodyOf, eventually, LAST, OK, origin, proxy, statusOf, through } from "./wire.ts";

const { originIdleMs, originIdleUnsafeMs, sweepMs } = DEFAULT_HTTP_LIMITS;

describe("connections to an origin", () => {
  test("are used again", async () => {
    const { behind, port } = through(answering(OK));
    for (let n = 0; n < 3; n += 1) await ask(port, LAST);
    expect(behind.peers).toHaveLength(1);
  });

  test.each([
    ["POST", "Expect: 100-continue\r\n"],
    ["POST", ""],
    ["GET", ""],
    ["DELETE", ""],
  ])("never take a %s's body (%j) for a request, whenever the origin answers", async (method, fields) => {
    const heard: string[] = [];
    // One that answers each head at once, keeps the connection, and does not know of bodies.
    const behind = origin((peer) => {
      const heads = peer.text.split("\r\n\r\n").slice(0, -1);
      peer.text = peer.text.slice(peer.text.lastIndexOf("\r\n\r\n") + 4);
      for (const head of heads) {
        heard.push(head.split(" ")[1] ?? "");
        peer.send(OK);
      }
    });
    const { port } = proxy(behind.target);
    const smuggled = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";
    const head = `${method} /a HTTP/1.1\r\nHost: a\r\n${fields}Content-Length: ${smuggled.length}\r\n\r\n`;
    for (let n = 0; n < 20; n += 1) {
      const peer = await client(port, head);
      if (n % 2 === 0) await peer.heard("ok");
      peer.send(smuggled);
      const next = await ask(port, LAST);
      expect(next.match(/HTTP\/1\.1 200/g)).toHaveLength(1);
      await peer.heard("ok");
    }
    expect(heard.filter((path) => path === "/last")).toHaveLength(20);
    // Beside its own request each connection carried a body at most, and nobody's answer came of it.
    const shared = behind.peers.filter(({ bytes }) => bytes > 2 * (head.length + smuggled.length + LAST.length));
    expect(shared).toEqual([]);
  });

  test.each(["POST", "PUT", "PATCH"])(
    "that carried a %s whose client waited for 100 are not used again",
    async (method) => {
      const behind = origin((peer) => {
        if (peer.text.endsWith("body")) peer.send(OK);
      });
      const { port } = proxy(behind.target);
      const head = `${method} /a HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n`;
      for (let n = 0; n < 2; n += 1) {
        const peer = await client(port, head);
        await peer.heard("100 Continue");
        peer.send("body");
        await peer.heard("ok");
      }
      expect(behind.peers).toHaveLength(2);
    },
  );

  test("whose origin began to answer before it had the whole request are not used again", async () => {
    const behind = origin((peer) => {
      if (peer.text.endsWith("\r\n\r\n")) peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no");
      else if (peer.text.endsWith("body")) peer.send("k");
    });
    const { port } = proxy(behind.target);
    for (let n = 0; n < 2; n += 1) {
      const peer = await client(port, "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n");
      await peer.heard("\r\n\r\no");
      peer.send("body");
      await peer.heard("ok");
    }
    expect(behind.peers).toHaveLength(2);
  });

  test("that spoke while idle are not used again, and nobody gets what they said", async () => {
    const { behind, port } = through(answering(OK));
    await ask(port, LAST);
    const first = await behind.peer();
    first.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison");
    await first.until(({ closed, ended }) => closed || ended);
    expect(bodyOf(await ask(port, LAST))).toBe("ok");
    expect(behind.peers).toHaveLength(2);
  });

  test("are closed when idle for too long", async () => {
    const { behind, port, pass } = through(answering(OK));
    await ask(port, LAST);
    const first = await behind.peer();
    await pass(originIdleMs - sweepMs);
    expect(first.closed || first.ended).toBe(false);
    await pass(sweepMs);
    await first.until(({ closed, ended }) => closed || ended);
  });

  test.each([
    ["GET", 200, 3],
    ["POST", 502, 2],
  ])("that die under a %s are replaced once, if it may be repeated", async (method, status, asked) => {
    let requests = 0;
    const behind = origin((peer) => {
      requests += 1;
      if (requests === 2) peer.reset();
      else peer.send(OK);
    });
    const { port } = proxy(behind.target);
    await ask(port, LAST);
    expect(statusOf(await ask(port, LAST.replace("GET", method)))).toBe(status);
    expect([requests, behind.peers.length]).toEqual([asked, asked - 1]);
  });

  test("idle for a while serve no request that cannot be repeated", async () => {
    const { behind, port, pass } = through(answering(OK));
    await ask(port, LAST);
    await pass(originIdleUnsafeMs - 1);
    await ask(port, LAST.replace("GET", "POST"));
    expect(behind.peers).toHaveLength(1);
    await pass(originIdleUnsafeMs);
    await ask(port, LAST.replace("GET", "POST"));
    expect(behind.peers).toHaveLength(2);
  });

  test("are as many as requests are in flight, however few are kept", async () => {
    const { behind, port, exchanges } = through(origin(), { limits: { originIdleMax: 4 } });
    const peers = await Promise.all(Array.from({ length: 60 }, () => client(port, LAST)));
    await eventually(() => exchanges.length === 60 && behind.peers.length === 60, "60 requests in flight");
    await eventually(() => behind.peers.every(({ text }) => text.endsWith("\r\n\r\n")));
    for (const peer of behind.peers) peer.send(OK);
    for (const peer of peers) expect(bodyOf(await peer.done())).toBe("ok");
    await settled();
    expect(behind.peers.filter(({ closed, ended }) => !closed && !ended)).toHaveLength(4);
  });
});

describe("a plan that names another place", () => {
  test.each([
    ["GET", "", 1],
    ["POST", "Content-Length: 0\r\n", 0],
    ["PUT", "Content-Length: 2\r\n", 0],
  ])("is asked once where %s cannot reach its origin, if it may be repeated (%j)", async (method, fields, asked) => {
    const gone = origin();
    gone.stop();
    let times = 0;
    const retry = () => {
      times += 1;
      return gone.target;
    };
    const { port } = proxy(gone.target, { plan: () => ({ retry }) });
    expect(await ask(port, `${method} / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${fields}\r\nhi`)).toContain("502");
    expect(times).toBe(asked);
  });
});
