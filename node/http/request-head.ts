/**
 * A request's head, from text to fields, or the refusal it gets (RFC 9112 §2 to §6, RFC 9110 §7.2).
 *
 * Strict on purpose: anything but HTTP/1.1 as browsers and tools write it is refused here and never reaches the origin,
 * so that gate and origin cannot disagree on where a request ends, what its host is or what it requests.
 */

import { isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";
import { isToken, listMembers, parseFields, type Refusal, type SeparatedFields, separateFields } from "./fields.ts";
import { type Framing, requestFraming } from "./framing.ts";
import type { HttpLimits } from "./limits.ts";
import type { RequestHead } from "./message.ts";

export interface ParsedRequest {
  readonly head: RequestHead;
  readonly framing: Framing;
  /** Whether the client would use the connection for a further request. */
  readonly keepAlive: boolean;
  /** Whether the client waits for 100 (Continue) before it sends the body. */
  readonly expectsContinue: boolean;
  readonly webSocket: boolean;
}

interface RequestLine {
  readonly method: string;
  readonly target: string;
  readonly minorVersion: 0 | 1;
}

export type HeadLimits = Pick<HttpLimits, "headBytesMax" | "targetBytesMax" | "fieldsMax">;

const TARGET = /^[\x21\x22\x24-\x7e\x80-\xff]+$/;
const ABSOLUTE_FORM = /^https?:\/\/([^/?]*)(.*)$/is;

/**
 * A tunnel through us, an echo of cookies, and the first word of HTTP/2's preface (RFC 9113 §3.4), which an origin may
 * take for such a preface.
 */
const NOT_OFFERED = new Set(["CONNECT", "TRACE", "PRI"]);

/** Whether a request with this method may reach an origin. */
export function isOffered(method: string): boolean {
  return !NOT_OFFERED.has(method);
}

/** What a 405 answer lists in `Allow`. */
export const ALLOWED_METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

/** Parses a whole head: request line and field lines, each with its CRLF, without the empty line. */
export function parseRequestHead(text: string, limits: HeadLimits): ParsedRequest | Refusal {
  const lineEnd = text.indexOf("\r\n");
  const line = parseRequestLine(text.slice(0, lineEnd), limits);
  if (isRefusal(line)) return line;
  if (text.length > limits.headBytesMax) return headTooLong(limits);
  const fields = parseFields(text, lineEnd + 2, limits.fieldsMax);
  if (!Array.isArray(fields)) return fields;
  const separated = separateFields(fields);
  if (separated === undefined) return { status: 400, reason: "a framing field in disguise" };
  return interpret(line, separated);
}

/** Whether parsing ended in a refusal. */
export function isRefusal(result: ParsedRequest | RequestLine | Refusal): result is Refusal {
  return "reason" in result;
}

export function headTooLong(limits: HeadLimits): Refusal {
  return { status: 431, reason: `the head is longer than ${limits.headBytesMax} bytes` };
}

export function targetTooLong(limits: HeadLimits): Refusal {
  return { status: 414, reason: `the target is longer than ${limits.targetBytesMax} bytes` };
}

/** Reads a request line, given without its CRLF. */
export function parseRequestLine(line: string, limits: HeadLimits): RequestLine | Refusal {
  const first = line.indexOf(" ");
  const second = line.indexOf(" ", first + 1);
  if (first < 0 || second < 0) return { status: 400, reason: "the request line is not method, target and version" };
  const method = line.slice(0, first);
  const target = line.slice(first + 1, second);
  const version = line.slice(second + 1);
  if (!isToken(method)) return { status: 400, reason: "the method is not a token" };
  if (version !== "HTTP/1.1" && version !== "HTTP/1.0") {
    return /^HTTP\/[0-9]\.[0-9]$/.test(version)
      ? { status: 505, reason: "only HTTP/1.1 and HTTP/1.0 are spoken here" }
      : { status: 400, reason: "the request line is not method, target and version" };
  }
  if (!isOffered(method)) return { status: 405, reason: `${method} is not offered` };
  if (target.length > limits.targetBytesMax) return targetTooLong(limits);
  if (!TARGET.test(target)) return { status: 400, reason: "the target holds a character that no target may" };
  return { method, target, minorVersion: version === "HTTP/1.1" ? 1 : 0 };
}

function interpret(line: RequestLine, fields: SeparatedFields): ParsedRequest | Refusal {
  const { method, minorVersion } = line;
  if (fields.hostCount > 1) return { status: 400, reason: "there is more than one Host field" };
  if (fields.hostCount === 0 && minorVersion === 1) return { status: 400, reason: "there is no Host field" };
  const host = fields.hostCount === 0 ? "" : hostOf(fields.host);
  if (host === undefined) return { status: 400, reason: "the Host field is not a host name with an optional port" };
  const target = originForm(line, fields.host);
  if (target === undefined) return { status: 400, reason: "the target is neither a path nor a URL of the named host" };
  const framing = requestFraming(fields, minorVersion);
  if (typeof framing === "object") return framing;
  const expectations = fields.expect === "" ? [] : listMembers(fields.expect);
  if (expectations.some((expectation) => expectation !== "100-continue")) {
    return { status: 417, reason: "of expectations only 100-continue is met" };
  }

  const options = fields.connection === "" ? [] : listMembers(fields.connection);
  const close = options.includes("close");
  return {
    head: { method, target, minorVersion, headers: fields.endToEnd, authority: fields.host, host },
    framing,
    keepAlive: !close && (minorVersion === 1 || options.includes("keep-alive")),
    expectsContinue: minorVersion === 1 && expectations.length > 0,
    webSocket:
      fields.upgrade === "websocket" &&
      method === "GET" &&
      minorVersion === 1 &&
      framing === "none" &&
      options.includes("upgrade"),
  };
}

/**
 * The target as path and query, or `*`; a URL only if it names the same authority as Host (RFC 9112 §3.2.2, §3.2.4).
 */
function originForm({ method, target }: RequestLine, authority: string): string | undefined {
  if (target.startsWith("/")) return target;
  if (method === "OPTIONS" && target === "*") return target;
  const parts = ABSOLUTE_FORM.exec(target);
  if (parts === null || authority === "" || parts[1]?.toLowerCase() !== authority.toLowerCase()) return undefined;
  const rest = parts[2] ?? "";
  if (method === "OPTIONS" && rest === "") return "*";
  return rest.startsWith("/") ? rest : `/${rest}`;
}

const AUTHORITY = /^(?:([a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\.?|\[([0-9a-f:.]+)\])(?::([0-9]{1,5}))?$/i;
/** What most are, and cheap to recognise: a lower-case name without port. */
const PLAIN_NAME = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/;
/** The longest DNS name has 253 characters. */
const LENGTH_MAX = 262;

/**
 * Host name of `name`, `name:port` or `[IPv6]:port`: in lower case, without port and without the trailing dot.
 * Undefined for anything else.
 *
 * Stricter than RFC 3986 §3.2, which lets nearly any character into a name: rooms are found by host, so a name that two
 * readers could read differently (userinfo, percent signs, empty labels) is not accepted.
 */
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
