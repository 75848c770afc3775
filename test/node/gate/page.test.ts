import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { renderWaitingPage, templateVariables } from "../../../node/gate/page.ts";
import type { WaitingView } from "../../../node/gate/waiting-json.ts";
import { anyView, VIEW } from "./waiting-views.ts";

const AGAIN = "/tickets?a=b&c=%22&__anteroom=again";
const page = (view: Partial<WaitingView>, customPageHtml = "") =>
  renderWaitingPage({ ...VIEW, ...view }, { customPageHtml, again: AGAIN });
const custom = (template: string, view: Partial<WaitingView> = {}) => page(view, template).html;

/** What is left for a reader when scripts and styles are off. */
const textOf = (html: string) =>
  html
    .replace(/<(script|style)>[\s\S]*?<\/\1>/g, "")
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ");

describe("the built-in page", () => {
  test("says place, people ahead, wait and time of the answer without JavaScript", () => {
    const { html } = page({ position: 12_345, waitSeconds: 245 });
    expect(textOf(html)).toContain("Your place in line 12,345 People ahead of you 12,344");
    expect(textOf(html)).toContain("Estimated wait about 5 minutes");
    expect(textOf(html)).toContain("Updated 23:46:00 UTC");
    expect(html).toContain("<title>Place 12,345 &mdash; please wait</title>");
  });

  test.each<[string, Partial<WaitingView>]>([
    ["You are in line", {}],
    ["You are next", { position: 1 }],
    ["The line is paused", { queueAll: true, waitSeconds: null }],
    ["The site does not answer", { originReachable: false, waitSeconds: null }],
    ["The line is paused", { originReachable: false, queueAll: true, waitSeconds: null }],
    ["The line is full", { kind: "full", position: 0, waitSeconds: null }],
    ["Closed at the moment", { kind: "rejected", queueingMethod: "reject", position: 0, refreshSeconds: 0 }],
    ["The line is paused", { kind: "rejected", queueingMethod: "reject", queueAll: true }],
  ])("is headed “%s” for %o", (heading, view) => {
    expect(page(view).html).toContain(`<h1 id="heading">${heading}</h1>`);
  });

  test.each([
    [null, "not known yet"],
    [0, "about a minute"],
    [60, "about a minute"],
    [61, "about 2 minutes"],
    [3_900, "about 1 hour 5 minutes"],
  ])("calls a wait of %s s “%s”", (waitSeconds, words) => {
    expect(page({ waitSeconds }).html).toContain(`<dd id="wait">${words}</dd>`);
  });

  test("is small, loads nothing and fills every slot, whatever the view", () => {
    fc.assert(
      fc.property(anyView, (view) => {
        const { html } = page(view);
        expect(Buffer.byteLength(html)).toBeLessThan(12_000);
        expect(html).not.toMatch(/\{\{|\/\*page|\/\*states/);
        expect(html.replace(/<script>[\s\S]*<\/script>/, "")).not.toMatch(/undefined|NaN|null/);
        expect(html.match(/\b(?:src|href)="[^"]*"|url\(|@import/g)).toEqual(['href="data:,"']);
      }),
    );
  });

  test("allows by its policy exactly its own style and script, the same ones for every view", () => {
    fc.assert(
      fc.property(anyView, (view) => {
        const { html, contentSecurityPolicy = "" } = page(view);
        for (const tag of ["style", "script"]) {
          const [, body = ""] = new RegExp(`<${tag}>([\\s\\S]*)</${tag}>`).exec(html) ?? [];
          const hash = createHash("sha256").update(body).digest("base64");
          expect(contentSecurityPolicy).toContain(`${tag}-src 'sha256-${hash}';`);
        }
        expect(html).not.toMatch(/ (?:style|on\w+)="/);
      }),
    );
  });

  test("has a script that parses", () => {
    const [, script = ""] = /<script>([\s\S]*)<\/script>/.exec(page({}).html) ?? [];
    expect(() => new Function(script)).not.toThrow();
    expect(script).toContain('{"waiting":{"heading":"You are in line"');
  });
});

describe("a room's own template", () => {
  test("may use the variables of Cloudflare's templates", () => {
    const template =
      "{{#waitTimeKnown}}{{waitTime}} {{waitTimeFormatted}} {{waitTimeHours}}:{{waitTimeHourMinutes}}{{/waitTimeKnown}}" +
      "{{^waitTimeKnown}}held{{/waitTimeKnown}}{{#queueIsFull}} full{{/queueIsFull}}{{{turnstile}}}";
    expect(custom(template, { waitSeconds: 3_900 })).toBe("65 1 hour 5 minutes 1:5");
    expect(custom(template, { waitSeconds: null, kind: "full" })).toBe("held full");
  });

  test("may use the place in line and the refresh interval", () => {
    expect(custom("{{position}} {{ahead}} {{waitSeconds}} {{refreshIntervalSeconds}}")).toBe("42 41 245 20");
  });

  test("sees 25 fields and seven of ours", () => expect(Object.keys(templateVariables(VIEW))).toHaveLength(32));

  test("gets no policy of ours, as it may load what it likes", () =>
    expect(page({}, "x").contentSecurityPolicy).toBeUndefined());

  test("that fails gives way to the built-in page, and the caller is told why", () => {
    const { html, templateProblem } = page({}, "{{#open}}");
    expect(html).toContain("You are in line");
    expect(templateProblem).toContain("Unclosed section");
    expect(page({}, "fine").templateProblem).toBeUndefined();
  });
});
