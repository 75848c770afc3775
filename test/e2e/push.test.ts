/**
 * A visitor's browser subscribes to word of the turn. Its push service is a stand-in: there is none without a network.
 * What the page's worker shows is asked of the worker itself, and what a node sends of a proxy.
 */

import { createECDH, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { fullShop, makeRoom, openBrowser, openPage, ROOM, withBrowser } from "./browser.ts";
import { endLater, Origin, TestNode, until } from "./process.ts";
import { Visitor } from "./visitor.ts";

beforeAll(openBrowser);

const NOTIFY = { notify: { by: ["push"], grace_minutes: 2 } };
const ENDPOINT = "https://fcm.googleapis.com/fcm/send/a-visitor";
const KEYS = { p256dh: `BA${"A".repeat(85)}`, auth: "A".repeat(22) };

/** A page whose browser answers as one with a push service would; `permission`: what its visitor says. */
async function pageWithPush(permission: "granted" | "denied", endpoint = ENDPOINT): Promise<Page> {
  const page = await openPage(true);
  const subscription = JSON.stringify({ endpoint, expirationTime: null, keys: KEYS });
  await page.addInitScript(`
    Notification.requestPermission = async () => {
      sessionStorage.setItem("asked", "by a click: " + navigator.userActivation.isActive);
      return "${permission}";
    };
    const made = { toJSON: () => (${subscription}), unsubscribe: async () => true };
    PushManager.prototype.getSubscription = async () => (sessionStorage.getItem("key") === null ? null : made);
    PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
      sessionStorage.setItem("key", applicationServerKey);
      return made;
    };`);
  return page;
}

const stored = (page: Page, name: string): Promise<string | null> => page.evaluate(`sessionStorage.getItem("${name}")`);

withBrowser.concurrent("by a click the browser subscribes, and the page says that a message will come", async () => {
  const node = await fullShop(NOTIFY);
  const page = await pageWithPush("granted");
  const posted: string[] = [];
  const problems: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST") posted.push(request.postData() ?? "");
  });
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  await page.goto(`${node.gate}/tickets?day=1`);
  const button = page.getByRole("button", { name: "Tell me when it is my turn" });
  await button.waitFor();
  expect([await stored(page, "asked"), posted]).toEqual([null, []]);
  await button.click();
  await page.getByText("You will get a message when it is your turn.").waitFor();
  expect(await stored(page, "asked")).toBe("by a click: true");
  expect(await stored(page, "key")).toMatch(/^B[\w-]{86}$/);
  expect(posted).toHaveLength(1);
  const left = JSON.parse(new URLSearchParams(posted[0]).get("contact") ?? "");
  expect(left).toMatchObject({ endpoint: ENDPOINT, keys: KEYS, language: "en-US" });
  // The button would say the same again.
  await button.waitFor({ state: "hidden" });
  const workers = await page.evaluate(
    "navigator.serviceWorker.getRegistrations().then((all) => all.map(({ scope, active }) => [scope, active.scriptURL]))",
  );
  expect(workers).toEqual([
    [`${node.gate}/.anteroom/`, `${node.gate}/.anteroom/push.js?${encodeURIComponent("/tickets?day=1")}`],
  ]);
  expect(problems).toEqual([]);
  await makeRoom(node);
  await page.getByRole("heading", { name: "Welcome in" }).waitFor();
});

withBrowser.concurrent.each([
  ["a visitor who allows no notifications", "denied", ENDPOINT, "You will hear a sound."],
  ["a subscription that is not kept", "granted", "https://push.example/", "You will be alerted."],
] as const)("after %s, the alert of the page is there", async (_, permission, endpoint, said) => {
  const node = await fullShop(NOTIFY);
  const page = await pageWithPush(permission, endpoint);
  await page.goto(node.gate);
  const button = page.getByRole("button", { name: "Tell me when it is my turn" });
  await button.click();
  if (endpoint !== ENDPOINT) {
    await page.waitForURL(/unclear/);
    await button.click();
  }
  await page.getByRole("button", { name: said }).waitFor();
  expect(await page.getByText("You will get a message").isVisible()).toBe(false);
});

withBrowser.concurrent("the worker shows whose turn it is and until when, and leads back to the page", async () => {
  const node = await fullShop(NOTIFY);
  const page = await pageWithPush("granted");
  await page.goto(`${node.gate}/tickets?day=1`);
  const coming = page.context().waitForEvent("serviceworker");
  await page.getByRole("button", { name: "Tell me when it is my turn" }).click();
  const worker = await coming;
  await page.getByText("You will get a message when it is your turn.").waitFor();
  const data = {
    title: "It is your turn",
    text: "Please enter by {time}. After that your turn goes to the next visitor.",
    language: "en-US",
    until: new Date(2026, 10, 29, 14, 5).getTime(),
  };
  const shown = await worker.evaluate(`(async () => {
    const seen = [];
    registration.showNotification = async (title, { body, lang }) => seen.push([title, body, lang]);
    registration.unregister = async () => seen.push("unregistered");
    clients.openWindow = async (url) => seen.push(url);
    clients.matchAll = async () => [];
    const happens = async (type, about) => {
      let done;
      dispatchEvent(Object.assign(new Event(type), about, { waitUntil: (promise) => { done = promise; } }));
      await done;
    };
    await happens("push", { data: { json: () => (${JSON.stringify(data)}) } });
    await happens("notificationclick", { notification: { close: () => seen.push("closed") } });
    return seen;
  })()`);
  const text = /^Please enter by 2:05\sPM\. After that your turn goes to the next visitor\.$/;
  expect(shown).toEqual([
    ["It is your turn", expect.stringMatching(text), "en-US"],
    "closed",
    `${node.gate}/tickets?day=1`,
    "unregistered",
  ]);
});

test("a node sends word of the turn to the push service, by the proxy of its environment", async () => {
  const origin = await Origin.start();
  const wanted: string[] = [];
  const proxy = createServer((_, response) => void response.writeHead(502).end());
  proxy.on("connect", ({ url }, socket) => {
    wanted.push(String(url));
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  endLater(() => proxy.close());
  const { port } = proxy.address() as AddressInfo;
  const node = await TestNode.start({
    origin: origin.url,
    minuteMs: 6_000,
    rooms: [{ ...ROOM, ...NOTIFY, session_duration: 2, json_response_enabled: true }],
    environment: { HTTPS_PROXY: `http://127.0.0.1:${port}` },
  });
  await new Visitor(node.gate, "inside").get();
  const visitor = new Visitor(node.gate, "ada");
  await visitor.get();
  const keys = {
    p256dh: createECDH("prime256v1").generateKeys("base64url"),
    auth: randomBytes(16).toString("base64url"),
  };
  const contact = JSON.stringify({ endpoint: ENDPOINT, keys, language: "en-US" });
  const kept = await visitor.post("/?__anteroom=notify", {}, `contact=${encodeURIComponent(contact)}`);
  expect(kept.text).toBe('{"anteroom":{"contactKept":true}}');
  await until(() => wanted.length > 0);
  expect(new Set(wanted)).toEqual(new Set(["fcm.googleapis.com:443"]));
  expect(node.process.log).not.toContain("a-visitor");
});
