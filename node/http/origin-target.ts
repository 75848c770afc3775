/**
 * An origin's base URL, parsed once.
 *
 * Only URLs that a proxy can honour are accepted: http or https, a host, a port, a path to put before every target.
 */

import type { OriginTarget } from "./message.ts";
import { hostOf } from "./request-head.ts";

/** What a unix socket's path begins with where an address is expected. */
export const UNIX_PREFIX = "unix:";

/**
 * Parses a base URL such as `https://shop.internal:8443/base`, or `unix:/run/shop.sock`; returns a text that says what
 * must hold when it cannot be used.
 */
export function parseOrigin(url: string): OriginTarget | string {
  if (url.startsWith(UNIX_PREFIX)) {
    const unix = url.slice(UNIX_PREFIX.length);
    return { hostname: "localhost", port: 80, tls: false, basePath: "", authority: "localhost", unix };
  }
  const parts = /^(https?):\/\/([^/?#]*)([^?#]*)(.*)$/is.exec(url);
  if (parts === null) return `an origin must be a URL that starts with http:// or https://: current value is ${url}`;
  const [, scheme = "", authority = "", path = "", rest] = parts;
  // Not shown: the part before an @ is a password.
  if (authority.includes("@")) return "an origin must hold no user name or password";
  if (rest !== "") return `an origin must have no query and no fragment: current value is ${url}`;
  const host = hostOf(authority);
  if (host === undefined) return `an origin must name a host with an optional port: current value is ${url}`;
  if (!/^[\x21-\x7e]*$/.test(path)) return `an origin's path must be visible ASCII: current value is ${url}`;
  const tls = scheme.toLowerCase() === "https";
  const port = /:([0-9]+)$/.exec(authority)?.[1];
  if (port !== undefined && Number(port) === 0) return `an origin's port must be 1 to 65535: current value is ${url}`;
  return {
    hostname: host.startsWith("[") ? host.slice(1, -1) : host,
    port: port === undefined ? (tls ? 443 : 80) : Number(port),
    tls,
    basePath: path.replace(/\/+$/, ""),
    authority: authority.toLowerCase(),
  };
}
