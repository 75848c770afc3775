/**
 * The key ring of the visitor cookie: one 32-byte key per day, derived from the mesh key, so that every node of a mesh
 * has it without asking, and a rotation ends no session.
 *
 * A cookie under yesterday's key is still opened (a stay is at most 31 minutes, a place is renewed every few minutes),
 * and one under tomorrow's, whose writer's clock is ahead. Derivation: HKDF-SHA256, RFC 5869; salt = mesh id.
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

/** One key of the ring. */
export interface CookieKey {
  readonly secret: Uint8Array;
  /** The protected header of all cookies under it, which names it, and the bytes that their tags cover. */
  readonly header: string;
  readonly headerBytes: Uint8Array;
}

const ROTATION_MS = 24 * 60 * 60 * 1_000;

export class KeyRing {
  readonly #mesh: MeshSecret;
  readonly #keys = new Map<number, CookieKey>();

  constructor(mesh: MeshSecret) {
    this.#mesh = mesh;
  }

  /** The number of the key in use at `nowMs`; it changes once a day. */
  periodOf(nowMs: number): number {
    return Math.floor(nowMs / ROTATION_MS);
  }

  /** The key to seal with at `nowMs`. */
  current(nowMs: number): CookieKey {
    return this.#key(this.periodOf(nowMs));
  }

  /** The key of cookies with this header; undefined when it is retired, not yet in use, or none of ours. */
  byHeader(header: string, nowMs: number): CookieKey | undefined {
    const today = this.periodOf(nowMs);
    for (const period of [today, today - 1, today + 1]) {
      const key = this.#key(period);
      if (key.header === header) return key;
    }
    return undefined;
  }

  #key(period: number): CookieKey {
    const known = this.#keys.get(period);
    if (known !== undefined) return known;
    for (const old of this.#keys.keys()) if (old < period - 2) this.#keys.delete(old);
    const kid = String(period);
    const header = Buffer.from(JSON.stringify({ alg: "dir", enc: "A256GCM", kid })).toString("base64url");
    const secret = derivedSecret(this.#mesh, `anteroom visitor cookie ${period}`);
    const key = { secret, header, headerBytes: Buffer.from(header, "latin1") };
    this.#keys.set(period, key);
    return key;
  }
}
