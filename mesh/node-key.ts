/**
 * The key that identifies a node: its public half is the node's id.
 *
 * It is stored in the data directory as `node.key` and never leaves the host: the older of two nodes with one identity
 * stops. It is generated once, if there is none. A file that cannot be read is never replaced automatically, because
 * with the key the node would lose its account and all slots in it.
 */

import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { generateKeyPair, generateKeyPairFromSeed } from "@libp2p/crypto/keys";
import type { Ed25519PrivateKey } from "@libp2p/interface";
import { peerIdFromPrivateKey } from "@libp2p/peer-id";
import type { NodeId } from "./core/ids.ts";

export interface NodeKey {
  readonly node: NodeId;
  readonly privateKey: Ed25519PrivateKey;
  /** Whether this process generated it: no earlier one was this node. */
  readonly isNew: boolean;
}

/** A `node.key` that cannot be used: what is wrong, and in `hint` the repair. */
export class NodeKeyError extends Error {
  readonly code: "bad-node-key" | "unreadable";
  readonly hint: string;
  constructor(code: NodeKeyError["code"], message: string, options: { hint: string; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.name = "NodeKeyError";
    this.code = code;
    this.hint = options.hint;
  }
}

export const NODE_KEY_FILE = "node.key";
const SECRET_MODE = 0o600;
const SEED_BYTES = 32;

/** Reads the key in `directory`, which must exist, or generates one and puts it on disk. Throws `NodeKeyError`. */
export async function loadNodeKey(directory: string): Promise<NodeKey> {
  const path = join(directory, NODE_KEY_FILE);
  const drawn = await generateKeyPair("Ed25519");
  let isNew: boolean;
  let text: string;
  try {
    isNew = create(path, drawn.raw.subarray(0, SEED_BYTES));
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw new NodeKeyError("unreadable", `Cannot read or write ${path}: ${String(cause)}`, {
      hint: "give the user that runs anteroom the rights to it",
      cause,
    });
  }
  const seed = /^seed ([0-9a-f]{64})$/m.exec(text)?.[1];
  if (seed === undefined) {
    throw new NodeKeyError("bad-node-key", `Cannot read ${path} as a node key`, {
      hint: "it must hold a line `seed` with 64 hexadecimal digits: restore it from a backup. If there is none, remove the data directory except mesh.key: the node joins as a new one",
    });
  }
  return nodeKeyOf(await generateKeyPairFromSeed("Ed25519", Buffer.from(seed, "hex")), isNew);
}

/** A key that lives as long as the process. */
export async function ephemeralNodeKey(): Promise<NodeKey> {
  return nodeKeyOf(await generateKeyPair("Ed25519"), true);
}

function nodeKeyOf(privateKey: Ed25519PrivateKey, isNew: boolean): NodeKey {
  return { node: peerIdFromPrivateKey(privateKey).toString() as NodeId, privateKey, isNew };
}

/** Writes a new file and syncs it to disk; an existing one stays as it is. Returns whether it is new. */
function create(path: string, seed: Uint8Array): boolean {
  let file: number;
  try {
    // `wx` fails where the file exists: two starts at once end with one key.
    file = openSync(path, "wx", SECRET_MODE);
  } catch (cause) {
    if ((cause as { code?: string }).code === "EEXIST") return false;
    throw cause;
  }
  try {
    writeSync(
      file,
      `# anteroom node key: the identity of this node. Never copy it to another one.\nseed ${Buffer.from(seed).toString("hex")}\n`,
    );
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return true;
}
