/**
 * The cipher of simulated cookies: the key ring of the binary, and its opening of cookies. Sealing is done at once.
 *
 * The binary seals a moment later. At once is the earliest that a cookie can reach a visitor: a session that is not on the disk by then is
 * lost by a crash, although its visitor was told of it.
 */

import { createCipheriv } from "node:crypto";
import type { AccountId } from "../../mesh/core/ids.ts";
import { JweCipher } from "../../node/cookie/jwe.ts";
import { type CookieKey, KeyRing } from "../../node/cookie/keys.ts";
import type { CookieCipher, Sealed, VisitorCookie } from "../../node/cookie/seal.ts";

const IV_BYTES = 12;
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
    sealed(jwe(plain, this.#ring.current(nowMs), ++this.#sealed));
  }

  decrypt(value: string, nowMs: number): ReturnType<CookieCipher["decrypt"]> {
    return this.#opening.decrypt(value, nowMs);
  }

  /** What a cookie says, also one that a gate with a wrong clock has sealed. Throws if it cannot be read. */
  read(value: string): VisitorCookie {
    const [header = ""] = value.split(".");
    const { kid } = JSON.parse(Buffer.from(header, "base64url").toString("latin1")) as Pick<CookieKey, "kid">;
    const plain = this.decrypt(value, Number(kid) * DAY_MS);
    if (typeof plain === "string") throw new Error(`Cannot read a cookie as it must open: current value is ${plain}`);
    return JSON.parse(plain.toString("latin1")) as VisitorCookie;
  }
}

/** A compact JWE as jose makes it. */
function jwe(plain: Uint8Array, { kid, secret }: CookieKey, number: number): string {
  const header = Buffer.from(JSON.stringify({ alg: "dir", enc: "A256GCM", kid })).toString("base64url");
  const iv = Buffer.alloc(IV_BYTES);
  iv.writeUInt32BE(number);
  const cipher = createCipheriv("aes-256-gcm", secret, iv);
  cipher.setAAD(Buffer.from(header, "latin1"));
  const text = Buffer.concat([cipher.update(plain), cipher.final()]);
  return [header, "", ...[iv, text, cipher.getAuthTag()].map((part) => part.toString("base64url"))].join(".");
}
