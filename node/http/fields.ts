/**
 * Header and trailer fields: a strict reader of field lines (RFC 9112 §5), a writer that cannot be injected into, and
 * the fields that belong to one connection only.
 *
 * The reader accepts a line only if every receiver behind us reads it the same way: no folded lines, no space before
 * the colon, no control characters, no bare CR or LF. All text is latin1, so bytes above 0x7f come through unchanged.
 */

import type { HeaderList } from "./message.ts";

/** A refused message: the status of the answer and the reason, in our own words only. */
export interface Refusal {
  readonly status: number;
  readonly reason: string;
}

/** Of an answer of our own: no cache keeps it, because the next request may get another one. */
export const NO_STORE: HeaderList = ["Cache-Control", "private, no-store"];

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const NOT_FIELD_TEXT = /[^\t\x20-\x7e\x80-\xff]/;

/** Whether `text` is a token (RFC 9110 §5.6.2): a method or a field name. */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** Whether `text` holds only what a field value or a reason phrase may: visible latin1, spaces and tabs. */
export function isFieldText(text: string): boolean {
  return !NOT_FIELD_TEXT.test(text);
}

/**
 * Whether `name` is `wanted` (lower case) in any case. Most names differ in their length or their first letter (bit 5
 * is its case), and need no lower-case copy.
 */
export function isField(name: string, wanted: string): boolean {
  if (name.length !== wanted.length || (name.charCodeAt(0) | 0x20) !== (wanted.charCodeAt(0) | 0x20)) return false;
  return name === wanted || name.toLowerCase() === wanted;
}

/** Value of the first field called `name` (lower case), or undefined. */
export function fieldValue(fields: HeaderList, name: string): string | undefined {
  for (let at = 0; at < fields.length; at += 2) if (isField(fields[at] ?? "", name)) return fields[at + 1];
  return undefined;
}

/** Reads the field lines of `text` from index `from` on, each ended by CRLF. Returns name, value, name, value… */
export function parseFields(text: string, from: number, fieldsMax: number): string[] | Refusal {
  const fields: string[] = [];
  let at = from;
  while (at < text.length) {
    const end = text.indexOf("\r\n", at);
    const colon = text.indexOf(":", at);
    if (end < 0) return { status: 400, reason: "a field line does not end in CRLF" };
    if (colon < 0 || colon > end) return { status: 400, reason: "a field line has no colon" };
    const name = text.slice(at, colon);
    if (!TOKEN.test(name)) return { status: 400, reason: "a field name is not a token" };
    const value = trimmed(text, colon + 1, end);
    if (NOT_FIELD_TEXT.test(value)) return { status: 400, reason: "a field value holds a control character" };
    if (fields.length >= 2 * fieldsMax) return { status: 431, reason: `there are more than ${fieldsMax} fields` };
    fields.push(name, value);
    at = end + 2;
  }
  return fields;
}

/** Field lines for the wire. Throws when a name or value cannot be written unchanged: nothing is ever repaired. */
export function fieldLines(fields: HeaderList): string {
  let lines = "";
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const name = fields[i] ?? "";
    const value = fields[i + 1] ?? "";
    if (!TOKEN.test(name) || NOT_FIELD_TEXT.test(value)) {
      throw new Error(
        `Cannot write a field as its name must be a token and its value latin1 text without line breaks: current name is ${JSON.stringify(name)}`,
      );
    }
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}

/** The members of a comma-separated list, in lower case. */
export function listMembers(value: string): string[] {
  return value
    .toLowerCase()
    .split(",")
    .map((member) => trimmed(member, 0, member.length));
}

