/**
 * Host names as requests give them: `name`, `name:port`, `[IPv6]:port`, and nothing else.
 *
 * Stricter than RFC 3986 §3.2, which lets nearly any character into a name: rooms are found by host, so a name that two
 * readers could read differently (userinfo, percent signs, empty labels) is not accepted. One trailing dot is the same
 * name.
 */

import { isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";

const AUTHORITY = /^(?:([a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\.?|\[([0-9a-f:.]+)\])(?::([0-9]{1,5}))?$/i;
/** What most are, and cheap to recognise: a lower-case name without port. */
const PLAIN_NAME = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/;
/** The longest DNS name has 253 characters. */
const LENGTH_MAX = 262;

/** Host name in lower case, without port and without the trailing dot; undefined when `authority` is malformed. */
export function hostOf(authority: string): string | undefined {
  if (authority.length > LENGTH_MAX) return undefined;
  if (PLAIN_NAME.test(authority)) return authority;
  const parts = AUTHORITY.exec(authority);
  if (parts === null) return undefined;
  const [, name, address, port] = parts;
  if (port !== undefined && Number(port) > 65_535) return undefined;
  if (name !== undefined) return name.toLowerCase();
  return address !== undefined && isIPv6(address) ? normalHost(`[${address}]`) : undefined;
}

/** The normal form of a host: lower case, an IPv6 address shortened. */
export function normalHost(host: string): string {
  const isAddress = host.startsWith("[") && isIPv6(host.slice(1, -1));
  return isAddress ? `[${ipaddr.parse(host.slice(1, -1)).toString()}]` : host.toLowerCase();
}
