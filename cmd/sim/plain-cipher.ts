/**
 * A cipher for simulated cookies: it hides nothing, so it costs next to nothing. Forged cookies are tested elsewhere.
 *
 * A value is available at once, as early as a seal can be: a crash takes away from an issued cookie whatever is not on
 * disk by then.
 */

import type { CookieCipher, VisitorCookie } from "../../node/cookie/seal.ts";

export const PLAIN: CookieCipher = {
  encrypt: (plain, _nowMs, sealed) => sealed(Buffer.from(plain).toString("base64url")),
  decrypt: (value) => Buffer.from(value, "base64url"),
  periodOf: () => 0,
};

/** What a cookie says. */
export function readPlain(value: string): VisitorCookie {
  return JSON.parse(Buffer.from(value, "base64url").toString("latin1")) as VisitorCookie;
}
