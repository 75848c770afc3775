/**
 * All secrets of a mesh, derived from the mesh key by a label for each purpose (HKDF-SHA256, RFC 5869; salt = mesh id):
 * every node has them without asking.
 *
 * Those that a proxy's or an origin's configuration holds are kept as text.
 */

import { hkdfSync } from "node:crypto";

/** From these the nodes of a mesh derive the same keys. */
export interface MeshSecret {
  /** Part of every key, so that cookies of another mesh are unreadable here. */
  readonly meshId: string;
  /** 32 bytes. */
  readonly meshKey: Uint8Array;
}

/** Bytes of a key. */
const KEY_BYTES = 32;

/**
 * A secret for one purpose, which `label` names: nothing made with it counts for another purpose, or in another mesh.
 */
export function derivedSecret(
  { meshKey, meshId }: MeshSecret,
  label: string,
  bytes = KEY_BYTES,
): Uint8Array<ArrayBuffer> {
  return new Uint8Array(hkdfSync("sha256", meshKey, meshId, label, bytes));
}

/** A node's rooms in two generations; above it all keys are derived again, in some µs each. */
const KEPT_MAX = 2_048;

export class DerivedKeys {
  readonly #mesh: MeshSecret;
  readonly #kept = new Map<string, string>();

  constructor(mesh: MeshSecret) {
    this.#mesh = mesh;
  }

  /** The key for one purpose, which `label` names. */
  of(label: string): string {
    if (this.#kept.size >= KEPT_MAX) this.#kept.clear();
    return this.#kept.getOrInsertComputed(label, () =>
      Buffer.from(derivedSecret(this.#mesh, label)).toString("base64url"),
    );
  }
}
