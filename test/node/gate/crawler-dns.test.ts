/** Forward-confirmed reverse DNS, against a resolver of the test. */

import { expect, test } from "vitest";
import { crawlerDns, NAMES_MAX, type NameResolver } from "../../../node/gate/crawler-dns.ts";
import type { CrawlerFinding } from "../../../node/gate/crawler-proofs.ts";

const ADDRESS = "66.249.66.1";
const NAME = "crawl-66-249-66-1.googlebot.com";
const ADDRESS6 = "2001:4860:4801:10::1";
const NAME6 = "crawl-2001.googlebot.com";

type Records = Readonly<Record<string, readonly string[]>>;

/** Answers from `records`; fails without one. */
function resolverOf(records: Records, asked: string[] = []): NameResolver {
  const read = (question: string): Promise<string[]> => {
    asked.push(question);
    const found = records[question];
    return found === undefined ? Promise.reject(new Error("ENOTFOUND")) : Promise.resolve([...found]);
  };
  return {
    reverse: (address: string) => read(`PTR ${address}`),
    resolve4: (name: string) => read(`A ${name}`),
    resolve6: (name: string) => read(`AAAA ${name}`),
    cancel: () => {},
  } as NameResolver;
}

function find(address: string, newResolver: () => NameResolver): Promise<CrawlerFinding> {
  return new Promise((resolve) => {
    crawlerDns(newResolver)(address, resolve);
  });
}

function nameOf(finding: CrawlerFinding): string {
  return typeof finding === "string" ? finding : finding.name;
}

test.each<[string, string, Records, string]>([
  ["a crawler", ADDRESS, { [`PTR ${ADDRESS}`]: [NAME], [`A ${NAME}`]: ["192.0.2.1", ADDRESS] }, "Google"],
  [
    "a crawler by IPv6",
    ADDRESS6,
    { [`PTR ${ADDRESS6}`]: [NAME6], [`AAAA ${NAME6}`]: ["2001:4860:4801:10:0:0:0:1"] },
    "Google",
  ],
  ["a name that leads elsewhere", ADDRESS, { [`PTR ${ADDRESS}`]: [NAME], [`A ${NAME}`]: ["66.249.66.2"] }, "nobody's"],
  ["a name that leads nowhere", ADDRESS, { [`PTR ${ADDRESS}`]: [NAME] }, "failed"],
  ["no name", ADDRESS, {}, "failed"],
  ["an empty answer", ADDRESS, { [`PTR ${ADDRESS}`]: [] }, "nobody's"],
  [
    "a name beside the domain",
    ADDRESS,
    { [`PTR ${ADDRESS}`]: ["evilgooglebot.com"], "A evilgooglebot.com": [ADDRESS] },
    "nobody's",
  ],
])("finds %s", async (_, address, records, expected) => {
  expect(nameOf(await find(address, () => resolverOf(records)))).toBe(expected);
});

test("of thousands of names few are looked up, and only those of crawlers", async () => {
  const asked: string[] = [];
  const names = Array.from({ length: 5_000 }, (_, at) => (at % 2 === 0 ? `c${at}.googlebot.com` : `c${at}.example`));
  const records = {
    [`PTR ${ADDRESS}`]: names,
    ...Object.fromEntries(names.map((name) => [`A ${name}`, ["192.0.2.1"]])),
  };
  expect(await find(ADDRESS, () => resolverOf(records, asked))).toBe("nobody's");
  expect(asked).toHaveLength(1 + NAMES_MAX);
});

test("a lookup that is cancelled has failed, though no server ever answers", async () => {
  const waiting = Promise.withResolvers<string[]>();
  const resolver = { reverse: () => waiting.promise, cancel: () => waiting.reject(new Error("ECANCELLED")) };
  const finding = Promise.withResolvers<CrawlerFinding>();
  crawlerDns(() => resolver as unknown as NameResolver)(ADDRESS, finding.resolve)();
  expect(await finding.promise).toBe("failed");
});
