/**
 * What makes a statement checkable by anybody: this node's signature, and a digest that names a text.
 *
 * Ed25519 and SHA-256, as base64url text. A node's id contains its public key, so a signature is checked offline.
 */

import { createHash } from "node:crypto";
import type { NodeId } from "../mesh/core/ids.ts";
import type { Signatures } from "../mesh/core/wire/signed.ts";

export interface Notary {
  /** The signature of this node for `text`. */
  sign(text: string): string;
  verify(node: NodeId, text: string, signature: string): boolean;
  /** The SHA-256 of `text`. */
  digest(text: string): string;
}

/** Checks signatures and digests, without a key of its own. */
export type Checker = Pick<Notary, "verify" | "digest">;

export function notaryOf(signatures: Signatures): Notary {
  return { sign: (text) => base64url(signatures.sign(Buffer.from(text))), ...checkerOf(signatures) };
}

export function checkerOf({ verify }: Pick<Signatures, "verify">): Checker {
  return {
    verify: (node, text, signature) => verify(node, Buffer.from(text), Buffer.from(signature, "base64url")),
    digest: (text) => createHash("sha256").update(text).digest("base64url"),
  };
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64url");
}
