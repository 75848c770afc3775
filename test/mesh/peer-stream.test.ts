import { describe, expect, test } from "vitest";
import { MESSAGE_BYTES_MAX } from "../../mesh/core/wire/codec.ts";
import { type Framed, HEAD_BYTES, joinFrames } from "../../mesh/frames.ts";
import { PeerStream, WAITING_BYTES_MAX } from "../../mesh/peer-stream.ts";
import { FRAME_BYTES_MAX, type Purpose } from "../../mesh/transport.ts";
import { FakeStream, turn } from "./fake-stream.ts";

describe("a stream to a peer", () => {
  test("has all frames of one turn leave in one write", async () => {
    const { peer, stream } = open();
    const frames = [data("one"), data("two"), data("")];
    for (const frame of frames) expect(peer.send(frame)).toBe(true);
    expect(stream.writes).toEqual([]);
    await turn();
    expect(stream.writes).toEqual([joinFrames(frames)]);
  });

  test("has an urgent frame leave at once, after those that wait", async () => {
    const { peer, stream } = open();
    peer.send(data("first"));
    peer.sendNow(data("urgent"));
    expect(stream.writes).toEqual([joinFrames([data("first"), data("urgent")])]);
    await turn();
    expect(stream.writes).toHaveLength(1);
  });

  test("waits while the layer below is full, and continues when it has drained", async () => {
    const { peer, stream } = open();
    stream.isFull = true;
    peer.sendNow(data("fills it"));
    peer.send(data("waits"));
    peer.sendNow(data("waits too"));
    await turn();
    expect(stream.writes).toHaveLength(1);
    stream.drain();
    expect(stream.writes[1]).toEqual(joinFrames([data("waits"), data("waits too")]));
    peer.send(data("and on"));
    await turn();
    expect(stream.writes).toHaveLength(3);
  });

  test("drops what is more than may wait, here and in the layer below, and says so", async () => {
    const { peer, stream } = open();
    const large = { kind: "data", frame: new Uint8Array(FRAME_BYTES_MAX) } as const;
    expect(peer.send({ kind: "data", frame: new Uint8Array(FRAME_BYTES_MAX + 1) })).toBe(false);
    expect([peer.send(large), peer.send(large), peer.send(data(""))]).toEqual([true, true, false]);
    await turn();
    expect(peer.send(data("there is room again"))).toBe(true);
    await turn();
    stream.writeBufferLength = WAITING_BYTES_MAX.protocol - HEAD_BYTES;
    expect([peer.send(data("x")), peer.send(data(""))]).toEqual([false, true]);
  });

  test("for whole rows and tables lets the largest message wait, in frames", () => {
    const { peer } = open("sync");
    const half = { kind: "data", frame: new Uint8Array(FRAME_BYTES_MAX) } as const;
    const sent = Array.from({ length: MESSAGE_BYTES_MAX / FRAME_BYTES_MAX }, () => peer.send(half));
    expect(sent).not.toContain(false);
  });

  test("hands on the frames that come", () => {
    const { stream, came } = open();
    const bytes = joinFrames([data("one"), { kind: "ping", frame: new Uint8Array(0) }]);
    stream.emit("message", { data: bytes.slice(0, 6) });
    stream.emit("message", { data: bytes.slice(6) });
    expect(came.map(({ kind, frame }) => [kind, new TextDecoder().decode(frame)])).toEqual([
      ["data", "one"],
      ["ping", ""],
    ]);
  });

  test("ends when what comes are no frames: told once, and nothing is taken any more", async () => {
    const { peer, stream, broken, came } = open();
    peer.send(data("is lost"));
    stream.emit("message", { data: Buffer.from("GET / HTTP/1.1\r\n\r\n") });
    stream.emit("message", { data: joinFrames([data("too late")]) });
    await turn();
    expect([stream.isAborted, broken(), came, stream.writes]).toEqual([true, 1, [], []]);
    expect(peer.send(data("?"))).toBe(false);
  });

  test("survives that the stream was closed under a write", async () => {
    const { peer, stream, broken } = open();
    stream.send = () => {
      throw new Error("Cannot write to a stream that is closed");
    };
    peer.send(data("is lost"));
    await turn();
    expect([stream.isAborted, broken()]).toEqual([true, 1]);
  });
});

function open(purpose: Purpose = "protocol") {
  const stream = new FakeStream();
  const came: Framed[] = [];
  let broken = 0;
  const peer = new PeerStream(stream, purpose, {
    framed: (framed) => came.push(framed),
    broken: () => {
      broken += 1;
    },
  });
  return { peer, stream, came, broken: () => broken };
}

function data(words: string): Framed {
  return { kind: "data", frame: new TextEncoder().encode(words) };
}
