/**
 * Log-ins of the dashboard: a cookie that proves that its browser has shown a token, or that an identity provider knows
 * its person; and a second value that only the dashboard's own pages can send with an order (CSRF).
 *
 * They are in this process's memory alone: a log-in ends by log-out, with its token, after a working day, or with the
 * process.
 */

import { randomBytes, timingSafeEqual } from "node:crypto";
import { sha256Hex } from "../../sha256.ts";
import type { Principal } from "../access/principal.ts";

export const SESSION_COOKIE = "anteroom-dashboard";
/** Of a log-in at the identity provider that has begun. */
export const LOGIN_COOKIE = "anteroom-login";
export const CSRF_FIELD = "Anteroom-Csrf";

/** A working day. */
const LIFETIME_MS = 12 * 3_600_000;

/** Of one token or person: the oldest makes way. Several people may share a token, and have several browsers. */
const LOGINS_OF_ONE_MAX = 50;

export interface Session {
  /** Which token was shown, or who has logged in. */
  readonly id: string;
  /** What a person may do; a token says so itself. */
  readonly person?: Principal | undefined;
  /** What the pages of a session send with their calls. */
  readonly csrf: string;
  readonly untilMs: number;
}

export class Logins {
  /** By the hash of the cookie's value, so that the time it takes to look says nothing about values. */
  readonly #open = new Map<string, Session>();
  readonly #clock: () => number;

  /** `clock`: Unix ms. */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** The value of a new cookie for a browser that has shown the token `id`, or whose person is known by `id`. */
  cookieOf(id: string, person?: Principal): string {
    for (const [key, { untilMs }] of this.#open) if (untilMs <= this.#clock()) this.#open.delete(key);
    const own = [...this.#open].filter(([, session]) => session.id === id);
    const [oldest] = own;
    if (oldest !== undefined && own.length >= LOGINS_OF_ONE_MAX) this.#open.delete(oldest[0]);
    const [value, csrf] = [randomText(), randomText()];
    this.#open.set(sha256Hex(value), { id, person, csrf, untilMs: this.#clock() + LIFETIME_MS });
    return value;
  }

  /** What a Cookie field proves; undefined if nothing, or if the log-in has ended. */
  sessionIn(field: string | undefined): Session | undefined {
    return valuesIn(field)
      .map((value) => this.#open.get(sha256Hex(value)))
      .find((session) => session !== undefined && session.untilMs > this.#clock());
  }

  /** Ends the log-in that a Cookie field proves. */
  end(field: string | undefined): void {
    for (const value of valuesIn(field)) this.#open.delete(sha256Hex(value));
  }
}

/** Whether `sent` is what the pages of a session send. */
export function isCsrf({ csrf }: Session, sent: string | undefined): boolean {
  const [a, b] = [Buffer.from(sent ?? ""), Buffer.from(csrf)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function valuesIn(field: string | undefined): string[] {
  const name = `${SESSION_COOKIE}=`;
  return (field ?? "").split("; ").flatMap((part) => (part.startsWith(name) ? [part.slice(name.length)] : []));
}

/** A value that nobody can guess. */
export function randomText(): string {
  return randomBytes(32).toString("base64url");
}
