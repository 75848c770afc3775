import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FRAME_BYTES_MAX, MESSAGE_BYTES_MAX } from "../../../../mesh/core/wire/codec.ts";
import { Pieces, pieceShape, piecesOf } from "../../../../mesh/core/wire/pieces.ts";

/** Bytes that differ from place to place. */
function bytesOf(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, at) => at % 251);
}

const LARGE = bytesOf(1.6 * FRAME_BYTES_MAX);

describe("a message in pieces", () => {
  test("is there when its last piece has come, in whatever order, and however often each has come", () => {
    const sent = piecesOf(LARGE, 1);
    const indexes = fc.array(fc.nat(sent.length - 1), { minLength: sent.length, maxLength: 3 * sent.length });
    fc.assert(
      fc.property(indexes, (order) => {
        const pieces = new Pieces();
        const seen = new Set<number>();
        for (const at of order) {
          const piece = sent[at];
          if (piece === undefined || seen.size === sent.length) break;
          seen.add(at);
          const whole = pieces.take(piece);
          expect(whole !== undefined).toBe(seen.size === sent.length);
          if (whole !== undefined) expect(Buffer.compare(whole, LARGE)).toBe(0);
        }
        expect(pieces.isWaiting).toBe(seen.size < sent.length);
      }),
    );
  });

  test("is lost with one of its pieces, and another one after it is not", () => {
    const pieces = new Pieces();
    for (const piece of piecesOf(LARGE, 1).slice(1)) expect(pieces.take(piece)).toBeUndefined();
    const [last] = piecesOf(LARGE, 2)
      .map((piece) => pieces.take(piece))
      .slice(-1);
    expect(last?.length).toBe(LARGE.length);
  });

  test("is forgotten once two others have begun, so that a sender cannot fill the memory", () => {
    const pieces = new Pieces();
    const [late, ...others] = piecesOf(LARGE, 1);
    for (const piece of others) pieces.take(piece);
    for (const id of [2, 3]) for (const piece of piecesOf(LARGE, id).slice(1)) pieces.take(piece);
    if (late === undefined) throw new Error("Broken: there are pieces");
    expect(pieces.take(late)).toBeUndefined();
  });

  test("may have the size of the largest message, and each piece is of the shape that is accepted", () => {
    const sent = piecesOf(new Uint8Array(MESSAGE_BYTES_MAX), 7);
    for (const piece of sent) expect(pieceShape.safeParse(piece).success).toBe(true);
    const [first] = sent;
    for (const wrong of [{ at: sent.length }, { of: 1 }, { of: 10_000 }, { bytes: new Uint8Array(FRAME_BYTES_MAX) }])
      expect(pieceShape.safeParse({ ...first, ...wrong }).success).toBe(false);
  });
});
