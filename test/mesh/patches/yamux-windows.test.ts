import { StreamState, YamuxStream } from "@libp2p/yamux/stream";
import { expect, test } from "vitest";
import { tellWindowsSeldom } from "../../../mesh/patches/yamux-windows.ts";

/** The library's own, before it is changed. */
const { sendWindowUpdate } = YamuxStream.prototype;

interface Told {
  readonly length: number;
  readonly flag: number;
}

/** A stream with a window of 1,000 bytes, and what it tells the other end. */
function stream(state: StreamState, flags: number) {
  const told: Told[] = [];
  const parts = {
    state,
    recvWindow: 1_000,
    recvWindowCapacity: 1_000,
    epochStart: 0,
    getRTT: () => -1,
    getSendFlags: () => flags,
    sendFrame: (frame: Told) => told.push(frame),
  };
  return { told, parts, asStream: parts as unknown as YamuxStream };
}

test("the patch is needed: the library sends a window update after every read", () => {
  const { told, parts, asStream } = stream(StreamState.Established, 0);
  parts.recvWindowCapacity -= 100;
  sendWindowUpdate.call(asStream);
  expect(told, "the library waits by itself now: drop mesh/patches/yamux-windows.ts").toHaveLength(1);
});

test("read bytes are acknowledged once half of the window is used up", () => {
  tellWindowsSeldom();
  const { told, parts, asStream } = stream(StreamState.Established, 0);
  for (let read = 0; read < 20; read += 1) {
    parts.recvWindowCapacity -= 100;
    YamuxStream.prototype.sendWindowUpdate.call(asStream);
  }
  expect(told.map(({ length }) => length)).toEqual([500, 500, 500, 500]);
});

test("a stream that is not established yet is acknowledged at once: its answer needs that", () => {
  tellWindowsSeldom();
  const { told, asStream } = stream(StreamState.SYNReceived, 2);
  YamuxStream.prototype.sendWindowUpdate.call(asStream);
  expect(told.map(({ flag }) => flag)).toEqual([2]);
});
