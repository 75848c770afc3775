/**
 * Log-ins of the dashboard: a cookie that proves that its browser has shown the admin token, and a second value that
 * only the dashboard's own pages can send with an order (CSRF).
 *
 * Nothing is stored: both follow from the token, so another token ends all log-ins.
 */

import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

export const SESSION_COOKIE = "anteroom-dashboard";
export const CSRF_FIELD = "Anteroom-Csrf";

/** A working day. */
const LIFETIME_MS = 12 * 3_600_000;

/** Wrong tokens in a minute, from all addresses: a person needs a few, a program that guesses gets no more. */
const FAILURES_MAX = 10;
const MINUTE_MS = 60_000;

export class Logins {
  readonly #token: string;
  readonly #clock: () => number;
  #failures = 0;
  #countedFromMs = 0;

  /** `clock`: Unix ms. */
  constructor(token: string, clock: () => number) {
    this.#token = token;
    this.#clock = clock;
  }

  /** The value of a new cookie for who shows the token; "wrong", or "wait" after too many wrong ones. */
  logIn(token: string): { readonly cookie: string } | "wrong" | "wait" {
    const nowMs = this.#clock();
    if (Math.abs(nowMs - this.#countedFromMs) >= MINUTE_MS) {
      this.#countedFromMs = nowMs;
      this.#failures = 0;
    }
    if (this.#failures >= FAILURES_MAX) return "wait";
    if (!isSame(this.#mac("token", token), this.#mac("token", this.#token))) {
      this.#failures += 1;
      return "wrong";
    }
    const stem = `${nowMs + LIFETIME_MS}.${randomBytes(12).toString("base64url")}`;
    return { cookie: `${stem}.${this.#mac("session", stem)}` };
  }

  /** Whether a Cookie field proves a log-in that has not ended; the cookie's value, if so. */
  sessionIn(field: string | undefined): string | undefined {
    for (const part of (field ?? "").split("; ")) {
      const value = part.startsWith(`${SESSION_COOKIE}=`) ? part.slice(SESSION_COOKIE.length + 1) : "";
      const [endMs = "", nonce = "", mac = ""] = value.split(".");
      if (isSame(mac, this.#mac("session", `${endMs}.${nonce}`)) && Number(endMs) > this.#clock()) return value;
    }
    return undefined;
  }

  /** What the pages of a session send with their calls. */
  csrfOf(session: string): string {
    return this.#mac("csrf", session);
  }

  /** Whether `sent` is that. */
  isCsrf(session: string, sent: string | undefined): boolean {
    return isSame(sent ?? "", this.csrfOf(session));
  }

  #mac(use: string, text: string): string {
    return createHmac("sha256", this.#token).update(`${use}\n${text}`).digest("base64url");
  }
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
