/**
 * The cipher of the visitor cookie: a compact JWE (RFC 7516) with `dir` and `A256GCM`.
 *
 * Both ways are on the path of visitors, so they use node:crypto's GCM directly: a library goes by WebCrypto, whose
 * change of threads costs more than the cipher. A test has jose open what is sealed here, and a property test holds
 * opening to accepting exactly what jose accepts. A value that does not open gives a reason, never a throw.
 */

import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { CookieKey, KeyRing } from "../keys/key-ring.ts";
import type { BadCookie, CookieCipher, Sealed } from "./seal.ts";

/** Longest value that is tried. Ours are under 600 characters; browsers drop cookies over 4,096 bytes. */
const VALUE_LENGTH_MAX = 2_048;
/**
 * Of a nonce of GCM. Random ones: with one key a day, 4 billion cookies a day keep within the bound of NIST SP 800-38D
 * §8.3.
 */
export const IV_BYTES = 12;
const TAG_BYTES = 16;

export class JweCipher implements CookieCipher {
  readonly #ring: KeyRing;

  constructor(ring: KeyRing) {
    this.#ring = ring;
  }

  periodOf(nowMs: number): number {
    return this.#ring.periodOf(nowMs);
  }

  encrypt(plain: Uint8Array, nowMs: number, sealed: Sealed): void {
    let value: string;
    try {
      value = compactJwe(plain, this.#ring.current(nowMs), randomBytes(IV_BYTES));
    } catch (error) {
      // No entropy or no memory: the visitor keeps the cookie of before, or is refused.
      sealed(undefined, error);
      return;
    }
    sealed(value);
  }

  decrypt(value: string, nowMs: number): Buffer | BadCookie {
    if (value.length > VALUE_LENGTH_MAX) return "malformed";
    const [header, wrappedKey, iv, text, tag, rest] = value.split(".");
    if (header === undefined || wrappedKey !== "" || !iv || text === undefined || !tag || rest !== undefined) {
      return "malformed";
    }
    const key = this.#ring.byHeader(header, nowMs);
    if (key === undefined) return "unknown-key";
    const ivBytes = bytesOf(iv);
    const textBytes = bytesOf(text);
    const tagBytes = bytesOf(tag);
    if (ivBytes?.length !== IV_BYTES || tagBytes?.length !== TAG_BYTES || textBytes === undefined) return "malformed";
    try {
      const decipher = createDecipheriv("aes-256-gcm", key.secret, ivBytes);
      decipher.setAAD(key.headerBytes).setAuthTag(tagBytes);
      const plain = decipher.update(textBytes);
      decipher.final();
      return plain;
    } catch {
      // Thrown when the tag is wrong: the bearer is treated as a new visitor.
      return "forged";
    }
  }
}

/** `plain` under a key as a compact JWE. A key must never see one `iv` twice. */
export function compactJwe(plain: Uint8Array, key: CookieKey, iv: Uint8Array): string {
  const cipher = createCipheriv("aes-256-gcm", key.secret, iv);
  cipher.setAAD(key.headerBytes);
  // GCM adds nothing at the end.
  const text = cipher.update(plain);
  cipher.final();
  return `${key.header}..${base64url(iv)}.${base64url(text)}.${base64url(cipher.getAuthTag())}`;
}

function base64url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** The decoder that jose uses: both must overlook (blanks, padding, unused bits) and refuse the same. */
function bytesOf(base64url: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.fromBase64(base64url, { alphabet: "base64url" });
  } catch {
    // Not base64url: rejected like any other malformed cookie.
    return undefined;
  }
}
