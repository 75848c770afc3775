import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BrandPage } from "../../../node/config/room.ts";
import { templateComplaint } from "../../../node/config/template-check.ts";
import { PLAIN_PAGE } from "../../../node/gate/brand.ts";
import { defaultTemplate, renderWaitingPage } from "../../../node/gate/page.ts";
import SOURCE from "../../../node/gate/waiting-page.html" with { type: "text" };
import type { WaitingView } from "../../../node/gate/waiting-view.ts";
import { fieldOf } from "./fake-exchange.ts";
import { anyView, VIEW } from "./waiting-views.ts";

const AGAIN = "/tickets?a=b&c=%22&__anteroom=again";
const LEAVE = "/tickets?a=b&c=%22&__anteroom=leave";
const FORM = {
  again: AGAIN,
  leave: LEAVE,
  languages: "/tickets?a=b&c=%22&__anteroom=languages",
  here: "/tickets?a=b&c=%22",
  host: "shop.example:8443",
  language: "en-US",
  defaultTemplateLanguage: "en-US",
} as const;
const page = (view: Partial<WaitingView>, customPageHtml = "", brand: Partial<BrandPage> = {}) =>
  renderWaitingPage({ ...VIEW, ...view }, { ...FORM, customPageHtml, page: { ...PLAIN_PAGE, ...brand } });
const custom = (template: string, view: Partial<WaitingView> = {}) => page(view, template).html;

/** What is left for a reader when scripts and styles are off. */
const textOf = (html: string) =>
  html
    .replace(/<(script|style)\b[\s\S]*?<\/\1>/g, "")
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code))
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ");

