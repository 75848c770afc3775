/**
 * Bytes that a node has signed, stored and passed on unchanged: a node that passes them on cannot alter them.
 *
 * The signature covers the bytes after a text that says what they are and in which mesh, so that a signature for one
 * thing is never valid for another.
 */

import { z } from "zod";
import type { NodeId } from "../ids.ts";
import { byteString } from "./shapes.ts";

/** Signing and checking with the node's key; the simulator uses plain ones. */
export interface Signatures {
  /** Signs as this node. */
  readonly sign: (bytes: Uint8Array) => Uint8Array;
  readonly verify: (writer: NodeId, bytes: Uint8Array, signature: Uint8Array) => boolean;
}

export interface Signed {
  readonly bytes: Uint8Array;
  readonly signature: Uint8Array;
}

/** An Ed25519 signature has 64 bytes; room for a longer kind. */
const SIGNATURE_BYTES_MAX = 128;

/** How signed bytes travel: the bytes, then the signature. */
export type SignedPair = readonly [bytes: Uint8Array, signature: Uint8Array];

/** The shape of signed bytes of at most `max` bytes. */
export function signedShape(max: number): z.ZodType<SignedPair> {
  return z.tuple([byteString(max), byteString(SIGNATURE_BYTES_MAX)]);
}

/** What is signed: a text that says what `bytes` are, and `bytes`. `about` has no line break. */
export function signable(about: string, bytes: Uint8Array): Uint8Array {
  const head = new TextEncoder().encode(`anteroom ${about}\n`);
  const whole = new Uint8Array(head.length + bytes.length);
  whole.set(head);
  whole.set(bytes, head.length);
  return whole;
}

/** Whether two byte strings are the same. */
export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

/** Signed bytes as plain data for the disk: as text, whatever the store does with bytes. */
export interface StoredSigned {
  readonly bytes: string;
  readonly signature: string;
}

export function toStored({ bytes, signature }: Signed): StoredSigned {
  return { bytes: bytes.toBase64(), signature: signature.toBase64() };
}

/** Reads signed bytes from the disk. Throws for text that is no base64: only a damaged store has such. */
export function fromStored({ bytes, signature }: StoredSigned): Signed {
  return { bytes: Uint8Array.fromBase64(bytes), signature: Uint8Array.fromBase64(signature) };
}
