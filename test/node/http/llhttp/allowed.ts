/**
 * Where the gate accepts what llhttp refuses or reads otherwise, on purpose: each case with its reason and an example.
 */

import type { Difference } from "./compare.ts";
import { LLHTTP_METHODS } from "./llhttp.ts";

export interface Allowed {
  readonly what: string;
  readonly why: string;
  /** Bytes of a client, or of an origin, that are such a case. */
  readonly example: string;
  /** Whether a difference in the reading of `text` is such a case. */
  readonly covers: (difference: Difference, text: string) => boolean;
}

const POST = "POST / HTTP/1.1\r\nHost: a\r\n";
const CHUNKED = "Transfer-Encoding: chunked\r\n\r\n";

const BARE_BREAK_IN_EXTENSION = /;[^\n]*(?:[^\r\n]\n|\r[^\n])|;\n/;

export const ALLOWED: readonly Allowed[] = [
  {
    what: "a method that llhttp does not know",
    why: "Any token is a method (RFC 9110 §9.1), and it is passed on as it came. An origin that does not know it answers 501.",
    example: "QUARK / HTTP/1.1\r\nHost: a\r\n\r\n",
    covers: ({ what, llhttp, ours }) =>
      what === "a head" && /method/.test(String(llhttp)) && ours !== undefined && !LLHTTP_METHODS.has(ours.method),
  },
  {
    what: "bytes above 0x7f in a target",
    why: "Some clients do not percent-encode them, and they are passed on as they came. No parser takes them for a blank or a line end.",
    example: "GET /\xe9 HTTP/1.1\r\nHost: a\r\n\r\n",
    covers: ({ what, llhttp, ours }) =>
      what === "a head" && /^Invalid char in url/.test(String(llhttp)) && /[\x80-\xff]/.test(ours?.target ?? ""),
  },
  {
    what: "a chunk extension that is not name=value",
    why: "Extensions are dropped. For both readers they end at the first CRLF, and a bare CR or LF is refused.",
    example: `${POST}${CHUNKED}3;\r\nabc\r\n0\r\n\r\n`,
    covers: ({ what, llhttp, ours }, text) =>
      what === "a body" &&
      /^Invalid character in chunk extensions/.test(String(llhttp)) &&
      !BARE_BREAK_IN_EXTENSION.test(text.slice(0, ours?.end)),
  },
  {
    what: "a tab after a length",
    why: "Blanks around a value are spaces and tabs (RFC 9110 §5.6.3). The length is written without them.",
    example: `${POST}Content-Length: 3\t\r\n\r\nabc`,
    covers: ({ what, llhttp, ours }) =>
      what === "a head" && ours?.method !== "" && llhttp === "Invalid character in Content-Length",
  },
  {
    what: "a tab after a coding or a connection option",
    why: "The same. The gate writes both fields itself.",
    example: `${POST}Transfer-Encoding: chunked\t\r\n\r\n0\r\n\r\n`,
    covers: ({ theirs }) =>
      valuesOf(theirs?.fields ?? [], /^(?:transfer-encoding|connection)$/i).some((value) => /\t/.test(value)),
  },
  {
    what: "Proxy-Connection: close",
    why: "No standard has this field. It is dropped, and the connection is kept. llhttp takes it for Connection.",
    example: "GET / HTTP/1.1\r\nHost: a\r\nProxy-Connection: close\r\n\r\n",
    covers: ({ what, theirs }) =>
      what === "whether the connection is kept" &&
      valuesOf(theirs?.fields ?? [], /^proxy-connection$/i).some((value) => /close|keep-alive/i.test(value)),
  },
  {
    what: "Connection: close in trailers or in an interim answer",
    why: "Neither says whether the connection is kept; the final head does (RFC 9110 §6.5.1). llhttp obeys both, and refuses what follows.",
    example: `${POST}${CHUNKED}0\r\nConnection: close\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n`,
    covers: ({ what, llhttp }) => what === "a head" && llhttp === "Data after `Connection: close`",
  },
  {
    what: "an answer's length said twice",
    why: "Equal lengths are one length (RFC 9112 §6.3), and it is written once. Some origins do so; a request that does is refused.",
    example: "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
    covers: ({ what, llhttp, ours }) =>
      what === "a head" && ours?.method === "" && llhttp === "Duplicate Content-Length",
  },
  {
    what: "an answer with chunks and a length",
    why: "Chunks override a length (RFC 9112 §6.3), as for nginx and HAProxy; the length is dropped, and the origin's connection is not kept.",
    example: `HTTP/1.1 200 OK\r\nContent-Length: 5\r\n${CHUNKED}0\r\n\r\n`,
    covers: ({ what, llhttp, ours }) =>
      what === "a head" &&
      ours?.method === "" &&
      /^(?:Content-Length|Transfer-Encoding) can't be present with/.test(String(llhttp)),
  },
  {
    what: "an answer whose lines all end in LF alone",
    why: "nginx and HAProxy read it alike. It is written anew, and the origin's connection is not kept.",
    example: "HTTP/1.1 200 OK\nContent-Length: 3\n\nabc",
    covers: ({ what, llhttp, ours }) =>
      what === "a head" && ours?.method === "" && /^Missing expected CR|^Expected/.test(String(llhttp)),
  },
  {
    what: "control characters in a value of an answer",
    why: "The same; a blank takes the place of each.",
    example: "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nX: a\x01b\r\n\r\nabc",
    covers: ({ what, llhttp, ours }) =>
      what === "a head" && ours?.method === "" && llhttp === "Invalid header value char",
  },
  {
    what: "blanks, LFs alone and leading zeros among an answer's chunks",
    why: "The same.",
    example: `HTTP/1.1 200 OK\r\n${CHUNKED}3 \r\nabc\r\n0\r\n\r\n`,
    covers: ({ what, llhttp, ours }) =>
      what === "a body" &&
      ours?.method === "" &&
      /chunk (?:size|data|extension)|^Missing expected CR|^Expected/i.test(String(llhttp)),
  },
  {
    what: "an answer's length as a list",
    why: "The same.",
    example: "HTTP/1.1 200 OK\r\nContent-Length: 3, 3\r\n\r\nabc",
    covers: ({ what, llhttp, ours }) =>
      what === "a head" && ours?.method === "" && llhttp === "Invalid character in Content-Length",
  },
];

/** The case that a difference in the reading of `text` is, if it is one. */
export function allowedCase(difference: Difference, text: string): Allowed | undefined {
  return ALLOWED.find(({ covers }) => covers(difference, text));
}

function valuesOf(fields: readonly string[], name: RegExp): readonly string[] {
  return fields.filter((_, at) => at % 2 === 1 && name.test(fields[at - 1] ?? ""));
}
