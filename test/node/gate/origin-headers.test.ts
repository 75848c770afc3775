import { describe, expect, test } from "vitest";
import { originHeaders, privateAnswer } from "../../../node/gate/origin-headers.ts";
import { clientOf } from "../../../node/http/client.ts";
import { FakeExchange, originAnswers } from "./fake-exchange.ts";
import { GateWorld, SHOP } from "./gate-world.ts";

describe("to the origin", () => {
  test("fields keep their order, case and duplicates; ours are gone, the secret comes last", () => {
    const exchange = new FakeExchange({
      headers: ["x-A", "1", "ANTEROOM-POLL", "1", "X-a", "2", "anteroom-origin-secret", "guess", "Cookie", "c=1"],
    });
    expect(originHeaders(exchange, clientOf(exchange, []), { secret: "s3cret", loopName: "here" })).toEqual([
      ...["Host", "shop.example", "x-A", "1", "X-a", "2", "Cookie", "c=1"],
      ...["X-Forwarded-For", "203.0.113.7", "X-Forwarded-Proto", "http", "X-Forwarded-Host", "shop.example"],
      ...["Forwarded", "for=203.0.113.7;host=shop.example;proto=http"],
      ...["CDN-Loop", "here", "Anteroom-Origin-Secret", "s3cret"],
    ]);
  });

  test("the trace that a request belongs to continues at the origin, unchanged", () => {
    const trace = ["traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "tracestate", "a=1,b=2"];
    const exchange = new FakeExchange({ headers: trace });
    const made = originHeaders(exchange, clientOf(exchange, []), { secret: undefined, loopName: "here" });
    expect(made.slice(2, 6)).toEqual(trace);
  });

  test("a page's address in Referer has neither pass nor mark of ours", () => {
    const page = "https://shop.example/a?b=c";
    const referers = ["Referer", `${page}&anteroom_pass=secret`, "referer", `${page}&__anteroom=again`];
    for (const isPreflight of [false, true]) {
      const exchange = new FakeExchange({ headers: [...referers, "X", "a?anteroom_pass=b"] });
      const by = { secret: undefined, loopName: "here", isPreflight };
      const made = originHeaders(exchange, clientOf(exchange, []), by);
      expect(made.slice(2, 6)).toEqual(["Referer", page, "referer", page]);
      expect(made.includes("a?anteroom_pass=b")).toBe(!isPreflight);
    }
  });
});

describe("an answer that carries a cookie of ours", () => {
  test.each([
    ["says nothing of caches", [], "private"],
    ["is for everybody", ["Cache-Control", "public, s-maxage=60, max-age=30"], "private, max-age=30"],
    ["says so in two fields", ["cache-control", "Public", "Cache-Control", "max-age=1"], "private, max-age=1"],
    [
      "keeps one field from shared caches",
      ["Cache-Control", 'private="set-cookie, x", max-age=5'],
      "private, max-age=5",
    ],
    ["must not be stored", ["Cache-Control", "no-store, public"], "private, no-store"],
    [
      "has a directive with a comma",
      ["Cache-Control", 'no-cache="a, public", public'],
      'private, no-cache="a, public"',
    ],
    ["makes proxies ask", ["Cache-Control", "public, proxy-revalidate, immutable"], "private, immutable"],
  ])("that %s is for the visitor's browser alone", (_, headers, expected) => {
    expect(privateAnswer(headers)).toEqual(["Cache-Control", expected]);
  });

  test("says nothing to shared caches alone", () => {
    const ofCdns = ["CDN-Cache-Control", "Cloudflare-CDN-Cache-Control", "Surrogate-Control"];
    const fields = [...ofCdns, "X-Accel-Expires", "X-LiteSpeed-Cache-Control"];
    const headers = fields.flatMap((name) => [name, "max-age=60"]);
    expect(privateAnswer([...headers, "X-Kept", "y"])).toEqual(["X-Kept", "y", "Cache-Control", "private"]);
  });

  test("is that of a visitor who comes in; the next ones are as the origin said", async () => {
    const world = new GateWorld({ rooms: [SHOP] });
    const headers = ["Cache-Control", "public, s-maxage=60"];
    const first = originAnswers(await world.forwarded(), headers);
    expect(first.slice(-2)).toEqual(["Cache-Control", "private"]);
    const cookie = first[first.indexOf("Set-Cookie") + 1]?.split(";")[0] ?? "";
    expect(originAnswers(await world.forwarded({ headers: { Cookie: cookie } }), headers)).toEqual(headers);
  });
});
