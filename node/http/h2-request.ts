/**
 * The head of an HTTP/2 request in the form of HTTP/1.1 (RFC 9113 §8), for the one reader that checks all heads.
 *
 * What could end a line or a head early is refused here; everything else is that reader's business.
 */

import { isFieldText, isToken, type Refusal } from "./fields.ts";
import type { HeaderList } from "./message.ts";

export interface H2Request {
  readonly method: string;
  /** The whole head, its empty line included. */
  readonly text: string;
  /** Length of the body as the client states it; undefined when it goes in chunks, or there is none. */
  readonly length: number | undefined;
  /** Whether the body goes in chunks, because its length is not known. */
  readonly isChunked: boolean;
}

/** Fields of one HTTP/1.1 connection: a request with one of them is malformed (§8.2.2). */
const CONNECTION_FIELDS = new Set(["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"]);

const PSEUDO_FIELDS = new Set([":method", ":path", ":scheme", ":authority"]);

/** `fields` are names and values in turn, as they came; `hasBody`: whether more than the head is to come. */
export function h2Request(fields: HeaderList, hasBody: boolean): H2Request | Refusal {
  const pseudo = new Map<string, string>();
  const lines: string[] = [];
  const cookies: string[] = [];
  let host: string | undefined;
  let length: number | undefined;
  for (let at = 0; at < fields.length; at += 2) {
    const [name = "", value = ""] = [fields[at], fields[at + 1]];
    if (!isFieldText(value)) return { status: 400, reason: "a field holds a character that no field may" };
    // §8.2.1: a request with a blank around a value is malformed.
    if (/^[ \t]|[ \t]$/.test(value)) return malformed(name);
    if (name.startsWith(":")) {
      if (!PSEUDO_FIELDS.has(name) || pseudo.has(name) || lines.length > 0) return malformed(name);
      pseudo.set(name, value);
    } else if (!isToken(name) || /[A-Z]/.test(name) || CONNECTION_FIELDS.has(name)) return malformed(name);
    else if (name === "cookie") cookies.push(value);
    else if (name === "host") host = value;
    else if (name !== "te") {
      if (name === "content-length") length = Number(value);
      lines.push(`${name}: ${value}\r\n`);
    }
  }
  const [method, path] = [pseudo.get(":method"), pseudo.get(":path")];
  const authority = pseudo.get(":authority") ?? host;
  if (method === undefined || path === undefined || pseudo.get(":scheme") !== "https") return malformed(":path");
  if (authority === undefined || (host !== undefined && host !== authority)) return malformed("host");
  if (/[ \t]/.test(method + path)) return malformed(":path");
  // Pieces of one field, split for compression (§8.2.3).
  if (cookies.length > 0) lines.push(`cookie: ${cookies.join("; ")}\r\n`);
  const isChunked = hasBody && length === undefined;
  if (isChunked) lines.push("transfer-encoding: chunked\r\n");
  const text = `${method} ${path} HTTP/1.1\r\nhost: ${authority}\r\n${lines.join("")}connection: close\r\n\r\n`;
  return { method, text, length, isChunked };
}

function malformed(name: string): Refusal {
  return { status: 400, reason: `the HTTP/2 request is malformed at its field ${JSON.stringify(name.slice(0, 40))}` };
}
