/** The proof of work in a real browser, before a real node. */

import { beforeAll, expect } from "vitest";
import { openBrowser, openPage, RELOADS, ROOM, withBrowser } from "./browser.ts";
import { Origin, TestNode, until } from "./process.ts";

beforeAll(openBrowser);
const HARD = {
  ...ROOM,
  total_active_users: 10,
  refresh_interval_seconds: 20,
  proof_of_work_mode: "always",
  proof_of_work_action: "infinite_queue",
};

/** Sessions and places outlast a test on any machine. */
const MINUTE_MS = 60_000;

async function shop(more: object = {}): Promise<TestNode> {
  const origin = await Origin.start((_, response) =>
    response.setHeader("Content-Type", "text/html").end("<h1>Welcome in</h1>"),
  );
  return TestNode.start({ origin: origin.url, rooms: [{ ...HARD, ...more }], minuteMs: MINUTE_MS });
}

async function proofs(node: TestNode): Promise<string> {
  const metrics = await (await fetch(`http://${node.admin}/metrics`)).text();
  return ["given", "solved", "failed", "unsolved"]
    .map((result) => new RegExp(`result="${result}"\\} (\\d+)`).exec(metrics)?.[1])
    .join(" ");
}

withBrowser("the page computes in its worker, and its visitor comes in long before the next poll", async () => {
  const node = await shop();
  const page = await openPage(true);
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(node.gate);
  await page.getByRole("heading", { name: "Welcome in" }).waitFor();
  expect(complaints).toEqual([]);
  expect(await proofs(node)).toBe("1 1 0 0");
});

withBrowser(
  "in a held room the page shows the place after the proof, and the room's own page if it has one",
  async () => {
    const node = await shop({ queue_all: true, custom_page_html: "<h1>Our line, place {{position}}</h1>" });
    const page = await openPage(true);
    await page.goto(node.gate);
    await page.getByRole("heading", { name: "Our line, place 1" }).waitFor();
    expect(await proofs(node)).toBe("1 1 0 0");
  },
);

withBrowser("without JavaScript the page says that it is needed, and the visitor stays out", async () => {
  const node = await shop(RELOADS);
  const page = await openPage(false);
  let documents = 0;
  page.on("response", (response) => {
    if (response.request().isNavigationRequest()) documents += 1;
  });
  await page.goto(node.gate);
  // The page asks again, and gets no further.
  for (const wanted of [1, 2, 3]) {
    await until(() => documents >= wanted);
    // Texts in a noscript element are no texts to getByText.
    await page.locator("noscript.needed p", { hasText: "needs JavaScript" }).waitFor();
  }
  expect(await proofs(node)).toBe("1 0 0 0");
});
