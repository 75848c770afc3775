/**
 * Signatures for tests: a checksum of the signer's name and the bytes. Nobody here tries to forge one; changed bytes
 * are noticed.
 */

import type { NodeId } from "../../../../mesh/core/ids.ts";
import type { Signatures } from "../../../../mesh/core/wire/signed.ts";

/** `checks`, if given, counts how often a signature was checked. */
export function plainSignatures(self: NodeId, checks = { count: 0 }): Signatures {
  return {
    sign: (bytes) => checksum(self, bytes),
    verify: (writer, bytes, signature) => {
      checks.count += 1;
      const right = checksum(writer, bytes);
      return right.length === signature.length && right.every((byte, at) => byte === signature[at]);
    },
  };
}

/** 64 bytes, as many as a real signature has. */
function checksum(signer: NodeId, bytes: Uint8Array): Uint8Array {
  const words = new Uint32Array(16).fill(0x811c9dc5);
  const take = (byte: number, at: number) => {
    const word = at % words.length;
    words[word] = Math.imul((words[word] ?? 0) ^ byte ^ at, 0x01000193);
  };
  for (let at = 0; at < signer.length; at++) take(signer.charCodeAt(at), at);
  for (const [at, byte] of bytes.entries()) take(byte, signer.length + at);
  return new Uint8Array(words.buffer);
}
