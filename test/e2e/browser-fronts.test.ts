/**
 * A real browser before real proxies, each with what `anteroom snippet` prints: it waits, polls, and comes in by
 * itself.
 */

import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { closeBrowser, openBrowser, openPage, ROOM, update, withBrowser } from "./browser.ts";
import { endFronts, Front, type FrontKind, missingFor } from "./fronts.ts";
import { endAll, Origin, TestNode, until } from "./process.ts";

const KINDS: readonly FrontKind[] = ["haproxy", "nginx", "caddy"];
const installed = KINDS.filter((kind) => missingFor(kind) === undefined);
const missing = KINDS.filter((kind) => missingFor(kind) !== undefined);
if (missing.length > 0) console.warn(`skipped: a browser through ${missing.join(", ")} (not installed)`);

/** One minute is longer than what a visitor does in the shop, on any machine but the slowest. */
const MINUTE_MS = 60_000;

beforeAll(openBrowser);
afterAll(async () => {
  await closeBrowser();
  endFronts();
  endAll();
});

withBrowser(`a visitor waits and comes in by itself through ${installed.join(", ")}`, async () => {
  const origin = await Origin.start((_, response) => {
    response.setHeader("Set-Cookie", "own=1; Path=/");
    response.setHeader("Content-Type", "text/html").end("<title>The shop</title><h1>Welcome in</h1>");
  });
  const room = { ...ROOM, total_active_users: installed.length, new_users_per_minute: 100 };
  const flags = ["--trusted-proxies", "127.0.0.1"];
  const node = await TestNode.start({ origin: origin.url, rooms: [room], minuteMs: MINUTE_MS, flags });
  const fronts = await Promise.all(
    installed.map(async (kind) => ({ kind, front: await Front.start(kind, { node, flags: ["--room", ROOM.name] }) })),
  );
  for (const _ of installed)
    expect(await (await fetch(node.gate, { headers: { accept: "text/html" } })).text()).toContain("Welcome in");
  const waiting = await Promise.all(fronts.map(async ({ kind, front }) => wait(await openPage(true), front.url, kind)));
  await update(node, { total_active_users: 2 * installed.length });
  const seen = await Promise.all(waiting.map((enter) => enter()));
  for (const { kind, documents, polls, cookies } of seen) {
    expect([documents, polls > 1], kind).toEqual([2, true]);
    expect(cookies, kind).toEqual(expect.arrayContaining(["own", "__anteroom_shop"]));
  }
  for (const { kind } of seen) {
    const visits = origin.requests.filter(({ target }) => target.startsWith(`/${kind}/again`));
    expect(visits.length, kind).toBe(VISITS);
    // No gate has touched it.
    expect(
      visits.some(({ headers }) => headers["cdn-loop"] === undefined),
      kind,
    ).toBe(true);
    for (const { headers } of visits) expect(headers.cookie, kind).toBe("own=1");
  }
});

const VISITS = 5;

/** In line, until the page has asked twice; returns what comes in by itself then, and goes once around in the shop. */
async function wait(page: Page, url: string, kind: FrontKind) {
  let documents = 0;
  let polls = 0;
  page.on("response", (response) => {
    if (response.request().isNavigationRequest()) documents += 1;
    else if (response.headers()["content-type"] === "application/json") polls += 1;
  });
  await page.goto(`${url}/${kind}/in`);
  expect(await page.title(), kind).toMatch(/Place \d/);
  await until(() => polls > 1);
  return async () => {
    await page.getByRole("heading", { name: "Welcome in" }).waitFor();
    const waited = { kind, documents, polls };
    for (let time = 0; time < VISITS; time++) {
      await page.goto(`${url}/${kind}/again?${time}`);
      expect(await page.textContent("h1"), kind).toBe("Welcome in");
    }
    const cookies = (await page.context().cookies()).map(({ name }) => name);
    return { ...waited, cookies };
  };
}
