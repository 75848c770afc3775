/**
 * The visitor cookie on the wire: read from `Cookie`, kept from the origin, written as `Set-Cookie` (RFC 6265).
 */

import type { Room } from "../config/room.ts";
import { nameInCookie } from "../config/room-name.ts";
import { isField } from "../http/fields.ts";
import type { HeaderList } from "../http/message.ts";

/** The names of all our cookies begin like this; none of them is ever passed on to an origin. */
export const COOKIE_PREFIX = "__anteroom_";

/**
 * Cookies of one name that are tried. Any host of the same site can set more of them, also for longer paths, which
 * browsers send first. A request's head has no room for more cookies as long as a good one; trying one costs some µs.
 */
const SAME_NAME_MAX = 128;

/** cookie-octet of RFC 6265 §4.1.1 */
const COOKIE_VALUE = /^[!#-+\--:<-[\]-~]*$/;

/**
 * Name of a cookie that only shows whether the browser keeps any. No room can have this name: none begins with a dot.
 */
export const PROBE_NAME = `${COOKIE_PREFIX}.kept`;

/** The names of the fast lane's cookies begin like this, and those of no other cookie. */
export const LANE_COOKIE_PREFIX = `${COOKIE_PREFIX}lane_`;

/** The names of all our `Secure` cookies begin like this, but for those of the fast lane. */
export const SECURE_COOKIE_PREFIX = `${COOKIE_PREFIX}.s_`;

/**
 * The name of a `Secure` cookie that is called `name` over plain http. No browser lets http change a cookie that https
 * has set (RFC 6265bis §5.7), so with one name for both a visitor who comes by https first keeps no cookie over http.
 * No room can have it: none begins with a dot.
 */
export function secureName(name: string): string {
  return SECURE_COOKIE_PREFIX + name.slice(COOKIE_PREFIX.length);
}

/**
 * Name of the room's cookie. `firstName` keeps it the same when the room is renamed. A dot in front keeps the cookie of
 * a room such as `lane_7` apart from those of the fast lane.
 */
export function cookieNameOf(firstName: string, room: Room): string {
  const name = COOKIE_PREFIX + nameInCookie(firstName) + (room.cookieSuffix === "" ? "" : `_${room.cookieSuffix}`);
  return name.startsWith(LANE_COOKIE_PREFIX) ? `${COOKIE_PREFIX}.${name.slice(COOKIE_PREFIX.length)}` : name;
}

/**
 * Values of the cookie called `name`, or as it is called over https: the longest first, as most junk is shorter than
 * ours; at most 128.
 */
export function cookieValues(headers: HeaderList, name: string): string[] {
  return valuesOf(headers, name, secureName(name));
}

/** The same of the cookie that https alone sets. */
export function secureValues(headers: HeaderList, name: string): string[] {
  return valuesOf(headers, secureName(name), secureName(name));
}

function valuesOf(headers: HeaderList, name: string, secure: string): string[] {
  const values: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    if (!isField(headers[at] ?? "", "cookie")) continue;
    const text = headers[at + 1] ?? "";
    // Searches for the name alone first: most visitors carry a dozen other cookies.
    if (!text.includes(name) && !text.includes(secure)) continue;
    for (const pair of text.split(";")) {
      const equals = pair.indexOf("=");
      const called = pair.slice(0, Math.max(0, equals)).trim();
      if (called !== name && called !== secure) continue;
      const value = pair.slice(equals + 1).trim();
      if (COOKIE_VALUE.test(value)) values.push(value);
    }
  }
  return values.length < 2 ? values : values.sort((a, b) => b.length - a.length).slice(0, SAME_NAME_MAX);
}

/** Whether the browser has sent back any cookie of the room whose cookie is called `name`. */
export function keepsCookies(headers: HeaderList, name: string): boolean {
  return [name, PROBE_NAME].some((one) => cookieValues(headers, one).length > 0);
}

/** `headers` without any of our cookies; a Cookie field that held nothing else is left out. */
export function withoutOurCookies(headers: HeaderList): HeaderList {
  const kept: string[] = [];
  let isChanged = false;
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? "";
    const value = headers[at + 1] ?? "";
    if (!isField(name, "cookie") || !value.includes(COOKIE_PREFIX)) {
      kept.push(name, value);
      continue;
    }
    isChanged = true;
    const pairs = value.split(";").filter((pair) => !pair.trimStart().startsWith(COOKIE_PREFIX));
    const rest = pairs.join(";").trimStart();
    if (rest !== "") kept.push(name, rest);
  }
  return isChanged ? kept : headers;
}

/**
 * A Set-Cookie value. `maxAgeSeconds` 0 removes the cookie.
 *
 * SameSite `auto` is `None` over https, as at Cloudflare: a visitor who comes back from a bank or a log-in by a form of
 * another site must be recognised. Browsers take `None` only with `Secure`, so elsewhere it is `Lax`.
 */
export function setCookie(cookie: {
  readonly name: string;
  readonly value: string;
  readonly maxAgeSeconds: number;
  readonly attributes: Room["cookieAttributes"];
  readonly secure: boolean;
  /** Parent domain of the hosts that get it; empty for this host alone. */
  readonly domain: string;
}): string {
  const { samesite, secure } = cookie.attributes;
  const isSecure = secure === "always" || (secure === "auto" && cookie.secure) || samesite === "none";
  const automatic = isSecure ? "None" : "Lax";
  const sameSite = samesite === "auto" ? automatic : samesite[0]?.toUpperCase() + samesite.slice(1);
  // Proxies look for a token of the fast lane by its own name.
  const name = isSecure && !cookie.name.startsWith(LANE_COOKIE_PREFIX) ? secureName(cookie.name) : cookie.name;
  const base = `${name}=${cookie.value}; Path=/; Max-Age=${Math.max(0, Math.ceil(cookie.maxAgeSeconds))}`;
  const domain = cookie.domain === "" ? "" : `; Domain=${cookie.domain}`;
  return `${base}${domain}; HttpOnly; SameSite=${sameSite}${isSecure ? "; Secure" : ""}`;
}

/** `headers` with a Set-Cookie field for each of `values` that is there. */
export function withSetCookie(headers: HeaderList, ...values: readonly (string | undefined)[]): HeaderList {
  let all: string[] | undefined;
  for (const value of values) {
    if (value === undefined) continue;
    all ??= [...headers];
    all.push("Set-Cookie", value);
  }
  return all ?? headers;
}
