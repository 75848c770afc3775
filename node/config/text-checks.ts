/**
 * Checks of single texts that rooms and settings share: host names, paths, base URLs, address ranges.
 *
 * Each returns what is wrong and how to repair it, or undefined. A text that would be accepted but never match (a host
 * with a port, an escaped path) is refused: a room that silently protects nothing is the worst outcome of a typo.
 */

import ipaddr from "ipaddr.js";
import { parseOrigin, UNIX_PREFIX } from "../http/origin-target.ts";
import type { Complaint } from "./problem.ts";
import { rampLevel, rampOf } from "./ramp.ts";

/** A host name. */
export const HOST = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/i;
const HOST_REPAIR = 'write a host name such as shop.example.com, or "*" for every host';
const PATH_REPAIR = "write a path such as /tickets, or / for all; paths below it are covered too";
/** The shortest of all systems' limits (macOS: 104 with the closing zero). */
const UNIX_PATH_BYTES_MAX = 103;

const ORIGIN_REPAIR = "write a base URL such as http://127.0.0.1:3000 or https://origin.example.com";
const RAMP_REPAIR =
  'write START/PERCENT/MINUTES, such as "500/s/50/5" (500 new users a second at first, half as many more every 5 minutes) or "600/min/50/5"';
const RAMP_START_MAX = 10_000_000;
const RAMP_PERCENT_MAX = 1_000;
const RAMP_MINUTES_MAX = 1_440;
const RANGE_REPAIR = "write an address or a CIDR range, such as 203.0.113.7, 10.0.0.0/8 or 2001:db8::/32";

/** A room's host: `*`, a host name, an IPv4 address or an IPv6 address in brackets; no scheme, port or path. */
export function hostComplaint(host: string): Complaint {
  if (host === "*" || HOST.test(host)) return undefined;
  if (/^\[.*\]$/.test(host) && ipaddr.IPv6.isValid(host.slice(1, -1))) return undefined;
  if (host.includes("://")) return { problem: "has a scheme", repair: HOST_REPAIR };
  if (host.includes("/")) return { problem: "has a path", repair: `${HOST_REPAIR}; the path is a field of its own` };
  if (host.includes("*")) return { problem: "has a wildcard within a name", repair: `${HOST_REPAIR}; list the names` };
  if (/:\d*$/.test(host)) return { problem: "has a port", repair: `${HOST_REPAIR}; a room covers every port` };
  if (/\P{ASCII}/u.test(host)) return { problem: "is not in ASCII", repair: "write the name in its xn--… form" };
  return { problem: "is not a host name", repair: HOST_REPAIR };
}

/** The name by which an origin is asked; empty for that of the visitor. */
export function originHostComplaint(host: string): Complaint {
  if (host === "*") return { problem: "is no host name", repair: HOST_REPAIR };
  return host === "" ? undefined : hostComplaint(host);
}

/** A ramp as text: start with its unit, percent, minutes. */
export function rampComplaint(ramp: string): Complaint {
  if (ramp === "") return undefined;
  const [form, unit] = /^\d+(\/s|\/min|)\/\d+(?:\.\d+)?\/\d+$/.exec(ramp) ?? [];
  if (form === undefined) return { problem: "is not START/PERCENT/MINUTES", repair: RAMP_REPAIR };
  if (unit === "") return { problem: "does not say whether it starts per second or per minute", repair: RAMP_REPAIR };
  const read = rampOf(ramp);
  const { percent, minutes } = read;
  const perMinute = rampLevel(read, 0);
  if (perMinute < 1 || perMinute > RAMP_START_MAX) {
    return { problem: "does not start at 1 to 10,000,000 new users per minute", repair: RAMP_REPAIR };
  }
  if (percent <= 0 || percent > RAMP_PERCENT_MAX) {
    return { problem: `does not grow by above 0 to ${RAMP_PERCENT_MAX} percent`, repair: RAMP_REPAIR };
  }
  if (minutes < 1 || minutes > RAMP_MINUTES_MAX) {
    return { problem: `does not grow every 1 to ${RAMP_MINUTES_MAX} minutes`, repair: RAMP_REPAIR };
  }
  return undefined;
}

/** A text that others hash: spaces at its ends and line breaks would not be seen. */
export function oneLineComplaint(line: string): Complaint {
  const repair = "write it in one line, without spaces at its ends";
  if (/[\p{Cc}\u2028\u2029]/u.test(line)) return { problem: "has a line break or another control character", repair };
  return line === line.trim() ? undefined : { problem: "begins or ends with a space", repair };
}

