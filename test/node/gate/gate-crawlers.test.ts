/** Crawlers before a room's gate: proven ones pass, and others wait or are refused, as the room says. */

import { describe, expect, test } from "vitest";
import { CrawlerStandings, SIGNATURES_PER_SECOND } from "../../../node/gate/crawler-standing.ts";
import { crawlerOfHost } from "../../../node/gate/known-crawlers.ts";
import { fieldValue } from "../../../node/http/fields.ts";
import { crawlerList } from "../../../node/rules/crawler-lists.ts";
import { type Lookups, NO_LOOKUPS } from "../../../node/rules/lookups.ts";
import { FakeExchange } from "./fake-exchange.ts";
import { GateWorld, SHOP, type WorldOptions } from "./gate-world.ts";

const GOOGLE = "66.249.66.1";
const GOOGLEBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
const CHROME = "Mozilla/5.0 (X11; Linux x86_64) Chrome/130.0.0.0 Safari/537.36";

const google = crawlerOfHost("crawl-66-249-66-1.googlebot.com") ?? "failed";

function worldOf(room: object, options: WorldOptions = {}): { world: GateWorld; asked: string[] } {
  const asked: string[] = [];
  const world = new GateWorld({
    rooms: [{ ...SHOP, ...room }],
    crawlerLookup: (address, onFinding) => {
      asked.push(address);
      onFinding(address === GOOGLE ? google : "nobody's");
      return () => {};
    },
    ...options,
  });
  return { world, asked };
}

async function fullOf(room: object, options: WorldOptions = {}): Promise<ReturnType<typeof worldOf>> {
  const made = worldOf(room, options);
  await made.world.fill();
  return made;
}

function by(userAgent: string, more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return { "User-Agent": userAgent, ...more };
}

const CRAWL = { headers: by(GOOGLEBOT), from: GOOGLE };
const FAKE = { headers: by(GOOGLEBOT), from: "192.0.2.66" };
const VISITOR = { headers: by(CHROME), from: GOOGLE };

test("crawlers: wait is the default, and nothing is looked up", async () => {
  const { world, asked } = await fullOf({});
  for (let time = 0; time < 2; time++) expect(await world.outcome(CRAWL)).toBe("joined");
  expect(asked).toEqual([]);
});

describe("a crawler at an address of a list", () => {
  const crawlers = ["googlebot", "duckduckbot"].map((name, at) => {
    const list = crawlerList(name, { prefixes: [{ ipv4Prefix: `203.0.11${at}.0/24` }] });
    if (typeof list === "string") throw new Error(list);
    return list;
  });

  test("is proven at its first request, whatever it calls itself, and rules know its name", async () => {
    const rules = [{ expression: 'cf.client.bot and anteroom.bot in {"duckduckbot" "Google"}' }];
    const { world, asked } = await fullOf({ rules }, { lookups: { crawlers } });
    expect(await world.outcome({ ...VISITOR, from: "203.0.111.9" })).toBe("bypassed");
    expect(await world.outcome({ ...VISITOR, from: "203.0.110.9" })).toBe("joined");
    expect(await world.outcome({ ...VISITOR, from: "203.0.112.9" })).toBe("joined");
    expect(asked).toEqual([]);
    await world.outcome(CRAWL);
    expect(await world.outcome(CRAWL)).toBe("bypassed");
    for (let time = 0; time < 2; time++) expect(await world.outcome(FAKE)).toBe("joined");
  });
});

describe("a bot that signs its requests", () => {
  const rules = [
    { expression: 'anteroom.bot eq "another"' },
    { expression: 'cf.client.bot and anteroom.bot eq "agent"' },
  ];

  test("is proven by a good signature, which is verified once", async () => {
    let verified = 0;
    const claimOf: Lookups["claimOf"] = ({ request }) => ({
      name: "agent",
      isGood: () => {
        verified += 1;
        return request.target === "/good";
      },
    });
    const { world } = await fullOf({ rules }, { lookups: { claimOf } });
    verified = 0;
    expect(await world.outcome({ ...VISITOR, target: "/good" })).toBe("bypassed");
    expect(verified).toBe(1);
    expect(await world.outcome({ ...VISITOR, target: "/forged" })).toBe("joined");
  });

  test("cannot be forged at more cost than a bound for each network", async () => {
    let verified = 0;
    const isGood = (): boolean => {
      verified += 1;
      return false;
    };
    const surroundings = { after: () => undefined, steadyMs: () => 1_000 };
    const lookups = { ...NO_LOOKUPS, claimOf: () => ({ name: "agent", isGood }) };
    const standings = new CrawlerStandings({ lookup: () => () => undefined, surroundings, lookups: () => lookups });
    const { request } = new FakeExchange({});
    for (let at = 0; at < 1_000; at += 1)
      standings.of(request, { address: `203.0.113.${at % 250}`, secure: true, proxied: false }, 0);
    expect(verified).toBe(SIGNATURES_PER_SECOND / 10);
    for (let at = 0; at < 1_000; at += 1)
      standings.of(request, { address: `10.${at % 250}.0.1`, secure: true, proxied: false }, 0);
    expect(verified).toBe(SIGNATURES_PER_SECOND);
  });
});

