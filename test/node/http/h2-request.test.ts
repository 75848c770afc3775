import { describe, expect, test } from "vitest";
import { h2Request } from "../../../node/http/h2-stream.ts";

const GET = [":method", "GET", ":path", "/a%2Fb/../c?x=%20", ":scheme", "https", ":authority", "shop.example"];

describe("an HTTP/2 request", () => {
  test("becomes the head of an HTTP/1.1 request, with one cookie field", () => {
    const fields = [...GET, "accept", "*/*", "cookie", "a=1", "te", "trailers", "cookie", "b=2", "x", "1", "x", "2"];
    expect(h2Request(fields, false)).toEqual({
      method: "GET",
      text: "GET /a%2Fb/../c?x=%20 HTTP/1.1\r\nhost: shop.example\r\naccept: */*\r\nx: 1\r\nx: 2\r\ncookie: a=1; b=2\r\nconnection: close\r\n\r\n",
      length: undefined,
      isChunked: false,
    });
  });

  test.each([
    ["with a stated length", ["content-length", "3"], { length: 3, isChunked: false }],
    ["without", [], { length: undefined, isChunked: true }],
  ])("with a body %s", (_, more, expected) => {
    const request = h2Request([...GET, ...more], true);
    expect(request).toMatchObject(expected);
    expect("text" in request && request.text.includes("transfer-encoding: chunked")).toBe(expected.isChunked);
  });

  test.each([
    ["a line end in a value", [...GET, "x", "1\r\ny: 2"]],
    ["a line end in the path", [":method", "GET", ":path", "/\r\nx: 1", ...GET.slice(4)]],
    ["a line end in the host", [...GET.slice(0, 6), ":authority", "a\r\nx: 1"]],
    ["a blank before a value", [...GET, "x", " 1"]],
    ["a tab after a value", [...GET, "cookie", "a=1\t"]],
    ["a blank in the path", [":method", "GET", ":path", "/a HTTP/1.1", ...GET.slice(4)]],
    ["a name that is no token", [...GET, "x y", "1"]],
    ["a line end in a name", [...GET, "x: 1\r\ny", "1"]],
    ["an upper-case name", [...GET, "Host", "other.example"]],
    ["a field of the connection", [...GET, "transfer-encoding", "chunked"]],
    ["another host", [...GET, "host", "other.example"]],
    ["no host", GET.slice(0, 6)],
    ["two paths", [...GET, ":path", "/"]],
    ["a pseudo field after others", [...GET.slice(0, 6), "x", "1", ":authority", "a"]],
    ["an unknown pseudo field", [...GET, ":protocol", "websocket"]],
    ["another scheme", [...GET.slice(0, 4), ":scheme", "http", ...GET.slice(6)]],
  ])("with %s is refused", (_, fields) => {
    expect(h2Request(fields, false)).toMatchObject({ status: 400 });
  });
});
