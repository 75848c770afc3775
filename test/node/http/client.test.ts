import { describe, expect, test } from "vitest";
import { clientOf, forwardedHost, parseCidr, withForwarded } from "../../../node/http/client.ts";
import { type Asked, FakeExchange, fieldOf, fieldsOf } from "../gate/fake-exchange.ts";

const TRUSTED = ["10.0.0.0/8", "2001:db8:ffff::/48", "192.0.2.1"].map(parseCidr);

describe("the client's address", () => {
  const CASES: readonly (readonly [string, string, string | undefined, string])[] = [
    ["is the peer's without proxies", "203.0.113.7", undefined, "203.0.113.7"],
    ["is not what a stranger says", "203.0.113.7", "198.51.100.1", "203.0.113.7"],
    ["is what a trusted proxy says", "10.1.1.1", "198.51.100.1", "198.51.100.1"],
    ["is what a trusted single address says", "192.0.2.1", "198.51.100.1", "198.51.100.1"],
    ["is the peer's where a trusted proxy says nothing", "10.1.1.1", undefined, "10.1.1.1"],
    ["is the peer's where a trusted proxy says nothing in many words", "10.1.1.1", " , ,", "10.1.1.1"],
    ["is the last that is no proxy", "10.1.1.1", "6.6.6.6, 198.51.100.1, 10.2.2.2, 192.0.2.1", "198.51.100.1"],
    ["is not what the client put before it", "10.1.1.1", "10.9.9.9, 198.51.100.1", "198.51.100.1"],
    ["is the first of a chain of proxies alone", "10.1.1.1", "10.3.3.3, 10.2.2.2", "10.3.3.3"],
    ["is the peer's where the last word is garbage", "10.1.1.1", "198.51.100.1, unknown", "10.1.1.1"],
    ["is an IPv6 address", "2001:db8:ffff::1", "2001:DB8:0:0::7", "2001:db8::7"],
    ["is IPv4 also when written as IPv6", "10.1.1.1", "::ffff:198.51.100.1", "198.51.100.1"],
    ["comes through an IPv4 proxy that is written as IPv6", "::ffff:10.1.1.1", "198.51.100.1", "198.51.100.1"],
    ["is found behind more hops than anybody has", "10.1.1.1", Array(5_000).fill("10.0.0.2").join(), "10.0.0.2"],
  ];

  test.each(CASES)("%s", (_, from, said, address) => {
    const headers = said === undefined ? {} : { "X-Forwarded-For": said };
    expect(clientOf(new FakeExchange({ from, headers }), TRUSTED).address).toBe(address);
  });

  test("is the last of several fields, in any case", () => {
    const headers = ["x-forwarded-for", "6.6.6.6", "X-FORWARDED-FOR", "198.51.100.1"];
    expect(clientOf(new FakeExchange({ from: "10.1.1.1", headers }), TRUSTED).address).toBe("198.51.100.1");
  });
});

describe("the client's address in a field of the proxy's own", () => {
  const CF = "CF-Connecting-IP";
  const CLOUDFRONT = "CloudFront-Viewer-Address";
  const CASES: readonly (readonly [string, string, string, readonly string[], string])[] = [
    ["is what a trusted proxy says there", CF, "10.1.1.1", [CF, "198.51.100.1"], "198.51.100.1"],
    ["is not what a stranger says", CF, "203.0.113.7", [CF, "198.51.100.1"], "203.0.113.7"],
    ["is in no field that was not named", CF, "10.1.1.1", ["True-Client-IP", "198.51.100.1"], "10.1.1.1"],
    [
      "comes before X-Forwarded-For",
      CF,
      "10.1.1.1",
      [CF, "198.51.100.1", "X-Forwarded-For", "6.6.6.6"],
      "198.51.100.1",
    ],
    ["is in X-Forwarded-For where the field is missing", CF, "10.1.1.1", ["X-Forwarded-For", "6.6.6.6"], "6.6.6.6"],
    ["is not one of two", CF, "10.1.1.1", [CF, "198.51.100.1", CF, "198.51.100.2"], "10.1.1.1"],
    ["is not one of a list", CF, "10.1.1.1", [CF, "198.51.100.1, 198.51.100.2"], "10.1.1.1"],
    ["is no garbage", CF, "10.1.1.1", [CF, "unknown", "X-Forwarded-For", "6.6.6.6"], "6.6.6.6"],
    ["is IPv6", CF, "10.1.1.1", [CF, "2001:DB8::7"], "2001:db8::7"],
    ["comes with a port from CloudFront", CLOUDFRONT, "10.1.1.1", [CLOUDFRONT, "198.51.100.1:46532"], "198.51.100.1"],
    ["and with one after IPv6", CLOUDFRONT, "10.1.1.1", [CLOUDFRONT, "2001:db8::7:4653"], "2001:db8::7"],
    ["and in brackets", CLOUDFRONT, "10.1.1.1", [CLOUDFRONT, "[2001:db8::7]:46532"], "2001:db8::7"],
  ];

  test.each(CASES)("%s", (_, field, from, headers, address) => {
    expect(clientOf(new FakeExchange({ from, headers }), TRUSTED, field.toLowerCase()).address).toBe(address);
  });
});

