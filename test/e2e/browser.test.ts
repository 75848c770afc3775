import { beforeAll, describe, expect } from "vitest";
import { fullShop, makeRoom, openBrowser, openPage, RELOADS, ROOM, withBrowser, withoutCookies } from "./browser.ts";
import { Origin, TestNode, until } from "./process.ts";

beforeAll(openBrowser);

withBrowser.concurrent(
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
    await until(() => polls > 1);
    expect(documents).toBe(1);
    await makeRoom(node);
    await page.getByRole("heading", { name: "Welcome in" }).waitFor();
    expect(documents).toBe(2);
  },
);

describe.concurrent.each([true, false])("in a browser that blocks cookies, JavaScript %s", (javaScriptEnabled) => {
  withBrowser.concurrent("the page says so for as long as it is true, and takes one place in all", async () => {
    const node = await fullShop(javaScriptEnabled ? {} : RELOADS);
    const page = await (await withoutCookies(javaScriptEnabled)).newPage();
    let answers = 0;
    page.on("response", () => {
      answers += 1;
    });
    await page.goto(`${node.gate}/tickets?day=1`);
    const heading = page.getByRole("heading", { name: "Please allow cookies" });
    await heading.waitFor();
    // While a page reloads its title is its address.
    await until(async () => /^Please allow cookies – /.test(await page.title()));
    for (const wanted of [2, 3, 4]) {
      await until(() => answers >= wanted);
      // Without JavaScript the page reloads, and is blank for a moment.
      await heading.waitFor();
      expect(await page.getByText(/place in line [0-9]/i).isVisible()).toBe(false);
    }
    // A page that reloads by itself has done so.
    if (javaScriptEnabled) await page.reload();
    await heading.waitFor();
    const metrics = await (await fetch(`http://${node.admin}/metrics`)).text();
    expect(metrics).toMatch(/outcome="joined"\} 1\n/);
    // The visitor who fills the shop.
    expect(metrics).toMatch(/outcome="admitted"\} 1\n/);
  });
});

describe.concurrent.each([true, false])("a form that is sent to a full shop, JavaScript %s", (javaScriptEnabled) => {
  withBrowser.concurrent.each(["the same site", "another site"])(
    "of %s gets a place, and its visitor comes in by GET",
    async (site) => {
      const node = await fullShop(javaScriptEnabled ? {} : RELOADS);
      const form = `<form method="post" action="${node.gate}/buy?id=7"><button>Buy</button></form>`;
      const partner = await Origin.start((_, response) => response.setHeader("Content-Type", "text/html").end(form));
      const page = await openPage(javaScriptEnabled);
      const methods: string[] = [];
      page.on("response", (response) => {
        if (response.request().isNavigationRequest()) methods.push(response.request().method());
      });
      await page.goto(site === "the same site" ? partner.url : partner.url.replace("127.0.0.1", "localhost"));
      await page.getByRole("button").click();
      if (site === "another site" && !javaScriptEnabled) await page.getByRole("button", { name: "Continue" }).click();
      await page.getByText("What you sent was not passed on").waitFor();
      await makeRoom(node);
      await page.getByRole("heading", { name: "Welcome in" }).waitFor();
      expect(page.url()).toBe(`${node.gate}/buy?id=7`);
      // That of another site is sent once more by a page of ours, as its visitor might be inside.
      const forms = methods.filter((method) => method === "POST").length;
      expect(forms).toBe(site === "the same site" ? 1 : 2);
    },
  );
});

withBrowser.concurrent("another site's page takes no slot by frames, images and fetches, only by a link", async () => {
  const site = await Origin.start((_, response) => response.setHeader("Content-Type", "text/html").end("the shop"));
  const node = await TestNode.start({
    origin: site.url,
    rooms: [{ ...ROOM, total_active_users: 100, json_response_enabled: true }],
  });
  const attack = `<iframe src="${node.gate}/a"></iframe><img src="${node.gate}/b"><object data="${node.gate}/c"></object>
    <script>
      for (const mode of ["no-cors", "cors"]) fetch("${node.gate}/d", { mode, headers: { Accept: "application/json" } }).catch(() => {});
    </script><a href="${node.gate}/e">To the shop</a>`;
  const evil = await Origin.start((_, response) => response.setHeader("Content-Type", "text/html").end(attack));
  const page = await openPage(true);
  await page.goto(evil.url.replace("127.0.0.1", "localhost"), { waitUntil: "load" });
  await until(() => site.requests.length >= 5);
  expect(site.requests.map(({ target }) => target).sort()).toEqual(["/a", "/b", "/c", "/d", "/d"]);
  expect((await node.room()).inside_here).toBe(0);
  await page.getByRole("link").click();
  await page.getByText("the shop").waitFor();
  expect((await node.room()).inside_here).toBe(1);
  const targets = site.requests.map(({ target }) => target).filter((target) => target !== "/favicon.ico");
  expect(targets.sort()).toEqual(["/a", "/b", "/c", "/d", "/d", "/e"]);
});
