import { describe, expect, test } from "vitest";
import { readProxyHeader } from "../../../node/http/proxy-header.ts";

const SIGNATURE = "\r\n\r\n\0\r\nQUIT\n";

function binary(command: number, family: number, body: readonly number[]): Buffer {
  const length = [body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from(SIGNATURE, "latin1"), Buffer.from([command, family, ...length, ...body])]);
}

const IPV4 = [192, 0, 2, 7, 192, 0, 2, 1, 0x1f, 0x90, 0, 80];
const IPV6 = [0x20, 1, 0xd, 0xb8, ...Array(11).fill(0), 7, ...Array(16).fill(1), 0, 1, 0, 2];

describe("a PROXY header", () => {
  test.each([
    ["version 1, IPv4", "PROXY TCP4 192.0.2.7 192.0.2.1 8080 80\r\n", "192.0.2.7"],
    ["version 1, IPv6", "PROXY TCP6 2001:db8::7 2001:db8::1 8080 80\r\n", "2001:db8::7"],
    ["version 1, unknown", "PROXY UNKNOWN\r\n", undefined],
    ["version 2, IPv4", binary(0x21, 0x11, IPV4), "192.0.2.7"],
    ["version 2, IPv4 with an extension", binary(0x21, 0x11, [...IPV4, 4, 0, 1, 9]), "192.0.2.7"],
    ["version 2, IPv6", binary(0x21, 0x21, IPV6), "2001:db8::7"],
    ["version 2, the balancer's own connection", binary(0x20, 0, []), undefined],
    ["version 2, a unix socket", binary(0x21, 0x31, Array(216).fill(0)), undefined],
  ])("of %s is read, and nothing after it", (_, header, address) => {
    const bytes = Buffer.from(header as string, "latin1");
    const after = Buffer.concat([bytes, Buffer.from("GET / HTTP/1.1\r\n")]);
    expect(readProxyHeader(after)).toEqual({ length: bytes.length, address });
    for (let cut = 0; cut < bytes.length; cut += 1) expect(readProxyHeader(bytes.subarray(0, cut))).toBe("more");
  });

  test.each([
    ["a request", "GET / HTTP/1.1\r\n"],
    ["a line without its end", `PROXY TCP4 ${"1".repeat(120)}`],
    ["an address of the other kind", "PROXY TCP4 2001:db8::7 192.0.2.1 1 2\r\n"],
    ["no address", "PROXY TCP4 shop 192.0.2.1 1 2\r\n"],
    ["more words", "PROXY TCP4 192.0.2.7 192.0.2.1 1 2 3\r\n"],
    ["version 3", binary(0x31, 0x11, IPV4)],
    ["addresses that are cut off", binary(0x21, 0x21, IPV4)],
    ["more bytes than a header has", binary(0x21, 0x11, Array(5_000).fill(0))],
  ])("is not %s", (_, bytes) => {
    expect(readProxyHeader(Buffer.from(bytes as string, "latin1"))).toBe("none");
  });
});
