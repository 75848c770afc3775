import type { Page } from "playwright-core";
import { beforeAll, describe, expect } from "vitest";
import { TEXTS } from "../../node/languages/texts.ts";
import {
  fullShop,
  makeRoom,
  openBrowser,
  openPage,
  RELOADS,
  ROOM,
  update,
  withBrowser,
  withoutCookies,
} from "./browser.ts";
import { Origin, TestNode, until } from "./process.ts";

beforeAll(openBrowser);

/** A closed room's page asks once in this time, however short the room's interval is. */
const CLOSED_PAUSE_MS = 6_000;

/** A site that breaks each connection, until it is back. */
async function brokenSite() {
  const seen: string[] = [];
  let isBack = false;
  const origin = await Origin.start((request, response) => {
    seen.push(request.method ?? "");
    if (isBack) response.setHeader("Content-Type", "text/html").end("<h1>Welcome in</h1>");
    else request.socket.destroy();
  });
  return {
    url: origin.url,
    seen,
    comesBack: () => {
      isBack = true;
    },
  };
}

/** What a screen reader gets from the page's live regions, and what it reads otherwise. */
async function heard(page: Page): Promise<{ readonly news: string; readonly read: string }> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  await session.detach();
  const nameOf = (id: string): string => String(nodes.find(({ nodeId }) => nodeId === id)?.name?.value ?? "");
  const regions = nodes.filter(({ role, ignored }) => role?.value === "status" && !ignored);
  expect(regions).toHaveLength(1);
  const inRegions = regions.flatMap(({ childIds }) => childIds ?? []);
  const read = nodes.filter(({ role, nodeId }) => role?.value === "StaticText" && !inRegions.includes(nodeId));
  return { news: inRegions.map(nameOf).join(" "), read: read.map(({ name }) => String(name?.value)).join(" ") };
}

/** The same, once there is something that a screen reader is told: a moment after the page is there. */
async function heardFirst(page: Page): ReturnType<typeof heard> {
  await until(async () => (await page.textContent('[role="status"]')) !== "");
  return heard(page);
}

/** What visitors of `room` get. */
async function openShop(room: object, more: { readonly origin?: string } = {}): Promise<TestNode> {
  const shop = await Origin.start((_, response) => {
    response.setHeader("Content-Type", "text/html").end("<title>The shop</title><h1>Welcome in</h1>");
  });
  return TestNode.start({ origin: shop.url, rooms: [{ ...ROOM, ...room }], minuteMs: 60_000, ...more });
}

describe.concurrent("a screen reader, the title and the text say the same", () => {
  const STATES: readonly (readonly [string, object, boolean])[] = [
    ["You are next", {}, true],
    ["The line is paused", { queue_all: true }, true],
    ["The line is full", { queue_max: 1 }, false],
    ["Closed at the moment", { queueing_method: "reject" }, false],
  ];
  withBrowser.concurrent.each(STATES)("“%s”", async (heading: string, room: object, hasPlace: boolean) => {
    // Nobody loses the place before the page is there, and the page does not ask, however slow the machine is.
    const node = await openShop({ ...room, refresh_interval_seconds: 600 });
    const first = await fetch(node.gate, { headers: { accept: "text/html" } });
    const second = "queue_max" in room ? await fetch(node.gate, { headers: { accept: "text/html" } }) : first;
    expect((second.headers.get("set-cookie") ?? "").length).toBeGreaterThan(0);
    const page = await openPage(true);
    // A live region that had a text from the beginning would not be read out.
    await page.addInitScript(`addEventListener("DOMContentLoaded", () => {
      globalThis.newsAtFirst = document.querySelector('[role="status"]').textContent;
    })`);
    await page.goto(node.gate);
    expect(await page.evaluate("newsAtFirst")).toBe("");
    const { news, read } = await heardFirst(page);
    expect(news).toMatch(
      new RegExp(`^${heading}\\. ${hasPlace ? "Place \\d+\\. Estimated wait" : "(?:Nobody else|No visitors)"}`),
    );
    expect(`${news} ${read}`).not.toMatch(/Place 0/);
    expect(read).toContain(heading);
    expect(read.includes("Your place in line")).toBe(hasPlace);
    expect(await page.title()).toMatch(new RegExp(`^${hasPlace ? "Place \\d+ — " : ""}${heading} – 127\\.0\\.0\\.1$`));
  });

  withBrowser.concurrent("“Please allow cookies”", async () => {
    const node = await fullShop();
    const page = await (await withoutCookies(true)).newPage();
    await page.goto(node.gate);
    const { news, read } = await heardFirst(page);
    expect(news).toMatch(/^Please allow cookies\. Your browser does not keep/);
    expect(`${news} ${read}`).not.toMatch(/place in line \d|Place \d/);
  });

  withBrowser.concurrent("a lost connection, and its end", async () => {
    const node = await fullShop();
    const page = await openPage(true);
    await page.goto(node.gate);
    await heardFirst(page);
    await page.context().setOffline(true);
    await until(async () => (await heard(page)).news.startsWith("No answer from the site just now."));
    await page.context().setOffline(false);
    await until(async () => (await heard(page)).news.startsWith("You are next. Place 1."));
    expect((await heard(page)).read).not.toContain("No answer");
  });
});

