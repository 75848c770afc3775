/**
 * Which fields belong to one connection only, and which to the message (RFC 9110 §7.6.1).
 *
 * This happens once, right after parsing and before a field is added: later, `Connection: X-Forwarded-For` would let a
 * client remove what the gate says about it. The gate decides on exactly the fields that the origin gets, so the two
 * never read different requests. Framing fields (Content-Length, Transfer-Encoding) are separated as well.
 */

import { isField, listMembers } from "./fields.ts";
import type { HeaderList } from "./message.ts";

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

/**
 * Separates the fields of one hop; `fields` itself keeps the rest. Undefined when a name disguises a framing field
 * (`Content_Length`).
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
