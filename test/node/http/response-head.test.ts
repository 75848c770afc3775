import { describe, expect, test } from "vitest";
import { cannotBecomeHead, headEnd, parseResponseHead } from "../../../node/http/response-head.ts";

describe("an origin's head", () => {
  test("keeps status, reason, order, case and duplicates of what is end to end", () => {
    const parsed = parseResponseHead(
      "HTTP/1.1 299 Sehr sch\xf6n\r\nSet-Cookie: a=1\r\nx-One: 1\r\nset-cookie: b=2\r\nConnection: keep-alive, X-Hop\r\n" +
        "X-Hop: 1\r\nKeep-Alive: timeout=5, max=9\r\nContent-Length: 3\r\n",
      "GET",
    );
    expect(parsed).toEqual({
      head: { status: 299, reason: "Sehr sch\xf6n", headers: ["Set-Cookie", "a=1", "x-One", "1", "set-cookie", "b=2"] },
      framing: 3,
      contentLength: 3,
      keepAlive: true,
      keepAliveMs: 5_000,
      isLoose: false,
      webSocket: false,
    });
  });

  test.each([
    ["GET", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n", 5, 5],
    ["GET", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n", 5, 5],
    ["GET", "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n", 5, 5],
    ["GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n", "chunked", undefined],
    ["GET", "HTTP/1.1 200\r\n", "until-close", undefined],
    ["HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n", "none", 5],
    ["HEAD", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n", "none", undefined],
    ["GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n", "none", 5],
    ["GET", "HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n", "none", undefined],
    ["GET", "HTTP/1.1 103 Early Hints\r\nLink: x\r\n", "none", undefined],
    ["POST", "HTTP/1.1 100 Continue\r\nContent-Length: 0\r\n", "none", undefined],
  ])("to %s %j has a body of %s and length %s", (method, text, framing, contentLength) => {
    expect(parseResponseHead(text, method)).toMatchObject({ framing, contentLength });
  });

  // What llhttp refuses too, llhttp/laws.test.ts has in all its forms.
  test.each([
    ["HTTP/2", "HTTP/2.0 200 OK\r\n"],
    ["a control character in the reason", "HTTP/1.1 200 O\x07K\r\n"],
    ["a field that a bare LF brought in", "HTTP/1.1 200 OK\r\nX: y\nSet-Cookie: a=b\r\n"],
    ["a length in disguise", "HTTP/1.1 200 OK\r\nContent_Length: 2\r\n"],
    ["an unknown coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n"],
    ["an interim answer with a length", "HTTP/1.1 103 Early Hints\r\nContent-Length: 5\r\n"],
    ["an interim answer in chunks", "HTTP/1.1 100 Continue\r\nTransfer-Encoding: chunked\r\n"],
    ["two codings", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked\r\n"],
    ["too many fields", `HTTP/1.1 200 OK\r\n${"X: 1\r\n".repeat(401)}`],
  ])("with %s is a bad response", (_, text) => expect(parseResponseHead(text, "GET")).toBeTypeOf("string"));

  test.each([
    ["lines that all end in LF alone", "HTTP/1.1 200 OK\nX: y\nContent-Length: 5\n", 5, ["X", "y"]],
    [
      "chunks beside a length, which they override",
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\nX: y\r\n",
      "chunked",
      ["X", "y"],
    ],
    [
      "chunks in HTTP/1.0",
      "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\nX: y\r\n",
      "chunked",
      ["X", "y"],
    ],
    [
      "control characters in a value, as blanks",
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: a\x01b\x7f\0\r\n",
      5,
      ["X", "a b"],
    ],
  ])("with %s is read, and its connection serves no other", (_, text, framing, headers) => {
    const read = { framing, keepAlive: false, isLoose: true, head: { headers } };
    expect(parseResponseHead(text, "GET")).toMatchObject(read);
  });

  test("ends at the first empty line, whatever its line end", () => {
    for (const [text, start, end] of [
      ["a\r\n\r\nb\n\n", 3, 5],
      ["a\n\nb\r\n\r\n", 2, 3],
      ["a\n\r\nb", 2, 4],
    ] as const)
      expect(headEnd(Buffer.from(text))).toEqual({ start, end });
    expect(headEnd(Buffer.from("a\r\nb\n"))).toBeUndefined();
  });

  test.each([
    ["HTTP/1.1", "", true],
    ["HTTP/1.1", "Connection: close\r\n", false],
    ["HTTP/1.0", "", false],
    ["HTTP/1.0", "Connection: keep-alive\r\n", true],
  ])("of %s with %j keeps the connection: %s", (version, connection, keepAlive) => {
    expect(parseResponseHead(`${version} 200 OK\r\n${connection}`, "GET")).toMatchObject({ keepAlive });
  });

  test.each([
    ["HTTP/1.1 200 OK\r\nX: a\r", false],
    ["HTT", false],
    ["ICY 200", true],
    ["HTTP/1.1 200 OK\n", false],
    ["\n", true],
    ["HTTP/1.1 200 OK\r\r", true],
    ["HTTP/1.1 200 OK\r\nX: a\rb", true],
  ])("that begins with %j can no longer become one: %s", (text, cannot) => expect(cannotBecomeHead(text)).toBe(cannot));

  test("is a WebSocket's only with 101, Upgrade and Connection", () => {
    const fields = "Upgrade: websocket\r\nConnection: Upgrade\r\n";
    expect(parseResponseHead(`HTTP/1.1 101 Switching Protocols\r\n${fields}`, "GET")).toMatchObject({
      webSocket: true,
    });
    expect(parseResponseHead(`HTTP/1.1 200 OK\r\n${fields}`, "GET")).toMatchObject({ webSocket: false });
    expect(parseResponseHead("HTTP/1.1 101 Switching Protocols\r\n", "GET")).toMatchObject({ webSocket: false });
  });
});
