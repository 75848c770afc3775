import { beforeEach, describe, expect, test } from "vitest";
import type { NodeId } from "../../mesh/core/ids.ts";
import { joinFrames, type Kind } from "../../mesh/frames.ts";
import { PeerLink, SILENT_MS } from "../../mesh/peer-link.ts";
import type { Purpose } from "../../mesh/transport.ts";
import { HELLO } from "../contract/transport.ts";
import { FakeStream, turn } from "./fake-stream.ts";

const NODES = ["a", "b"] as unknown as readonly [NodeId, NodeId];
let nowMs: number;

beforeEach(() => {
  nowMs = 5_000;
});

describe("a greeting", () => {
  test("the node with the smaller id speaks first, and both are up with the other's hello and one rank", async () => {
    const { a, b } = await join(greeters());
    expect([a.events, b.events]).toEqual([["up"], ["up"]]);
    expect([a.link.isOpener, b.link.isOpener]).toEqual([true, false]);
    expect([a.link.hello?.node, b.link.hello?.node]).toEqual(["b", "a"]);
    expect([a.link.rank, b.link.rank]).toEqual([1, 1]);
  });

  test("a hello that overtakes the second stream waits for it", async () => {
    const { a, b } = greeters();
    const [protocol, sync] = [FakeStream.pair(), FakeStream.pair()];
    b.link.attach("protocol", protocol[1]);
    a.link.attach("sync", sync[0]);
    a.link.attach("protocol", protocol[0]);
    await turn();
    expect(b.link.hello).toBeUndefined();
    b.link.attach("sync", sync[1]);
    await turn();
    expect([a.link.isUp, b.link.isUp]).toEqual([true, true]);
  });

  test.each<[string, boolean, boolean]>([
    ["both object", true, true],
    ["only the opener objects", true, false],
    ["only the other objects", false, true],
  ])(
    "%s: both are told once, each its own objection if it has one, and nobody was up",
    async (_, aObjects, bObjects) => {
      const { a, b } = await join(
        greeters({ a: aObjects ? "a objects" : undefined, b: bObjects ? "b objects" : undefined }),
      );
      expect(a.events).toEqual([`refused ${aObjects ? "a objects" : "it refuses us: b objects"}`, "closed"]);
      expect(b.events).toEqual([`refused ${bObjects ? "b objects" : "it refuses us: a objects"}`, "closed"]);
    },
  );

  test("what cannot be read as a hello is refused", async () => {
    const { a, b } = greeters();
    const [protocol] = [FakeStream.pair(), b.link.attach("sync", new FakeStream())];
    b.link.attach("protocol", protocol[1]);
    protocol[0].send(joinFrames([{ kind: "hello", frame: Buffer.from("{}") }]));
    await turn();
    expect(b.events).toEqual(["refused its hello cannot be read", "closed"]);
    expect(a.events).toEqual([]);
  });

  test("one that takes too long ends", async () => {
    const { a, b } = greeters();
    b.link.attach("protocol", new FakeStream());
    for (const { link } of [a, b]) link.tick(0);
    nowMs += 20_000;
    for (const { link } of [a, b]) link.tick(0);
    expect([a.events, b.events]).toEqual([["closed"], ["closed"]]);
  });

  test.each<[Purpose, Kind]>([
    ["protocol", "data"],
    ["protocol", "welcome"],
    ["sync", "data"],
    ["sync", "hello"],
  ])("on the stream for %s it does not begin with %s", async (purpose, kind) => {
    const { b } = greeters();
    const streams = { protocol: FakeStream.pair(), sync: FakeStream.pair() };
    b.link.attach("protocol", streams.protocol[1]);
    b.link.attach("sync", streams.sync[1]);
    streams[purpose][0].send(joinFrames([{ kind, frame: Buffer.from("1") }]));
    await turn();
    expect(b.events).toEqual(["closed"]);
  });
});

