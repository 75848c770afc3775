import fc from "fast-check";
import { expect, test } from "vitest";
import { isIn, parseCidr } from "../../../node/http/client.ts";
import { type CrawlerList, crawlerAt, crawlerList } from "../../../node/rules/crawler-lists.ts";

function listOf(...prefixes: readonly string[]): CrawlerList {
  const entries = prefixes.map((prefix) => ({ [prefix.includes(":") ? "ipv6Prefix" : "ipv4Prefix"]: prefix }));
  const list = crawlerList("bot", { prefixes: entries });
  if (typeof list === "string") throw new Error(list);
  return list;
}

test.each([
  ["192.0.2.15", "bot"],
  ["::ffff:192.0.2.15", "bot"],
  ["192.0.2.16", undefined],
  ["unix:", undefined],
])("%s is of %s", (address, name) => {
  expect(crawlerAt(address, [listOf(), listOf("192.0.2.0/28")])).toBe(name);
});

// Few addresses, so that ranges meet, overlap and lie within each other.
const ADDRESS = fc
  .tuple(fc.constantFrom("10.0.0.", "2001:db8::"), fc.integer({ min: 0, max: 99 }))
  .map(([net, last]) => net + last);
const PREFIX = fc
  .tuple(ADDRESS, fc.integer({ min: 0, max: 8 }))
  .map(([address, free]) => `${address}/${(address.includes(":") ? 128 : 32) - free}`);

test("a list has exactly the addresses of its prefixes", () => {
  fc.assert(
    fc.property(fc.array(PREFIX, { maxLength: 12 }), ADDRESS, (prefixes, address) => {
      expect(crawlerAt(address, [listOf(...prefixes)]) === "bot").toBe(isIn(address, prefixes.map(parseCidr)));
    }),
  );
});

test.each([[[1]], [[{}]], [[{ ipv4Prefix: "192.0.2.1" }]], [[{ ipv6Prefix: 7 }]]])("%j is refused", (prefixes) => {
  expect(crawlerList("bot", { prefixes })).toMatch(/^prefixes\[0\] is no ipv4Prefix/);
});
