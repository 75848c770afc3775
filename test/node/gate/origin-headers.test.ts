import { describe, expect, test } from "vitest";
import { originHeaders } from "../../../node/gate/origin-headers.ts";
import { clientOf } from "../../../node/http/client.ts";
import { FakeExchange } from "./fake-exchange.ts";

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
    const headers = [
      "Referer",
      `${page}&anteroom_pass=secret`,
      "referer",
      `${page}&__anteroom=again`,
      "X",
      "a?anteroom_pass=b",
    ];
    for (const isPreflight of [false, true]) {
      const exchange = new FakeExchange({ headers });
      const made = originHeaders(exchange, clientOf(exchange, []), {
        secret: undefined,
        loopName: "here",
        isPreflight,
      });
      expect(made.slice(2, 6)).toEqual(["Referer", page, "referer", page]);
      expect(made.includes("a?anteroom_pass=b")).toBe(!isPreflight);
    }
  });
});
