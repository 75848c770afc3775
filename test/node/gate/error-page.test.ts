import { describe, expect, test } from "vitest";
import { errorBody, errorPage, GATE_ERRORS } from "../../../node/gate/error-page.ts";
import { fieldOf } from "./fake-exchange.ts";

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

describe("an error of the gate", () => {
  test("is a page for a browser, with a policy that lets it load nothing", () => {
    const { headers, body } = errorBody(BROWSER, GATE_ERRORS.unreachable, "r-1");
    const contentSecurityPolicy = fieldOf(headers, "Content-Security-Policy");
    expect(fieldOf(headers, "Content-Type")).toBe("text/html; charset=utf-8");
    expect(body).toContain("<h1>The site cannot be reached</h1>");
    expect(body).toContain("Error 502, request r-1");
    expect(contentSecurityPolicy).toContain("default-src 'none'; style-src 'sha256-");
    expect(contentSecurityPolicy).toContain("script-src 'none'");
    expect(contentSecurityPolicy).toContain("frame-ancestors 'self'");
    expect(fieldOf(headers, "X-Frame-Options")).toBe("SAMEORIGIN");
  });

  test.each(["application/json", "application/problem+json; q=0.9, */*"])("is JSON for %s", (accept) => {
    const { headers, body } = errorBody(accept, GATE_ERRORS.busy, "r-1");
    expect(fieldOf(headers, "Content-Type")).toBe("application/json");
    expect(JSON.parse(body)).toStrictEqual({ error: { ...GATE_ERRORS.busy, requestId: "r-1" } });
  });

  test.each([undefined, "*/*", "image/png"])("is plain text for %s", (accept) => {
    const { headers, body } = errorBody(accept, GATE_ERRORS.notFound);
    expect(fieldOf(headers, "Content-Type")).toBe("text/plain; charset=utf-8");
    expect(body).toBe("404 Nothing here\nNo site is served at this address.\n");
  });

  test("escapes what it shows", () => {
    const html = errorPage({ status: 400, title: "<b>", text: `"&'` }, "<i>");
    expect(html).toContain("<h1>&lt;b&gt;</h1>");
    expect(html).toContain("<p>&quot;&amp;&#39;</p>");
    expect(html).toContain("request &lt;i&gt;");
  });
});
