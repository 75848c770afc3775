/**
 * Log-ins of the dashboard: a cookie that proves that its browser has shown a token, and a second value that only the
 * dashboard's own pages can send with an order (CSRF).
 *
 * Nothing is stored: both follow from the host's own token, so another one ends all log-ins. The cookie says which
 * token was shown, by its hash; a log-in ends with that token.
 */

import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

export const SESSION_COOKIE = "anteroom-dashboard";
export const CSRF_FIELD = "Anteroom-Csrf";

/** A working day. */
const LIFETIME_MS = 12 * 3_600_000;

export interface Session {
  /** Of the cookie. */
  readonly value: string;
  /** Which token was shown. */
  readonly id: string;
}

export class Logins {
  readonly #secret: string;
  readonly #clock: () => number;

  /** `clock`: Unix ms. */
  constructor(secret: string, clock: () => number) {
    this.#secret = secret;
    this.#clock = clock;
  }

  /** The value of a new cookie for a browser that has shown the token `id`. */
  cookieOf(id: string): string {
    const stem = `${this.#clock() + LIFETIME_MS}~${randomBytes(12).toString("base64url")}~${id}`;
    return `${stem}~${this.#mac("session", stem)}`;
  }

  /** What a Cookie field proves; undefined if nothing, or if the log-in has ended. */
  sessionIn(field: string | undefined): Session | undefined {
    for (const part of (field ?? "").split("; ")) {
      const value = part.startsWith(`${SESSION_COOKIE}=`) ? part.slice(SESSION_COOKIE.length + 1) : "";
      const [endMs = "", nonce = "", id = "", mac = ""] = value.split("~");
      const isOurs = isSame(mac, this.#mac("session", `${endMs}~${nonce}~${id}`));
      if (isOurs && Number(endMs) > this.#clock()) return { value, id };
    }
    return undefined;
  }

  /** What the pages of a session send with their calls. */
  csrfOf({ value }: Session): string {
    return this.#mac("csrf", value);
  }

  /** Whether `sent` is that. */
  isCsrf(session: Session, sent: string | undefined): boolean {
    return isSame(sent ?? "", this.csrfOf(session));
  }

  #mac(use: string, text: string): string {
    return createHmac("sha256", this.#secret).update(`${use}\n${text}`).digest("base64url");
  }
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
