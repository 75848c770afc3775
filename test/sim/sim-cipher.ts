/**
 * The cipher of simulated cookies: that of the binary, with numbers instead of chance, so that a seed gives the same
 * cookies each time.
 */

import type { AccountId } from "../../mesh/core/ids.ts";
import {
  type CookieCipher,
  compactJwe,
  IV_BYTES,
  JweCipher,
  KeyRing,
  type Sealed,
  type VisitorCookie,
} from "../../node/cookie/seal.ts";

/** Each day has a key of its own, named by its number. */
const DAY_MS = 86_400_000;

/** Of all nodes of a simulated mesh. */
export const MESH = { meshId: "sim", founder: "n1" as AccountId, meshKey: new Uint8Array(32).fill(7) };

export class SimCipher implements CookieCipher {
  readonly #ring = new KeyRing(MESH);
  readonly #opening = new JweCipher(this.#ring);
  #sealed = 0;

  periodOf(nowMs: number): number {
    return this.#opening.periodOf(nowMs);
  }

  encrypt(plain: Uint8Array, nowMs: number, sealed: Sealed): void {
    const iv = Buffer.alloc(IV_BYTES);
    iv.writeUInt32BE(++this.#sealed);
    sealed(compactJwe(plain, this.#ring.current(nowMs), iv));
  }

  decrypt(value: string, nowMs: number): ReturnType<CookieCipher["decrypt"]> {
    return this.#opening.decrypt(value, nowMs);
  }

  /** What a cookie says, also one that a gate with a wrong clock has sealed. Throws if it cannot be read. */
  read(value: string): VisitorCookie {
    const [header = ""] = value.split(".");
    const { kid } = JSON.parse(Buffer.from(header, "base64url").toString("latin1")) as { kid: string };
    const plain = this.decrypt(value, Number(kid) * DAY_MS);
    if (typeof plain === "string") throw new Error(`Cannot read a cookie as it must open: current value is ${plain}`);
    return JSON.parse(plain.toString("latin1")) as VisitorCookie;
  }
}
