/**
 * Signatures of nodes, Ed25519 by node:crypto, which takes tens of µs to sign and to check.
 *
 * A node's id is its public key (libp2p peer ids of Ed25519 keys contain it), so a signature is checked against the id
 * alone.
 */

import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { peerIdFromString } from "@libp2p/peer-id";
import type { NodeId } from "./core/ids.ts";
import type { Signatures } from "./core/wire/signed.ts";
import type { NodeKey } from "./node-key.ts";

/** The DER prefix of the 32 bytes of a key (RFC 8410): PKCS #8 and SubjectPublicKeyInfo. */
const PRIVATE_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");
const PUBLIC_PREFIX = Buffer.from("302a300506032b6570032100", "hex");
const SEED_BYTES = 32;

/** Public keys kept ready: all members' and some more. Others are read again from the id. */
const KEYS_MAX = 2_000;

/** Signs as the node of `key`; checks signatures of any node. */
export function signaturesOf({ privateKey }: NodeKey): Signatures {
  const seed = privateKey.raw.subarray(0, SEED_BYTES);
  const own = createPrivateKey({ key: Buffer.concat([PRIVATE_PREFIX, seed]), format: "der", type: "pkcs8" });
  return { sign: (bytes) => sign(null, bytes, own), ...signatureChecks() };
}

/** Checks signatures of any node, without a key of its own. */
export function signatureChecks(): Pick<Signatures, "verify"> {
  const keys = new Map<NodeId, KeyObject | undefined>();
  return {
    verify: (writer, bytes, signature) => {
      if (keys.size >= KEYS_MAX) keys.clear();
      const key = keys.getOrInsertComputed(writer, () => publicKeyOf(writer));
      return key !== undefined && verify(null, bytes, key, signature);
    },
  };
}

/** Undefined for text that is not the peer id of an Ed25519 key. */
function publicKeyOf(node: NodeId): KeyObject | undefined {
  try {
    const { publicKey } = peerIdFromString(node);
    if (publicKey?.type !== "Ed25519") return undefined;
    return createPublicKey({ key: Buffer.concat([PUBLIC_PREFIX, publicKey.raw]), format: "der", type: "spki" });
  } catch {
    // Data that names a writer which is not a node is refused; nothing is lost.
    return undefined;
  }
}