describe("of lists, what the outermost trusted proxy wrote", () => {
  /** X-Forwarded-For, then a list of which the outermost trusted proxy saw `public.example`, by https. */
  const CASES: readonly (readonly [string, string, string])[] = [
    ["one proxy", "198.51.100.1", "public.example"],
    ["one proxy behind a claim", "198.51.100.1", "evil.example, public.example"],
    ["one proxy, and an address that was claimed", "6.6.6.6, 198.51.100.1", "public.example"],
    ["two proxies that add", "198.51.100.1, 10.2.2.2", "public.example, inner.example"],
    ["two proxies that add, behind a claim", "198.51.100.1, 10.2.2.2", "evil.example, public.example, inner.example"],
    ["two proxies, of which the inner one keeps the field", "198.51.100.1, 10.2.2.2", "public.example"],
    ["three proxies that add", "198.51.100.1, 10.3.3.3, 10.2.2.2", "public.example, b.example, c.example"],
    ["a proxy that says no address", "", "public.example"],
  ];

  test.each(CASES)("counts: %s", (_, forwardedFor, hosts) => {
    const schemes = hosts.replace(/[^, ]+/g, (host) => (host === "public.example" ? "https" : "http"));
    const headers = { "X-Forwarded-For": forwardedFor, "X-Forwarded-Host": hosts, "X-Forwarded-Proto": schemes };
    const exchange = new FakeExchange({ from: "10.1.1.1", headers });
    expect([forwardedHost(exchange, TRUSTED), clientOf(exchange, TRUSTED).secure]).toEqual(["public.example", true]);
  });

  test.each([
    ["Public.Example:8443", "public.example"],
    ["[2001:db8::1]:443", "[2001:db8::1]"],
    ["not a host", undefined],
    ["", undefined],
  ])("is read as an authority: %j", (value, host) => {
    const exchange = new FakeExchange({ from: "10.1.1.1", headers: { "X-Forwarded-Host": value } });
    expect(forwardedHost(exchange, TRUSTED)).toBe(host);
  });
});

describe("whether the visitor came by TLS", () => {
  const CASES: readonly (readonly [Asked, boolean])[] = [
    [{}, false],
    [{ tls: true }, true],
    [{ headers: { "X-Forwarded-Proto": "https" } }, false],
    [{ tls: true, headers: { "X-Forwarded-Proto": "http" } }, true],
    [{ from: "10.1.1.1" }, false],
    [{ from: "10.1.1.1", headers: { "X-Forwarded-Proto": "wss" } }, true],
    [{ from: "10.1.1.1", headers: { "X-Forwarded-Proto": "ws" } }, false],
    [{ from: "10.1.1.1", tls: true }, true],
    [{ from: "10.1.1.1", headers: { "X-Forwarded-Proto": "HTTPS" } }, true],
    [{ from: "10.1.1.1", tls: true, headers: { "X-Forwarded-Proto": "http" } }, false],
    [{ from: "10.1.1.1", headers: { "X-Forwarded-Proto": "https, http" } }, false],
    [{ from: "10.1.1.1", headers: { "X-Forwarded-Proto": "gopher" } }, false],
  ];
  test.each(CASES)("%j: %s", (asked, secure) => {
    expect(clientOf(new FakeExchange(asked), TRUSTED).secure).toBe(secure);
  });
});

