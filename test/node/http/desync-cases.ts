/**
 * Known ways to make two servers in a row disagree on where a message ends, and what has to come of each here.
 *
 * Of what is refused there is one of each kind: the tables of request-head, response-head and chunked have them all.
 *
 * `heard` is what the origin gets, as `METHOD target body`; `statuses` is what the client gets. What is refused ends
 * the connection: nothing after it is ever read as a request.
 */

export interface RequestCase {
  readonly name: string;
  readonly bytes: string;
  readonly heard: readonly string[];
  readonly statuses: readonly number[];
}

export interface AnswerCase {
  readonly name: string;
  /** The head of the request to which the origin sends `bytes`, without its empty line; its body. */
  readonly request?: string;
  readonly body?: string;
  readonly bytes: string;
  /** Whether the origin closes after them. */
  readonly ends?: boolean;
  /** What the client reads: `status body`, and `cut` if the answer never becomes whole. */
  readonly read: string;
  /** Whether the origin's connection may serve the next visitor. */
  readonly isReused: boolean;
}

const GET = "GET /in HTTP/1.1\r\nHost: a\r\n\r\n";
const NEXT = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n";
const POST = "POST /a HTTP/1.1\r\nHost: a\r\n";
const CHUNKED = `${POST}Transfer-Encoding: chunked\r\n\r\n`;
const CHUNKS = "3\r\nabc\r\n0\r\n\r\n";

function refused(name: string, bytes: string, status = 400): RequestCase {
  return { name, bytes, heard: [], statuses: [status] };
}

/** A request of which the origin hears so much, and whose answers are all 200. */
function taken(name: string, bytes: string, ...heard: readonly string[]): RequestCase {
  return { name, bytes, heard, statuses: heard.map(() => 200) };
}

/** Requests with two lengths, or with one that some servers do not see. */
const FRAMING: readonly RequestCase[] = [
  refused("CL.TE: a length, then chunked", `${POST}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG`),
  refused(
    "TE.CL: chunked, then a length",
    `${POST}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n5c\r\n${GET}0\r\n\r\n`,
  ),
  refused("a coding behind a bare CR", `${POST}X: y\rTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc`),
  taken(
    "CL.0: a request within the body of a GET stays its body",
    `GET /a HTTP/1.1\r\nHost: a\r\nContent-Length: ${GET.length}\r\n\r\n${GET}${NEXT}`,
    ...[`GET /a ${GET}`, "GET /next "],
  ),
  taken(
    "TE.0: a request within the chunks of OPTIONS stays its body",
    `OPTIONS /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${GET.length.toString(16)}\r\n${GET}\r\n0\r\n\r\n${NEXT}`,
    ...[`OPTIONS /a ${GET}`, "GET /next "],
  ),
  taken(
    "a length that Connection names still counts",
    `${POST}Connection: Content-Length\r\nContent-Length: ${GET.length}\r\n\r\n${GET}${NEXT}`,
    ...[`POST /a ${GET}`, "GET /next "],
  ),
  taken(
    "chunked that Connection names still counts",
    `${POST}Connection: Transfer-Encoding\r\nTransfer-Encoding: chunked\r\n\r\n${CHUNKS}${NEXT}`,
    ...["POST /a abc", "GET /next "],
  ),
  {
    ...taken(
      "a body without a length is the next request, and is refused as one",
      `${POST}\r\nabc\r\n\r\n`,
      "POST /a ",
    ),
    statuses: [200, 400],
  },
  refused("a body that never comes", `${POST}Content-Length: 30\r\n\r\nabc`, 408),
  taken(
    "an empty line after a body is overlooked",
    `${POST}Content-Length: 3\r\n\r\nabc\r\n${NEXT}`,
    ...["POST /a abc", "GET /next "],
  ),
];

/** Chunks whose ends servers see in different places. */
const CHUNKING: readonly RequestCase[] = [
  refused("a size that overflows 64 bits", `${CHUNKED}10000000000000003\r\nabc\r\n0\r\n\r\n`),
  refused("a line break in a quoted extension", `${CHUNKED}3;a="\r\n"\r\nabc\r\n0\r\n\r\n`),
  refused("two other bytes in place of the CRLF after the data", `${CHUNKED}3\r\nabcXX0\r\n\r\n`),
  refused("more data than its size", `${CHUNKED}3\r\nabcd\r\n0\r\n\r\n`),
  refused("bare LFs at the end", `${CHUNKED}0\n\n${NEXT}`),
  refused("a trailer that is a length", `${CHUNKED}0\r\nContent-Length: 3\r\n\r\n${NEXT}`),
  taken("an extension is dropped", `${CHUNKED}3;a=b\r\nabc\r\n0;c\r\n\r\n${NEXT}`, ...["POST /a abc", "GET /next "]),
  taken(
    "a trailer that names another host is dropped",
    `${CHUNKED}0\r\nHost: b\r\n\r\n${NEXT}`,
    ...["POST /a ", "GET /next "],
  ),
];