/** A room's path prefix, as it reads once decoded and normalised. */
export function pathComplaint(path: string): Complaint {
  if (!path.startsWith("/")) return { problem: "does not start with /", repair: PATH_REPAIR };
  if (/[?#]/.test(path)) return { problem: "has a query or fragment", repair: PATH_REPAIR };
  if (path.includes("*")) return { problem: "has a wildcard", repair: PATH_REPAIR };
  if (/%[0-9a-f]{2}/i.test(path)) {
    return { problem: "is percent-encoded", repair: "write it decoded: requests are compared after decoding" };
  }
  if (path.includes(";")) {
    return {
      problem: "has path parameters",
      repair: "write it without ; and what follows: requests are compared without them",
    };
  }
  if (/\s|\p{Cc}|\\/u.test(path)) return { problem: "has white space or a backslash", repair: PATH_REPAIR };
  if (path.includes("//") || /\/\.\.?(\/|$)/.test(path)) {
    return { problem: "is not normalised", repair: "write it without //, /./ and /../: no request matches those" };
  }
  if (/\.(\/|$)/.test(path)) {
    return {
      problem: "has a part that ends in a dot",
      repair: "write it without the dot: requests are compared without it",
    };
  }
  return undefined;
}

/** An origin's base URL (http or https, host, optional port and path prefix), or its unix socket. */
export function originComplaint(text: string): Complaint {
  if (text.startsWith(UNIX_PREFIX)) return unixPathComplaint(text);
  if (!/^https?:\/\//i.test(text)) {
    const repair = /^[\w.-]+(:\d+)?(\/|$)/.test(text) ? `write http://${text}` : ORIGIN_REPAIR;
    return { problem: "does not start with http://, https:// or unix:", repair };
  }
  const url = URL.parse(text);
  if (url === null) return { problem: "is not a URL", repair: ORIGIN_REPAIR };
  if (url.username !== "" || url.password !== "") return { problem: "has a user name", repair: ORIGIN_REPAIR };
  if (/[?#]/.test(text)) return { problem: "has a query or fragment", repair: ORIGIN_REPAIR };
  // A value that the gate cannot use must not get into a room: it would break every node of the mesh.
  if (parseOrigin(text) === undefined) {
    return { problem: "has a host, port or path to which no request can be sent", repair: ORIGIN_REPAIR };
  }
  return undefined;
}

/** The base URL of a collector of traces. */
export function collectorComplaint(text: string): Complaint {
  const repair = "write a base URL such as http://127.0.0.1:4318";
  if (!/^https?:\/\//i.test(text)) return { problem: "does not start with http:// or https://", repair };
  const complaint = originComplaint(text);
  return complaint && { problem: complaint.problem, repair };
}

/** `unix:` and the absolute path of a socket, as short as the system needs it. */
export function unixPathComplaint(text: string): Complaint {
  const path = text.slice(UNIX_PREFIX.length);
  const repair = `write ${UNIX_PREFIX} and an absolute path, such as ${UNIX_PREFIX}/run/shop.sock`;
  if (!path.startsWith("/") || path.endsWith("/")) return { problem: "is not the absolute path of a socket", repair };
  if (/[\s,\p{Cc}]/u.test(path)) return { problem: "has white space or a comma in its path", repair };
  if (Buffer.byteLength(path) > UNIX_PATH_BYTES_MAX) {
    return { problem: `has a path of more than ${UNIX_PATH_BYTES_MAX} bytes`, repair };
  }
  return undefined;
}

/** An IPv4 or IPv6 address, or a range of them in CIDR form. */
export function rangeComplaint(text: string): Complaint {
  if (rangeOf(text) !== undefined) return undefined;
  return { problem: "is not an address or range", repair: RANGE_REPAIR };
}

/** The normal form of a range: a bare address as /32 or /128, IPv6 shortened. The text must be a range. */
export function normalRange(text: string): string {
  return rangeOf(text) ?? text;
}

function rangeOf(text: string): string | undefined {
  const [address = "", bits, ...rest] = text.split("/");
  const version4 = ipaddr.IPv4.isValidFourPartDecimal(address);
  if (rest.length > 0 || !(version4 || (ipaddr.IPv6.isValid(address) && !address.includes("%")))) return undefined;
  const bitsMax = version4 ? 32 : 128;
  if (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax)) return undefined;
  return `${ipaddr.parse(address).toString()}/${Number(bits ?? bitsMax)}`;
}

/** A customer id of Queue-it's connectors: a part of addresses. */
export function customerComplaint(customer: string): Complaint {
  if (/^[A-Za-z0-9-]{1,64}$/.test(customer)) return undefined;
  return { problem: "is not a customer id", repair: "write 1 to 64 letters, digits and hyphens" };
}
