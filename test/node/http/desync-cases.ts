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

const refused = (name: string, bytes: string, status = 400): RequestCase => ({
  name,
  bytes,
  heard: [],
  statuses: [status],
});

/** Requests with two lengths, or with one that some servers do not see. */
const FRAMING: readonly RequestCase[] = [
  refused("CL.TE: a length, then chunked", `${POST}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG`),
  refused(
    "TE.CL: chunked, then a length",
    `${POST}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n5c\r\n${GET}0\r\n\r\n`,
  ),
  refused("a coding behind a bare CR", `${POST}X: y\rTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc`),
  {
    name: "CL.0: a request within the body of a GET stays its body",
    bytes: `GET /a HTTP/1.1\r\nHost: a\r\nContent-Length: ${GET.length}\r\n\r\n${GET}${NEXT}`,
    heard: [`GET /a ${GET}`, "GET /next "],
    statuses: [200, 200],
  },
  {
    name: "TE.0: a request within the chunks of OPTIONS stays its body",
    bytes: `OPTIONS /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${GET.length.toString(16)}\r\n${GET}\r\n0\r\n\r\n${NEXT}`,
    heard: [`OPTIONS /a ${GET}`, "GET /next "],
    statuses: [200, 200],
  },
  {
    name: "a length that Connection names still counts",
    bytes: `${POST}Connection: Content-Length\r\nContent-Length: ${GET.length}\r\n\r\n${GET}${NEXT}`,
    heard: [`POST /a ${GET}`, "GET /next "],
    statuses: [200, 200],
  },
  {
    name: "chunked that Connection names still counts",
    bytes: `${POST}Connection: Transfer-Encoding\r\nTransfer-Encoding: chunked\r\n\r\n${CHUNKS}${NEXT}`,
    heard: ["POST /a abc", "GET /next "],
    statuses: [200, 200],
  },
  {
    name: "a body without a length is the next request, and is refused as one",
    bytes: `${POST}\r\nabc\r\n\r\n`,
    heard: ["POST /a "],
    statuses: [200, 400],
  },
  { name: "a body that never comes", bytes: `${POST}Content-Length: 30\r\n\r\nabc`, heard: [], statuses: [408] },
  {
    name: "an empty line after a body is overlooked",
    bytes: `${POST}Content-Length: 3\r\n\r\nabc\r\n${NEXT}`,
    heard: ["POST /a abc", "GET /next "],
    statuses: [200, 200],
  },
];

/** Chunks whose ends servers see in different places. */
const CHUNKING: readonly RequestCase[] = [
  refused("a size that overflows 64 bits", `${CHUNKED}10000000000000003\r\nabc\r\n0\r\n\r\n`),
  refused("a line break in a quoted extension", `${CHUNKED}3;a="\r\n"\r\nabc\r\n0\r\n\r\n`),
  refused("two other bytes in place of the CRLF after the data", `${CHUNKED}3\r\nabcXX0\r\n\r\n`),
  refused("more data than its size", `${CHUNKED}3\r\nabcd\r\n0\r\n\r\n`),
  refused("bare LFs at the end", `${CHUNKED}0\n\n${NEXT}`),
  refused("a trailer that is a length", `${CHUNKED}0\r\nContent-Length: 3\r\n\r\n${NEXT}`),
  {
    name: "an extension is dropped",
    bytes: `${CHUNKED}3;a=b\r\nabc\r\n0;c\r\n\r\n${NEXT}`,
    heard: ["POST /a abc", "GET /next "],
    statuses: [200, 200],
  },
  {
    name: "a trailer that names another host is dropped",
    bytes: `${CHUNKED}0\r\nHost: b\r\n\r\n${NEXT}`,
    heard: ["POST /a ", "GET /next "],
    statuses: [200, 200],
  },
];

