/**
 * The head of an origin's answer, from text to fields, or what is wrong with it (RFC 9112 §4 to §6).
 *
 * An answer whose end is in doubt could run over into the next visitor's, on a connection that many share. What is
 * invalid but common, and read alike by nginx and HAProxy, is read so (`isLoose`): lines that all end in LF alone, both
 * framings, chunks in HTTP/1.0, control characters in a value. A single LF among CRLFs is refused: a
 * visitor's text may have brought it in. An answer read so is rewritten for the visitor, and its connection serves no
 * other. Any other invalid head costs one 502.
 */

import { isFieldText, listMembers, parseFields, separateFields } from "./fields.ts";
import { type Framing, responseFraming } from "./framing.ts";
import type { ResponseHead } from "./message.ts";

/** Most fields of an answer; more than for requests, as an origin may set many cookies. */
const FIELDS_MAX = 400;

const BEGINNING = "HTTP/1.";

/** A line that ends without CR. */
const BARE_LF = /(?:^|[^\r])\n/;

/** What no value may hold; a blank takes its place (RFC 9110 §5.5). */
const CONTROL = /[^\t\r\n\x20-\x7e\x80-\xff]/g;

export interface ParsedResponse {
  readonly head: ResponseHead;
  readonly framing: Framing;
  /** Content-Length as received, also where no body follows (HEAD, 304). */
  readonly contentLength: number | undefined;
  /** Whether the origin keeps the connection, and for how long (ms; undefined when it does not say). */
  readonly keepAlive: boolean;
  readonly keepAliveMs: number | undefined;
  /** Whether it is invalid in a way that is read all the same: its connection is not kept. */
  readonly isLoose: boolean;
  /** Whether this is the 101 that a WebSocket request hopes for. */
  readonly webSocket: boolean;
}

/** Parses a head (status line and field lines, each with its line end) of the answer to a request of `method`. */
export function parseResponseHead(head: string, method: string): ParsedResponse | string {
  const hasBareLf = BARE_LF.test(head);
  if (hasBareLf && head.includes("\r")) return "its lines end in different ways";
  const text = hasBareLf ? head.replaceAll("\n", "\r\n") : head;
  const lineEnd = text.indexOf("\r\n");
  const parts = /^HTTP\/1\.([01]) ([1-9][0-9]{2})(?: (.*))?$/.exec(text.slice(0, lineEnd));
  if (parts === null || !isFieldText(parts[3] ?? "")) return "the status line is malformed";
  const readable = text.replaceAll(CONTROL, " ");
  const fields = parseFields(readable, lineEnd + 2, FIELDS_MAX);
  if (!Array.isArray(fields)) return fields.reason;
  const separated = separateFields(fields);
  if (separated === undefined) return "a framing field in disguise";

  const status = Number(parts[2]);
  const minorVersion = parts[1] === "1" ? 1 : 0;
  const body = responseFraming(separated, { status, method });
  if (typeof body === "string") return body;
  // An answer without a body that announces one may send it, and the next visitor must not get it. Answers to HEAD all
  // announce one. After an interim answer that body would be read as the final answer.
  const announces = separated.transferEncoding !== undefined || (separated.contentLength ?? "0") !== "0";
  if (announces && status < 200 && status !== 101) return "an interim answer with a body";
  const quiet = method !== "HEAD" && !((status === 204 || status === 304) && announces);
  const isCoded = separated.transferEncoding !== undefined;
  const isLoose =
    hasBareLf || readable !== text || (isCoded && (separated.contentLength !== undefined || minorVersion === 0));
  const options = separated.connection === "" ? [] : listMembers(separated.connection);
  return {
    head: { status, reason: parts[3] ?? "", headers: separated.endToEnd },
    framing: body.framing,
    contentLength: body.contentLength,
    keepAlive:
      !isLoose && quiet && !options.includes("close") && (minorVersion === 1 || options.includes("keep-alive")),
    keepAliveMs: keepAliveMs(separated.keepAlive),
    isLoose,
    webSocket: status === 101 && separated.upgrade === "websocket" && options.includes("upgrade"),
  };
}

/** Where the empty line that ends a head begins and ends, in `bytes`; undefined as long as there is none. */
export function headEnd(bytes: Buffer): { readonly start: number; readonly end: number } | undefined {
  const crlf = bytes.indexOf("\n\r\n");
  const lf = (crlf < 0 ? bytes : bytes.subarray(0, crlf + 1)).indexOf("\n\n");
  if (lf >= 0) return { start: lf + 1, end: lf + 2 };
  return crlf < 0 ? undefined : { start: crlf + 1, end: crlf + 3 };
}

/** Whether `text`, the beginning of an answer, can no longer become a head: it begins differently, or has a bare CR. */
export function cannotBecomeHead(text: string): boolean {
  return !BEGINNING.startsWith(text.slice(0, BEGINNING.length)) || /^\n|\r[^\n]/.test(text);
}

function keepAliveMs(value: string): number | undefined {
  const seconds = /(?:^|[,;\s])timeout=([0-9]{1,6})/.exec(value)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}
