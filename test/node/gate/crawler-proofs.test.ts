/** Which addresses count as a crawler's, for how long, and what a slow or lying lookup costs. */

import { describe, expect, test } from "vitest";
import {
  type CrawlerFinding,
  CrawlerProofs,
  LOOKUP_MS_MAX,
  LOOKUPS_MAX,
  LOOKUPS_PER_SECOND,
  PROVEN_MAX,
  PROVEN_MS,
  UNPROVEN_MAX,
  UNPROVEN_MS,
} from "../../../node/gate/crawler-proofs.ts";
import { crawlerClaims, crawlerOfHost, KNOWN_CRAWLERS } from "../../../node/gate/known-crawlers.ts";

const GOOGLEBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
const BINGBOT = "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)";
const CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36";
const CUBOT = "Mozilla/5.0 (Linux; Android 9; CUBOT X30) AppleWebKit/537.36 Chrome/130.0.0.0 Mobile Safari/537.36";

const google = crawlerOfHost("crawl-66-249-66-1.googlebot.com") ?? "failed";

/** Proofs on a clock that only the test moves, and lookups that it answers. */
class World {
  nowMs = 1_000_000;
  readonly asked: { address: string; answer: (finding: CrawlerFinding) => void; isCancelled: boolean }[] = [];
  readonly timers: { atMs: number; act: () => void }[] = [];
  readonly proofs = new CrawlerProofs({
    lookup: (address, answer) => {
      const one = { address, answer, isCancelled: false };
      this.asked.push(one);
      return () => {
        one.isCancelled = true;
      };
    },
    surroundings: {
      after: (ms, act) => void this.timers.push({ atMs: this.nowMs + ms, act }),
      steadyMs: () => this.nowMs,
    },
  });

  wait(ms: number): void {
    this.nowMs += ms;
    const due = this.timers.filter(({ atMs }) => atMs <= this.nowMs);
    for (const one of due) {
      this.timers.splice(this.timers.indexOf(one), 1);
      one.act();
    }
  }

  kind(address: string, userAgent = GOOGLEBOT): string {
    return this.proofs.standing(userAgent, address).kind;
  }

  /** Asks for an address, and answers its lookup. */
  learn(address: string, finding: CrawlerFinding): void {
    this.kind(address);
    this.asked.at(-1)?.answer(finding);
  }
}

describe("a claim", () => {
  test.each([
    [GOOGLEBOT, ["Google"]],
    ["MOZILLA/5.0 (COMPATIBLE; GOOGLEBOT/2.1)", ["Google"]],
    [BINGBOT, ["Bing"]],
    ["Mozilla/5.0 (Macintosh) Safari/600.2.5 (Applebot/0.1)", ["Apple"]],
    ["Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)", ["Yandex"]],
    ["Googlebot bingbot", ["Google", "Bing"]],
    ["Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)", []],
    [CHROME, undefined],
    [CUBOT, undefined],
    ["", undefined],
    [`${"x".repeat(5_000)}Googlebot`, undefined],
  ])("of %.60s", (userAgent, names) => {
    expect(crawlerClaims(userAgent)?.map(({ name }) => name)).toEqual(names);
  });

  test.each([
    ["crawl-66-249-66-1.googlebot.com", "Google"],
    ["geo-crawl-1.geo.GoogleBot.COM.", "Google"],
    ["rate-limited-proxy-66-249-90-77.google.com", "Google"],
    ["17-58-101-179.applebot.apple.com", "Apple"],
    ["5-255-253-1.spider.yandex.com", "Yandex"],
    ["12-34-56-78.crawl.amazonbot.amazon", "Amazon"],
    ["googlebot.com", undefined],
    ["evilgooglebot.com", undefined],
    ["crawl.googlebot.com.evil.example", undefined],
    ["crawl.googlebot.com..", undefined],
    ["google-proxy-66-249-1-1.google.com", undefined],
    ["1.bc.googleusercontent.com", undefined],
    ["mail.seznam.cz", undefined],
    ["", undefined],
  ])("is no claim of the host %s", (host, name) => expect(crawlerOfHost(host)?.name).toBe(name));

  test("and a domain are in lower case in the table", () => {
    const texts = KNOWN_CRAWLERS.flatMap(({ claims, hosts }) => [...claims, ...hosts.map(({ domain }) => domain)]);
    expect(texts).toEqual(texts.map((text) => text.toLowerCase()));
  });
});

