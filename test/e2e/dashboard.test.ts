/** The dashboard in a real browser, at a real node. */

import { readFileSync } from "node:fs";
import type { BrowserContextOptions, Page, Route } from "playwright-core";
import { beforeAll, describe, expect } from "vitest";
import { violations } from "./axe.ts";
import { fullShop, openBrowser, openPage, update, withBrowser } from "./browser.ts";
import { Origin, type TestNode, until, WAIT_MAX_MS } from "./process.ts";
import { Visitor } from "./visitor.ts";

beforeAll(openBrowser);

async function logIn(page: Page, node: Pick<TestNode, "admin" | "token">): Promise<void> {
  await page.goto(`http://${node.admin}/`);
  await page.getByLabel("Token").fill(node.token);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("heading", { name: "shop" }).waitFor();
}

const PHONE = { width: 360, height: 740 };

/** The dashboard's own policy refuses scripts of others, and so axe-core. */
const DESK = { bypassCSP: true, viewport: { width: 1280, height: 900 } };

/** A page on which all that is asked before an order is answered with yes, and noted; and so are errors. */
async function openDesk(node: TestNode, options: BrowserContextOptions = {}) {
  const page = await openPage(true, { ...DESK, ...options });
  const questions: string[] = [];
  page.on("dialog", (dialog) => {
    questions.push(dialog.message());
    void dialog.accept();
  });
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  await logIn(page, node);
  return { page, questions, errors };
}

/** A new visitor in line, and the number on the page. */
async function joined(node: TestNode, name: string): Promise<{ readonly visitor: Visitor; readonly number: string }> {
  const visitor = new Visitor(node.gate, name);
  return { visitor, number: JSON.parse((await visitor.get()).text).anteroom.supportId };
}

