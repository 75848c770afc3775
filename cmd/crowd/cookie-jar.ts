/**
 * The cookies of one visitor, kept as a browser keeps them: by name and path, until their Max-Age or Expires is over.
 *
 * A jar is of one host, so `Domain` has no effect. `Secure` has none either: a rehearsal over plain HTTP should keep
 * the cookies that the site keeps over HTTPS.
 */

import { COOKIE_PREFIX, LANE_COOKIE_PREFIX, SECURE_COOKIE_PREFIX } from "../../node/cookie/cookie-header.ts";

export interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  /** Unix ms; infinite for a cookie of the browser's session. */
  readonly untilMs: number;
}

/** Browsers keep about as many for one host; a site that sets more loses the oldest. */
const COOKIES_MAX = 150;

export class CookieJar {
  /** By name and path, the oldest first. */
  readonly #cookies = new Map<string, Cookie>();

  /** Keeps what an answer sets, by the values of its Set-Cookie fields. */
  keep(lines: Iterable<string>, nowMs: number): void {
    for (const line of lines) this.#keepOne(line, nowMs);
  }

  /** Value of the Cookie field for a request of `path`; undefined for none. */
  field(path: string, nowMs: number): string | undefined {
    const pairs = this.#good(nowMs).flatMap((cookie) =>
      isUnder(path, cookie.path) ? [`${cookie.name}=${cookie.value}`] : [],
    );
    return pairs.length === 0 ? undefined : pairs.join("; ");
  }

  /** A waiting room's own cookie, which is renewed with each answer: the last one set; undefined for none. */
  ofRoom(nowMs: number): Cookie | undefined {
    return this.#good(nowMs).findLast(({ name }) => isOfRoom(name));
  }

  #good(nowMs: number): Cookie[] {
    for (const [key, { untilMs }] of this.#cookies) if (untilMs <= nowMs) this.#cookies.delete(key);
    return [...this.#cookies.values()];
  }

  #keepOne(line: string, nowMs: number): void {
    if (!/^\s*[^=;\s]+=/.test(line)) return;
    const { name, value, path, maxAge, expires } = Bun.Cookie.parse(line);
    const key = `${name};${path}`;
    this.#cookies.delete(key);
    // Max-Age comes before Expires (RFC 6265 §5.3).
    const endMs = maxAge === undefined ? expires?.getTime() : nowMs + 1_000 * maxAge;
    if (endMs !== undefined && endMs <= nowMs) return;
    this.#cookies.set(key, { name, value, path, untilMs: endMs ?? Number.POSITIVE_INFINITY });
    const [oldest] = this.#cookies.keys();
    if (this.#cookies.size > COOKIES_MAX && oldest !== undefined) this.#cookies.delete(oldest);
  }
}

/** The keeper of a pass begins with a dot behind the prefix. */
function isOfRoom(name: string): boolean {
  const plain = name.replace(SECURE_COOKIE_PREFIX, COOKIE_PREFIX);
  return (
    plain.startsWith(COOKIE_PREFIX) && !plain.startsWith(LANE_COOKIE_PREFIX) && plain[COOKIE_PREFIX.length] !== "."
  );
}

/** RFC 6265 §5.1.4. */
function isUnder(path: string, base: string): boolean {
  if (!path.startsWith(base)) return false;
  return base.endsWith("/") || path.length === base.length || /[/?]/.test(path[base.length] ?? "");
}
