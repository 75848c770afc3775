/** One host by https, at a TLS proxy, and by http: no browser lets http change a cookie that https has set. */

import { request } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { beforeAll, expect } from "vitest";
import { selfSigned } from "../self-signed.ts";
import { openBrowser, openPage, ROOM, withBrowser } from "./browser.ts";
import { endLater, Origin, TestNode, until } from "./process.ts";

beforeAll(openBrowser);

/** The address of a TLS proxy before the gate. */
async function tlsFront(gate: string): Promise<string> {
  const server = createServer(selfSigned("127.0.0.1"), (asked, answer) => {
    const { method, headers } = asked;
    const forwarded = { ...headers, "x-forwarded-proto": "https" };
    const passed = request(new URL(asked.url ?? "", gate), { method: method ?? "GET", headers: forwarded }, (came) => {
      answer.writeHead(came.statusCode ?? 502, came.headers);
      came.pipe(answer);
    });
    passed.on("error", () => answer.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  endLater(() => server.close());
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

withBrowser("a visitor in line by https who goes on by http is not told to allow cookies", async () => {
  const site = await Origin.start();
  const rooms = [{ ...ROOM, queue_all: true }];
  const node = await TestNode.start({ origin: site.url, rooms, flags: ["--trusted-proxies", "127.0.0.1"] });
  const secure = await tlsFront(node.gate);
  const page = await openPage(true, { ignoreHTTPSErrors: true });
  await page.goto(secure);
  await page.getByRole("heading", { name: "The line is paused" }).waitFor();
  const visitor = await page.locator("#visitor").textContent();
  let polls = 0;
  page.on("response", (response) => {
    if (response.request().headers()["anteroom-poll"] !== undefined) polls += 1;
  });
  await page.goto(node.gate);
  await until(() => polls >= 3);
  expect(await page.getByRole("heading").textContent()).toBe("The line is paused");
  // By https the place is the first one again.
  await page.goto(secure);
  await page.getByRole("heading", { name: "The line is paused" }).waitFor();
  expect(await page.locator("#visitor").textContent()).toBe(visitor);
});
