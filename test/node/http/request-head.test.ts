import { describe, expect, test } from "vitest";
import type { Refusal } from "../../../node/http/fields.ts";
import { DEFAULT_HTTP_LIMITS as limits } from "../../../node/http/limits.ts";
import { isRefusal, type ParsedRequest, parseRequestHead } from "../../../node/http/request-head.ts";
import { HeadScan } from "../../../node/http/request-reader.ts";

const HOST = "Host: shop.example\r\n";

function parse(head: string): ParsedRequest | Refusal {
  return parseRequestHead(head, limits);
}

function accepted(head: string): ParsedRequest {
  const parsed = parse(head);
  if (isRefusal(parsed)) throw new Error(parsed.reason);
  return parsed;
}

function statusOf(head: string): number | "accepted" {
  const parsed = parse(head);
  return isRefusal(parsed) ? parsed.status : "accepted";
}

describe("a request head", () => {
  test("is taken as it came: order, case, duplicates and high bytes of fields stay", () => {
    const { head } = accepted(`GET /a%2Fb?q=\xe9 HTTP/1.1\r\n${HOST}X-B: 1\r\nx-a:\t 2 \xff \r\nX-B: 3\r\nEmpty:\r\n`);
    expect(head).toEqual({
      method: "GET",
      target: "/a%2Fb?q=\xe9",
      minorVersion: 1,
      headers: ["Host", "shop.example", "X-B", "1", "x-a", "2 \xff", "X-B", "3", "Empty", ""],
      authority: "shop.example",
      host: "shop.example",
    });
  });

  // What llhttp refuses too, llhttp/laws.test.ts has in all its forms: here is one of each kind.
  test.each([
    ["HTTP/0.9", "GET /\r\n"],
    ["two spaces", `GET  / HTTP/1.1\r\n${HOST}`],
    ["a fragment", `GET /a#b HTTP/1.1\r\n${HOST}`],
    ["asterisk form of another method than OPTIONS", `GET * HTTP/1.1\r\n${HOST}`],
    ["OPTIONS of two asterisks", `OPTIONS ** HTTP/1.1\r\n${HOST}`],
    ["a URL of another host", `GET http://other.example/ HTTP/1.1\r\n${HOST}`],
    ["a URL of another port", `GET http://shop.example:81/ HTTP/1.1\r\n${HOST}`],
    ["a URL with userinfo", `GET http://me@shop.example/ HTTP/1.1\r\n${HOST}`],
    ["a URL of another scheme", `GET ftp://shop.example/ HTTP/1.1\r\n${HOST}`],
    ["a bare LF between fields", `GET / HTTP/1.1\r\nHost: shop.example\nX: y\r\n`],
    ["a folded line", `GET / HTTP/1.1\r\n${HOST}X: a\r\n b\r\n`],
    ["a space before the colon", `GET / HTTP/1.1\r\nHost : shop.example\r\n`],
    ["no Host", "GET / HTTP/1.1\r\n"],
    ["two Hosts", `GET / HTTP/1.1\r\n${HOST}host: shop.example\r\n`],
    ["two Hosts in one", "GET / HTTP/1.1\r\nHost: a.example, b.example\r\n"],
    ["an empty Host", "GET / HTTP/1.1\r\nHost:\r\n"],
    ["Host with userinfo", "GET / HTTP/1.1\r\nHost: me@shop.example\r\n"],
    ["Host with a path", "GET / HTTP/1.1\r\nHost: shop.example/x\r\n"],
    ["Host with a bad port", "GET / HTTP/1.1\r\nHost: shop.example:8a\r\n"],
    ["Host with a port too high", "GET / HTTP/1.1\r\nHost: shop.example:65536\r\n"],
    ["Host with an empty port", "GET / HTTP/1.1\r\nHost: shop.example:\r\n"],
    ["Host with an empty label", "GET / HTTP/1.1\r\nHost: shop..example\r\n"],
    ["Host with a percent sign", "GET / HTTP/1.1\r\nHost: shop%2eexample\r\n"],
    ["Host with a malformed IPv6 address", "GET / HTTP/1.1\r\nHost: [::1::2]\r\n"],
    ["a malformed Host in HTTP/1.0", "GET / HTTP/1.0\r\nHost: a b\r\n"],
    [
      "Transfer-Encoding and Content-Length",
      `POST / HTTP/1.1\r\n${HOST}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n`,
    ],
    ["Transfer-Encoding in HTTP/1.0", `POST / HTTP/1.0\r\n${HOST}Transfer-Encoding: chunked\r\n`],
    ["two lengths", `POST / HTTP/1.1\r\n${HOST}Content-Length: 3\r\nContent-Length: 4\r\n`],
    ["a list of lengths", `POST / HTTP/1.1\r\n${HOST}Content-Length: 3, 3\r\n`],
    ["a length above 2^53", `POST / HTTP/1.1\r\n${HOST}Content-Length: 9007199254740992\r\n`],
    ["a length in disguise", `POST / HTTP/1.1\r\n${HOST}Content_Length: 3\r\n`],
    ["a coding other than chunked", `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: gzip\r\n`],
    ["chunked and another coding", `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: gzip, chunked\r\n`],
    ["chunked after an empty member", `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: ,chunked\r\n`],
    ["a transfer coding in disguise", `POST / HTTP/1.1\r\n${HOST}Transfer_Encoding: chunked\r\n`],
  ])("with %s gets 400", (_, head) => expect(statusOf(head)).toBe(400));

  test.each([
    ["CONNECT", `CONNECT shop.example:443 HTTP/1.1\r\n${HOST}`, 405],
    ["TRACE", `TRACE / HTTP/1.1\r\n${HOST}`, 405],
    ["HTTP/2's first word as method", `PRI / HTTP/1.1\r\n${HOST}`, 405],
    ["an unknown expectation", `POST / HTTP/1.1\r\n${HOST}Expect: 100-continue, tea\r\n`, 417],
    ["HTTP/2's preface", "PRI * HTTP/2.0\r\n", 505],
    ["HTTP/1.2", `GET / HTTP/1.2\r\n${HOST}`, 505],
    ["a long target", `GET /${"a".repeat(limits.targetBytesMax)} HTTP/1.1\r\n${HOST}`, 414],
    ["a long head", `GET / HTTP/1.1\r\n${HOST}X: ${"a".repeat(limits.headBytesMax)}\r\n`, 431],
    ["many fields", `GET / HTTP/1.1\r\n${HOST}${"X: 1\r\n".repeat(limits.fieldsMax)}`, 431],
  ])("with %s gets its own status", (_, head, status) => expect(statusOf(head)).toBe(status));

  test.each([
    ["shop.example", "shop.example"],
    ["Shop.EXAMPLE:8080", "shop.example"],
    ["shop.example.", "shop.example"],
    ["shop.example.:80", "shop.example"],
    ["10.0.0.1:80", "10.0.0.1"],
    ["[::1]:8080", "[::1]"],
    ["[2001:DB8::1]", "[2001:db8::1]"],
    ["[2001:0DB8:0:0::1]:80", "[2001:db8::1]"],
    ["my_host", "my_host"],
  ])("of Host %s is for host %s", (authority, host) => {
    expect(accepted(`GET / HTTP/1.1\r\nHost: ${authority}\r\n`).head).toMatchObject({ host, authority });
  });

  test("in absolute form loses its scheme and authority, when that is Host's", () => {
    expect(accepted(`GET http://SHOP.example/a?b HTTP/1.1\r\n${HOST}`).head.target).toBe("/a?b");
    expect(accepted(`GET https://shop.example?b HTTP/1.1\r\n${HOST}`).head.target).toBe("/?b");
    expect(accepted(`GET http://shop.example HTTP/1.1\r\n${HOST}`).head.target).toBe("/");
  });

  test("of HTTP/1.0 may come without Host", () => {
    expect(accepted("GET / HTTP/1.0\r\n").head).toMatchObject({ host: "", authority: "", minorVersion: 0 });
  });

  test.each([
    ["HTTP/1.1", "", true],
    ["HTTP/1.1", "Connection: close\r\n", false],
    ["HTTP/1.1", "Connection: keep-alive, Close\r\n", false],
    ["HTTP/1.0", "", false],
    ["HTTP/1.0", "Connection: Keep-Alive\r\n", true],
  ])("of %s with %j keeps the connection: %s", (version, connection, keepAlive) => {
    expect(accepted(`GET / ${version}\r\n${HOST}${connection}`).keepAlive).toBe(keepAlive);
  });

  test.each([
    ["Expect: 100-continue\r\n", true],
    ["Expect: 100-Continue\r\nExpect: 100-continue\r\n", true],
    ["", false],
  ])("with %j waits for 100 (Continue): %s; the origin hears nothing of it", (fields, waits) => {
    const parsed = accepted(`POST / HTTP/1.1\r\n${HOST}Content-Length: 2\r\n${fields}`);
    expect(parsed.expectsContinue).toBe(waits);
    expect(parsed.head.headers).toEqual(["Host", "shop.example"]);
    expect(accepted(`POST / HTTP/1.0\r\n${HOST}Content-Length: 2\r\n${fields}`).expectsContinue).toBe(false);
  });

  test.each(["OPTIONS *", "OPTIONS http://shop.example"])("%s asks for the server as a whole", (line) => {
    expect(accepted(`${line} HTTP/1.1\r\n${HOST}`).head.target).toBe("*");
  });

  test("keeps only what is end to end; what Connection names goes, Host stays", () => {
    const { head } = accepted(
      `POST / HTTP/1.1\r\n${HOST}Connection: close, X-Hop, host\r\nx-hop: 1\r\nKeep-Alive: 5\r\nTE: trailers\r\n` +
        "Proxy-Connection: x\r\nProxy-Authorization: x\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\nContent-Length: 2\r\nX-Own: 1\r\n",
    );
    expect(head.headers).toEqual(["Host", "shop.example", "X-Own", "1"]);
  });

  test("asks for a WebSocket with GET, Upgrade: websocket and Connection: upgrade, and no body", () => {
    const upgrade = "Connection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\n";
    expect(accepted(`GET / HTTP/1.1\r\n${HOST}${upgrade}`).webSocket).toBe(true);
    expect(accepted(`POST / HTTP/1.1\r\n${HOST}${upgrade}`).webSocket).toBe(false);
    expect(accepted(`GET / HTTP/1.0\r\n${HOST}${upgrade}`).webSocket).toBe(false);
    expect(accepted(`GET / HTTP/1.1\r\n${HOST}${upgrade}Content-Length: 5\r\n`).webSocket).toBe(false);
    expect(accepted(`GET / HTTP/1.1\r\n${HOST}Upgrade: websocket\r\n`).webSocket).toBe(false);
    expect(accepted(`GET / HTTP/1.1\r\n${HOST}Connection: upgrade\r\nUpgrade: h2c\r\n`).webSocket).toBe(false);
  });
});

