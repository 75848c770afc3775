/**
 * Keys that are derived from the mesh key by label, and kept: as text, because a proxy's or an origin's configuration
 * holds them as text.
 */

import { derivedSecret, type MeshSecret } from "./key-ring.ts";

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
    const known = this.#kept.get(label);
    if (known !== undefined) return known;
    if (this.#kept.size >= KEPT_MAX) this.#kept.clear();
    const key = Buffer.from(derivedSecret(this.#mesh, label)).toString("base64url");
    this.#kept.set(label, key);
    return key;
  }
}
