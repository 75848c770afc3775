import { describe, expect, test } from "vitest";
import { errorBody, errorPage, GATE_ERRORS } from "../../../node/gate/error-page.ts";

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

describe("an error of the gate", () => {
  test("is a page for a browser, with a policy that lets it load nothing", () => {
    const { contentType, body, contentSecurityPolicy } = errorBody(BROWSER, GATE_ERRORS.unreachable, "r-1");
    expect(contentType).toBe("text/html; charset=utf-8");
    expect(body).toContain("<h1>The site cannot be reached</h1>");
    expect(body).toContain("Error 502, request r-1");
    expect(contentSecurityPolicy).toContain("default-src 'none'; style-src 'sha256-");
    expect(contentSecurityPolicy).toContain("script-src 'none'");
  });

  test.each(["application/json", "application/problem+json; q=0.9, */*"])("is JSON for %s", (accept) => {
    const { contentType, body } = errorBody(accept, GATE_ERRORS.busy, "r-1");
    expect(contentType).toBe("application/json");
    expect(JSON.parse(body)).toStrictEqual({ error: { ...GATE_ERRORS.busy, requestId: "r-1" } });
  });

  test.each([undefined, "*/*", "image/png"])("is plain text for %s", (accept) => {
    const { contentType, body } = errorBody(accept, GATE_ERRORS.notFound);
    expect(contentType).toBe("text/plain; charset=utf-8");
    expect(body).toBe("404 Nothing here\nNo site is served at this address.\n");
  });

  test("escapes what it shows", () => {
    const html = errorPage({ status: 400, title: "<b>", text: `"&'` }, "<i>");
    expect(html).toContain("<h1>&lt;b&gt;</h1>");
    expect(html).toContain("<p>&quot;&amp;&#39;</p>");
    expect(html).toContain("request &lt;i&gt;");
  });
});
