/**
 * An origin's base URL, parsed once.
 *
 * Only URLs that a proxy can honour are accepted: http or https, a host, a port, a path to put before every target.
 */

import type { OriginTarget } from "./message.ts";
import { hostOf } from "./request-head.ts";

/** What a unix socket's path begins with where an address is expected. */
export const UNIX_PREFIX = "unix:";

/** Visible ASCII without a query and a fragment. */
const PATH = /^[!"$->@-~]*$/;

/** Parses a base URL such as `https://shop.internal:8443/base`, or `unix:/run/shop.sock`; undefined for any other. */
export function parseOrigin(url: string): OriginTarget | undefined {
  if (url.startsWith(UNIX_PREFIX)) {
    const unix = url.slice(UNIX_PREFIX.length);
    return { hostname: "localhost", port: 80, tls: false, basePath: "", authority: "localhost", unix };
  }
  const [, scheme = "", authority = "", path = ""] = /^(https?):\/\/([^/?#]*)(.*)$/is.exec(url) ?? [];
  const host = hostOf(authority);
  const port = /:([0-9]+)$/.exec(authority)?.[1];
  if (host === undefined || Number(port) === 0 || !PATH.test(path)) return undefined;
  const tls = scheme.toLowerCase() === "https";
  return {
    hostname: host.startsWith("[") ? host.slice(1, -1) : host,
    port: port === undefined ? (tls ? 443 : 80) : Number(port),
    tls,
    basePath: path.replace(/\/+$/, ""),
    authority: authority.toLowerCase(),
  };
}
