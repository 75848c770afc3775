import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Framed, FrameReader, joinFrames, KINDS } from "../../mesh/frames.ts";
import { FRAME_BYTES_MAX } from "../../mesh/transport.ts";

const framed = fc.record({ kind: fc.constantFrom(...KINDS), frame: fc.uint8Array({ maxLength: 300 }) });

describe("frames in a stream", () => {
  test("come out as they went in, wherever the stream is cut", () => {
    fc.assert(
      fc.property(fc.array(framed, { maxLength: 20 }), fc.array(fc.integer({ min: 1, max: 50 })), (frames, sizes) => {
        const { came, reader } = newReader();
        for (const chunk of cut(joinFrames(frames), sizes)) expect(reader.push(chunk)).toBe(true);
        expect(came.map(({ kind, frame }) => ({ kind, frame: [...frame] }))).toEqual(
          frames.map(({ kind, frame }) => ({ kind, frame: [...frame] })),
        );
      }),
    );
  });

  test("a frame whose handler throws is reported once, and those behind it are not lost", () => {
    const came: number[] = [];
    const reader = new FrameReader(({ frame }) => {
      came.push(frame[0] ?? -1);
      if (frame[0] === 2) throw new Error("a handler's fault");
    });
    const data = (first: number) => ({ kind: "data" as const, frame: new Uint8Array([first, 0, 0]) });
    expect(() => reader.push(joinFrames([1, 2, 3].map(data)))).toThrow("a handler's fault");
    expect(came).toEqual([1, 2]);
    for (const byte of joinFrames([4].map(data))) expect(reader.push(Uint8Array.of(byte))).toBe(true);
    expect(came).toEqual([1, 2, 3, 4]);
  });

  test("the largest frame comes in many pieces", () => {
    const { came, reader } = newReader();
    const bytes = joinFrames([{ kind: "data", frame: new Uint8Array(FRAME_BYTES_MAX).fill(3) }]);
    for (let at = 0; at < bytes.length; at += 65_536) reader.push(bytes.subarray(at, at + 65_536));
    expect(came.map(({ frame }) => [frame.length, frame.every((each) => each === 3)])).toEqual([
      [FRAME_BYTES_MAX, true],
    ]);
  });

  test.each([
    ["a kind that there is not", [KINDS.length, 0, 0, 1, 0]],
    ["a length above the limit", [0, 0x10, 0x00, 0x01, 0]],
    ["the words of another protocol", [...Buffer.from("GET / HTTP/1.1\r\n")]],
  ])("%s ends the reading for good; what came before is told", (_, wrong) => {
    const { came, reader } = newReader();
    const right = joinFrames([{ kind: "ping", frame: new Uint8Array(0) }]);
    expect(reader.push(Uint8Array.from([...right, ...wrong]))).toBe(false);
    expect(reader.push(right)).toBe(false);
    expect(came.map(({ kind }) => kind)).toEqual(["ping"]);
  });
});

function newReader() {
  const came: Framed[] = [];
  return { came, reader: new FrameReader((each) => came.push(each)) };
}

function cut(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let at = 0;
  for (const size of sizes) {
    if (at >= bytes.length) break;
    chunks.push(bytes.slice(at, at + size));
    at += size;
  }
  if (at < bytes.length) chunks.push(bytes.slice(at));
  return chunks;
}
