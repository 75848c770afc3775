/**
 * The identity of the client, and what the origin learns about it.
 *
 * What a peer says about others (`X-Forwarded-*`, RFC 7239 `Forwarded`) counts only if the peer is a trusted proxy:
 * then the client is the last address in `X-Forwarded-For` that is not itself a trusted proxy. From all other peers
 * these fields are replaced.
 */

import ipaddr from "ipaddr.js";
import { isField } from "./fields.ts";
import type { Exchange, HeaderList } from "./message.ts";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

export type Cidr = readonly [Address, number];

/** Stands for the address of a peer at a unix socket: a program of this host that may open its file. */
export const UNIX_PEER = "unix:";

export interface Client {
  readonly address: string;
  /** Whether the visitor uses TLS, to us or to a trusted proxy. */
  readonly secure: boolean;
  /** Whether the peer is a trusted proxy. */
  readonly proxied: boolean;
}

/** Addresses checked in one X-Forwarded-For: more proxies in a row than any site has. */
const HOPS_MAX = 32;

/** Parses `10.0.0.0/8`, `::1/128` or a bare address. Throws on anything else; configuration has checked it. */
export function parseCidr(text: string): Cidr {
  if (text.includes("/")) return ipaddr.parseCIDR(text);
  const address = ipaddr.parse(text);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

export function isIn(address: string, cidrs: readonly Cidr[]): boolean {
  const parsed = cidrs.length === 0 ? undefined : addressOf(address);
  return parsed !== undefined && isWithin(parsed, cidrs);
}

function isWithin(address: Address, cidrs: readonly Cidr[]): boolean {
  return cidrs.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}

export function clientOf(exchange: Exchange, trusted: readonly Cidr[]): Client {
  const { remoteAddress, secure } = exchange;
  if (remoteAddress !== UNIX_PEER && !isIn(remoteAddress, trusted))
    return { address: remoteAddress, secure, proxied: false };
  let address = plainAddress(remoteAddress) ?? remoteAddress;
  for (const hop of listOf(exchange.request.headers, "x-forwarded-for").slice(-HOPS_MAX).reverse()) {
    const parsed = addressOf(withoutPort(hop));
    address = parsed?.toString() ?? remoteAddress;
    if (parsed === undefined || !isWithin(parsed, trusted)) break;
  }
  const scheme = listOf(exchange.request.headers, "x-forwarded-proto").at(-1)?.toLowerCase();
  return { address, secure: scheme === undefined ? secure : scheme === "https", proxied: true };
}

/** Some proxies write `192.0.2.1:4711` or `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  const [, ipv4, ipv6] = /^(?:([\d.]+)(?::\d+)?|\[(.+)\](?::\d+)?)$/.exec(hop) ?? [];
  return ipv4 ?? ipv6 ?? hop;
}

/** An address in its one form, IPv4 in IPv6 as IPv4; undefined if it is none. */
export function plainAddress(address: string): string | undefined {
  return addressOf(address)?.toString();
}

/** The names that `ipaddr` gives to private address ranges. */
const PRIVATE_RANGES = new Set(["private", "loopback", "linkLocal", "uniqueLocal", "carrierGradeNat"]);

/** Whether an address is on this host or in a private network. */
export function isPrivate(address: string): boolean {
  return PRIVATE_RANGES.has(addressOf(address)?.range() ?? "");
}

/** The address that limits per address count: an IPv6 visitor has a whole /64 network. */
export function addressGroup(address: string): string {
  return networkOf(address, 4, 4);
}

const OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
/** An IPv4 address as sockets and the parser write it. */
const IPV4 = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`);

/**
 * The network that an address belongs to: IPv4 /24, IPv6 /48. Each is the smallest block that is routed on the
 * Internet, so a visitor cannot have another one without another provider, and neither holds more than 256 households.
 */
export function addressPrefix(address: string): string {
  return networkOf(address, 3, 3);
}

/** The first numbers of an address: `octets` of IPv4, `groups` of IPv6. */
function networkOf(address: string, octets: number, groups: number): string {
  const parsed = addressOf(address);
  if (parsed === undefined) return address;
  return isIpv4(parsed) ? parsed.octets.slice(0, octets).join(".") : parsed.parts.slice(0, groups).join(":");
}

/** IPv4 in IPv6 as IPv4; undefined if it is no address. */
function addressOf(text: string): Address | undefined {
  // What nearly all visitors and proxies have, and a tenth of the time that the parser takes.
  if (IPV4.test(text)) return new ipaddr.IPv4(text.split(".").map(Number));
  // `isValid` parses it, and `parse` twice more.
  try {
    if (!text.includes(":")) return ipaddr.IPv4.parse(text);
    const parsed = ipaddr.IPv6.parse(text);
    return parsed.isIPv4MappedAddress() ? parsed.toIPv4Address() : parsed;
  } catch {
    return undefined;
  }
}

function isIpv4(address: Address): address is ipaddr.IPv4 {
  return address.kind() === "ipv4";
}

/** The fields that are rewritten. With underscores too: CGI and WSGI origins read both as one field. */
const WRITTEN_ANEW = /^(?:forwarded|x[-_]forwarded[-_](?:for|proto|host))$/i;

/**
 * The fields that only a trusted proxy may send: origins also believe `X-Forwarded-Port` and `-Prefix`, and some serve
 * the path in `X-Original-URL` or `X-Rewrite-URL` in place of the one that determined the room.
 */
const FORWARDED_FIELD = /^(?:forwarded|x[-_]forwarded[-_].+|x[-_](?:original|rewrite)[-_]ur[il])$/i;

/** `headers` with updated forwarded fields for the origin. */
export function withForwarded(exchange: Exchange, client: Client, headers: HeaderList): string[] {
  const { remoteAddress, request } = exchange;
  const said = (name: string): string => (client.proxied ? listOf(request.headers, name).join(", ") : "");
  const scheme = client.secure ? "https" : "http";
  const hop = remoteAddress === UNIX_PEER ? "" : remoteAddress;
  const forNode = hop.includes(":") ? `"[${hop}]"` : hop || "unknown";
  const { authority } = request;
  // An HTTP/1.0 request may have none.
  const hostPart = authority === "" ? "" : `host=${/^[\w.-]+$/.test(authority) ? authority : `"${authority}"`};`;
  const element = `for=${forNode};${hostPart}proto=${scheme}`;
  const dropped = client.proxied ? WRITTEN_ANEW : FORWARDED_FIELD;
  const kept: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? "";
    if (!dropped.test(name)) kept.push(name, headers[at + 1] ?? "");
  }
  const forwardedFor = join(said("x-forwarded-for"), hop);
  if (forwardedFor !== "") kept.push("X-Forwarded-For", forwardedFor);
  kept.push("X-Forwarded-Proto", scheme);
  const host = said("x-forwarded-host") || authority;
  if (host !== "") kept.push("X-Forwarded-Host", host);
  kept.push("Forwarded", join(said("forwarded"), element));
  return kept;
}

function join(before: string, value: string): string {
  return [before, value].filter((text) => text !== "").join(", ");
}

/** All values of a list field, in order. */
function listOf(headers: HeaderList, name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    if (!isField(headers[at] ?? "", name)) continue;
    values.push(...(headers[at + 1] ?? "").split(",").map((value) => value.trim()));
  }
  return values.filter((value) => value !== "");
}
