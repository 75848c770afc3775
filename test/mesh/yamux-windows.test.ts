import { StreamState, YamuxStream } from "@libp2p/yamux/stream";
import { expect, test } from "vitest";
import { tellWindowsSeldom } from "../../mesh/yamux-windows.ts";

test("the other end is told of read bytes once half of the window is used up", () => {
  tellWindowsSeldom();
  const told: number[] = [];
  const stream = {
    state: StreamState.Established,
    recvWindow: 1_000,
    recvWindowCapacity: 1_000,
    epochStart: 0,
    getRTT: () => -1,
    getSendFlags: () => 0,
    sendFrame: ({ length }: { length: number }) => told.push(length),
  };
  for (let read = 0; read < 20; read += 1) {
    stream.recvWindowCapacity -= 100;
    YamuxStream.prototype.sendWindowUpdate.call(stream as unknown as YamuxStream);
  }
  expect(told).toEqual([500, 500, 500, 500]);
});

test("a stream that is not established yet is told of at once: its answer rides on that", () => {
  tellWindowsSeldom();
  const told: number[] = [];
  const stream = {
    state: StreamState.SYNReceived,
    recvWindow: 1_000,
    recvWindowCapacity: 1_000,
    epochStart: 0,
    getRTT: () => -1,
    getSendFlags: () => 2,
    sendFrame: ({ flag }: { flag: number }) => told.push(flag),
  };
  YamuxStream.prototype.sendWindowUpdate.call(stream as unknown as YamuxStream);
  expect(told).toEqual([2]);
});
