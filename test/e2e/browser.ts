/**
 * A real browser before real nodes, for the tests of what visitors see. Without a Chromium these tests are skipped, and
 * say so. Each test has its own node and its own profile of the one browser, so that tests can run side by side; both
 * end with the test.
 */

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { expect, test } from "vitest";
import { ARGUMENTS, CHROMIUM } from "./chromium.ts";
import { endLater, Origin, TestNode, temporaryDirectory, WAIT_MAX_MS } from "./process.ts";

export const ROOM = {
  name: "shop",
  host: "*",
  total_active_users: 1,
  new_users_per_minute: 10,
  session_duration: 30,
  refresh_interval_seconds: 1,
};

/** A room whose page reloads where there is no JavaScript: it stays for as long as a busy machine takes to look at it. */
export const RELOADS = { refresh_interval_seconds: 5 };

if (CHROMIUM === undefined) console.warn("skipped: the waiting page in a real browser (no Chromium is installed)");
export const withBrowser = test.skipIf(CHROMIUM === undefined);
let browser: Browser | undefined;

/** For `beforeAll`. */
export async function openBrowser(): Promise<void> {
  if (CHROMIUM === undefined) return;
  const opened = await chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS, timeout: WAIT_MAX_MS });
  endLater(() => opened.close());
  browser = opened;
}

export async function openPage(javaScriptEnabled: boolean, options: BrowserContextOptions = {}): Promise<Page> {
  if (browser === undefined) throw new Error("There is no browser");
  const context = await browser.newContext({ ...options, javaScriptEnabled });
  endLater(() => context.close());
  context.setDefaultTimeout(WAIT_MAX_MS);
  return context.newPage();
}

/**
 * A full room before a shop, with one visitor inside who stays for longer than a test takes, if `more` says nothing
 * else.
 */
export async function fullShop(more: object = {}): Promise<TestNode> {
  const shop = (_: unknown, response: import("node:http").ServerResponse): void => {
    response.setHeader("Content-Type", "text/html").end("<title>The shop</title><h1>Welcome in</h1>");
  };
  const origin = await Origin.start(shop);
  const node = await TestNode.start({ origin: origin.url, rooms: [{ ...ROOM, ...more }], minuteMs: 60_000 });
  expect(await (await fetch(node.gate, { headers: { accept: "text/html" } })).text()).toContain("Welcome in");
  return node;
}

/** Changes fields of the room. */
export async function update(node: TestNode, fields: object): Promise<void> {
  const headers = { authorization: `Bearer ${node.token}`, "content-type": "application/json" };
  const answer = await fetch(`http://${node.admin}/v1/rooms/${ROOM.name}`, {
    method: "PATCH",
    headers,
    body: JSON.stringify(fields),
  });
  expect(answer.status).toBe(200);
}

/** Makes a full shop larger by one. */
export function makeRoom(node: TestNode): Promise<void> {
  return update(node, { total_active_users: ROOM.total_active_users + 1 });
}

/** A browser that blocks all cookies by its settings, as a user would set it. */
export function withoutCookies(javaScriptEnabled: boolean): Promise<BrowserContext> {
  return withSettings({ default_content_setting_values: { cookies: 2 } }, { javaScriptEnabled });
}

/** A browser that sends cookies from frames of other sites: a private window, as other tests have it, may not. */
export function withCookiesInFrames(options: BrowserContextOptions): Promise<BrowserContext> {
  return withSettings({ cookie_controls_mode: 0, block_third_party_cookies: false }, options);
}

async function withSettings(settings: object, more: BrowserContextOptions): Promise<BrowserContext> {
  const profile = temporaryDirectory();
  await mkdir(join(profile, "Default"));
  await writeFile(join(profile, "Default", "Preferences"), JSON.stringify({ profile: settings }));
  const options = { executablePath: CHROMIUM ?? "", args: ARGUMENTS, timeout: WAIT_MAX_MS, ...more };
  const context = await chromium.launchPersistentContext(profile, options);
  endLater(() => context.close());
  context.setDefaultTimeout(WAIT_MAX_MS);
  return context;
}
