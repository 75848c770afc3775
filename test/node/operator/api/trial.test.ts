/** What would happen to a request is what the gate does with it. */

import { describe, expect, test } from "vitest";
import { type CrawlerList, crawlerList } from "../../../../node/rules/crawler-lists.ts";
import { NO_LOOKUPS } from "../../../../node/rules/lookups.ts";
import { adminWorld } from "../admin-world.ts";

const PAY = { expression: 'http.request.uri.path eq "/pay"', action: "bypass_waiting_room", description: "payments" };
const BOT = { expression: 'http.user_agent contains "bot"', action: "queue", description: "" };

const HIDDEN = { expression: 'http.request.uri.path eq "/hidden"', action: "block", description: "" };
const BUY = { expression: 'http.request.uri.path eq "/buy"', action: "challenge", description: "" };

const CITY = { expression: 'http.user_agent contains "Zürich"', action: "block", description: "" };
const PROVEN = { expression: 'anteroom.bot eq "example" and http.request.uri.path eq "/menu"', action: "block" };

const GOOD = crawlerList("example", { prefixes: [{ ipv4Prefix: "192.0.2.0/24" }] }) as CrawlerList;

async function world(crawlers = "wait") {
  const { ask } = adminWorld(undefined, { lookups: { ...NO_LOOKUPS, crawlers: [GOOD] } });
  const rules = [BOT, PAY, HIDDEN, BUY, CITY, PROVEN];
  const room = { name: "museum", host: "museum.example", total_active_users: 5, new_users_per_minute: 3, crawlers };
  expect((await ask("POST", "/v1/rooms", { ...room, rules })).status).toBe(201);
  return ask;
}

describe("a trial of a request", () => {
  test.each([
    ["a visitor", { url: "https://museum.example/" }, { room: "museum", result: "visitor", rule: null }],
    ["one that bypasses", { url: "https://museum.example/pay" }, { room: "museum", result: "bypasses", rule: PAY }],
    ["one that is blocked", { url: "https://museum.example/hidden" }, { result: "refused", rule: HIDDEN }],
    [
      "one that is challenged",
      { url: "https://museum.example/buy" },
      { result: "visitor", rule: BUY, words: expect.stringContaining("proof of work") },
    ],
    [
      "one of an earlier rule",
      { url: "https://museum.example/pay", headers: { "User-Agent": "a bot" } },
      { room: "museum", result: "visitor", rule: BOT },
    ],
    [
      "one with a header of other letters",
      { url: "https://museum.example/", headers: { "User-Agent": "Zürich" } },
      { result: "refused", rule: CITY },
    ],
    [
      "one of a crawler on a list",
      { url: "https://museum.example/menu", address: "192.0.2.7" },
      { result: "refused", rule: expect.objectContaining(PROVEN) },
    ],
    [
      "one that servers read in different ways",
      { url: "https://museum.example/x;/pay" },
      { room: "museum", result: "visitor", rule: PAY, words: expect.stringContaining("cannot be sure") },
    ],
  ])("says what becomes of %s", async (_, request, answer) => {
    const ask = await world();
    const response = await ask("POST", "/v1/trial", request);
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining(answer)]);
  });

  test.each([
    ["wait", "192.0.2.7", "visitor"],
    ["bypass", "192.0.2.7", "bypasses"],
    ["refuse", "192.0.2.7", "bypasses"],
    ["bypass", "198.51.100.7", "visitor"],
  ])("of a room that lets crawlers %s says of %s: %s", async (crawlers, address, result) => {
    const ask = await world(crawlers);
    const response = await ask("POST", "/v1/trial", { url: "https://museum.example/", address });
    expect(await response.json()).toMatchObject({ room: "museum", result, rule: null });
  });

  test("says that a room is suspended, that none takes it, and what is wrong with it", async () => {
    const ask = await world();
    await ask("PATCH", "/v1/rooms/museum", { suspended: true });
    const suspended = await (await ask("POST", "/v1/trial", { url: "http://MUSEUM.example:8080/pay" })).json();
    expect(suspended).toMatchObject({ room: "museum", result: "suspended" });
    await ask("DELETE", "/v1/rooms/museum");
    const nowhere = await (await ask("POST", "/v1/trial", { url: "https://elsewhere.example/" })).json();
    expect(nowhere).toMatchObject({ room: null, result: "no-room" });
    const wrong = await ask("POST", "/v1/trial", { url: "museum.example", method: "get", address: "here" });
    const { problems } = (await wrong.json()) as { problems: readonly { path: string }[] };
    expect([wrong.status, problems.map(({ path }) => path)]).toEqual([422, ["url", "method", "address"]]);
  });
});
