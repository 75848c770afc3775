/**
 * Messages that are larger than a frame: their bytes travel as pieces, each in a frame of its own.
 *
 * What a mesh hands over when a node leaves or is lost grows with its rooms and its members, and must not end at the
 * size of a frame. A message counts once all of its pieces have come, in any order and any number of times. If one is
 * lost, the message is lost as a whole, and its sender sends it again as any other message.
 */

import { z } from "zod";
import { FRAME_BYTES_MAX, MESSAGE_BYTES_MAX } from "./codec.ts";
import { byteString, whole } from "./shapes.ts";

/** Half a frame, so that a piece and what frames add to it always fit into one. */
const PIECE_BYTES = FRAME_BYTES_MAX / 2;

const PIECES_MAX = MESSAGE_BYTES_MAX / PIECE_BYTES;

/**
 * Incomplete messages kept for one sender: one that is under way, and the one before, of which a piece may be late.
 * More would let a sender fill the memory; with one, a late piece would cost the message that follows it.
 */
const UNDER_WAY_MAX = 2;

/** A part of the bytes of a larger message: piece `at` of `of`. `id` tells the messages of one sender apart. */
export const pieceShape = z
  .object({
    kind: z.literal("piece"),
    id: whole,
    at: whole,
    of: whole.min(2).max(PIECES_MAX),
    bytes: byteString(PIECE_BYTES),
  })
  .refine(({ at, of }) => at < of);
export type Piece = z.output<typeof pieceShape>;

/** `bytes` in pieces, in order. */
export function piecesOf(bytes: Uint8Array, id: number): Piece[] {
  const of = Math.ceil(bytes.length / PIECE_BYTES);
  return Array.from({ length: of }, (_, at) => ({
    kind: "piece",
    id,
    at,
    of,
    bytes: bytes.subarray(at * PIECE_BYTES, (at + 1) * PIECE_BYTES),
  }));
}

interface UnderWay {
  readonly of: number;
  readonly pieces: Map<number, Uint8Array>;
}

/** Puts the pieces of one sender together. */
export class Pieces {
  readonly #underWay = new Map<number, UnderWay>();

  /** Whether a message is incomplete. */
  get isWaiting(): boolean {
    return this.#underWay.size > 0;
  }

  /** Takes a piece; returns the bytes of its message if this was the last one that was missing. */
  take({ id, at, of, bytes }: Piece): Uint8Array | undefined {
    const known = this.#underWay.get(id);
    const message = known?.of === of ? known : { of, pieces: new Map<number, Uint8Array>() };
    message.pieces.set(at, bytes);
    this.#underWay.delete(id);
    if (message.pieces.size < of) {
      this.#underWay.set(id, message);
      for (const oldest of this.#underWay.keys())
        if (this.#underWay.size > UNDER_WAY_MAX) this.#underWay.delete(oldest);
      return undefined;
    }
    return joined(Array.from({ length: of }, (_, index) => message.pieces.get(index) ?? NOTHING));
  }
}

const NOTHING = new Uint8Array(0);

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
