/** WebSockets. What the gate holds of them is in `back-pressure.test.ts`. */

import { describe, expect, test } from "vitest";
import type { ResponseHead } from "../../../node/http/message.ts";
import { client } from "./peer.ts";
import { answering, bodyOf, eventually, origin, proxy, statusOf, through } from "./wire.ts";

const KEY =
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: chat, superchat\r\n";
const UPGRADE = `GET /chat HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n${KEY}\r\n`;
const SWITCH =
  "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\nSec-WebSocket-Protocol: chat\r\n\r\n";

/** A WebSocket through a gate: its client, and its origin. */
async function webSocket() {
  const behind = origin((peer) => peer.text.endsWith("\r\n\r\n") && peer.send(SWITCH));
  const served = proxy(behind.target);
  const peer = await client(served.port, UPGRADE);
  await peer.heard("101");
  return { ...served, peer, shop: await behind.peer() };
}

describe("a WebSocket", () => {
  test("is agreed on by the origin, with its subprotocol, and then carries bytes both ways", async () => {
    const behind = origin((peer) => peer.text.endsWith("\r\n\r\n") && peer.send(`${SWITCH}\x81\x02hi`));
    const onResponse = ({ headers }: ResponseHead) => [...headers, "Set-Cookie", "s=1"];
    const { port, ends } = proxy(behind.target, { plan: () => ({ onResponse }) });
    const peer = await client(port, UPGRADE);
    await peer.heard("hi");
    expect(peer.text).toBe(
      "HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: x\r\nSec-WebSocket-Protocol: chat\r\nSet-Cookie: s=1\r\n" +
        "Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n\x81\x02hi",
    );
    const heard = await behind.peer();
    expect(heard.text).toBe(`GET /chat HTTP/1.1\r\nHost: a\r\n${KEY}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
    peer.send("\x81\x85\0\0\0\0hello");
    await heard.heard("hello");
    heard.send("\x81\x03bye");
    await peer.heard("bye");
    expect(ends).toEqual([]);
    heard.end();
    await peer.done();
    expect(ends).toMatchObject([{ status: 101, abortedBy: undefined }]);
  });

  test("that the client ends is ended at the origin, after all that was sent", async () => {
    const { listener, peer, shop } = await webSocket();
    peer.send("last frame");
    peer.shutdown();
    await shop.done();
    expect(shop.text).toMatch(/last frame$/);
    await eventually(() => listener.connections === 0);
  });

  test("that the client resets is ended at the origin", async () => {
    const { peer, shop } = await webSocket();
    peer.reset();
    await shop.done();
  });

  test("that the origin refuses is an ordinary answer, and the connection stays HTTP", async () => {
    const { port } = through(answering("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno"));
    const peer = await client(port, UPGRADE);
    const text = await peer.heard("no");
    expect(statusOf(text)).toBe(403);
    peer.send("GET /2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    expect(bodyOf(bodyOf(await peer.done()).slice(2))).toBe("no");
  });

  test("that is none but a request after a refusal is read as HTTP, not passed on blindly", async () => {
    const { port, exchanges } = through(answering("HTTP/1.1 426 Upgrade Required\r\nContent-Length: 0\r\n\r\n"));
    await (await client(port, `${UPGRADE}GET /admin HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)).done();
    expect(exchanges.map(({ request }) => request.target)).toEqual(["/chat", "/admin"]);
  });

  test("is closed by a frame as a drain begins, after the frame that is under way", async () => {
    const { listener, peer, shop } = await webSocket();
    shop.send("\x81\x05hel");
    await peer.heard("hel");
    const drained = listener.drain(20_000);
    shop.send("lo");
    await peer.done();
    expect(peer.text.slice(-19)).toBe("\x81\x05hello\x88\x0c\x03\xe9going away".slice(-19));
    await shop.done();
    await drained;
  });
});