describe("the forwarded fields that an origin gets", () => {
  test("of a stranger are all replaced, for any input", () => {
    const headers = [
      ...["X-Forwarded-For", "6.6.6.6", "x-forwarded-proto", "https", "X-FORWARDED-HOST", "evil.example"],
      ...["Forwarded", "for=6.6.6.6", "X-Forwarded-Port", "1", "X_Forwarded_For", "6.6.6.6"],
      ...["X-Forwarded-Prefix", "/admin", "x_forwarded_proto", "https", "Accept", "*/*"],
      ...["X-Original-URL", "/shop", "x-rewrite-url", "/shop", "X_Original_URL", "/shop", "X-Rewrite-Uri", "/shop"],
    ];
    expect(forwarded({ headers })).toEqual([
      ...["Host", "shop.example", "Accept", "*/*"],
      ...["X-Forwarded-For", "203.0.113.7", "X-Forwarded-Proto", "http", "X-Forwarded-Host", "shop.example"],
      ...["Forwarded", "for=203.0.113.7;host=shop.example;proto=http"],
    ]);
  });

  test("of a trusted proxy are continued", () => {
    const headers = [
      ...["X-Forwarded-For", "6.6.6.6", "X-Forwarded-For", "198.51.100.1", "X-Forwarded-Proto", "https"],
      ...["X-Forwarded-Host", "public.example", "Forwarded", "for=198.51.100.1", "X-Forwarded-Port", "443"],
    ];
    const fields = forwarded({ from: "10.1.1.1", headers });
    expect(fieldsOf(fields, "X-Forwarded-For")).toEqual(["6.6.6.6, 198.51.100.1, 10.1.1.1"]);
    expect(fieldsOf(fields, "X-Forwarded-Proto")).toEqual(["https"]);
    expect(fieldsOf(fields, "X-Forwarded-Host")).toEqual(["public.example"]);
    expect(fieldsOf(fields, "X-Forwarded-Port")).toEqual(["443"]);
    expect(fieldsOf(fields, "Forwarded")).toEqual(["for=198.51.100.1, for=10.1.1.1;host=shop.example;proto=https"]);
  });

  test("of a stranger have no field in which trusted proxies name the client, in any spelling", () => {
    const headers = ["CF-Connecting-IP", "6.6.6.6", "cf_connecting_ip", "6.6.6.6", "True-Client-IP", "6.6.6.6"];
    for (const [from, kept] of [
      ["203.0.113.7", ["True-Client-IP"]],
      ["10.1.1.1", ["CF-Connecting-IP", "cf_connecting_ip", "True-Client-IP"]],
    ] as const) {
      const exchange = new FakeExchange({ from, headers });
      const fields = withForwarded(exchange, clientOf(exchange, TRUSTED), headers, "cf-connecting-ip");
      expect(fields.filter((name, at) => at % 2 === 0 && headers.includes(name))).toEqual(kept);
    }
  });

  test("name no host where the request has none", () => {
    const fields = forwarded({ host: "" });
    expect(fieldsOf(fields, "X-Forwarded-Host")).toEqual([]);
    expect(fieldOf(fields, "Forwarded")).toBe("for=203.0.113.7;proto=http");
  });

  test("quote what RFC 7239 wants quoted: IPv6 addresses, hosts with ports", () => {
    const fields = forwarded({ from: "2001:db8::7", host: "[2001:db8::1]:8080", tls: true });
    expect(fieldOf(fields, "Forwarded")).toBe('for="[2001:db8::7]";host="[2001:db8::1]:8080";proto=https');
    expect(fieldOf(fields, "X-Forwarded-For")).toBe("2001:db8::7");
  });
});

function forwarded(asked: Asked): string[] {
  const exchange = new FakeExchange(asked);
  return withForwarded(exchange, clientOf(exchange, TRUSTED), exchange.request.headers);
}
