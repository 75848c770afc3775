/**
 * Which room a request belongs to: by host, then by the longest path prefix. A name matches before `*`.
 *
 * Another spelling of the path must not be a way around a room. So for each route of a host there are two questions:
 * *could* an origin read the path as below it (`path-reading.ts`), and *must* every origin read it so, because it
 * begins with the route as browsers write it? If more than one room is left, the request is refused: either choice
 * would be a way around the other room. The origin gets the path as it came. On a host with one room on `/` alone no
 * path makes a difference, and none is refused.
 */

import { hexDigit } from "../http/hex-digit.ts";
import { placeOf, type ReadingBounds, readTarget } from "../http/path-reading.ts";

export interface Routed<Value> {
  readonly host: string;
  readonly path: string;
  readonly value: Value;
}

/**
 * The result for a path that lies in one room or another, depending on the server that reads it, or that no browser
 * sends.
 */
export const CONTESTED: unique symbol = Symbol("contested");

const PERCENT = 0x25;
const SLASH = 0x2f;

/** What some or all browsers encode in a path. */
const NEVER_PLAIN = /[^!-~]|["%<>[\]^`{|}]/;

export class RouteTable<Value> {
  readonly #byHost = new Map<string, HostRoutes<Value>>();
  readonly #otherHosts: HostRoutes<Value>;

  constructor(routes: readonly Routed<Value>[]) {
    const any = routes.filter(({ host }) => host === "*").sort(longestFirst);
    for (const host of new Set(routes.map((route) => route.host))) {
      const named = routes.filter((route) => route.host === host).sort(longestFirst);
      this.#byHost.set(host, new HostRoutes([...named, ...any]));
    }
    this.#otherHosts = new HostRoutes(any);
  }

  /** The routes of each host that is named, and of all others as `*`; of each, the one that wins first. */
  hosts(): readonly HostTable<Value>[] {
    const named = Array.from(this.#byHost, ([host, routes]) => routes.table(host));
    return [...named.filter(({ host }) => host !== "*"), this.#otherHosts.table("*")];
  }

  /** Whether there are routes for this host, besides those for every host. */
  names(host: string): boolean {
    return this.#byHost.has(host);
  }

  /** The value of the route for `host` (lower case, without port) and `target` (path and query as they came). */
  find(host: string, target: string): Value | typeof CONTESTED | undefined {
    return (this.#byHost.get(host) ?? this.#otherHosts).find(target);
  }
}

/** The routes of a host, for those who must decide as `find` does. */
export interface HostTable<Value> {
  readonly host: string;
  /** Whether every path has the same value. */
  readonly isUniform: boolean;
  readonly routes: readonly RouteReading<Value>[];
}

export interface RouteReading<Value> {
  readonly value: Value;
  /** Its path in UTF-8 as latin1 text, without a slash at the end. */
  readonly written: string;
  /** Its path in its strongest reading. */
  readonly read: string;
}

/** The routes of one host, the one that wins first. */
class HostRoutes<Value> {
  readonly #routes: readonly RouteReading<Value>[];
  readonly #bounds: ReadingBounds;
  /** Whether every path has the same value. */
  readonly #isUniform: boolean;

  constructor(routes: readonly Routed<Value>[]) {
    const whole = routes.findIndex(({ path }) => path === "/");
    // Routes after one that covers everything are never found.
    const reachable = whole < 0 ? routes : routes.slice(0, whole + 1);
    const segments = reachable.map(({ path }) => path.split("/"));
    this.#bounds = {
      segmentsMax: Math.max(0, ...segments.map((parts) => parts.length)),
      segmentCharsMax: Math.max(0, ...segments.flat().map((part) => part.length)),
    };
    this.#routes = reachable.map(({ path, value }) => ({
      value,
      written: trimSlash(Buffer.from(path, "utf8").toString("latin1")),
      read: trimSlash(placeOf(path, this.#bounds)),
    }));
    this.#isUniform = whole >= 0 && new Set(reachable.map(({ value }) => value)).size === 1;
  }

  table(host: string): HostTable<Value> {
    return { host, isUniform: this.#isUniform, routes: this.#routes };
  }

  find(target: string): Value | typeof CONTESTED | undefined {
    if (this.#isUniform || this.#routes.length === 0) return this.#routes[0]?.value;
    const query = target.indexOf("?");
    const path = query < 0 ? target : target.slice(0, query);
    const places = readTarget(target, this.#bounds);
    if (places === undefined) return CONTESTED;
    let found: Value | undefined;
    for (const { read, written, value } of this.#routes) {
      if (!places.some((place) => covers(read, place))) continue;
      if (found !== undefined && found !== value) return CONTESTED;
      found = value;
      if (begins(path, written)) break;
    }
    return found;
  }
}

/**
 * Whether every origin reads `path` as below the route that is `written` so: it is the same text up to a slash or the
 * end, with nothing encoded but what browsers encode.
 */
function begins(path: string, written: string): boolean {
  let at = 0;
  for (let index = 0; index < written.length; index++) {
    const code = written.charCodeAt(index);
    if (path.charCodeAt(at) === PERCENT) {
      if (!NEVER_PLAIN.test(written.charAt(index))) return false;
      if (hexDigit(path.charCodeAt(at + 1)) * 16 + hexDigit(path.charCodeAt(at + 2)) !== code) return false;
      at += 3;
    } else if (path.charCodeAt(at) === code) at += 1;
    else return false;
  }
  return at === path.length || path.charCodeAt(at) === SLASH;
}

function covers(prefix: string, path: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path.charCodeAt(prefix.length) === SLASH);
}

function longestFirst(one: { readonly path: string }, other: { readonly path: string }): number {
  return other.path.length - one.path.length;
}

function trimSlash(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}