/** Heads that servers cut, route or end differently. */
const HEADS: readonly RequestCase[] = [
  refused("bare LFs only", `GET /a HTTP/1.1\nHost: a\n\n${NEXT}`),
  refused("a second request in the target", `GET /a\x20HTTP/1.1\rX:y HTTP/1.1\r\nHost: a\r\n\r\n`),
  refused("HTTP/2's preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
  refused("HTTP/2's preface as HTTP/1.1", `PRI / HTTP/1.1\r\nHost: a\r\n\r\nSM\r\n\r\n`, 405),
  refused("CONNECT", `CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n${GET}`, 405),
  refused("three empty lines before a request", `\r\n\r\n\r\n${GET}`),
  taken("two empty lines before a request are overlooked", `\r\n\r\n${NEXT}`, "GET /next "),
  refused(
    "an expectation that some servers do not see",
    `${POST}Expect: x, 100-continue\r\nContent-Length: 3\r\n\r\nabc`,
    417,
  ),
  taken(
    "an encoded line break in a target stays encoded",
    `GET /a%0d%0aX:y HTTP/1.1\r\nHost: a\r\n\r\n`,
    "GET /a%0d%0aX:y ",
  ),
  taken(
    "what follows Connection: close is not read",
    `GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n${NEXT}`,
    "GET /a ",
  ),
  taken("what follows an HTTP/1.0 request is not read", `GET /a HTTP/1.0\r\nHost: a\r\n\r\n${NEXT}`, "GET /a "),
  taken(
    "h2c is not switched to",
    `GET /a HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQ\r\n\r\n${NEXT}`,
    ...["GET /a ", "GET /next "],
  ),
  taken(
    "what follows a WebSocket's request is a request if the origin does not switch",
    `GET /a HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n${NEXT}`,
    ...["GET /a ", "GET /next "],
  ),
  taken(
    "a body that does not wait for 100 (Continue) stays a body",
    `${POST}Expect: 100-continue\r\nContent-Length: ${GET.length}\r\n\r\n${GET}${NEXT}`,
    ...[`POST /a ${GET}`, "GET /next "],
  ),
];

export const REQUEST_CASES: readonly RequestCase[] = [...FRAMING, ...CHUNKING, ...HEADS];

const OK = "HTTP/1.1 200 OK\r\n";
const IN_CHUNKS = `${OK}Transfer-Encoding: chunked\r\n\r\n`;
const POISON = `${OK}Content-Length: 6\r\n\r\npoison`;

/** An answer after which the origin's connection serves nobody else, unless `more` says so. */
function answer(name: string, bytes: string, read: string, more: Partial<AnswerCase> = {}): AnswerCase {
  return { name, bytes, read, isReused: false, ...more };
}

const REUSED = { isReused: true };
const ENDS = { ends: true };

export const ANSWER_CASES: readonly AnswerCase[] = [
  answer("a plain answer", `${OK}Content-Length: 2\r\n\r\nok`, "200 ok", REUSED),
  answer("the same length twice", `${OK}Content-Length: 2\r\nContent-Length: 2\r\n\r\nok`, "200 ok", REUSED),
  answer("chunks", `${IN_CHUNKS}2\r\nok\r\n0\r\n\r\n`, "200 ok", REUSED),
  answer("a plain 304", "HTTP/1.1 304 No\r\n\r\n", "304 ", REUSED),
  answer("a second answer right behind", `${OK}Content-Length: 2\r\n\r\nok${POISON}`, "200 ok"),
  answer("a second answer behind chunks", `${IN_CHUNKS}0\r\n\r\n${POISON}`, "200 "),
  answer("bytes behind 204", `HTTP/1.1 204 No\r\n\r\n${POISON}`, "204 "),
  answer("204 with a length", "HTTP/1.1 204 No\r\nContent-Length: 6\r\n\r\n", "204 "),
  answer("304 with a length", "HTTP/1.1 304 No\r\nContent-Length: 6\r\n\r\n", "304 "),
  answer("304 in chunks", "HTTP/1.1 304 No\r\nTransfer-Encoding: chunked\r\n\r\n", "304 "),
  answer("HEAD", `${OK}Content-Length: 6\r\n\r\n`, "200 ", { request: "HEAD /a HTTP/1.1" }),
  answer("two lengths", `${OK}Content-Length: 2\r\nContent-Length: 20\r\n\r\nok`, "502"),
  answer(
    "a length and chunks",
    `${OK}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
    "200 ok",
  ),
  answer(
    "an interim answer with a length",
    `HTTP/1.1 103 Hints\r\nContent-Length: ${POISON.length}\r\n\r\n${POISON}`,
    "502",
  ),
  answer("interim answers without end", "HTTP/1.1 102 Wait\r\n\r\n".repeat(40), "502"),
  answer(
    "a switch that nobody asked for",
    `HTTP/1.1 101 Go\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n${POISON}`,
    "502",
  ),
  answer("lines that all end in LF alone", "HTTP/1.1 200 OK\nContent-Length: 2\n\nok", "200 ok"),
  answer("blanks after the sizes of chunks", `${IN_CHUNKS}2  \r\nok\r\n0 ;a=b\r\n\r\n`, "200 ok"),
  answer("chunks with LFs alone", `${IN_CHUNKS}2;a\nok\n0\nX: y\n\n`, "200 ok"),
  answer("zeros before the size of a chunk", `${IN_CHUNKS}0000000000000002\r\nok\r\n0\r\n\r\n`, "200 ok"),
  answer("malformed chunks", `${IN_CHUNKS}2\r\nok\n0\r\n\r\n`, "200 ok cut"),
  answer("a trailer that is a length", `${IN_CHUNKS}2\r\nok\r\n0\r\nContent-Length: 2\r\n\r\n`, "200 ok cut"),
  answer("a body shorter than its length", `${OK}Content-Length: 9\r\n\r\nok`, "200 ok cut", ENDS),
  answer("a body that lasts until the end", `${OK}\r\nok`, "200 ok", ENDS),
  answer("an answer to a body that was not read", `${OK}Content-Length: 2\r\n\r\nok`, "200 ok", {
    ...{ request: "GET /a HTTP/1.1\r\nContent-Length: 3", body: "abc" },
  }),
  answer("an answer that says close", `${OK}Connection: close\r\nContent-Length: 2\r\n\r\nok`, "200 ok"),
  answer("an answer of HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", "200 ok"),
  answer("an origin of little patience", `${OK}Keep-Alive: timeout=1\r\nContent-Length: 2\r\n\r\nok`, "200 ok"),
];
