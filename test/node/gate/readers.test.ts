/** What the gate's own answers say to caches and to pages of other origins. */

import { describe, expect, test } from "vitest";
import { type Asked, fieldOf, fieldsOf } from "./fake-exchange.ts";
import { GateWorld, SHOP } from "./gate-world.ts";

const API = { ...SHOP, host: "api.shop.example" };

/** A full room at api.shop.example that has a visitor in line. */
async function fullApi(): Promise<GateWorld> {
  const world = new GateWorld({ rooms: [API] });
  for (const _ of [1, 2]) await world.comeIn({ host: API.host });
  await world.joinLine({ host: API.host });
  return world;
}

const JSON_ASKED = { Accept: "application/json", "Sec-Fetch-Mode": "cors" };

const ANSWERS: readonly (readonly [string, Asked])[] = [
  ["JSON", { headers: JSON_ASKED }],
  [
    "a refusal in JSON",
    { method: "DELETE", headers: { Accept: "application/problem+json", "Sec-Fetch-Mode": "cors" } },
  ],
  ["a refusal in plain text", { headers: { Accept: "*/*", "Sec-Fetch-Mode": "cors" } }],
  ["a poll", { headers: { "Anteroom-Poll": "1", Accept: "application/json" } }],
  ["a page", { headers: { Accept: "text/html" } }],
];

function withFields({ headers, ...asked }: Asked, more: Readonly<Record<string, string>>): Asked {
  return { ...asked, host: API.host, headers: { ...(headers as Record<string, string>), ...more } };
}

/** Pages that ask: their origin, what their browser says of the site, and whether they may read the answer. */
const PAGES: readonly (readonly [string, string | undefined, string | undefined, boolean])[] = [
  ["a page of another host of the site", "https://www.shop.example", "same-site", true],
  ["a page of another port", "https://api.shop.example:8443", "same-site", true],
  ["a page over plain http, where browsers do not say where it comes from", "http://www.shop.example", undefined, true],
  ["a stranger", "https://evil.example", "cross-site", false],
  ["a stranger over plain http", "http://evil.example", undefined, false],
  ["a stranger with a like name", "https://evilshop.example", undefined, false],
  ["a frame that hides its origin", "null", undefined, false],
  ["http where the site is https", "http://www.shop.example", "cross-site", false],
  ["what is no origin", "https://www.shop.example/", undefined, false],
  ["a list", "https://www.shop.example, https://evil.example", undefined, false],
  ["nobody", undefined, undefined, false],
];

describe.each(ANSWERS)("%s", (_, asked) => {
  test.each(PAGES)("is asked for by %s", async (_, Origin, site, mayRead) => {
    const world = await fullApi();
    const more = { ...(Origin && { Origin }), ...(site && { "Sec-Fetch-Site": site }) };
    const { headers } = await world.answered(withFields(asked, more));
    const fields = ["Allow-Origin", "Allow-Credentials", "Expose-Headers"];
    const allowed = fields.map((name) => fieldOf(headers, `Access-Control-${name}`));
    expect(allowed).toEqual(mayRead ? [Origin, "true", "Retry-After"] : [undefined, undefined, undefined]);
  });

  test("says which fields it depends on", async () => {
    const world = await fullApi();
    const { headers } = await world.answered(withFields(asked, {}));
    const [vary = "", ...others] = fieldsOf(headers, "Vary");
    expect(others).toEqual([]);
    const names = vary.toLowerCase().split(", ");
    for (const name of ["accept", "accept-language", "cookie", "origin", "anteroom-poll", "sec-fetch-mode"])
      expect(names).toContain(name);
  });
});

test("a redirect of the gate says so too: it depends on the cookie", async () => {
  const world = new GateWorld();
  const cookie = await world.comeIn();
  const { status, headers } = await world.answered({ target: "/?__anteroom=again", headers: { Cookie: cookie } });
  expect([status, fieldOf(headers, "Vary")?.includes("Cookie")]).toEqual([303, true]);
});

describe("a poll has an address of its own", () => {
  test("and gets the same answer as at the page's address", async () => {
    const world = await fullApi();
    const poll = withFields({ headers: {} }, { "Anteroom-Poll": "1" });
    for (const target of ["/a?b=1", "/a?b=1&__anteroom=poll.17"]) {
      const { status, cfWaitingRoom } = await world.told("", { ...poll, target });
      expect([status, cfWaitingRoom.inWaitingRoom]).toEqual([200, true]);
    }
  });

  test.each([
    ["queue", 'http.request.uri.query eq "b=1"', "joined"],
    ["bypass_waiting_room", 'http.request.uri eq "/a?b=1"', "bypassed"],
  ])("rules treat it as its page: %s", async (action, expression, outcome) => {
    const rest =
      action === "queue" ? [{ expression: 'http.request.method eq "GET"', action: "bypass_waiting_room" }] : [];
    const world = new GateWorld({ rooms: [{ ...SHOP, queue_all: true, rules: [{ expression, action }, ...rest] }] });
    expect(await world.outcome({ target: "/a?b=1" })).toBe(outcome);
    const polled = await world.outcome({ target: "/a?b=1&__anteroom=poll.17", headers: { "Anteroom-Poll": "1" } });
    expect(polled).toBe(outcome === "joined" ? "cookieless" : outcome);
  });
});