withBrowser("the page of a visitor who is blocked says so by itself, and goes on after that", async () => {
  const node = await fullShop({ refresh_interval_seconds: 1 });
  const page = await openPage(true);
  await page.goto(node.gate);
  const number = /[0-9A-Z]{4}-[0-9A-Z]{4}/.exec((await page.locator("#visitor").textContent()) ?? "")?.[0] ?? "";
  const order = async (action: string): Promise<void> => {
    const headers = { authorization: `Bearer ${node.token}`, "content-type": "application/json" };
    const path = `http://${node.admin}/v1/rooms/${ROOM.name}/visitors/${number}`;
    const answer = await fetch(path, { method: "POST", headers, body: JSON.stringify({ action }) });
    expect(answer.status).toBe(200);
  };
  await order("block");
  await page.getByRole("heading", { name: "Request not accepted" }).waitFor();
  await order("unblock");
  await page.getByRole("link", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "You are next" }).waitFor();
  expect(await page.locator("#visitor").textContent()).toContain(number);
});

describe.concurrent.each([true, false])("with JavaScript %s", (javaScriptEnabled) => {
  withBrowser.concurrent(
    "a closed room's page lets its visitor in when the room opens, and asks seldom until then",
    async () => {
      const node = await openShop({ queueing_method: "reject" });
      const page = await openPage(javaScriptEnabled);
      let refresh = "";
      page.on("response", (response) => {
        refresh = response.headers().refresh ?? refresh;
      });
      await page.goto(node.gate);
      await page.getByRole("heading", { name: "Closed at the moment" }).waitFor();
      expect(Number.parseInt(refresh, 10)).toBeGreaterThanOrEqual(CLOSED_PAUSE_MS / 1_000);
      if (javaScriptEnabled) {
        // By the browser's own clock.
        const asked = () =>
          page.evaluate<number[]>('performance.getEntriesByType("resource").map(({ startTime }) => startTime)');
        await until(async () => (await asked()).length >= 2);
        const [first = 0, second = 0] = await asked();
        expect([first, second - first].map((ms) => ms >= CLOSED_PAUSE_MS)).toEqual([true, true]);
      }
      await update(node, { queueing_method: "fifo" });
      await page.getByRole("heading", { name: "Welcome in" }).waitFor();
    },
  );

  withBrowser.concurrent("the page of an origin that is down shows the site when it is back", async () => {
    const site = await brokenSite();
    const node = await openShop({}, { origin: site.url });
    const page = await openPage(javaScriptEnabled);
    await page.goto(`${node.gate}/a?b=c`);
    await page.getByRole("heading", { name: "The site cannot be reached" }).waitFor();
    // One, and no more: else this throws.
    await page.getByRole("link", { name: "Try again" }).waitFor();
    site.comesBack();
    await page.getByRole("heading", { name: "Welcome in" }).waitFor();
    expect(page.url()).toBe(`${node.gate}/a?b=c`);
    expect(await node.room()).toMatchObject({ inside: 1 });
  });

  withBrowser.concurrent("a form that failed is sent once, and again only by its sender", async () => {
    const site = await brokenSite();
    const node = await openShop({}, { origin: site.url });
    const partner = await Origin.start((_, response) =>
      response
        .setHeader("Content-Type", "text/html")
        .end(`<form method="post" action="${node.gate}/buy"><button>Buy</button></form>`),
    );
    const page = await openPage(javaScriptEnabled);
    const sent: string[] = [];
    page.on("request", (request) => {
      if (request.url().startsWith(node.gate)) sent.push(request.method());
    });
    await page.goto(partner.url);
    await page.getByRole("button").click();
    await page.getByText("is not sent again automatically").waitFor();
    // A page that began later, and tries again by itself, has done so twice.
    const other = await openPage(javaScriptEnabled);
    let tries = 0;
    other.on("response", () => {
      tries += 1;
    });
    await other.goto(node.gate);
    await until(() => tries >= 3);
    expect(sent).toEqual(["POST"]);
    expect(site.seen.filter((method) => method === "POST")).toHaveLength(1);
    await page.getByRole("link", { name: "Try again" }).click();
    await page.getByText("This page tries again automatically").waitFor();
    expect(sent.filter((method) => method === "POST")).toHaveLength(1);
  });
});