function trimmed(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

export interface SeparatedFields {
  /** What is passed on, Host included. */
  endToEnd: string[];
  /** Values of the fields that the HTTP layer acts on; several fields of one name are joined by commas, as one list. */
  connection: string;
  contentLength: string | undefined;
  transferEncoding: string | undefined;
  upgrade: string;
  keepAlive: string;
  expect: string;
  host: string;
  hostCount: number;
}

const HANDLED =
  /^(?:connection|content[-_]length|expect|host|http2-settings|keep-alive|proxy-(?:authenticate|authorization|connection)|te|transfer[-_]encoding|upgrade)$/i;

/** Names that `Connection` may list without effect: its own options, and Host, which every request must keep. */
const OPTIONS = new Set(["close", "keep-alive", "upgrade", "host", ""]);

/** The line that tells the client whether we keep the connection; empty when its version says so already. */
export function connectionLine(keepAlive: boolean, minorVersion: 0 | 1): string {
  if (!keepAlive) return "Connection: close\r\n";
  return minorVersion === 1 ? "" : "Connection: keep-alive\r\n";
}

/**
 * Separates the fields of one hop (RFC 9110 §7.6.1) and the framing fields; `fields` itself keeps the rest. Undefined
 * when a name disguises a framing field (`Content_Length`).
 *
 * This happens once, right after parsing and before a field is added: later, `Connection: X-Forwarded-For` would let a
 * client remove what the gate says about it. The gate decides on exactly the fields that the origin gets, so the two
 * never read different requests.
 */
export function separateFields(fields: string[]): SeparatedFields | undefined {
  const separated: SeparatedFields = {
    endToEnd: fields,
    connection: "",
    contentLength: undefined,
    transferEncoding: undefined,
    upgrade: "",
    keepAlive: "",
    expect: "",
    host: "",
    hostCount: 0,
  };
  let kept = 0;
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at] ?? "";
    const value = fields[at + 1] ?? "";
    if (HANDLED.test(name)) {
      const passesOn = setApart(separated, name, value);
      if (passesOn === undefined) return undefined;
      if (!passesOn) continue;
    }
    fields[kept] = name;
    fields[kept + 1] = value;
    kept += 2;
  }
  fields.length = kept;
  if (separated.connection !== "" && separated.connection !== "keep-alive") removeListed(separated);
  return separated;
}

/** `fields` without those that only the HTTP layer may write. */
export function withoutHandled(fields: HeaderList): HeaderList {
  for (let i = 0; i < fields.length; i += 2) {
    if (isLayers(fields[i] ?? "")) return fields.filter((_, at) => !isLayers(fields[at - (at % 2)] ?? ""));
  }
  return fields;
}

function isLayers(name: string): boolean {
  return HANDLED.test(name) && !isField(name, "host");
}

/** Records one field; returns whether it is still passed on, undefined when it must be refused. */
function setApart(separated: SeparatedFields, name: string, value: string): boolean | undefined {
  switch (name.toLowerCase()) {
    case "connection":
      separated.connection = joined(separated.connection, value.toLowerCase());
      return false;
    case "content-length":
      separated.contentLength = separated.contentLength === undefined ? value : `${separated.contentLength},${value}`;
      return false;
    case "transfer-encoding":
      separated.transferEncoding =
        separated.transferEncoding === undefined ? value : `${separated.transferEncoding},${value}`;
      return false;
    // WSGI and CGI origins read these as the field with a hyphen: two framings in one message.
    case "content_length":
    case "transfer_encoding":
      return undefined;
    case "upgrade":
      separated.upgrade = joined(separated.upgrade, value.toLowerCase());
      return false;
    case "keep-alive":
      separated.keepAlive = joined(separated.keepAlive, value.toLowerCase());
      return false;
    case "expect":
      separated.expect = joined(separated.expect, value.toLowerCase());
      return false;
    case "host":
      separated.host = value;
      separated.hostCount += 1;
      return true;
    default:
      return false;
  }
}

function joined(list: string, value: string): string {
  return list === "" ? value : `${list},${value}`;
}

function removeListed(separated: SeparatedFields): void {
  const listed = new Set(listMembers(separated.connection).filter((name) => !OPTIONS.has(name)));
  if (listed.size === 0) return;
  const { endToEnd } = separated;
  separated.endToEnd = endToEnd.filter((_, at) => !listed.has((endToEnd[at - (at % 2)] ?? "").toLowerCase()));
}

/** By media type or coding: how a field names it. */
const named = new Map<string, RegExp>();

/**
 * Whether an `Accept` value names a media type, or an `Accept-Encoding` value a coding (RFC 9110 §12.5), and not with a
 * weight of 0.
 *
 * Only a type that is spelled out counts: images, scripts and fetches accept everything with a wildcard, and want no
 * page.
 */
export function accepts(accept: string, type: string): boolean {
  return named.getOrInsertComputed(type, naming).test(accept);
}

/** A member of a list that is `type`, without the parameter `q=0`; a weight has at most three decimals. */
function naming(type: string): RegExp {
  const parameter = String.raw`;(?!\s*q=0(?:\.0{0,3})?\s*(?:[;,]|$))[^;,]*`;
  return new RegExp(String.raw`(?:^|,)\s*${RegExp.escape(type)}\s*(?:${parameter})*(?:,|$)`, "i");
}