/** What is found when the bytes of `text` come one by one. */
function inPieces(text: string) {
  const scan = new HeadScan(limits);
  const bytes = Buffer.from(text, "latin1");
  for (let length = 1; length <= bytes.length; length++) {
    const refusal = scan.next(bytes.subarray(0, length));
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

describe("a head that is not complete", () => {
  test.each([
    ["GET /\r\n", 400],
    ["GET / HTTP/1.1\nHost: a\n\n", 400],
    ["\n", 400],
    ["GET / HTTP/3.0\r\n", 505],
    ["\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03\n", 400],
    [`GET /${"a".repeat(limits.targetBytesMax + 100)}`, 414],
    [`GET / HTTP/1.1\r\n${"X: 1\r\n".repeat(6_000)}`, 431],
  ])("%j is refused as soon as that is certain", (text, status) => {
    const whole = new HeadScan(limits).next(Buffer.from(text, "latin1"));
    expect(whole?.status).toBe(status);
    expect(inPieces(text)).toEqual(whole);
  });

  test.each(["G", "GET / HTT", "GET / HTTP/1.1\r", `GET / HTTP/1.1\r\n${HOST}`])("%j is waited for", (text) => {
    expect(new HeadScan(limits).next(Buffer.from(text, "latin1"))).toBeUndefined();
    expect(inPieces(text)).toBeUndefined();
  });
});