describe("the built-in page", () => {
  test("says why, place, wait and time of the answer without JavaScript", () => {
    const { html } = page({ position: 12_345, waitSeconds: 245 });
    expect(textOf(html)).toContain("Many people are here at once, so visitors are let in one after another.");
    expect(textOf(html)).toContain("Your place in line 12,345");
    expect(textOf(html)).toContain("Estimated wait about 5 minutes");
    expect(textOf(html)).toContain("Updated 11:46:00 PM UTC , next try at 11:46:20 PM UTC . Try again");
    expect(html).toContain("<title>Place 12,345 &#8212; You are in line &#8211; shop.example</title>");
  });

  test.each<[string, Partial<WaitingView>]>([
    ["You are in line", {}],
    ["You are next", { position: 1 }],
    ["The line is paused", { queueAll: true, waitSeconds: null }],
    ["The site does not answer", { originReachable: false, waitSeconds: null }],
    ["The line is paused", { originReachable: false, queueAll: true, waitSeconds: null }],
    ["The line is full", { kind: "full", position: 0, waitSeconds: null }],
    ["Closed at the moment", { kind: "rejected", queueingMethod: "reject", position: 0 }],
    ["The line is paused", { kind: "rejected", queueingMethod: "reject", queueAll: true }],
  ])("is headed “%s” for %o", (heading, view) => {
    expect(page(view).html).toContain(`<h1 id="heading">${heading}</h1>`);
  });

  test.each([
    [null, "not known yet"],
    [0, "less than a minute"],
    [60, "about a minute"],
    [61, "about 2 minutes"],
    [601, "about 15 minutes"],
    [1_150, "about 20 minutes"],
    [3_601, "until around 12:50 AM UTC"],
    [86_400, "until around 12:00 AM UTC"],
    [86_401, "more than a day"],
  ])("calls a wait of %s s “%s”", (waitSeconds, words) => {
    expect(page({ waitSeconds }).html).toContain(`<strong id="wait">${words}</strong>`);
  });

  test.each<[number, number, string]>([
    [0, 59, "less than a minute"],
    [5, 61, "about 2 minutes"],
    [95, 150, "about 3 minutes"],
    [200, 500, "about 3 to 9 minutes"],
    [620, 1_210, "about 10 to 25 minutes"],
    [1_500, 3_600, "about 25 to 60 minutes"],
    [1_500, 3_601, "between 12:10 AM and 12:50 AM UTC"],
    [9_000, 12_000, "between 2:00 AM and 3:30 AM UTC"],
    [80_000, 100_000, "more than a day"],
  ])("calls a wait of %i to %i s “%s”", (low, high, words) => {
    const { html } = page({ waitSeconds: Math.round((low + high) / 2), waitRange: [low, high] });
    expect(html).toContain(`<strong id="wait">${words}</strong>`);
  });

  test.each<[string, Partial<WaitingView>]>([
    ["your place is kept for the estimated wait and 10 minutes more.", { keptMinutes: 10 }],
    ["your place is kept for the estimated wait and 1 minute more.", { keptMinutes: 1, position: 1 }],
    ["your place is kept for at least 10 minutes.", { keptMinutes: 10, waitSeconds: null, queueAll: true }],
    ["your place is kept for at least 240 minutes.", { keptMinutes: 240, isDrawing: true, position: 0 }],
  ])("says how long the place is kept: “%s”", (rule, view) => {
    expect(page(view).html).toContain(`<p id="kept" class="soft">If you close this page, ${rule}</p>`);
  });

  test("says how long a visitor may stay, as the room lets them", () => {
    expect(page({ stayMinutes: 5 }).html).toContain(">Your time on the site, at least: 5 minutes</p>");
    expect(page({ stayMinutes: 1 }).html).toContain(">Your time on the site, at least: 1 minute</p>");
    expect(page({}).html).toContain('<p id="stay" class="soft"></p>');
  });

  test("has one region for screen readers, which is empty until its script fills it", () => {
    fc.assert(
      fc.property(anyView, (view) => {
        expect(page(view).html.match(/<[^>]*(?:role="|aria-live)[^>]*>[^<]*/g)).toEqual([
          '<p id="news" role="status">',
        ]);
      }),
    );
  });

  test("is small, loads nothing and fills every slot, for any view", () => {
    fc.assert(
      fc.property(anyView, (view) => {
        const { html } = page(view);
        expect(Buffer.byteLength(html)).toBeLessThan(18_000);
        expect(html).not.toMatch(/\{\{|\/\*page/);
        expect(html.replace(/<script>[\s\S]*<\/script>/, "")).not.toMatch(/undefined|NaN|null/);
        const links = [
          'href="/favicon.ico"',
          'href="/tickets?a=b&amp;c=%22"',
          'href="/tickets?a=b&amp;c=%22&amp;__anteroom=again"',
          'href="/tickets?a=b&amp;c=%22&amp;__anteroom=languages"',
        ];
        expect(html.match(/\b(?:src|href)="[^"]*"|url\(|@import/g)).toEqual(links);
      }),
    );
  });

  test("allows by its policy exactly its own style and script, the same ones for every view", () => {
    fc.assert(
      fc.property(anyView, (view) => {
        const { html, headers } = page(view);
        for (const tag of ["style", "script"]) {
          const bodies = [...html.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, "g"))];
          const hashes = bodies.map(
            ([, body = ""]) => `'sha256-${createHash("sha256").update(body).digest("base64")}'`,
          );
          expect(fieldOf(headers, "Content-Security-Policy")).toContain(`${tag}-src ${hashes.join(" ")};`);
        }
        expect(html).not.toMatch(/ (?:style|on\w+)="/);
      }),
    );
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

  test("can be the built-in page, from which operators start", () => {
    expect(templateComplaint(defaultTemplate())).toBeUndefined();
    fc.assert(
      fc.property(anyView, (view) => {
        const brand = { title: "A & <B>", message: "{{no}}" };
        expect(page(view, defaultTemplate(), brand).html).toBe(page(view, "", brand).html);
      }),
    );
  });

  test("can load the live script, with its texts and what it starts from", () => {
    const html = custom("<h1 id=heading></h1>{{{anteroomScript}}}");
    expect(html).toMatch(
      /^<h1 id=heading><\/h1><script id="anteroom" type="application\/json" data-lang="en-US" data-state/,
    );
    expect(html).toContain(/<script>[\s\S]*<\/script>/.exec(page({}).html)?.[0]);
    expect(html).toContain('data-again="/tickets?a=b&amp;c=%22&amp;__anteroom=again"');
  });
});

test("a page says the same whatever pages the room has shown before", () => {
  // `page` makes a brand for each call, so that nothing is remembered of it; this one is remembered.
  const shared = { ...FORM, customPageHtml: "", page: { ...PLAIN_PAGE } };
  fc.assert(
    fc.property(
      anyView,
      fc.constantFrom("a.example", "b.example"),
      fc.constantFrom("en-US", "de-DE"),
      (view, host, language) => {
        const form = { ...shared, host, language } as const;
        expect(renderWaitingPage(view, form)).toEqual(renderWaitingPage(view, { ...form, page: { ...PLAIN_PAGE } }));
      },
    ),
    { numRuns: 500 },
  );
});

describe("the script of the page", () => {
  /** The pauses that it plans after an answer. */
  function plannedWith({ proof, pollMs }: { readonly proof?: string; readonly pollMs?: number }): number[] {
    const [body = ""] = /function planNext\(\) \{[\s\S]*?\n\}/.exec(String(SOURCE).replace(/\n +/g, "\n")) ?? [];
    const planned: number[] = [];
    const plan = (ms: number) => planned.push(ms);
    const globals = { proof, plan, pollMs, refreshSeconds: 20, shown: 1, PLACE_JITTER: 0.1 };
    new Function(...Object.keys(globals), `${body}\nplanNext();`)(...Object.values(globals));
    return planned;
  }

  test("sends a proof at once that was found during a poll, and else waits for a pause", () => {
    expect(plannedWith({ proof: "a proof" })).toEqual([0]);
    const [pauseMs, ...more] = plannedWith({});
    expect([more, pauseMs]).toEqual([[], expect.closeTo(21_000, -4)]);
  });

  test("asks at the very moment that the gate names", () => {
    expect(plannedWith({ pollMs: 1_303 })).toEqual([1_303]);
  });
});
