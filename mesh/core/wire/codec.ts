/**
 * Messages as bytes and back: one byte for the wire version, then the packed messages. A frame is such bytes, or a piece
 * of more than fit into one (pieces.ts).
 *
 * Nothing received is used before it has passed three checks: the size of the frame, the form of the bytes
 * (`packed.ts`), and the shape of each message (a zod schema per kind, given by the part that owns the kind). A frame
 * passes as a whole or not at all. A failure is a value with a reason, whatever the bytes; the layer above counts it
 * and in the end disconnects the sender.
 *
 * A newer release may send more than this one knows: messages of other kinds and fields that a shape does not name are
 * dropped, and are no fault.
 */

import type { z } from "zod";
import type { Message } from "./outbox.ts";
import { packed, unpacked } from "./packed.ts";
import { isWithin, rangeText, WIRES, type WireRange } from "./wire-range.ts";

/**
 * Largest frame, in bytes. A frame that is larger would delay what waits behind it for too long (head-of-line
 * blocking).
 */
export const FRAME_BYTES_MAX = 1024 * 1024;

/**
 * Bytes of all messages that are packed together. What does not fit into one frame travels in pieces (pieces.ts). Of
 * the handover of a lost node this is some 13,000 pairs of a former node and a room; doubled, what waits for peers that
 * take nothing doubles with it.
 */
export const MESSAGE_BYTES_MAX = 8 * FRAME_BYTES_MAX;

/** Kept free for what is sent beside a value: the stamp, ballots, the tables of an answer. */
const BESIDE_BYTES = 256 * 1024;

/** Whether messages can carry a value: to be asked before anything rests on it, as a vote or an end. */
export function isSendable(value: unknown): boolean {
  return packed(value).length <= MESSAGE_BYTES_MAX - BESIDE_BYTES;
}

/** The shape of every accepted message, by its kind. Fields that a shape does not name are dropped. */
export type Shapes = Readonly<Record<string, z.ZodType<Message>>>;

/** The check that a frame failed. */
export type FrameFault = "size" | "version" | "bytes" | "kind" | "shape";

export type Decoded<Known> =
  /** `ignored`: messages of kinds that this release does not know; none if left out. */
  | { readonly ok: true; readonly messages: readonly Known[]; readonly ignored?: number }
  /** `detail` is for the log: what was wrong where, without the content. */
  | { readonly ok: false; readonly reason: FrameFault; readonly detail: string };

export class Codec<Given extends Shapes> {
  readonly #shapes: Given;
  readonly #understands: WireRange;

  constructor(shapes: Given, understands = WIRES) {
    this.#shapes = shapes;
    this.#understands = understands;
  }

  /**
   * `messages` as bytes of wire version `wire`, in order; more than a frame holds, perhaps. Asserts that they are plain
   * data, and that there are no more bytes than can be sent at all.
   */
  encode(messages: readonly Message[], wire = this.#understands[0]): Uint8Array {
    const parts = messages.map((message) => packed(message));
    const length = parts.reduce((sum, part) => sum + part.length, 1);
    if (parts.length === 0 || length > MESSAGE_BYTES_MAX)
      throw new RangeError(
        `Cannot encode ${messages.map(({ kind }) => kind).join(", ") || "no messages"} as there must be 2 to ${MESSAGE_BYTES_MAX} bytes: current value is ${length}`,
      );
    return joined(parts, length, wire);
  }

  /** The messages of a frame; never throws. */
  decode(frame: Uint8Array): Decoded<z.output<Given[keyof Given]>> {
    if (frame.length > MESSAGE_BYTES_MAX) return fault("size", `${frame.length} bytes`);
    const [wire = Number.NaN] = frame;
    if (!isWithin(wire, this.#understands))
      return fault("version", `${wire} where ${rangeText(this.#understands)} is understood`);
    try {
      const values = unpacked(frame, 1);
      if (values === undefined || values.length === 0) return fault("bytes", `${frame.length} bytes`);
      const messages: z.output<Given[keyof Given]>[] = [];
      let ignored = 0;
      for (const value of values) {
        const kind = kindOf(value);
        if (kind === undefined) return fault("kind", "none");
        const shape = Object.hasOwn(this.#shapes, kind) ? this.#shapes[kind] : undefined;
        if (shape === undefined) {
          ignored += 1;
          continue;
        }
        const checked = shape.safeParse(value);
        if (!checked.success) return fault("shape", `${kind}: ${whereOf(checked.error)}`);
        messages.push(checked.data as z.output<Given[keyof Given]>);
      }
      return ignored === 0 ? { ok: true, messages } : { ok: true, messages, ignored };
    } catch (thrown) {
      // What passes the walk should not make msgpackr or a schema throw; if it does, the frame is lost and its sender
      // blamed.
      return fault("bytes", thrown instanceof Error ? thrown.message : "unknown");
    }
  }
}

function fault(reason: FrameFault, detail: string): Decoded<never> {
  return { ok: false, reason, detail };
}

function joined(parts: readonly Uint8Array[], length: number, wire: number): Uint8Array {
  const frame = new Uint8Array(length);
  frame[0] = wire;
  let at = 1;
  for (const part of parts) {
    frame.set(part, at);
    at += part.length;
  }
  return frame;
}

function kindOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || !("kind" in value)) return undefined;
  return typeof value.kind === "string" ? value.kind : undefined;
}

function whereOf(error: z.ZodError): string {
  const [issue] = error.issues;
  return issue === undefined ? "unknown" : `${issue.path.join(".").slice(0, 100)} ${issue.code}`;
}