describe("a proof", () => {
  test("is for the crawler that the address is of", () => {
    const world = new World();
    world.learn("66.249.66.1", google);
    expect(world.kind("66.249.66.1", BINGBOT)).toBe("unproven");
    expect(world.kind("66.249.66.1", CHROME)).toBe("visitor");
  });

  test("holds for IPv6 in every form of the address", () => {
    const world = new World();
    world.learn("2001:4860:4801:10::1", google);
    expect(world.kind("2001:4860:4801:0010:0:0:0:1")).toBe("proven");
    expect(world.kind("2001:4860:4801:10::2")).toBe("unproven");
  });

  test("ends, and is looked up again then: the address may be another's", () => {
    const world = new World();
    world.learn("66.249.66.1", google);
    world.wait(PROVEN_MS - 1);
    expect([world.kind("66.249.66.1"), world.asked.length]).toEqual(["proven", 1]);
    world.wait(1);
    world.learn("66.249.66.1", "nobody's");
    expect([world.kind("66.249.66.1"), world.asked.length]).toEqual(["unproven", 2]);
  });
});

describe("no proof", () => {
  test.each(["nobody's", "failed"] as const)("is kept for a time: %s", (finding) => {
    const world = new World();
    world.learn("192.0.2.1", finding);
    world.wait(UNPROVEN_MS - 2_500);
    expect(world.proofs.standing(GOOGLEBOT, "192.0.2.1")).toEqual({ kind: "unproven", retryAfterSeconds: 3 });
    expect(world.asked).toHaveLength(1);
    world.wait(2_500);
    world.learn("192.0.2.1", google);
    expect(world.kind("192.0.2.1")).toBe("proven");
  });

  test("comes of a lookup that takes too long, and its late answer proves nothing", () => {
    const world = new World();
    world.kind("66.249.66.1");
    world.wait(LOOKUP_MS_MAX);
    expect(world.asked[0]?.isCancelled).toBe(true);
    world.asked[0]?.answer(google);
    expect(world.kind("66.249.66.1")).toBe("unproven");
    expect(world.asked).toHaveLength(1);
  });
});

describe("a flood under the names of crawlers", () => {
  test("has few lookups at once, and one for each network", () => {
    const world = new World();
    for (let host = 1; host < 100; host += 1) world.kind(`192.0.2.${host}`);
    expect(world.asked).toHaveLength(1);
    for (let net = 0; net < 100; net += 1) world.kind(`198.51.${net}.1`);
    expect(world.asked).toHaveLength(LOOKUPS_MAX);
    world.wait(LOOKUP_MS_MAX);
    for (let net = 0; net < 100; net += 1) world.kind(`203.0.${net}.1`);
    expect(world.asked).toHaveLength(2 * LOOKUPS_MAX);
  });

  test("has few lookups in a second, however fast the answers are", () => {
    const world = new World();
    for (let host = 0; host < 200; host += 1) world.learn(`192.0.2.${host}`, "nobody's");
    expect(world.asked).toHaveLength(LOOKUPS_PER_SECOND / 10);
    for (let net = 0; net < 200; net += 1) world.learn(`198.51.${net}.1`, "nobody's");
    expect(world.asked).toHaveLength(LOOKUPS_PER_SECOND);
  });

  test("displaces no proof, and fills no memory", () => {
    const world = new World();
    world.learn("66.249.66.1", google);
    const count = UNPROVEN_MAX + 10;
    for (let at = 0; at < count; at += 1) {
      world.nowMs += 100;
      world.learn(`10.${at & 255}.${(at >> 8) & 255}.${at >> 16}`, "nobody's");
    }
    expect(world.kind("66.249.66.1")).toBe("proven");
    expect(world.asked).toHaveLength(count + 1);
    // The oldest was dropped, so it is looked up again.
    world.kind("10.0.0.0");
    expect(world.asked).toHaveLength(count + 2);
    expect(PROVEN_MAX).toBeLessThan(UNPROVEN_MAX);
  });
});
