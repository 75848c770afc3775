/**
 * Long bodies between ends of different speed: what the gate holds of them, and that all of it arrives.
 *
 * One end sends until nothing moves any more, however much the host's own buffers take.
 */

import { expect, test } from "vitest";
import { DEFAULT_HTTP_LIMITS } from "../../../node/http/limits.ts";
import { HELD_BYTES_MAX, held } from "./held.ts";
import { sendUntilHeld } from "./host-buffers.ts";
import { client, type Peer } from "./peer.ts";
import { origin, proxy, SWITCH } from "./wire.ts";

/** More than anybody sends here. */
const ENDLESS = 1e15;

interface Ends {
  readonly from: Peer;
  /** Does not read. */
  readonly to: Peer;
}

async function longAnswer(): Promise<Ends> {
  const sender = origin((peer) => peer.send(`HTTP/1.1 200 OK\r\nContent-Length: ${ENDLESS}\r\n\r\n`));
  const to = await client(proxy(sender.target).port);
  to.keep = false;
  to.pause();
  to.send("GET /last HTTP/1.1\r\nHost: shop.example\r\n\r\n");
  const from = await sender.peer();
  await from.heard("\r\n\r\n");
  return { from, to };
}

async function longRequest(): Promise<Ends> {
  const sink = origin();
  const from = await client(proxy(sink.target).port);
  from.send(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${ENDLESS}\r\n\r\n`);
  const to = await sink.peer();
  await to.heard("\r\n\r\n");
  to.keep = false;
  to.pause();
  return { from, to };
}

async function webSocket(sends: "client" | "origin"): Promise<Ends> {
  const behind = origin((peer) => peer.text.endsWith("\r\n\r\n") && peer.send(SWITCH));
  const fields = "Host: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n";
  const visitor = await client(proxy(behind.target).port, `GET /chat HTTP/1.1\r\n${fields}\r\n`);
  await visitor.heard("101");
  const shop = await behind.peer();
  const [from, to] = sends === "client" ? [visitor, shop] : [shop, visitor];
  to.keep = false;
  to.pause();
  return { from, to };
}

test.each<[string, () => Promise<Ends>]>([
  ["a long answer, while the client does not read", longAnswer],
  ["a long request, while the origin does not read", longRequest],
  ["what a client says by a WebSocket, while the origin does not read", () => webSocket("client")],
  ["what an origin says by a WebSocket, while the client does not read", () => webSocket("origin")],
])("%s, does not pile up here, and arrives whole when it does", async (_, begin) => {
  const { from, to } = await begin();
  const most = held();
  const before = to.bytes;
  const sent = await sendUntilHeld(from, () => most.bytes > HELD_BYTES_MAX);
  // The sender was held back by the gate, and not only by the host.
  expect(most.bytes).toBeGreaterThan(DEFAULT_HTTP_LIMITS.backlogBytesMax);
  expect(most.bytes).toBeLessThanOrEqual(HELD_BYTES_MAX);
  to.resume();
  await to.until(({ bytes }) => bytes - before >= sent);
});
