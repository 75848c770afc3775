import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { endAll, Origin, TestNode } from "./process.ts";

/** Where Debian and others put it. Without one these tests are skipped, and say so. */
const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"];
const ROOM = {
  name: "shop",
  host: "*",
  total_active_users: 1,
  new_users_per_minute: 10,
  session_duration: 1,
  refresh_interval_seconds: 1,
};

if (CHROMIUM === undefined) console.warn("skipped: the waiting page in a real browser (no Chromium is installed)");
const withBrowser = test.skipIf(CHROMIUM === undefined);
let browser: Browser | undefined;

beforeAll(async () => {
  if (CHROMIUM !== undefined) browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
});
afterAll(async () => {
  await browser?.close();
});
afterEach(endAll);

async function openPage(javaScriptEnabled: boolean): Promise<Page> {
  if (browser === undefined) throw new Error("There is no browser");
  return (await browser.newContext({ javaScriptEnabled })).newPage();
}

/** A full room before a shop whose visitors leave after a minute of two seconds. */
async function fullShop(): Promise<TestNode> {
  const shop = (_: unknown, response: import("node:http").ServerResponse): void => {
    response.setHeader("Content-Type", "text/html").end("<title>The shop</title><h1>Welcome in</h1>");
  };
  const origin = await Origin.start(shop);
  const node = await TestNode.start({ origin: origin.url, rooms: [ROOM], minuteMs: 2_000 });
  expect(await (await fetch(node.gate, { headers: { accept: "text/html" } })).text()).toContain("Welcome in");
  return node;
}

withBrowser(
  "a waiting page keeps its place up to date without reloading, and lets its visitor in by itself",
  async () => {
    const node = await fullShop();
    const page = await openPage(true);
    let documents = 0;
    let polls = 0;
    page.on("response", (response) => {
      if (response.request().isNavigationRequest()) documents += 1;
      else if (response.headers()["content-type"] === "application/json") polls += 1;
    });
    await page.goto(node.gate);
    expect(await page.title()).toContain("Place 1");
    await page.getByRole("heading", { name: "Welcome in" }).waitFor({ timeout: 15_000 });
    expect(documents).toBe(2);
    expect(polls).toBeGreaterThan(1);
  },
);

withBrowser("without JavaScript the waiting page says the same, and lets its visitor in by refreshing", async () => {
  const node = await fullShop();
  const page = await openPage(false);
  await page.goto(node.gate);
  expect(await page.textContent("body")).toContain("You are in line");
  await page.getByRole("heading", { name: "Welcome in" }).waitFor({ timeout: 15_000 });
});
