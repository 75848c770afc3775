/** What a stranger sends costs its length, whatever is in it and however small the pieces are in which it comes. */

import { describe, expect, test } from "vitest";
import { parseRoom } from "../../../node/config/room-document.ts";
import { cookieValues, withoutOurCookies } from "../../../node/cookie/cookie-header.ts";
import { errorBody, GATE_ERRORS } from "../../../node/gate/error-page.ts";
import { cleanTarget, markedTarget } from "../../../node/gate/marked-target.ts";
import { requestKind } from "../../../node/gate/request-kind.ts";
import { ChunkedDecoder } from "../../../node/http/chunked.ts";
import { clientOf, hasPassed, parseCidr, withForwarded } from "../../../node/http/client.ts";
import { DEFAULT_HTTP_LIMITS as limits } from "../../../node/http/limits.ts";
import { hostOf, parseRequestHead } from "../../../node/http/request-head.ts";
import { RequestReader } from "../../../node/http/request-reader.ts";
import { parseResponseHead } from "../../../node/http/response-head.ts";
import { expectLinear } from "../../linear.ts";
import { FakeExchange } from "../gate/fake-exchange.ts";

/** Most of these inputs are bounded at 32 kB: an eighth of it, and all. */
const BYTES = 4_000;

/** What each of the expressions looks for, without what must follow it. */
const RUNS: readonly string[] = [
  ...'a|A|1|.|:|;|,|=|/|[|]|%|-|_|\\|"|x=|a=b;|a,|1.|1:|::|a:|[:|]:|];|for=|text/|application/json|/json'.split("|"),
  ..."__anteroom_|__anteroom_=|__anteroom_=a;|1.1.1.1,|a.b,|keep-alive,|100-continue,|timeout=|\xff".split("|"),
  ..." |\t| \t|; |, |, ,| =|1 ".split("|"),
];

const all = { ...limits, headBytesMax: 1_000_000, targetBytesMax: 1_000_000, fieldsMax: 100_000 };
const room = parseRoom({ name: "shop", host: "*", total_active_users: 1, new_users_per_minute: 1 });
if (!room.ok) throw new Error("a room wanted");
const ROOM = room.value;
const proxies = [parseCidr("127.0.0.0/8")];

/** One function that meets a stranger's bytes, given `value` where it hurts. */
const READERS: Readonly<Record<string, (value: string) => void>> = {
  "request line": (value) => parseRequestHead(`GET /${value} HTTP/1.1\r\nHost: a\r\n`, all),
  "field value": (value) => parseRequestHead(`GET / HTTP/1.1\r\nHost: a\r\nX: ${value}x\r\n`, all),
  "field name": (value) => parseRequestHead(`GET / HTTP/1.1\r\nHost: a\r\n${value}: x\r\n`, all),
  Host: (value) => parseRequestHead(`GET / HTTP/1.1\r\nHost: ${value}\r\n`, all),
  authority: (value) => hostOf(value),
  ...Object.fromEntries(
    ["Connection", "Content-Length", "Transfer-Encoding", "Upgrade", "Expect", "Keep-Alive", "TE"].map((name) => [
      name,
      (value: string) => parseRequestHead(`POST / HTTP/1.1\r\nHost: a\r\n${name}: ${value}x\r\n`, all),
    ]),
  ),
  Cookie: (value) => {
    const headers = ["Cookie", `__anteroom_shop=${value}; ${value}`];
    cookieValues(headers, "__anteroom_shop");
    withoutOurCookies(headers);
  },
  "X-Forwarded-For": (value) => forwarded("X-Forwarded-For", value),
  "X-Forwarded-Proto": (value) => forwarded("X-Forwarded-Proto", value),
  "X-Forwarded-Host": (value) => forwarded("X-Forwarded-Host", value),
  Forwarded: (value) => forwarded("Forwarded", value),
  "CDN-Loop and Via": (value) => hasPassed(["CDN-Loop", value, "Via", value], "anteroom-0123456789abcdef"),
  query: (value) => {
    const marked = markedTarget(`/?${value}`, ["again"]);
    cleanTarget(marked);
  },
  "what a request is": (value) => {
    const names = ["Accept", "Sec-Fetch-Mode", "Sec-Fetch-Dest", "Sec-Fetch-Site", "Sec-Purpose", "Origin", "Purpose"];
    requestKind(new FakeExchange({ headers: names.flatMap((name) => [name, value]) }), ROOM);
  },
  Accept: (value) => errorBody(value, GATE_ERRORS.busy),
  "an answer's status line": (value) => parseResponseHead(`HTTP/1.1 200 ${value}\r\n`, "GET"),
  "an answer's Keep-Alive": (value) => parseResponseHead(`HTTP/1.1 200 OK\r\nKeep-Alive: ${value}\r\n`, "GET"),
  "chunk extension": (value) => chunked(`5;${value}\r\n`),
  trailer: (value) => chunked(`0\r\nX: ${value}\r\n\r\n`),
};

describe.each(Object.entries(READERS))("%s", (_, read) => {
  test("takes any run of characters in linear time", () => {
    for (const run of RUNS) expectLinear(BYTES, (bytes) => run.repeat(Math.ceil(bytes / run.length)), read);
  });
});

describe("in linear time", () => {
  const times = (text: string) => (bytes: number) => text.repeat(Math.ceil(bytes / text.length));

  test.each([
    ["fields", "X: 1\r\n"],
    ["cookies", "Cookie: __anteroom_shop=x; __anteroom_shop=y\r\n"],
    ["hop-by-hop fields", "Connection: a, b, c\r\na: 1\r\n"],
    ["lengths", "Content-Length: 1\r\n"],
  ])("many %s", (_, line) => {
    expectLinear(BYTES, times(line), (lines) => {
      const parsed = parseRequestHead(`POST / HTTP/1.1\r\nHost: a\r\n${lines}`, all);
      if ("head" in parsed) withoutOurCookies(parsed.head.headers);
    });
  });

  test.each([
    ["a target", "GET /", "a"],
    ["a field", "GET / HTTP/1.1\r\nHost: a\r\nX: ", "a"],
    ["fields", "GET / HTTP/1.1\r\nHost: a\r\n", "a: 1\r\n"],
  ])("%s that comes byte by byte", (_, start, run) => {
    expectLinear(2_000, times(run), (text) => {
      const reader = new RequestReader(all);
      for (const byte of Buffer.from(start + text)) {
        reader.push(Buffer.of(byte));
        reader.readHead();
        reader.settle();
      }
    });
  });

  test("requests that come byte by byte while none is read", () => {
    expectLinear(BYTES, times("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), (text) => {
      const reader = new RequestReader(all);
      for (const byte of Buffer.from(text)) {
        reader.push(Buffer.of(byte));
        reader.settle();
      }
      expect(reader.pending).toBe(text.length);
    });
  });

  test.each([
    ["chunks of a byte", "1\r\na\r\n"],
    ["zeros before a chunk's size", "000000000000"],
  ])("%s", (_, run) => expectLinear(BYTES, times(run), chunked));

  test("many short trailers", () => expectLinear(BYTES, times("a: 1\r\n"), (lines) => chunked(`0\r\n${lines}\r\n`)));
});

function forwarded(name: string, value: string): void {
  const exchange = new FakeExchange({ headers: [name, value], from: "127.0.0.1" });
  withForwarded(exchange, clientOf(exchange, proxies), exchange.request.headers);
}

function chunked(text: string): void {
  new ChunkedDecoder({ trailerBytesMax: 1_000_000, chunkExtensionBytesMax: 1_000_000 }).feed(
    Buffer.from(text),
    undefined,
  );
}