describe("crawlers: bypass", () => {
  test("a crawler waits until it is proven, then passes without slot or place", async () => {
    const { world } = await fullOf({ crawlers: "bypass" });
    expect(await world.outcome(CRAWL)).toBe("joined");
    expect(await world.outcome(CRAWL)).toBe("crawler");
    expect(await world.outcome({ ...CRAWL, target: "/style.css", method: "HEAD" })).toBe("crawler");
    const { plan } = await world.forwarded(CRAWL);
    const headers = plan.onResponse({ status: 200, reason: "OK", headers: [] });
    expect(fieldValue(headers, "set-cookie")).toBeUndefined();
    expect(world.room().admission.waiting).toBe(1);
  });

  test("a rule that queues counts before it", async () => {
    const rules = [{ expression: 'http.request.uri.path eq "/buy"', action: "queue" }];
    const { world } = await fullOf({ crawlers: "bypass", rules });
    await world.outcome(CRAWL);
    expect(await world.outcome(CRAWL)).toBe("crawler");
    expect(await world.outcome({ ...CRAWL, target: "/buy" })).toBe("joined");
  });

  test("the address that counts is the visitor's, as a trusted proxy says it", async () => {
    const forwarded = { "X-Forwarded-For": GOOGLE };
    const { world, asked } = await fullOf({ crawlers: "bypass" }, { trustedProxies: ["10.0.0.0/8"] });
    const proxied = { headers: by(GOOGLEBOT, forwarded), from: "10.0.0.1" };
    expect(await world.outcome(proxied)).toBe("joined");
    expect(await world.outcome(proxied)).toBe("crawler");
    const lying = { headers: by(GOOGLEBOT, forwarded), from: "192.0.2.9" };
    await world.outcome(lying);
    expect(await world.outcome(lying)).toBe("joined");
    expect(asked).toEqual([GOOGLE, "192.0.2.9"]);
  });
});

describe("crawlers: refuse", () => {
  test("one without proof gets 503 and when to ask again, also while nobody waits", async () => {
    const { world } = worldOf({ crawlers: "refuse" });
    const first = await world.answered(CRAWL);
    expect([first.status, fieldValue(first.headers, "retry-after")]).toEqual([503, "5"]);
    expect(fieldValue(first.headers, "set-cookie")).toBeUndefined();
    expect(await world.outcome(CRAWL)).toBe("crawler");
    await world.answered(FAKE);
    const again = await world.answered(FAKE);
    expect(again.status).toBe(503);
    expect(Number(fieldValue(again.headers, "retry-after"))).toBeGreaterThan(200);
    expect(fieldValue(again.headers, "cache-control")).toBe("private, no-store");
    expect(world.room().counts.requests.crawler_refused).toBe(3);
  });

  test("a crawler that nothing is known of is refused without a lookup", async () => {
    const { world, asked } = worldOf({ crawlers: "refuse" });
    const headers = {
      ...by("Mozilla/5.0 (compatible; SomeBot/1.0; +https://some.example/)"),
      Accept: "application/json",
    };
    const answer = await world.answered({ headers });
    expect(JSON.parse(answer.body).error.code).toBe("crawlerUnproven");
    expect(fieldValue(answer.headers, "retry-after")).toBe("3600");
    expect(asked).toEqual([]);
  });

  test("visitors, addresses that bypass and a suspended room are as ever", async () => {
    const { world } = worldOf({ crawlers: "refuse", bypass_cidrs: ["192.0.2.0/24"] });
    expect(await world.outcome(VISITOR)).toBe("admitted");
    expect(await world.outcome(FAKE)).toBe("bypassed");
    world.rooms.update("shop", { suspended: true, bypass_cidrs: [] });
    expect(await world.outcome(FAKE)).toBe("passed");
  });
});
