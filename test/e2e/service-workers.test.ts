/**
 * A site with a service worker: its visitors wait, and come in, whatever the worker keeps of the gate's answers; and an
 * app at one host of the site reads what the gate says at another.
 */

import type { Page } from "playwright-core";
import { beforeAll, describe, expect } from "vitest";
import { openBrowser, openPage, ROOM, update, withBrowser } from "./browser.ts";
import { Origin, TestNode, until } from "./process.ts";

beforeAll(openBrowser);

/**
 * What a worker answers a GET with: `hit` is what it has kept, `found` the same whatever the query, and `fetched` asks
 * the gate and keeps what it says.
 */
const WORKERS = {
  "stale while revalidate": "hit ? (event.waitUntil(fetched()), hit) : fetched()",
  "cache first": "hit ?? fetched()",
  "cache first whatever the query": "found ?? fetched()",
  "network first": "fetched().catch(() => hit)",
  "the network alone, past the browser's cache": "fetch(request, { cache: 'no-store' })",
} as const;

function workerOf(answer: string): string {
  return `
    addEventListener("install", () => skipWaiting());
    addEventListener("activate", (event) => event.waitUntil(clients.claim()));
    addEventListener("fetch", (event) => {
      const { request } = event;
      if (request.method !== "GET") return;
      event.respondWith((async () => {
        const cache = await caches.open("v1");
        const hit = await cache.match(request);
        const found = await cache.match(request, { ignoreSearch: true });
        const fetched = async () => {
          const answer = await fetch(request);
          if (answer.status === 200) await cache.put(request, answer.clone());
          return answer;
        };
        return ${answer};
      })());
    });`;
}

/** A visitor of a site with `worker` who came by a link of another site, and waits, as the room is held. */
async function heldBehind(worker: string, more: object): Promise<{ node: TestNode; page: Page }> {
  const site = await Origin.start((request, response) => {
    if (request.url === "/worker.js") response.setHeader("Content-Type", "text/javascript").end(workerOf(worker));
    else
      response
        .setHeader("Content-Type", "text/html")
        .end(
          '<h1>Welcome in</h1><script>navigator.serviceWorker.register("/worker.js").then(() => navigator.serviceWorker.ready).then(() => (document.title = "ready"))</script>',
        );
  });
  const node = await TestNode.start({ origin: site.url, rooms: [{ ...ROOM, total_active_users: 100, ...more }] });
  const page = await openPage(true);
  await page.goto(`${node.gate}/start`);
  await page.waitForFunction('document.title === "ready" && navigator.serviceWorker.controller !== null');
  // The session is over, and the room is held.
  await page.context().clearCookies();
  await update(node, { queue_all: true });
  await page.goto(`data:text/html,<a href="${node.gate}/tickets">Tickets</a>`);
  await page.getByRole("link").click();
  await page.getByRole("heading", { name: "The line is paused" }).waitFor();
  return { node, page };
}

describe.concurrent.each(Object.entries(WORKERS))("with a worker that answers %s", (_, worker) => {
  withBrowser.concurrent.each([200, 429] as const)(
    "a visitor waits at the page and comes in, with status %s",
    async (status) => {
      const { node, page } = await heldBehind(worker, { queueing_status_code: status });
      let polls = 0;
      page.on("response", (response) => {
        if (response.request().headers()["anteroom-poll"] !== undefined) polls += 1;
      });
      await until(() => polls >= 3);
      expect(await page.getByRole("heading", { name: "The line is paused" }).isVisible()).toBe(true);
      await update(node, { queue_all: false });
      await page.getByRole("heading", { name: "Welcome in" }).waitFor();
      expect(new URL(page.url()).search).toBe("");
      await page.reload();
      await page.getByRole("heading", { name: "Welcome in" }).waitFor();
      await page.goto(`${node.gate}/start`);
      await page.goto(`${node.gate}/tickets`);
      await page.getByRole("heading", { name: "Welcome in" }).waitFor();
    },
  );
});