/** Heads that servers cut, route or end differently. */
const HEADS: readonly RequestCase[] = [
  refused("bare LFs only", `GET /a HTTP/1.1\nHost: a\n\n${NEXT}`),
  refused("a second request in the target", `GET /a\x20HTTP/1.1\rX:y HTTP/1.1\r\nHost: a\r\n\r\n`),
  refused("HTTP/2's preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
  refused("HTTP/2's preface as HTTP/1.1", `PRI / HTTP/1.1\r\nHost: a\r\n\r\nSM\r\n\r\n`, 405),
  refused("CONNECT", `CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n${GET}`, 405),
  refused("three empty lines before a request", `\r\n\r\n\r\n${GET}`),
  refused(
    "an expectation that some servers do not see",
    `${POST}Expect: x, 100-continue\r\nContent-Length: 3\r\n\r\nabc`,
    417,
  ),
  {
    name: "an encoded line break in a target stays encoded",
    bytes: `GET /a%0d%0aX:y HTTP/1.1\r\nHost: a\r\n\r\n`,
    heard: ["GET /a%0d%0aX:y "],
    statuses: [200],
  },
  {
    name: "what follows Connection: close is not read",
    bytes: `GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n${NEXT}`,
    heard: ["GET /a "],
    statuses: [200],
  },
  {
    name: "what follows an HTTP/1.0 request is not read",
    bytes: `GET /a HTTP/1.0\r\nHost: a\r\n\r\n${NEXT}`,
    heard: ["GET /a "],
    statuses: [200],
  },
  {
    name: "h2c is not switched to",
    bytes: `GET /a HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQ\r\n\r\n${NEXT}`,
    heard: ["GET /a ", "GET /next "],
    statuses: [200, 200],
  },
  {
    name: "what follows a WebSocket's request is a request if the origin does not switch",
    bytes: `GET /a HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n${NEXT}`,
    heard: ["GET /a ", "GET /next "],
    statuses: [200, 200],
  },
  {
    name: "a body that does not wait for 100 (Continue) stays a body",
    bytes: `${POST}Expect: 100-continue\r\nContent-Length: ${GET.length}\r\n\r\n${GET}${NEXT}`,
    heard: [`POST /a ${GET}`, "GET /next "],
    statuses: [200, 200],
  },
];

export const REQUEST_CASES: readonly RequestCase[] = [...FRAMING, ...CHUNKING, ...HEADS];

const OK = "HTTP/1.1 200 OK\r\n";
const POISON = `${OK}Content-Length: 6\r\n\r\npoison`;

export const ANSWER_CASES: readonly AnswerCase[] = [
  { name: "a plain answer", bytes: `${OK}Content-Length: 2\r\n\r\nok`, read: "200 ok", isReused: true },
  {
    name: "the same length twice",
    bytes: `${OK}Content-Length: 2\r\nContent-Length: 2\r\n\r\nok`,
    read: "200 ok",
    isReused: true,
  },
  {
    name: "chunks",
    bytes: `${OK}Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
    read: "200 ok",
    isReused: true,
  },
  {
    name: "a second answer right behind",
    bytes: `${OK}Content-Length: 2\r\n\r\nok${POISON}`,
    read: "200 ok",
    isReused: false,
  },
  {
    name: "a second answer behind chunks",
    bytes: `${OK}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n${POISON}`,
    read: "200 ",
    isReused: false,
  },
  { name: "bytes behind 204", bytes: `HTTP/1.1 204 No\r\n\r\n${POISON}`, read: "204 ", isReused: false },
  { name: "204 with a length", bytes: "HTTP/1.1 204 No\r\nContent-Length: 6\r\n\r\n", read: "204 ", isReused: false },
  { name: "304 with a length", bytes: "HTTP/1.1 304 No\r\nContent-Length: 6\r\n\r\n", read: "304 ", isReused: false },
  {
    name: "304 in chunks",
    bytes: "HTTP/1.1 304 No\r\nTransfer-Encoding: chunked\r\n\r\n",
    read: "304 ",
    isReused: false,
  },
  { name: "HEAD", request: "HEAD /a HTTP/1.1", bytes: `${OK}Content-Length: 6\r\n\r\n`, read: "200 ", isReused: false },
  {
    name: "two lengths",
    bytes: `${OK}Content-Length: 2\r\nContent-Length: 20\r\n\r\nok`,
    read: "502",
    isReused: false,
  },
  {
    name: "a length and chunks",
    bytes: `${OK}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
    read: "200 ok",
    isReused: false,
  },
  {
    name: "an interim answer with a length",
    bytes: `HTTP/1.1 103 Hints\r\nContent-Length: ${POISON.length}\r\n\r\n${POISON}`,
    read: "502",
    isReused: false,
  },
  { name: "interim answers without end", bytes: "HTTP/1.1 102 Wait\r\n\r\n".repeat(40), read: "502", isReused: false },
  {
    name: "a switch that nobody asked for",
    bytes: `HTTP/1.1 101 Go\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n${POISON}`,
    read: "502",
    isReused: false,
  },
  {
    name: "lines that all end in LF alone",
    bytes: "HTTP/1.1 200 OK\nContent-Length: 2\n\nok",
    read: "200 ok",
    isReused: false,
  },
  {
    name: "blanks after the sizes of chunks",
    bytes: `${OK}Transfer-Encoding: chunked\r\n\r\n2  \r\nok\r\n0 ;a=b\r\n\r\n`,
    read: "200 ok",
    isReused: false,
  },
  {
    name: "chunks with LFs alone",
    bytes: `${OK}Transfer-Encoding: chunked\r\n\r\n2;a\nok\n0\nX: y\n\n`,
    read: "200 ok",
    isReused: false,
  },
  {
    name: "zeros before the size of a chunk",
    bytes: `${OK}Transfer-Encoding: chunked\r\n\r\n0000000000000002\r\nok\r\n0\r\n\r\n`,
    read: "200 ok",
    isReused: false,
  },
  {
    name: "malformed chunks",
    bytes: `${OK}Transfer-Encoding: chunked\r\n\r\n2\r\nok\n0\r\n\r\n`,
    read: "200 ok cut",
    isReused: false,
  },
  {
    name: "a trailer that is a length",
    bytes: `${OK}Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nContent-Length: 2\r\n\r\n`,
    read: "200 ok cut",
    isReused: false,
  },
  {
    name: "a body shorter than its length",
    bytes: `${OK}Content-Length: 9\r\n\r\nok`,
    ends: true,
    read: "200 ok cut",
    isReused: false,
  },
  { name: "a body that lasts until the end", bytes: `${OK}\r\nok`, ends: true, read: "200 ok", isReused: false },
  {
    name: "an answer to a body that was not read",
    request: "GET /a HTTP/1.1\r\nContent-Length: 3",
    body: "abc",
    bytes: `${OK}Content-Length: 2\r\n\r\nok`,
    read: "200 ok",
    isReused: false,
  },
  {
    name: "an answer that says close",
    bytes: `${OK}Connection: close\r\nContent-Length: 2\r\n\r\nok`,
    read: "200 ok",
    isReused: false,
  },
];