withBrowser.concurrent("an error page stays while nothing is better, and survives a lost connection", async () => {
  const node = await openShop({}, { origin: (await brokenSite()).url });
  const page = await openPage(true);
  // The first try may end before a busy machine has looked.
  await page.addInitScript(`addEventListener("DOMContentLoaded", () => {
    const region = document.querySelector('[role="status"]');
    globalThis.news = [];
    new MutationObserver(() => news.push(region.textContent)).observe(region, { childList: true });
  })`);
  await page.goto(node.gate);
  await heardFirst(page);
  expect(await page.evaluate("news[0]")).toBe(
    "The site cannot be reached. The site did not answer properly; your session is kept.",
  );
  expect(await page.textContent("#next")).toMatch(/tries again automatically at \d+:\d\d:\d\d/);
  await page.context().setOffline(true);
  await until(async () => (await heard(page)).news === "No change yet. This page goes on trying.");
  expect(await page.getByRole("heading").textContent()).toBe("The site cannot be reached");
});

withBrowser.concurrent("a page in Arabic is laid out from the right, and stays in Arabic as it polls", async () => {
  const node = await fullShop();
  const page = await openPage(true, { locale: "ar-EG", viewport: { width: 375, height: 700 } });
  let polls = 0;
  page.on("response", (response) => {
    if (response.headers()["content-type"]?.includes("json")) polls += 1;
  });
  await page.goto(node.gate);
  const { states, line } = TEXTS["ar-EG"];
  await page.getByRole("heading", { name: states.next.heading }).waitFor();
  await until(() => polls > 1);
  expect(await page.getByRole("heading").textContent()).toBe(states.next.heading);
  expect(await page.textContent("#advice")).toBe(states.next.advice);
  expect(await page.title()).toContain(states.next.heading);
  const at = (selector: string) => page.locator(selector).first().boundingBox();
  const [label, card] = [await at("#place span"), await at("main")];
  expect(await page.textContent("#place span")).toBe(line.place);
  expect(label?.x ?? 0).toBeGreaterThan((card?.x ?? 0) + (card?.width ?? 0) / 2);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(375);
});

withBrowser.concurrent("a visitor whose turn it is enters by a step, where the room asks for it", async () => {
  // The turn lasts until it is taken, however slow the machine is.
  const node = await fullShop({ enter_within_seconds: 300 });
  const page = await openPage(true);
  await page.goto(`${node.gate}/a?b=c`);
  await page.getByRole("heading", { name: "You are next" }).waitFor();
  await makeRoom(node);
  await page.getByRole("heading", { name: "It is your turn" }).waitFor();
  expect(await page.title()).toContain("It is your turn");
  await page.getByRole("link", { name: "Enter now" }).click();
  await page.getByRole("heading", { name: "Welcome in" }).waitFor();
  expect(page.url()).toBe(`${node.gate}/a?b=c`);
});

