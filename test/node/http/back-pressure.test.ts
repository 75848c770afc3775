/** Long bodies between ends of different speed: what the gate holds of them. */

import { describe, expect, test } from "vitest";
import { client } from "./peer.ts";
import { bodyOf, origin, proxy } from "./wire.ts";

const LAST = "GET /last HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n";
const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

describe("back-pressure", () => {
  const total = 200_000_000;

  test("a long answer does not pile up here while the client reads slowly", async () => {
    const sender = origin((peer) => peer.send(`HTTP/1.1 200 OK\r\nContent-Length: ${total}\r\n\r\n`));
    const { port } = proxy(sender.target);
    const peer = await client(port);
    peer.keep = false;
    peer.pause();
    peer.send(LAST);
    const from = await sender.peer();
    await from.heard("\r\n\r\n");
    const chunk = Buffer.alloc(1_000_000, "x");
    let sent = 0;
    const before = process.memoryUsage().rss;
    const offer = (): void => {
      while (sent < total && from.unsent === 0) {
        from.send(chunk);
        sent += chunk.length;
      }
    };
    for (let turn = 0; turn < 20; turn += 1) {
      offer();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    // The kernel's socket buffers take some megabytes on each side of the gate; the gate itself next to nothing.
    expect(sent).toBeLessThan(40_000_000);
    peer.resume();
    while (sent < total) {
      offer();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await peer.done();
    expect(peer.bytes).toBeGreaterThan(total);
    expect(process.memoryUsage().rss - before).toBeLessThan(120_000_000);
  });

  test("a long request does not pile up here while the origin does not read", async () => {
    const sink = origin((peer) => {
      peer.keep = false;
      if (peer.bytes < 1_000_000) peer.pause();
      if (peer.bytes > total) peer.send(OK);
    });
    const { port } = proxy(sink.target);
    const peer = await client(
      port,
      `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${total}\r\nConnection: close\r\n\r\n`,
    );
    const chunk = Buffer.alloc(1_000_000, "x");
    let sent = 0;
    const offer = (): void => {
      while (sent < total && peer.unsent === 0) {
        peer.send(chunk);
        sent += chunk.length;
      }
    };
    for (let turn = 0; turn < 20; turn += 1) {
      offer();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(sent).toBeLessThan(40_000_000);
    const resuming = setInterval(() => sink.peers[0]?.resume(), 1);
    while (sent < total) {
      offer();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(bodyOf(await peer.done())).toBe("ok");
    clearInterval(resuming);
  });
});