describe("the dashboard", () => {
  withBrowser("shows the room live, and holds, resumes and edits it", async () => {
    const node = await fullShop({ total_active_users: 5, session_duration: 10 });
    const page = await openPage(true, DESK);
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    await page.goto(`http://${node.admin}/dashboard`);
    expect(await violations(page)).toEqual([]);
    await page.getByLabel("Token").fill("guess");
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByText("This is not a token of this node or mesh.").waitFor();
    await logIn(page, node);
    const room = page.getByRole("article", { name: "Room shop" });
    await room.getByText("1 of 5").waitFor();
    expect(await violations(page)).toEqual([]);

    page.on("dialog", (dialog) => void dialog.accept());
    await room.getByRole("button", { name: "Hold: shop" }).click();
    await room.getByText("held by an operator since").waitFor();
    await page.getByText("shop is held: nobody new comes in").waitFor();
    await page.getByRole("listitem").filter({ hasText: "room hold" }).first().waitFor();
    await room.getByRole("button", { name: "Resume: shop" }).click();
    await until(async () => (await node.room()).operator_order === null);
    await update(node, { suspended: true });
    await page.getByText("shop is suspended: its limits do not apply").waitFor();
    await update(node, { suspended: false });
    await page.getByText("shop is suspended: its limits do not apply").waitFor({ state: "hidden" });

    await room.getByRole("button", { name: "Edit: shop" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Visitors inside at once").fill("0");
    await dialog.getByRole("button", { name: "Show changes" }).click();
    await dialog.getByText("is below 1").waitFor();
    expect(await dialog.getByRole("button", { name: "Apply" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Visitors inside at once").fill("7");
    await dialog.getByRole("button", { name: "Show changes" }).click();
    await dialog.getByText("total_active_users: 5 → 7").waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Apply" }).click();
    await room.getByText("1 of 7").waitFor();

    await room.getByRole("button", { name: "Message: shop" }).click();
    await dialog.getByLabel("Message to everybody in line").fill("We open at ten.");
    await dialog.getByRole("button", { name: "Show changes" }).click();
    await dialog.getByText("message: (none) → We open at ten.").waitFor();
    await dialog.getByRole("button", { name: "Apply" }).click();
    await dialog.waitFor({ state: "hidden" });
    expect((await node.run(["room", "get", "shop"])).stdout).toContain("message: We open at ten.");

    await until(async () => (await room.locator("canvas").count()) === 2);
    expect(await room.locator(".u-legend .u-label").allTextContents()).toEqual(
      expect.arrayContaining(["inside", "limit", "in line", "limit now", "half waited at most"]),
    );
    await page.getByRole("button", { name: "Wall view" }).click();
    expect(await room.getByRole("button", { name: "Hold: shop" }).isVisible()).toBe(false);
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Wall view" }).click();
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByLabel("Token").waitFor();
    expect(errors).toEqual([]);
  });

  withBrowser("does not overwrite what somebody else changed while the dialog was open", async () => {
    const node = await fullShop({ total_active_users: 5, session_duration: 10 });
    const { page } = await openDesk(node);
    const room = page.getByRole("article", { name: "Room shop" });
    const dialog = page.getByRole("dialog");
    const inside = dialog.getByLabel("Visitors inside at once");
    await room.getByRole("button", { name: "Edit: shop" }).click();
    await inside.fill("7");
    await dialog.getByRole("button", { name: "Show changes" }).click();
    await dialog.getByText("total_active_users: 5 → 7").waitFor();
    const other = ["room", "update", "shop", "total_active_users=9", "new_users_per_minute=12", "page.message=Soon"];
    expect((await node.run(other)).code).toBe(0);
    await dialog.getByRole("button", { name: "Apply" }).click();
    await dialog.getByText("Not applied: the room was changed while you were editing.").waitFor();
    await dialog.getByText("total_active_users: 5 → 9").waitFor();
    expect((await node.room()).total_active_users).toBe(9);
    // What was typed stays, the rest is what the other one wrote; nothing is applied unseen.
    expect(await inside.inputValue()).toBe("7");
    expect(await dialog.getByLabel("New visitors per minute").inputValue()).toBe("12");
    expect(await dialog.getByRole("button", { name: "Apply" }).isDisabled()).toBe(true);
    await dialog.getByRole("button", { name: "Show changes" }).click();
    await dialog.getByText("total_active_users: 9 → 7").waitFor();
    await dialog.getByRole("button", { name: "Apply" }).click();
    await dialog.waitFor({ state: "hidden" });
    const { stdout } = await node.run(["room", "get", "shop", "--json"]);
    const now = { total_active_users: 7, new_users_per_minute: 12, page: expect.objectContaining({ message: "Soon" }) };
    expect(JSON.parse(stdout)).toMatchObject(now);
  });

  withBrowser("makes, copies, finds and deletes rooms, with every field, and says how a terminal would", async () => {
    const node = await fullShop({ total_active_users: 5, session_duration: 10 });
    const { page, errors } = await openDesk(node);
    const dialog = page.getByRole("dialog");
    const field = (name: string) => dialog.getByLabel(name, { exact: true });
    const apply = async () => {
      await dialog.getByRole("button", { name: "Show changes" }).click();
      await dialog.getByRole("button", { name: "Apply" }).click();
      await dialog.waitFor({ state: "hidden" });
    };
    const document_ = async (name: string) => JSON.parse((await node.run(["room", "get", name, "--json"])).stdout);

    await page.getByRole("button", { name: "New room" }).click();
    await field("Name").fill("tickets");
    await field("Host").fill("tickets.example");
    await field("Total active users").fill("0");
    await field("New users per minute").fill("30");
    await field("Rules").fill("[{expression: ssl}]");
    await dialog.getByRole("button", { name: "Show changes" }).click();
    await dialog.getByText("rules is not JSON").waitFor();
    await field("Rules").fill('[{"expression": "ssl"}]');
    await dialog.getByRole("button", { name: "Show changes" }).click();
    await dialog.getByText("total_active_users is below 1").waitFor();
    await field("Total active users").fill("20");
    await field("Pace").check();
    await dialog.getByRole("button", { name: "Show changes" }).click();
    await dialog.getByText("As curl").click();
    await dialog.getByText(`curl -X POST http://${node.admin}/v1/rooms`).waitFor();
    expect(await violations(page)).toEqual([]);
    await apply();
    const tickets = page.getByRole("article", { name: "Room tickets", exact: true });
    await tickets.getByText("0 of 20").waitFor();
    expect(await document_("tickets")).toMatchObject({ pace: true, rules: [{ expression: "ssl" }] });

    await tickets.getByRole("button", { name: "Copy: tickets" }).click();
    await field("Name").fill("tickets2");
    await field("Host").fill("two.example");
    await apply();
    await page.getByRole("article", { name: "Room tickets2" }).waitFor();
    expect(await document_("tickets2")).toMatchObject({ host: "two.example", pace: true, total_active_users: 20 });

    await tickets.getByRole("button", { name: "All fields: tickets", exact: true }).click();
    await field("Queueing method").selectOption("random");
    await apply();
    expect(await document_("tickets")).toMatchObject({ queueing_method: "random", pace: true });

    await page.getByLabel("Find").fill("TICKETS2");
    await tickets.waitFor({ state: "hidden" });
    await page.getByLabel("Find").fill("");
    await tickets.waitFor();
    await tickets.getByRole("button", { name: "Delete: tickets", exact: true }).click();
    await tickets.waitFor({ state: "detached" });
    expect((await node.run(["room", "get", "tickets"])).code).not.toBe(0);
    expect(errors).toEqual([]);
  });

  withBrowser("schedules, changes, ends and deletes the events of a room", async () => {
    const node = await fullShop({ total_active_users: 5, session_duration: 10 });
    const { page, questions } = await openDesk(node);
    const room = page.getByRole("article", { name: "Room shop" });
    const dialog = page.getByRole("dialog");
    const events = async () => JSON.parse((await node.run(["event", "list", "shop", "--json"])).stdout);
    await room.getByRole("button", { name: "Events: shop" }).click();
    await dialog.getByText("This room has no event.").waitFor();
    await dialog.getByLabel("Name", { exact: true }).fill("sale");
    await dialog.getByLabel("Event start time").fill("2099-11-27T10:00");
    await dialog.getByLabel("Event end time").fill("2099-11-27T09:00");
    await dialog.getByRole("button", { name: "Schedule" }).click();
    await dialog.getByRole("alert").filter({ hasText: "event_end_time" }).waitFor();
    await dialog.getByLabel("Event end time").fill("2099-11-27T12:00");
    await dialog.getByLabel("Prequeue start time").fill("2099-11-27T09:30");
    const form = dialog.getByRole("form", { name: "Schedule an event" });
    await form.getByText("As curl").click();
    await dialog.getByText(`curl -X POST http://${node.admin}/v1/rooms/shop/events`).waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Schedule" }).click();
    await dialog.getByText("Next: sale").waitFor();
    const start = new Date("2099-11-27T10:00").toISOString();
    const scheduled = { name: "sale", event_start_time: start, phase: "upcoming" };
    expect(await events()).toMatchObject({ events: [scheduled] });
    await room.getByText("next event sale starts").waitFor();

    await dialog.getByRole("button", { name: "Edit event sale" }).click();
    await dialog.getByLabel("Total active users").fill("50");
    await dialog.getByLabel("New users per minute").fill("20");
    await dialog.getByLabel("Event start time").fill("2026-01-01T10:00");
    await dialog.getByLabel("Prequeue start time").fill("");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("Now: sale").waitFor();
    const changed = { total_active_users: 50, new_users_per_minute: 20, phase: "active" };
    expect(await events()).toMatchObject({ events: [changed] });
    expect((await events()).events[0]).not.toHaveProperty("prequeue_start_time");
    await dialog.getByRole("button", { name: "End event sale now" }).click();
    await dialog.getByText("No event is to come.").waitFor();
    expect(await events()).toMatchObject({ events: [{ phase: "ended" }] });
    expect(questions[0]).toContain(`curl -X PATCH http://${node.admin}/v1/rooms/shop/events/sale`);
    await dialog.getByRole("button", { name: "Delete event sale" }).click();
    await dialog.getByText("This room has no event.").waitFor();
    expect(await events()).toMatchObject({ events: [] });
  });

  withBrowser("makes passes as a file of links, runs waves of them, and withdraws them", async () => {
    const node = await fullShop({ total_active_users: 5, session_duration: 10 });
    const { page } = await openDesk(node, { colorScheme: "dark" });
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Passes: shop" }).click();
    await dialog.getByText("Start a wave", { exact: true }).first().click();
    const start = dialog.getByRole("form", { name: "Start a wave" });
    await start.getByLabel("Wave").fill("spring");
    await start.getByLabel("Rate").fill("1/10m");
    await start.getByLabel("Count").fill("2");
    await start.getByRole("button", { name: "Start" }).click();
    await dialog.getByRole("row", { name: /^spring running/ }).waitFor();

    const form = dialog.getByRole("form", { name: "Make passes" });
    await form.getByLabel("For whom").fill("order-1\norder, 2\n");
    await form.getByLabel("Link to").fill("shop.example");
    await form.getByRole("button", { name: "Make passes" }).click();
    await form.getByText("Link to is not an address").waitFor();
    await form.getByLabel("Link to").fill(new URL("/sale", node.gate).href);
    await form.getByLabel("Wave").selectOption("spring");
    await form.getByText("As curl").click();
    await form.getByText(`curl -X POST http://${node.admin}/v1/rooms/shop/passes`).waitFor();
    await form.getByRole("button", { name: "Make passes" }).click();
    const link = form.getByRole("link", { name: "Download 2 passes as CSV" });
    expect(await violations(page)).toEqual([]);
    const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
    const [head, first = "", second = ""] = readFileSync(await download.path(), "utf8").split("\r\n");
    expect([head, first.slice(0, 8), second.slice(0, 11)]).toEqual(["key,expires,link", "order-1,", '"order, 2",']);
    const ask = async (line: string) =>
      (await fetch(line.slice(line.indexOf("http")), { headers: { accept: "application/json" } })).status;
    expect([await ask(first), await ask(second)]).toEqual([200, 403]);

    await dialog.getByRole("button", { name: "Pause wave spring" }).click();
    await dialog.getByRole("button", { name: "Resume wave spring" }).click();
    await dialog.getByRole("button", { name: "End wave spring" }).click();
    await dialog.getByText("This room has no wave").waitFor();
    expect(await ask(second)).toBe(200);
    await dialog.getByRole("button", { name: "Withdraw all passes" }).click();
    await until(async () => (await ask(first)) === 403);
  });

  withBrowser("makes, rotates and edits tokens and webhooks, and shows nobody what he may not do", async () => {
    const node = await fullShop();
    const { page, questions } = await openDesk(node);
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Tokens" }).click();
    await dialog.getByLabel("Name", { exact: true }).fill("desk");
    await dialog.getByRole("button", { name: "Make the token" }).click();
    await dialog.getByRole("alert").filter({ hasText: "scopes" }).waitFor();
    await dialog.getByLabel("read", { exact: true }).check();
    await dialog.getByLabel("Expires").fill("90d");
    await dialog.getByText("As curl").last().click();
    await dialog.getByText(`curl -X POST http://${node.admin}/v1/tokens`).waitFor();
    await dialog.getByRole("button", { name: "Make the token" }).click();
    const secret = dialog.locator(".secret pre");
    await dialog.getByRole("row", { name: /^desk read all/ }).waitFor();
    const token = (await secret.textContent()) ?? "";
    expect(await violations(page)).toEqual([]);

    const viewer = await openPage(true, { ...DESK, viewport: PHONE });
    await logIn(viewer, { admin: node.admin, token });
    const names = () => viewer.getByRole("button").allTextContents();
    await expect.poll(names, { timeout: WAIT_MAX_MS }).toEqual(["Wall view", "Log out", "Events", "Passes", "Rules"]);
    await viewer.getByRole("button", { name: "Passes: shop" }).click();
    await viewer.getByText("This room has no wave").waitFor();
    expect(await viewer.getByRole("dialog").getByRole("button").allTextContents()).toEqual(["Close"]);

    await dialog.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Tokens" }).click();
    expect(await secret.count()).toBe(0);
    const statusOf = async (bearer: string) =>
      (await fetch(`http://${node.admin}/v1/status`, { headers: { authorization: `Bearer ${bearer}` } })).status;
    await dialog.getByRole("button", { name: "Rotate token desk" }).click();
    await dialog.getByLabel("Grace").fill("a while");
    await dialog.getByText("As curl").click();
    await dialog.getByText(`curl -X POST http://${node.admin}/v1/tokens/desk/rotate`).waitFor();
    await dialog.getByRole("button", { name: "Rotate" }).click();
    await dialog.getByText("grace is no span").waitFor();
    await dialog.getByLabel("Grace").fill("0m");
    await dialog.getByRole("button", { name: "Rotate" }).click();
    await dialog.getByText("The secret of token desk.").getByText("The one before has ended.").waitFor();
    const rotated = (await secret.textContent()) ?? "";
    expect([await statusOf(token), await statusOf(rotated)]).toEqual([401, 200]);
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Rotate token desk" }).click();
    await page.route("**/v1/tokens", (route) => route.abort(), { times: 1 });
    await dialog.getByRole("button", { name: "Rotate" }).click();
    await dialog.getByRole("alert").waitFor();
    await dialog.getByText("The one before counts until").waitFor();
    expect([await statusOf(rotated), await statusOf((await secret.textContent()) ?? "")]).toEqual([200, 200]);

    await dialog.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Tokens" }).click();
    await dialog.getByRole("button", { name: "Delete token desk" }).click();
    await dialog.getByText("There is no token that you may see.").waitFor();
    await viewer.getByLabel("Token").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();

    const heard: string[] = [];
    const chat = await Origin.start((request, response) => {
      heard.push(String(request.headers["webhook-id"]));
      response.end();
    });
    await page.getByRole("button", { name: "Webhooks" }).click();
    await dialog.getByLabel("Name", { exact: true }).fill("chat");
    await dialog.getByLabel("Url").fill(chat.url);
    await dialog.getByLabel("room.held").check();
    await dialog.getByRole("button", { name: "Make the webhook" }).click();
    await secret.getByText("whsec_").waitFor();
    await dialog.getByRole("button", { name: "Test webhook chat" }).click();
    await dialog.getByText("chat took the test (status 200).").waitFor();
    expect(heard).toHaveLength(1);
    expect(await violations(page)).toEqual([]);
    const before = await secret.textContent();
    await dialog.getByRole("button", { name: "Rotate webhook chat" }).click();
    await dialog.getByText("The one before signs as well until").waitFor();
    // It is shown once, so it is in sight.
    expect(await dialog.evaluate(({ scrollTop }) => scrollTop)).toBe(0);
    expect(await secret.textContent()).toMatch(/^whsec_/);
    expect(await secret.textContent()).not.toBe(before);
    expect(questions.at(-1)).toMatch(/As curl: curl -X POST http:\S+\/v1\/webhooks\/wh_[0-9a-f]+\/rotate/);
    await dialog.getByRole("button", { name: "Edit webhook chat" }).click();
    await dialog.getByLabel("Url").fill("chat.example");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("url is not an http or https URL").waitFor();
    await dialog.getByLabel("Url").fill(chat.url);
    await dialog.getByLabel("Enabled").uncheck();
    await dialog.getByText("As curl").click();
    // What stays as it is is not sent.
    await dialog.getByText(`-d '{"enabled":false}'`).waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("row", { name: /^chat .* off/ }).waitFor();
    await dialog.getByRole("button", { name: "Delete webhook chat" }).click();
    await dialog.getByText("There is no webhook that you may see.").waitFor();
  });

  withBrowser("tries a request on the rules of a room", async () => {
    const rules = [{ expression: 'http.request.uri.path eq "/pay"', description: "payments" }];
    const node = await fullShop({ rules });
    const { page } = await openDesk(node, { viewport: PHONE, colorScheme: "dark" });
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Rules: shop" }).click();
    await dialog.getByText("Rule 1 · payments · bypass waiting room").waitFor();
    await dialog.getByLabel("Address", { exact: true }).fill("shop.example/pay");
    await dialog.getByRole("button", { name: "What would happen?" }).click();
    await dialog.getByText("url is not an http or https address").waitFor();
    await dialog.getByLabel("Address", { exact: true }).fill("https://shop.example/pay");
    await dialog.getByLabel("Header fields").fill("User-Agent: tester");
    await dialog.getByRole("button", { name: "What would happen?" }).click();
    await dialog.getByText("It bypasses room shop by a rule.").waitFor();
    await dialog.getByText('Rule 1 of room shop: http.request.uri.path eq "/pay"').waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByLabel("Address", { exact: true }).fill("https://shop.example/");
    await dialog.getByRole("button", { name: "What would happen?" }).click();
    await dialog.getByText("It is a visitor of room shop, as no rule is about it.").waitFor();
    await update(node, { rules: [{ expression: "ssl" }] });
    await dialog.getByRole("button", { name: "What would happen?" }).click();
    await dialog.getByText("A rule of room shop: ssl").waitFor();
  });

  withBrowser("edits the rules of a room, in their order, with each problem at its rule", async () => {
    const rules = [{ expression: 'http.request.uri.path eq "/pay"', description: "payments\nof the shop" }];
    const node = await fullShop({ rules });
    const { page, errors } = await openDesk(node);
    const dialog = page.getByRole("dialog");
    const saved = async () => JSON.parse((await node.run(["room", "get", "shop", "--json"])).stdout).rules;
    const form = (number: number) => dialog.getByRole("form", { name: `Rule ${number}`, exact: true });
    const save = () => dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Rules: shop" }).click();
    await dialog.getByRole("button", { name: "Add a rule" }).click();
    await page.keyboard.type("robots");
    await form(2).getByLabel("Action").selectOption("block");
    await form(2).getByLabel("Expression").fill('http.user_agent contains "bot');
    await dialog.getByText("Not saved yet.").waitFor();
    await save();
    await form(2).getByText("expression has a fault at column").waitFor();
    await dialog.getByText("Not saved: a rule has a problem.").waitFor();
    const problems = await dialog.locator(".rule .problem").allTextContents();
    expect(problems).toEqual(["", expect.stringContaining("fault")]);
    expect(await violations(page)).toEqual([]);
    expect(await saved()).toHaveLength(1);

    await form(2).getByLabel("Expression").fill('http.user_agent contains "bot"');
    await dialog.getByRole("button", { name: "Up: rule 2" }).press("Enter");
    await dialog.getByText("Rule 2 is rule 1 now. Not saved yet.").waitFor();
    expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe("Down: rule 1");
    await dialog.getByText("Rule 2 · payments").click();
    await form(2).getByLabel("Enabled").uncheck();
    await dialog.getByText("As curl").first().click();
    await dialog.getByText(`curl -X PATCH http://${node.admin}/v1/rooms/shop`).waitFor();
    // Another change of the room is none of the rules.
    expect((await node.run(["room", "update", "shop", "new_users_per_minute=12"])).code).toBe(0);
    await save();
    await dialog.getByText("Saved.", { exact: true }).waitFor();
    const robots = {
      description: "robots",
      action: "block",
      expression: 'http.user_agent contains "bot"',
      enabled: true,
    };
    expect(await saved()).toMatchObject([robots, { description: "payments\nof the shop", enabled: false }]);
    await dialog.getByLabel("Address", { exact: true }).fill("https://shop.example/pay");
    await dialog.getByLabel("Header fields").fill("User-Agent: a bot");
    await dialog.getByRole("button", { name: "What would happen?" }).click();
    await dialog.getByText("Rule 1 of room shop: http.user_agent").waitFor();
    expect(await violations(page)).toEqual([]);

    const sent = Promise.withResolvers<Route>();
    await page.route("**/v1/rooms/shop", (route) => sent.resolve(route), { times: 1 });
    await save();
    const call = await sent.promise;
    await dialog.getByRole("button", { name: "Up: rule 2" }).click();
    await call.continue();
    await dialog.getByText("Saved. Later changes are not saved yet.").waitFor();
    expect(await saved()).toMatchObject([robots, { description: "payments\nof the shop" }]);

    await dialog.getByRole("button", { name: "Delete: rule 2" }).click();
    const others = ["room", "update", "shop", `rules=[{"expression": "ssl"}]`];
    expect((await node.run(others)).code).toBe(0);
    await save();
    await dialog.getByText("Not saved: somebody else changed the rules").waitFor();
    expect(await saved()).toMatchObject([{ expression: "ssl" }]);
    expect(errors).toEqual([]);
  });

  withBrowser("finds a visitor by the number on the page, and puts back, admits next, removes and blocks", async () => {
    // Nobody is gone because of a slow machine.
    const node = await fullShop({ json_response_enabled: true, refresh_interval_seconds: 60 });
    const [first, second] = [await joined(node, "first"), await joined(node, "second")];
    const { page, questions } = await openDesk(node);
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Visitor: shop" }).click();
    const find = dialog.getByRole("form", { name: "Find a visitor" });
    await find.getByLabel("Number").fill("hello");
    await find.getByRole("button", { name: "Find" }).click();
    await find.getByText("visitor is not such a number").waitFor();
    await find.getByLabel("Number").fill(second.number.toLowerCase());
    await find.getByText("As curl").click();
    await find.getByText(`curl -X POST http://${node.admin}/v1/rooms/shop/visitors/`).waitFor();
    await find.getByRole("button", { name: "Find" }).click();
    await dialog.getByText(`Looking for ${second.number}`).waitFor();
    await second.visitor.get();
    await dialog.getByText(`${second.number} is in line at place 2`).waitFor();
    expect(await violations(page)).toEqual([]);

    const back = dialog.getByRole("form", { name: "Put the visitor back" });
    await back.getByLabel("Joined at").fill("2026-01-01T10:00");
    await back.getByRole("button", { name: "Put back" }).click();
    await back.getByText("since is more than 24 hours ago").waitFor();
    const hourAgo = new Date(Date.now() - 3_600_000 - new Date().getTimezoneOffset() * 60_000).toISOString();
    await back.getByLabel("Joined at").fill(hourAgo.slice(0, "2026-01-01T10:00".length));
    await back.getByRole("button", { name: "Put back" }).click();
    await dialog.getByText(`Looking for ${second.number}`).waitFor();
    await second.visitor.get();
    await dialog.getByText(`${second.number} is in line at place 1`).waitFor();
    await dialog.getByText("Put back to that place.").waitFor();

    await find.getByLabel("Number").fill(first.number);
    await find.getByRole("button", { name: "Find" }).click();
    await dialog.getByText(`Looking for ${first.number}`).waitFor();
    await first.visitor.get();
    // A place that was shown never goes up.
    await dialog.getByText(`${first.number} is in line at place 1`).waitFor();
    await dialog.getByRole("button", { name: "Admit next" }).click();
    await dialog.getByText(`Looking for ${first.number}`).waitFor();
    await first.visitor.get();
    await dialog.getByText("Put at the front, for the next free slot.").waitFor();
    await dialog.getByRole("button", { name: "Remove" }).click();
    await dialog.getByText(`Looking for ${first.number}`).waitFor();
    await first.visitor.get();
    await dialog.getByText(`${first.number} was in line, and is removed.`).waitFor();
    expect(questions[0]).toContain('-d \'{"action":"admit"}\'');
    await until(async () => (await node.room()).waiting === 1);

    await find.getByLabel("Number").fill(second.number);
    await find.getByRole("button", { name: "Find" }).click();
    await dialog.getByText(`Looking for ${second.number}`).waitFor();
    await second.visitor.get();
    await dialog.getByRole("button", { name: "Block", exact: true }).click();
    await dialog.getByText(`${second.number} is blocked since`).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(questions.at(-1)).toContain('-d \'{"action":"block"}\'');
    expect((await second.visitor.get()).status).toBe(403);
    await until(async () => (await node.room()).waiting === 0);
    await dialog.getByRole("button", { name: "Unblock" }).click();
    await dialog.getByText(`${second.number} is not blocked any more, and may join again.`).waitFor();
    expect((await second.visitor.get()).status).toBe(200);
  });

  withBrowser("edits the page beside a preview in several languages, on a phone and a screen", async () => {
    const node = await fullShop();
    const page = await openPage(true, { viewport: DESK.viewport });
    const errors: string[] = [];
    page.on("console", (line) => line.type() === "error" && errors.push(line.text()));
    await logIn(page, node);
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Page: shop" }).click();
    const preview = page.frameLocator("iframe");
    await preview.getByRole("heading", { name: "You are in line" }).waitFor();
    await dialog.getByLabel("Title").fill("Kulturhaus");
    await dialog.getByLabel("Accent").fill("#0a7d4f");
    await preview.getByText("Kulturhaus").first().waitFor();
    await dialog.getByLabel("Language").selectOption("de-DE");
    await preview.locator("html[lang=de-DE]").waitFor();
    await dialog.getByLabel("Width").selectOption("Desktop");
    expect(await page.locator("iframe").evaluate((frame) => frame.clientWidth)).toBe(1278);
    await dialog.getByLabel("Accent").fill("green");
    await dialog.getByText("page.accent is not a colour").waitFor();
    await dialog.getByLabel("Accent").fill("#123456");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "hidden" });
    const { stdout } = await node.run(["room", "get", "shop", "--json"]);
    expect(JSON.parse(stdout).page).toMatchObject({ title: "Kulturhaus", accent: "#123456" });
    // The page's own policy and the frame's let everything pass that is shown.
    expect(errors.filter((text) => text.includes("Content Security Policy"))).toEqual([]);
    const { page: bypassing } = await openDesk(node, { viewport: PHONE, colorScheme: "dark" });
    await bypassing.getByRole("button", { name: "Page: shop" }).click();
    await bypassing.frameLocator("iframe").getByText("Kulturhaus").first().waitFor();
    expect(await violations(bypassing)).toEqual([]);
  });

  withBrowser("shows what was asked for last, whatever comes late or not at all", async () => {
    const node = await fullShop();
    const { page } = await openDesk(node);
    const dialog = page.getByRole("dialog");
    const held = { asked: Promise.withResolvers<void>(), released: Promise.withResolvers<void>() };
    const hold = async (route: Route) => {
      held.asked.resolve();
      await held.released.promise;
      await route.continue();
    };
    /** The held answer has come, and whatever the page does with it. */
    const release = async (path: string) => {
      const come = page.waitForResponse((response) => response.url().endsWith(path));
      held.released.resolve();
      await (await come).finished();
      await page.evaluate(async () => {
        for (let times = 0; times < 3; times++) await fetch("/dashboard/session");
      });
    };

    await page.route("**/v1/openapi.json", (route) => route.abort(), { times: 1 });
    await page.getByRole("button", { name: "Events: shop" }).click();
    await dialog.getByRole("alert").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Events: shop" }).click();
    await dialog.getByRole("button", { name: "Schedule" }).waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();

    await page.route("**/events", hold, { times: 1 });
    await page.getByRole("button", { name: "Events: shop" }).click();
    await held.asked.promise;
    await page.getByRole("button", { name: "Rules: shop" }).click();
    await dialog.getByRole("heading", { name: "Rules of shop" }).waitFor();
    await release("/events");
    expect(await dialog.getByRole("button", { name: "What would happen?" }).count()).toBe(1);
    await dialog.getByRole("button", { name: "Close" }).click();

    [held.asked, held.released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.getByRole("button", { name: "Page: shop" }).click();
    const preview = page.frameLocator("iframe");
    await preview.getByRole("heading", { name: "You are in line" }).waitFor();
    await page.route("**/v1/preview", hold, { times: 1 });
    await dialog.getByLabel("Language").selectOption("de-DE");
    await held.asked.promise;
    await dialog.getByLabel("Language").selectOption("fr-FR");
    await preview.locator("html[lang=fr-FR]").waitFor();
    await release("/v1/preview");
    expect(await preview.locator("html").getAttribute("lang")).toBe("fr-FR");
  });

  withBrowser("fits a phone in the dark, and says when the node is gone", async () => {
    const node = await fullShop();
    const { page } = await openDesk(node, { viewport: PHONE, colorScheme: "dark" });
    await page.getByText("1 of 1", { exact: true }).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
    await node.process.end("SIGKILL");
    await page.getByText("The node does not answer.").waitFor();
  });
});
