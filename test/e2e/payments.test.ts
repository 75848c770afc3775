/**
 * A visitor inside a full shop who comes back from a bank: what the bank sends reaches the shop, over https and http,
 * with and without JavaScript, in the window and in a frame.
 */

import { writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect } from "vitest";
import { selfSigned } from "../self-signed.ts";
import { openBrowser, openPage, ROOM, withBrowser, withCookiesInFrames } from "./browser.ts";
import { Origin, TestNode, temporaryDirectory, until } from "./process.ts";

beforeAll(openBrowser);

interface Paid {
  readonly body: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly target: string;
}

interface Scene {
  readonly page: Page;
  readonly shop: string;
  /** Another site; `/pay?to=ADDRESS` sends a payment there, and `/frame?of=ADDRESS` shows it in a frame. */
  readonly bank: string;
  readonly paid: Paid[];
}

interface Coming {
  readonly script: boolean;
  readonly isTls: boolean;
  readonly open?: typeof openPage;
}

/** A shop for one, with the visitor of `page` inside. */
async function inside({ script, isTls, open = openPage }: Coming): Promise<Scene> {
  const paid: Paid[] = [];
  const origin = await Origin.start(async (request, response) => {
    response.setHeader("Content-Type", "text/html").setHeader("Set-Cookie", ["login=1; SameSite=Lax; Path=/"]);
    const framed = new URL(request.url ?? "", "http://shop").searchParams.get("frame");
    if (framed !== null) response.end(`<title>Checkout</title><iframe src="${framed}"></iframe>`);
    else if (request.method !== "POST") response.end("<title>The shop</title><h1>Welcome in</h1>");
    else {
      paid.push({ body: await bodyOf(request), headers: request.headers, target: request.url ?? "" });
      response.end("<title>Thank you</title><h1>Order confirmed</h1>");
    }
  });
  const bank = await Origin.start((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://bank");
    response.setHeader("Content-Type", "text/html");
    if (pathname === "/frame") response.end(`<h1>The bank</h1><iframe src="${searchParams.get("of")}"></iframe>`);
    else
      response.end(
        `<form method="post" action="${searchParams.get("to")}"><input name="PaRes" value="ok &amp; é"><button>Back to the shop</button></form>`,
      );
  });
  const node = await TestNode.start({ origin: origin.url, rooms: [ROOM], flags: isTls ? tls() : [] });
  const shop = isTls ? node.gate.replace("http:", "https:") : node.gate;
  const page = await open(script, { ignoreHTTPSErrors: true });
  await page.goto(shop);
  await page.getByRole("heading", { name: "Welcome in" }).waitFor();
  expect((await node.room()).inside_here).toBe(ROOM.total_active_users);
  return { page, shop, bank: bank.url.replace("127.0.0.1", "localhost"), paid };
}

function tls(): string[] {
  const { cert, key } = selfSigned("127.0.0.1");
  const [certFile, keyFile] = ["cert.pem", "key.pem"].map((name) => join(temporaryDirectory(), name));
  writeFileSync(certFile ?? "", cert);
  writeFileSync(keyFile ?? "", key);
  return ["--tls-cert", certFile ?? "", "--tls-key", keyFile ?? ""];
}

function payAt({ bank, shop }: Scene): string {
  return `${bank}/pay?to=${encodeURIComponent(`${shop}/return?order=7`)}`;
}

/** The whole body of a request. */
async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const piece of request.setEncoding("utf8")) text += piece;
  return text;
}

const SENT = "PaRes=ok+%26+%C3%A9";

describe.each([
  ["over https", true],
  ["over http", false],
])("a payment that comes back %s", (_, isTls) => {
  withBrowser.concurrent.each([true, false])("in the window reaches the shop whole, JavaScript %s", async (script) => {
    const scene = await inside({ script, isTls });
    const { page, paid, shop } = scene;
    await page.goto(payAt(scene));
    await page.getByRole("button", { name: "Back to the shop" }).click();
    if (!script && !isTls) await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("heading", { name: "Order confirmed" }).waitFor();
    expect(paid.map(({ body, target }) => [body, target])).toEqual([[SENT, "/return?order=7"]]);
    // For the shop it is what the bank sent: without the cookies that another site's form never carries.
    expect([paid[0]?.headers.cookie, paid[0]?.headers.origin]).toEqual([undefined, new URL(scene.bank).origin]);
    await page.goto(shop);
    await page.getByRole("heading", { name: "Welcome in" }).waitFor();
  });
});

withBrowser.concurrent.each([true, false])(
  "a payment in a frame of the shop comes back in the frame, over http, JavaScript %s",
  async (script) => {
    const scene = await inside({ script, isTls: false });
    // A page over https shows no frame of a bank without it.
    const { page, paid, shop } = scene;
    await page.goto(`${shop}/checkout?frame=${encodeURIComponent(payAt(scene))}`);
    const frame = page.frameLocator("iframe");
    await frame.getByRole("button", { name: "Back to the shop" }).click();
    if (!script) await frame.getByRole("button", { name: "Continue" }).click();
    await frame.getByRole("heading", { name: "Order confirmed" }).waitFor();
    expect(paid.map(({ body }) => body)).toEqual([SENT]);
  },
);

withBrowser.concurrent("the shop in a frame of the bank works for a visitor inside, over https", async () => {
  const open: typeof openPage = async (_, options = {}) => (await withCookiesInFrames(options)).newPage();
  const { page, bank, shop } = await inside({ script: true, isTls: true, open });
  await page.goto(`${bank}/frame?of=${encodeURIComponent(`${shop}/next`)}`);
  await page.frameLocator("iframe").getByRole("heading", { name: "Welcome in" }).waitFor();
});

withBrowser.concurrent(
  "a payment inside a frame of the bank goes on in the whole window, by a click, over http",
  async () => {
    const scene = await inside({ script: true, isTls: false });
    const { page, bank, paid } = scene;
    await page.goto(`${bank}/frame?of=${encodeURIComponent(payAt(scene))}`);
    const frame = page.frameLocator("iframe");
    await frame.getByRole("button", { name: "Back to the shop" }).click();
    await frame.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("heading", { name: "Order confirmed" }).waitFor();
    await until(() => paid.length === 1);
    expect(paid[0]?.body).toBe(SENT);
  },
);
