/** How the gate ends an exchange that goes on for too long: a WebSocket between two frames, a stream by a cut. */

import { describe, expect, test } from "vitest";
import type { OpenExchange } from "../../../node/http/message.ts";
import type { Closing } from "../../../node/http/websocket-frames.ts";
import { client } from "./peer.ts";
import { origin, proxy, type RawOrigin, SWITCH, type TestGate } from "./wire.ts";

const UPGRADE = "GET /chat HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
const OVER: Closing = { code: 1001, reason: "session over" };
/** FIN and opcode 8, 14 bytes: 1001, then the reason. */
const CLOSE = "\x88\x0e\x03\xe9session over";
const SWEEP_MS = 1_000;

interface Watched extends TestGate {
  readonly behind: RawOrigin;
  /** What the plan was shown at the last sweep; undefined if it was not asked. */
  open: OpenExchange | undefined;
  looks: number;
}

/** Forwards everything to `behind`, and keeps what the HTTP layer shows of exchanges that are open. */
function watched(behind: RawOrigin): Watched {
  const seen: { open: OpenExchange | undefined; looks: number } = { open: undefined, looks: 0 };
  const whileOpen = (open: OpenExchange): void => {
    seen.open = open;
    seen.looks += 1;
  };
  const served = proxy(behind.target, { plan: () => ({ whileOpen }) });
  return Object.assign(seen, served, { behind });
}

function ends(open: OpenExchange | undefined, answer = (): void => expect.unreachable()): void {
  open?.cut(OVER, answer);
}

/** A WebSocket through the gate: its client, and its origin. */
async function webSocket() {
  const served = watched(origin((peer) => peer.text.endsWith("\r\n\r\n") && peer.send(SWITCH)));
  const peer = await client(served.port, UPGRADE);
  await peer.heard("101");
  return { served, peer, shop: await served.behind.peer() };
}

describe("a WebSocket that the gate ends", () => {
  test("gets a close frame and then the end; its origin gets the end", async () => {
    const { served, peer, shop } = await webSocket();
    shop.send("\x81\x02hi");
    await peer.heard("\x81\x02hi");
    await served.pass(SWEEP_MS);
    ends(served.open);
    expect(await peer.done()).toMatch(new RegExp(`\\r\\n\\r\\n\x81\x02hi${CLOSE}$`));
    await shop.done();
    expect(served.ends).toMatchObject([{ status: 101 }]);
    expect(served.errors).toEqual([]);
  });

  const LONG = "x".repeat(300);
  const HUGE = "y".repeat(70_000);

  test.each([
    ["a short one", "\x81\x05he", "llo"],
    ["one whose header is not whole", "\x82", "\x7e\x01\x2c".concat(LONG)],
    ["one of 16 bits of length", `\x82\x7e\x01\x2c${LONG.slice(0, 100)}`, LONG.slice(100)],
    ["one of 64 bits of length", "\x82\x7f\0\0\0\0\0\x01\x11\x70", HUGE],
    ["a masked one", "\x81\x82\0\0", "\0\0hi"],
  ])("in the middle of a frame goes on to its end: %s", async (_, first, rest) => {
    const { served, peer, shop } = await webSocket();
    const before = peer.text.length;
    shop.send(`\x8a\0\x81\x01.${first}`);
    await peer.until(({ text }) => text.length === before + 5 + first.length);
    await served.pass(SWEEP_MS);
    ends(served.open);
    await served.pass(SWEEP_MS);
    expect(peer.text.endsWith(first)).toBe(true);
    // The next frame has begun in the same packet: it is not sent on.
    shop.send(`${rest}\x81\x01!`);
    await peer.done();
    expect(peer.text.slice(before)).toBe(`\x8a\0\x81\x01.${first}${rest}${CLOSE}`);
  });

  test("in the middle of a frame that stays unfinished is cut", async () => {
    const { served, peer, shop } = await webSocket();
    shop.send("\x81\x05he");
    await peer.heard("he");
    await served.pass(SWEEP_MS);
    ends(served.open);
    for (let sweeps = 0; sweeps < 4; sweeps++) await served.pass(SWEEP_MS);
    expect(await peer.done()).toMatch(/he$/);
  });

  test("that its origin has said goodbye to gets no second close frame", async () => {
    const { served, peer, shop } = await webSocket();
    shop.send("\x88\x02\x03\xe8");
    await peer.heard("\x88\x02\x03\xe8");
    await served.pass(SWEEP_MS);
    ends(served.open);
    await peer.done();
    expect(peer.text.endsWith("\r\n\r\n\x88\x02\x03\xe8")).toBe(true);
  });

  test("shows how many bytes passed, in both directions", async () => {
    const { served, peer, shop } = await webSocket();
    await served.pass(SWEEP_MS);
    const bytes = served.open?.passedBytes ?? 0;
    await served.pass(SWEEP_MS);
    expect(served.open?.passedBytes).toBe(bytes);
    peer.send("\x81\x85\0\0\0\0hello");
    await shop.heard("hello");
    expect(served.open?.passedBytes).toBe(bytes + 11);
    shop.send("\x81\x02hi");
    await peer.heard("\x81\x02hi");
    expect(served.open?.passedBytes).toBe(bytes + 15);
  });
});

describe("a stream that the gate ends", () => {
  const EVENTS = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: x\n\n";

  test("is cut, and never looks complete", async () => {
    const behind = origin((peer) => peer.send(EVENTS));
    const served = watched(behind);
    const peer = await client(served.port, "GET /sse HTTP/1.1\r\nHost: a\r\n\r\n");
    await peer.heard("data: x");
    await served.pass(SWEEP_MS);
    ends(served.open);
    expect(await peer.done()).toMatch(/data: x\n\n\r\n$/);
    await (await behind.peer()).done();
    expect(served.ends).toMatchObject([{ status: 200, abortedBy: "gate" }]);
  });

  test("a long poll that has no answer yet gets one from the gate", async () => {
    const behind = origin();
    const served = watched(behind);
    const peer = await client(served.port, "GET /poll HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    await behind.peer();
    await served.pass(SWEEP_MS);
    ends(served.open, () => served.exchanges[0]?.answer(503, [], "come again"));
    expect(await peer.done()).toMatch(/^HTTP\/1.1 503 [\s\S]*come again$/);
    await (await behind.peer()).done();
    expect(served.ends).toMatchObject([{ status: 503, abortedBy: undefined }]);
  });

  test("an upload is ended before its body is whole", async () => {
    const behind = origin();
    const served = watched(behind);
    const peer = await client(served.port, "POST /up HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nsome");
    await (await behind.peer()).heard("some");
    await served.pass(SWEEP_MS);
    expect(served.open?.passedBytes).toBe(4);
    ends(served.open, () => served.exchanges[0]?.answer(503, [], "come again"));
    expect(await peer.done()).toMatch(/^HTTP\/1.1 503 [\s\S]*come again$/);
    expect(served.errors).toEqual([]);
  });

  test("is ended once, and not after its end", async () => {
    const behind = origin((peer) => peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"));
    const served = watched(behind);
    const peer = await client(served.port, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await peer.heard("200");
    await served.pass(SWEEP_MS);
    const { open, looks } = served;
    (await behind.peer()).send("ok");
    await peer.heard("ok");
    ends(open);
    await served.pass(SWEEP_MS);
    expect([served.looks, served.ends]).toMatchObject([looks, [{ status: 200, abortedBy: undefined }]]);
    expect(looks).toBe(1);
  });
});
