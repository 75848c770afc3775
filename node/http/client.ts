/**
 * What proxies in front say about a request: who the client is, what the origin learns about it, and whether the
 * request has been here before.
 *
 * What a peer says about others (`X-Forwarded-*`, RFC 7239 `Forwarded`) counts only if the peer is a trusted proxy:
 * then the client is the last address in `X-Forwarded-For` that is not itself a trusted proxy, or the one in a field of
 * the proxy's own. Each proxy adds a value to these lists, or replaces them: of protocol and host that value counts
 * which the outermost trusted proxy wrote. From all other peers these fields are replaced.
 */

import { createHash } from "node:crypto";
import ipaddr from "ipaddr.js";
import { isField } from "./fields.ts";
import type { Exchange, HeaderList } from "./message.ts";
import { hostOf } from "./request-head.ts";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

export type Cidr = readonly [Address, number];

/** Stands for the address of a peer at a unix socket: a program of this host that may open its file. */
export const UNIX_PEER = "unix:";

/**
 * Stands for the address of a client whose balancer names none: nobody trusts it. The balancer's own address would make
 * a visitor a trusted proxy.
 */
export const UNKNOWN_PEER = "unknown";

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

/** `field`: the one in which the trusted proxies name the client; undefined for `X-Forwarded-For`. */
export function clientOf(exchange: Exchange, trusted: readonly Cidr[], field?: string): Client {
  const { remoteAddress, secure } = exchange;
  if (remoteAddress !== UNIX_PEER && !isIn(remoteAddress, trusted))
    return { address: remoteAddress, secure, proxied: false };
  const { headers } = exchange.request;
  const { address, proxies } = outermost(exchange, trusted);
  const scheme = saidBy(listOf(headers, "x-forwarded-proto"), proxies)?.toLowerCase();
  return {
    address: (field === undefined ? undefined : addressIn(headers, field)) ?? address,
    // Of a WebSocket, Traefik says its own scheme.
    secure: scheme === undefined ? secure : scheme === "https" || scheme === "wss",
    proxied: true,
  };
}

/** The host that visitors asked a trusted proxy for, as it says; undefined if it does not say, or not clearly. */
export function forwardedHost(exchange: Exchange, trusted: readonly Cidr[]): string | undefined {
  const { proxies } = outermost(exchange, trusted);
  const authority = saidBy(listOf(exchange.request.headers, "x-forwarded-host"), proxies);
  return authority === undefined ? undefined : hostOf(authority);
}

/** The client of the outermost trusted proxy, and how many trusted ones are in a row, the peer included. */
function outermost(
  { remoteAddress, request }: Exchange,
  trusted: readonly Cidr[],
): { address: string; proxies: number } {
  let address = plainAddress(remoteAddress) ?? remoteAddress;
  let proxies = 0;
  for (const hop of listOf(request.headers, "x-forwarded-for").slice(-HOPS_MAX).reverse()) {
    const parsed = addressOf(withoutPort(hop));
    address = parsed?.toString() ?? remoteAddress;
    proxies += 1;
    if (parsed === undefined || !isWithin(parsed, trusted)) break;
  }
  return { address, proxies };
}

/** The value that the outermost of so many proxies wrote: a proxy that replaces the list leaves fewer. */
function saidBy(values: readonly string[], proxies: number): string | undefined {
  return values[Math.max(0, values.length - Math.max(1, proxies))];
}

/**
 * The address in a field of a proxy's own; undefined unless it is there once and has one. CloudFront adds the port, and
 * writes IPv6 addresses without brackets.
 */
function addressIn(headers: HeaderList, field: string): string | undefined {
  const [value, ...others] = listOf(headers, field);
  if (value === undefined || others.length > 0) return undefined;
  const isCloudFront = /^cloudfront-viewer-address$/i.test(field) && !value.startsWith("[");
  return plainAddress(isCloudFront ? value.replace(/:\d{1,5}$/, "") : withoutPort(value));
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
  return networkOf(address, 4);
}

const OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
/** An IPv4 address as sockets and the parser write it. */
const IPV4 = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`);

/**
 * The network that an address belongs to: IPv4 /24, IPv6 /48. Each is the smallest block that is routed on the
 * Internet, so a visitor cannot have another one without another provider, and neither holds more than 256 households.
 */
export function addressPrefix(address: string): string {
  return networkOf(address, 3);
}

/** The first numbers of an address: octets of IPv4, groups of IPv6. */
function networkOf(address: string, numbers: number): string {
  const parsed = addressOf(address);
  if (parsed === undefined) return address;
  return isIpv4(parsed) ? parsed.octets.slice(0, numbers).join(".") : parsed.parts.slice(0, numbers).join(":");
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

/**
 * `headers` with updated forwarded fields for the origin. `field`: the one in which trusted proxies name the client;
 * others may not.
 */
export function withForwarded(exchange: Exchange, client: Client, headers: HeaderList, field = ""): string[] {
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
    const isClaim = !client.proxied && field !== "" && name.toLowerCase().replaceAll("_", "-") === field;
    if (!dropped.test(name) && !isClaim) kept.push(name, headers[at + 1] ?? "");
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

/** The first field that says what only a proxy knows, by name; undefined if there is none. */
export function forwardedField(headers: HeaderList): string | undefined {
  for (let at = 0; at < headers.length; at += 2) if (FORWARDED.test(headers[at] ?? "")) return headers[at];
  return undefined;
}

const FORWARDED = /^(?:forwarded|x-forwarded-(?:for|proto|host))$/i;

/**
 * Requests that come back: an origin that leads to a gate of the same mesh, directly or through other proxies.
 *
 * Without a mark the request would loop until connections run out, and take a slot each time. The mark is in the field
 * that RFC 8586 made for it, `CDN-Loop`; `Via` is only read, as servers change their answers when they get one (nginx
 * no longer compresses).
 */
export const LOOP_FIELD = "CDN-Loop";

/** Digits of the mesh's mark: no other mesh has it by chance. */
const MARK_DIGITS = 16;

/** The name by which the gates of a mesh recognise their own requests; reveals nothing else about the mesh. */
export function loopNameOf(meshId: string): string {
  return `anteroom-${createHash("sha256").update(`anteroom loop ${meshId}`).digest("hex").slice(0, MARK_DIGITS)}`;
}

/** Whether a request has been through a gate of this mesh already. */
export function hasPassed(headers: HeaderList, loopName: string): boolean {
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? "";
    if ((isField(name, "cdn-loop") || isField(name, "via")) && headers[at + 1]?.toLowerCase().includes(loopName))
      return true;
  }
  return false;
}
