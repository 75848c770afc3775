import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { answerError, type ErrorAnswer, errorBody, errorHtml, GATE_ERRORS } from "../../../node/gate/error-page.ts";
import { type Answered, type Asked, FakeExchange, fieldOf } from "./fake-exchange.ts";

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

describe("an error of the gate", () => {
  test("is a page for a browser, with a policy that lets it load nothing", () => {
    const { headers, body } = errorBody(BROWSER, GATE_ERRORS.unreachable, { requestId: "r-1" });
    const contentSecurityPolicy = fieldOf(headers, "Content-Security-Policy");
    expect(fieldOf(headers, "Content-Type")).toBe("text/html; charset=utf-8");
    expect(body).toContain('<h1 id="heading">The site cannot be reached</h1>');
    expect(body).toContain("Error 502, request r-1");
    expect(contentSecurityPolicy).toContain("default-src 'none'; style-src 'sha256-");
    const [, script = ""] = /<script>([\s\S]*?)<\/script>/.exec(body) ?? [];
    expect(body).toContain("<title>The site cannot be reached &#8211; ");
    const hash = createHash("sha256").update(script).digest("base64");
    expect(contentSecurityPolicy).toContain(`script-src 'sha256-${hash}';`);
    expect(() => new Function(script)).not.toThrow();
    expect(Buffer.byteLength(body)).toBeLessThan(5_500);
    expect(contentSecurityPolicy).toContain("frame-ancestors 'self'");
    expect(fieldOf(headers, "X-Frame-Options")).toBe("SAMEORIGIN");
  });

  test.each(["application/json", "application/problem+json; q=0.9, */*"])("is JSON for %s", (accept) => {
    const { headers, body } = errorBody(accept, GATE_ERRORS.busy, { requestId: "r-1" });
    expect(fieldOf(headers, "Content-Type")).toBe("application/json");
    expect(JSON.parse(body)).toStrictEqual({
      error: {
        code: "busy",
        status: 503,
        title: "Busy at the moment",
        text: "This request cannot be taken right now, so it was not passed on to the site.",
        requestId: "r-1",
      },
    });
  });

  test.each([undefined, "*/*", "image/png"])("is plain text for %s", (accept) => {
    const { headers, body } = errorBody(accept, GATE_ERRORS.notFound);
    expect(fieldOf(headers, "Content-Type")).toBe("text/plain; charset=utf-8");
    expect(body).toBe("404 Nothing here\nNo site is served at this address.\n");
  });

  test("escapes what it shows", () => {
    const html = errorHtml(GATE_ERRORS.notFound, { requestId: "<i>" });
    expect(html).toContain("request &lt;i&gt;");
  });
});

describe("the page of an error that may be over soon", () => {
  const PAGE = { Accept: BROWSER };

  test("asks again by itself, says when, and has a link", () => {
    const { headers, body } = answered({ target: "/a?b&c", headers: PAGE }, { retryAfterSeconds: 20 });
    expect([fieldOf(headers, "Retry-After"), fieldOf(headers, "Refresh")]).toEqual(["20", "20; url=/a?b&c"]);
    expect(body).toContain('<body data-retry="20">');
    expect(body).toContain(
      '<span id="when">This page tries again automatically in 20 seconds.</span> <a href="/a?b&amp;c">Try again</a>',
    );
  });

  test.each([
    [1, 5, "5 seconds"],
    [60, 60, "1 minute"],
    [1_200, 1_200, "20 minutes"],
  ])("does so after %i s, but not sooner than is good for the gate: %i s", (retryAfterSeconds, seconds, words) => {
    const { headers, body } = answered({ headers: PAGE }, { retryAfterSeconds });
    expect(fieldOf(headers, "Retry-After")).toBe(`${retryAfterSeconds}`);
    expect(fieldOf(headers, "Refresh")).toBe(`${seconds}; url=/`);
    expect(body).toContain(`in ${words}.<`);
  });

  test.each(["POST", "PUT"])("does not after a %s: its sender decides", (method) => {
    const { headers, body } = answered({ method, target: "/buy", headers: PAGE }, { retryAfterSeconds: 20 });
    expect([fieldOf(headers, "Retry-After"), fieldOf(headers, "Refresh")]).toEqual(["20", undefined]);
    expect(body).toContain('<body data-retry="">');
    expect(body).toContain("What you sent is not sent again automatically.");
    expect(body).toContain('<a href="/buy">Try again without it</a>');
  });

  test("asks from a marked address if a cookie comes with it, as a browser that keeps none would take another slot each time", () => {
    const headers = ["Set-Cookie", "__anteroom_shop=x"];
    const { headers: fields } = answered({ target: "/a?b", headers: PAGE }, { retryAfterSeconds: 10, headers });
    expect(fieldOf(fields, "Refresh")).toBe("10; url=/a?b&__anteroom=again");
    const posted = { target: "/?__anteroom=posted", headers: PAGE };
    const again = answered(posted, { retryAfterSeconds: 10, headers });
    expect(fieldOf(again.headers, "Refresh")).toBe("10; url=/?__anteroom=posted.again");
  });

  test("is the only one: what stays says nothing of it, and programs read Retry-After", () => {
    const stays = answered({ headers: PAGE }, {});
    expect([fieldOf(stays.headers, "Retry-After"), fieldOf(stays.headers, "Refresh")]).toEqual([undefined, undefined]);
    expect(stays.body).toContain('<p id="next"><a href="/">Try again</a></p>');
    for (const Accept of ["application/json", "*/*"]) {
      const { headers } = answered({ headers: { Accept } }, { retryAfterSeconds: 10 });
      expect([fieldOf(headers, "Retry-After"), fieldOf(headers, "Refresh")]).toEqual(["10", undefined]);
    }
  });
});

function answered(asked: Asked, answer: ErrorAnswer): Answered {
  const exchange = new FakeExchange(asked);
  answerError(exchange, GATE_ERRORS.busy, answer);
  const [outcome] = exchange.outcomes;
  if (outcome?.kind !== "answer") throw new Error("Not answered");
  return outcome;
}