withBrowser.concurrent("a visitor leaves the line once asked, stays out, and joins again by a link", async () => {
  // A page of a paused line stays for its interval; near the front of a line that moves it would reload, and fold again.
  const node = await openShop({ queue_all: true, refresh_interval_seconds: 600 });
  const page = await openPage(true);
  await page.goto(`${node.gate}/a?b=c`);
  const leave = page.getByRole("button", { name: "Leave the line" });
  const question = page.getByRole("heading", { name: "Leave the line" });
  const waiting = page.getByRole("heading", { name: "The line is paused" });
  const unfold = () => page.getByText("More", { exact: true }).click();
  await waiting.waitFor();
  expect(await leave.isVisible()).toBe(false);
  await unfold();
  // As large as a finger.
  expect((await leave.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  await leave.click();
  await question.waitFor();
  const stay = page.getByRole("link", { name: "Stay in line" });
  for (const target of [leave, stay]) expect((await target.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  await stay.click();
  await waiting.waitFor();
  await unfold();
  await leave.click();
  await question.waitFor();
  await leave.click();
  await page.getByRole("heading", { name: "You have left the line" }).waitFor();
  await until(async () => (await node.room()).waiting === 0);
  await page.getByRole("link", { name: "Join the line again" }).click();
  await waiting.waitFor();
  expect(page.url()).toBe(`${node.gate}/a?b=c`);
});

withBrowser.concurrent(
  "a visitor chooses a language, and keeps place and language until it is their turn",
  async () => {
    const node = await fullShop();
    const page = await openPage(true);
    const heading = page.getByRole("heading", { name: TEXTS["de-DE"].states.next.heading });
    await page.goto(`${node.gate}/a?b=c`);
    await page.getByRole("link", { name: "Language" }).click();
    const link = page.getByRole("link", { name: "Deutsch" });
    expect((await link.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await link.click();
    await heading.waitFor();
    // Polls go on in it.
    const answers: string[] = [];
    page.on("response", (response) => answers.push(response.url()));
    await until(() => answers.length >= 2);
    await heading.waitFor();
    expect((await node.room()).waiting).toBe(1);
    await makeRoom(node);
    await page.getByRole("heading", { name: "Welcome in" }).waitFor();
    expect(page.url()).toBe(`${node.gate}/a?b=c`);
  },
);

describe.concurrent.each([true, false])("another tab, JavaScript %s", (javaScriptEnabled) => {
  withBrowser.concurrent.each(["the line is left in one tab", "the cookies are deleted"])(
    "when %s, the other one says so, and joins again only by a click",
    async (what) => {
      const node = await fullShop(javaScriptEnabled ? {} : RELOADS);
      const page = await openPage(javaScriptEnabled);
      await page.goto(node.gate);
      await page.getByRole("heading", { name: "You are next" }).waitFor();
      const context = page.context();
      const other = await context.newPage();
      await other.goto(`${node.gate}/a?b=c`);
      await other.getByRole("heading", { name: "You are next" }).waitFor();
      await page.close();
      const gone = other.getByRole("heading", { name: "You are no longer in line" });
      await until(async () => {
        // An answer that is under way brings the cookie back.
        const isBack = (await context.cookies()).length > 0;
        if (isBack && what === "the cookies are deleted") await context.clearCookies();
        else if (isBack)
          await context.request.post(`${node.gate}/?__anteroom=leave.sure`, { headers: { accept: "text/html" } });
        return gone.isVisible();
      });
      await until(async () => (await node.room()).waiting === 0);
      await other.getByRole("link", { name: "Join the line again" }).click();
      await other.getByRole("heading", { name: "You are next" }).waitFor();
      expect(new URL(other.url()).pathname).toBe("/a");
    },
  );
});

withBrowser.concurrent(
  "cookies that are deleted before the page has asked for the first time are not called blocked",
  async () => {
    const node = await fullShop({ refresh_interval_seconds: 10 });
    const page = await openPage(true);
    await page.goto(node.gate);
    const gone = page.getByRole("heading", { name: "You are no longer in line" });
    await until(async () => {
      // An answer that is under way brings the cookie back.
      await page.context().clearCookies();
      return gone.isVisible();
    });
    await page.getByRole("link", { name: "Join the line again" }).click();
    await page.getByRole("heading", { name: /^You are (?:next|in line)$/ }).waitFor();
  },
);

withBrowser.concurrent(
  "a brand's page loads its files, shows its logo and its message as they change, and breaks no policy of its own",
  async () => {
    const files: string[] = [];
    const logos = await Origin.start(({ url = "" }, response) =>
      response
        .on("finish", () => files.push(url))
        .setHeader("Content-Type", "image/svg+xml")
        .end('<svg xmlns="http://www.w3.org/2000/svg" width="60" height="20"><rect width="60" height="20"/></svg>'),
    );
    const [logo, hero, font] = ["logo.svg", "hero.svg", "font.woff2"].map((name) => `${logos.url}/${name}`);
    const brand = { title: "Example", logo, hero, font, accent: "#ffee00", background: "#222222" };
    const node = await openShop({ page: brand });
    await fetch(node.gate, { headers: { accept: "text/html" } });
    const page = await openPage(true, { permissions: ["notifications"] });
    const complaints: string[] = [];
    page.on("console", (line) => {
      if (/Content Security Policy/.test(line.text())) complaints.push(line.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    await page.goto(node.gate);
    await page.getByRole("img", { name: "Example" }).waitFor();
    const width = () => page.evaluate('document.querySelector("img").naturalWidth');
    await until(async () => (await width()) === 60);
    expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe("rgb(34, 34, 34)");
    // A message that comes before the first announcement is a part of it.
    await heardFirst(page);
    await update(node, { page: { message: "Half an hour late." } });
    await until(async () => (await heard(page)).news === "Half an hour late.");
    await page.getByRole("button", { name: "Tell me when it is my turn" }).click();
    await page.getByRole("button", { name: /You will be alerted/ }).waitFor();
    await until(() => new Set(files).size === 3);
    expect(complaints).toEqual([]);
  },
);

withBrowser.concurrent("an alert that the browser does not show is not promised", async () => {
  const page = await openPage(true);
  await page.goto((await openShop({ queue_all: true })).gate);
  const button = page.getByRole("button", { name: "Tell me when it is my turn" });
  expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  // The first announcement, a second after the page is there, would take the place of what the button says.
  await heardFirst(page);
  await button.click();
  await until(async () => (await heard(page)).news.startsWith("You will hear a sound."));
  await page.getByRole("button", { name: /You will hear a sound/ }).click();
  await button.waitFor();
});

withBrowser.concurrent("a turn is announced with its time", async () => {
  const node = await openShop({ queue_all: true, enter_within_seconds: 300 });
  const page = await openPage(true);
  await page.goto(node.gate);
  await heardFirst(page);
  await update(node, { queue_all: false });
  await until(async () => /^It is your turn.* Please enter by \d+:\d\d/.test((await heard(page)).news));
  const left = await page.textContent("#countdown");
  expect(left).toMatch(/^(?:[1-4]:\d\d|5:00)$/);
  await until(async () => (await page.textContent("#countdown")) !== left);
});

withBrowser.concurrent(
  "all numbers of a page have the digits of its texts, whatever the visitor's own are",
  async () => {
    const node = await openShop({ queue_all: true });
    const page = await openPage(true, { locale: "ar-AE" });
    await page.goto(node.gate);
    await heardFirst(page);
    const text = await page.evaluate(
      '["position", "stay", "kept", "updated", "next"].map((id) => document.getElementById(id).textContent).join(" ")',
    );
    expect(text).toMatch(/[٠-٩]/);
    expect(text).not.toMatch(/[0-9]/);
  },
);
