/**
 * Every state of the gate's pages before axe-core, in Chromium: no violation, and no scrolling sideways.
 *
 * A page is not tried in every combination of screen, theme, JavaScript, text size and language, which would take
 * minutes: each state is tried on four screens, and each screen with each language.
 */

import type { Page } from "playwright-core";
import { beforeAll, describe, expect } from "vitest";
import { PLAIN_PAGE } from "../../node/gate/brand.ts";
import type { Language } from "../../node/languages/texts.ts";
import { violations } from "./axe.ts";
import { openBrowser, openPage, withBrowser } from "./browser.ts";
import { BRAND, STATES } from "./page-states.ts";

const SITE = "http://shop.example/tickets";

interface Screen {
  readonly width: number;
  readonly theme: "light" | "dark";
  readonly javaScript: boolean;
  readonly text: string;
}

const SCREENS: readonly Screen[] = [
  { width: 375, theme: "light", javaScript: true, text: "100%" },
  { width: 320, theme: "dark", javaScript: false, text: "200%" },
  { width: 1_280, theme: "dark", javaScript: true, text: "200%" },
  { width: 1_280, theme: "light", javaScript: false, text: "100%" },
];

const LANGUAGES: readonly Language[] = ["en-US", "de-DE", "ar-EG", "ja-JP", "ru-RU"];

beforeAll(openBrowser);

describe.each(SCREENS)("on a screen of %o", ({ width, theme, javaScript, text }) => {
  withBrowser("every state of the page is without a violation, and does not scroll sideways", async () => {
    const page = await openPage(true, { viewport: { width, height: 720 }, colorScheme: theme });
    let html = "";
    await page.route("**/*", (route) => {
      const [request, isPage] = [route.request(), route.request().isNavigationRequest()];
      if (request.url() === SITE && isPage && request.method() === "GET")
        return route.fulfill({ contentType: "text/html; charset=utf-8", body: html });
      // A page that sends itself on stays.
      return isPage ? route.fulfill({ status: 204 }) : route.abort();
    });
    let at = SCREENS.findIndex((screen) => screen.width === width && screen.theme === theme);
    const problems: string[] = [];
    for (const [state, made] of Object.entries(STATES)) {
      const language = LANGUAGES[at++ % LANGUAGES.length] ?? "en-US";
      const whole = made(language, at % 2 === 0 ? PLAIN_PAGE : BRAND);
      html = javaScript ? whole : withoutScript(whole);
      await page.goto(SITE);
      await page.evaluate(`document.documentElement.style.fontSize = "${text}"`);
      await page.evaluate('for (const folded of document.querySelectorAll("details")) folded.open = true');
      for (const problem of await problemsOf(page, width)) problems.push(`${state}, ${language}: ${problem}`);
    }
    expect(problems).toEqual([]);
  });
});

/** The page as a browser without JavaScript shows it: axe-core itself needs a browser that has it. */
function withoutScript(html: string): string {
  return html.replace(/<script[\s\S]*?<\/script>/g, "").replaceAll("noscript", "without-script");
}

/** What axe-core finds, and how far the page reaches beyond its screen. */
async function problemsOf(page: Page, width: number): Promise<readonly string[]> {
  const found = await violations(page);
  const widest = await page.evaluate<number>(
    'Math.max(...[...document.querySelectorAll("*")].map(({ scrollWidth }) => scrollWidth))',
  );
  return widest > width ? [...found, `is ${widest} px wide`] : found;
}
