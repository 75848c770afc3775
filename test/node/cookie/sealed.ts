/** A sealed cookie for tests that can wait for it. */

import type { CookieSeal, VisitorCookie } from "../../../node/cookie/seal.ts";

export function sealed(seal: CookieSeal, cookie: VisitorCookie, nowMs: number): Promise<string> {
  return new Promise((resolve, reject) =>
    seal.seal(cookie, nowMs, (value, error) => (value === undefined ? reject(error) : resolve(value))),
  );
}
