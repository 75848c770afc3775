/**
 * Known ways to make two servers in a row disagree on where a message ends, and what has to come of each here.
 *
 * The tables of request-head, response-head and chunked have all that is refused, and the laws of llhttp/ all parts of
 * messages that parsers read differently: here is what a connection, or the next visitor of it, makes of them.
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
  refused("more data than its size", `${CHUNKED}3\r\nabcd\r\n0\r\n\r\n`),
  refused("bare LFs at the end", `${CHUNKED}0\n\n${NEXT}`),
];

/** Heads that servers cut, route or end differently. */
const HEADS: readonly RequestCase[] = [
  refused("three empty lines before a request", `\r\n\r\n\r\n${GET}`),
  taken("two empty lines before a request are overlooked", `\r\n\r\n${NEXT}`, "GET /next "),
  taken(
    "what follows Connection: close is not read",
    `GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n${NEXT}`,
    "GET /a ",
  ),
  taken("what follows an HTTP/1.0 request is not read", `GET /a HTTP/1.0\r\nHost: a\r\n\r\n${NEXT}`, "GET /a "),
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

export const ANSWER_CASES: readonly AnswerCase[] = [
  answer("a plain answer", `${OK}Content-Length: 2\r\n\r\nok`, "200 ok", REUSED),
  answer("chunks", `${IN_CHUNKS}2\r\nok\r\n0\r\n\r\n`, "200 ok", REUSED),
  answer("a plain 304", "HTTP/1.1 304 No\r\n\r\n", "304 ", REUSED),
  answer("a second answer right behind", `${OK}Content-Length: 2\r\n\r\nok${POISON}`, "200 ok"),
  answer("a second answer behind chunks", `${IN_CHUNKS}0\r\n\r\n${POISON}`, "200 "),
  answer("bytes behind 204", `HTTP/1.1 204 No\r\n\r\n${POISON}`, "204 "),
  answer("204 with a length", "HTTP/1.1 204 No\r\nContent-Length: 6\r\n\r\n", "204 "),
  answer("304 with a length", "HTTP/1.1 304 No\r\nContent-Length: 6\r\n\r\n", "304 "),
  answer("an answer to HEAD, whose body may come late", `${OK}Content-Length: 2\r\n\r\n`, "200 ", {
    request: "HEAD /a HTTP/1.1",
  }),
  answer("two lengths", `${OK}Content-Length: 2\r\nContent-Length: 20\r\n\r\nok`, "502"),
  answer(
    "a length and chunks",
    `${OK}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
    "200 ok",
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
  answer("an answer to a body that was not read", `${OK}Content-Length: 2\r\n\r\nok`, "200 ok", {
    ...{ request: "GET /a HTTP/1.1\r\nContent-Length: 3", body: "abc" },
  }),
  answer("an origin of little patience", `${OK}Keep-Alive: timeout=1\r\nContent-Length: 2\r\n\r\nok`, "200 ok"),
];
