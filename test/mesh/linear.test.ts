/** What is read on the mesh port before anybody has proved who they are, and of members, costs its length. */

import { test } from "vitest";
import { FrameReader, joinFrames } from "../../mesh/frames.ts";
import { readHello, readRefusal } from "../../mesh/hello-frame.ts";
import { expectLinear } from "../linear.ts";

const BYTES = 8_000;

/** Bytes as a stranger might send them: frames of every kind, none, and what never ends. */
const STREAMS: readonly (readonly [name: string, run: Uint8Array])[] = [
  ["empty frames", joinFrames([{ kind: "ping", frame: new Uint8Array() }])],
  ["small frames", joinFrames([{ kind: "hello", frame: Buffer.from("{}") }])],
  ["zeros", new Uint8Array(4)],
  ["no frames", Buffer.from("GET / HTTP/1.1\r\n\r\n")],
];

test.each(STREAMS)("%s, at once and byte by byte", (_, run) => {
  const stream = (bytes: number): Uint8Array => Buffer.concat(Array(Math.ceil(bytes / run.length)).fill(run));
  expectLinear(BYTES, stream, (bytes) => new FrameReader(() => undefined).push(bytes));
  expectLinear(BYTES, stream, inPieces);
});

test("one frame that comes byte by byte", () => {
  expectLinear(BYTES, (bytes) => joinFrames([{ kind: "data", frame: new Uint8Array(bytes) }]), inPieces);
});

test.each(["[", '{"a":', '"\\u0041', "1", "null,", '"a",', '{"addresses":["a"],', " ", "\\", '"'])(
  "a hello that is a run of %s",
  (run) => {
    const text = (bytes: number): Uint8Array => Buffer.from(run.repeat(bytes / run.length));
    expectLinear(BYTES, text, readHello);
    expectLinear(BYTES, text, readRefusal);
    expectLinear(BYTES, (bytes) => Buffer.from(`{"version":"${run.repeat(bytes / run.length)}"}`), readHello);
  },
);

function inPieces(bytes: Uint8Array): void {
  const reader = new FrameReader(() => undefined);
  for (let at = 0; at < bytes.length; at++) reader.push(bytes.subarray(at, at + 1));
}
