/**
 * Messages as frames and back: one byte for the wire version, then the packed messages.
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
 * Largest frame, in bytes. Messages stay well below, so that no frame delays a heartbeat for long (head-of-line
 * blocking).
 */
export const FRAME_BYTES_MAX = 1024 * 1024;

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

  /** One frame of `messages`, in order. Asserts that they fit, and that they are plain data. */
  encode(messages: readonly Message[], wire?: number): Uint8Array {
    const [frame, ...more] = this.encodeAll(messages, wire);
    if (frame === undefined || more.length > 0)
      throw new RangeError(
        `Cannot encode a frame as it must hold 1 to ${FRAME_BYTES_MAX} bytes of messages: current value is ${messages.length} messages`,
      );
    return frame;
  }

  /**
   * The frames of wire version `wire` for `messages`, in order; none for no messages. Asserts that each message fits
   * into one.
   */
  encodeAll(messages: readonly Message[], wire = this.#understands[0]): Uint8Array[] {
    const frames: Uint8Array[] = [];
    let parts: Uint8Array[] = [];
    let length = 1;
    for (const message of messages) {
      const part = packed(message);
      if (1 + part.length > FRAME_BYTES_MAX)
        throw new RangeError(
          `Cannot encode a message of kind ${message.kind} as a frame is at most ${FRAME_BYTES_MAX} bytes: current value is ${part.length}`,
        );
      if (length + part.length > FRAME_BYTES_MAX) {
        frames.push(joined(parts, length, wire));
        parts = [];
        length = 1;
      }
      parts.push(part);
      length += part.length;
    }
    return parts.length === 0 ? frames : [...frames, joined(parts, length, wire)];
  }

  /** The messages of a frame; never throws. */
  decode(frame: Uint8Array): Decoded<z.output<Given[keyof Given]>> {
    if (frame.length > FRAME_BYTES_MAX) return fault("size", `${frame.length} bytes`);
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