describe("a link that is up", () => {
  test("carries frames of both purposes", async () => {
    const { a, b } = await join(greeters());
    for (const purpose of ["sync", "protocol"] as const) {
      expect(a.link.send(purpose, Buffer.from("there"))).toBe(true);
      expect(b.link.send(purpose, Buffer.from("back"))).toBe(true);
    }
    await turn();
    await turn();
    expect(b.events.slice(1).sort()).toEqual(["protocol there", "sync there"]);
    expect(a.events.slice(1).sort()).toEqual(["protocol back", "sync back"]);
  });

  test("stays up without frames, by pings, and only where nobody has spoken", async () => {
    const { a, b, streams } = await join(greeters());
    const before = streams.protocol[0].writes.length;
    for (let second = 0; second < 60; second++) {
      nowMs += 1_000;
      b.link.send("protocol", Buffer.from("heartbeat"));
      await turn();
      for (const { link } of [a, b]) link.tick(0);
    }
    expect([a.link.isUp, b.link.isUp]).toEqual([true, true]);
    expect(streams.protocol[0].writes.length - before).toBe(10);
    expect(b.events).toEqual(["up"]);
  });

  test("ends when the other side is not heard for long", async () => {
    const { a, streams } = await join(greeters());
    streams.protocol[0].other = undefined;
    streams.protocol[1].other = undefined;
    for (let ms = 0; ms <= SILENT_MS; ms += 1_000) {
      expect(a.link.isUp).toBe(true);
      nowMs += 1_000;
      a.link.tick(0);
    }
    expect(a.events).toEqual(["up", "closed"]);
  });

  test("time in which this process stood still is not silence", async () => {
    const { a } = await join(greeters());
    nowMs += 60_000;
    a.link.tick(59_000);
    expect(a.link.isUp).toBe(true);
  });

  test("can still be refused: the other side learns why", async () => {
    const { a, b } = await join(greeters());
    b.link.refuse("nonsense");
    await turn();
    expect(a.events).toEqual(["up", "refused it refuses us: nonsense", "closed"]);
    expect(b.events).toEqual(["up", "closed"]);
  });

  test("is refused to the older of two processes of one identity, which learns that there is a later one", async () => {
    const { a, b } = await join(greeters());
    laterStart = HELLO.incarnation + 1;
    b.link.refuse("copied");
    laterStart = undefined;
    await turn();
    expect(a.events).toEqual(["up", "outrun by 1", "refused it refuses us: copied", "closed"]);
  });

  test("ends when either stream does, once", async () => {
    const { a, streams } = await join(greeters());
    streams.sync[0].abort();
    a.link.lost();
    expect(a.events).toEqual(["up", "closed"]);
    expect(a.link.send("protocol", Buffer.from("?"))).toBe(false);
  });

  test("takes no second stream for a purpose", async () => {
    const { a } = await join(greeters());
    const stream = new FakeStream();
    a.link.attach("sync", stream);
    expect([stream.isAborted, a.link.isUp]).toEqual([true, true]);
  });
});

/** What both ends say about who serves the other's identity. */
let laterStart: number | undefined;

function greeters(objections: { a?: string | undefined; b?: string | undefined } = {}) {
  const greeter = (self: NodeId, peer: NodeId, objection: string | undefined) => {
    const events: string[] = [];
    const link = new PeerLink(
      { self, peer, address: "somewhere", clock: () => nowMs, end: () => {} },
      {
        ours: () => ({ ...HELLO, node: self }),
        objectionTo: () => objection,
        nextRank: () => 1,
        up: () => events.push("up"),
        frame: (_, purpose, frame) => events.push(`${purpose} ${Buffer.from(frame)}`),
        refused: (_, reason) => events.push(`refused ${reason}`),
        servingSince: () => laterStart,
        outrun: (newest) => events.push(`outrun by ${newest - HELLO.incarnation}`),
        closed: () => events.push("closed"),
      },
    );
    return { link, events };
  };
  return { a: greeter(NODES[0], NODES[1], objections.a), b: greeter(NODES[1], NODES[0], objections.b) };
}

async function join({ a, b }: ReturnType<typeof greeters>) {
  const streams = { protocol: FakeStream.pair(), sync: FakeStream.pair() };
  for (const purpose of ["sync", "protocol"] as const) b.link.attach(purpose, streams[purpose][1]);
  for (const purpose of ["sync", "protocol"] as const) a.link.attach(purpose, streams[purpose][0]);
  await turn();
  return { a, b, streams };
}
