/**
 * Lists of the addresses of crawlers, as their operators publish them: `{"prefixes": [{"ipv4Prefix": "192.0.2.0/24"}]}`,
 * with `ipv6Prefix` for the others (Google, Bing, OpenAI and more; draft-illyes-aipref-jafar). Nobody fetches them: an
 * operator of anteroom puts the files in.
 *
 * Each list is one row of ranges in order, none within another, so a search halves it.
 */

import ipaddr from "ipaddr.js";
import { plainAddress } from "../http/client.ts";

/** A range of addresses, first and last, as numbers of 128 bits; IPv4 in IPv6. */
type Range = readonly [bigint, bigint];

export interface CrawlerList {
  /** Whose list it is: the name of its file. */
  readonly name: string;
  readonly ranges: readonly Range[];
}

/** Google publishes some hundreds, and the largest operators some thousands. */
const PREFIXES_MAX = 50_000;

const IPV4_IN_IPV6 = 0xffff_0000_0000n;

/** The list in a document, or what is wrong with it. */
export function crawlerList(
  name: string,
  { prefixes }: { readonly prefixes: readonly unknown[] },
): CrawlerList | string {
  if (prefixes.length > PREFIXES_MAX) return `has more than ${PREFIXES_MAX} prefixes: ${prefixes.length}`;
  const texts = prefixes.map(prefixIn);
  const bad = texts.findIndex((text) => text === undefined || !ipaddr.isValidCIDR(text));
  if (bad >= 0) return `prefixes[${bad}] is no ipv4Prefix or ipv6Prefix such as 192.0.2.0/24`;
  return { name, ranges: joined(texts.map((text) => rangeOf(text ?? ""))) };
}

/** Whose crawler has the address: the first list that has it. */
export function crawlerAt(address: string, lists: readonly CrawlerList[]): string | undefined {
  const plain = lists.length === 0 ? undefined : plainAddress(address);
  if (plain === undefined) return undefined;
  const number = numberOf(ipaddr.parse(plain));
  return lists.find(({ ranges }) => isIn(number, ranges))?.name;
}

function prefixIn(entry: unknown): string | undefined {
  if (typeof entry !== "object" || entry === null) return undefined;
  const found: { readonly ipv4Prefix?: unknown; readonly ipv6Prefix?: unknown } = entry;
  const text = found.ipv4Prefix ?? found.ipv6Prefix;
  return typeof text === "string" ? text : undefined;
}

function rangeOf(prefix: string): Range {
  const [address, bits] = ipaddr.parseCIDR(prefix);
  const size = 1n << BigInt((address.kind() === "ipv4" ? 32 : 128) - bits);
  const first = (numberOf(address) / size) * size;
  return [first, first + size - 1n];
}

function numberOf(address: ipaddr.IPv4 | ipaddr.IPv6): bigint {
  const number = address.toByteArray().reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  return address.kind() === "ipv4" ? IPV4_IN_IPV6 + number : number;
}

/** In order; a range within another one, or beside it, is one with it. */
function joined(ranges: readonly Range[]): readonly Range[] {
  const out: [bigint, bigint][] = [];
  for (const [first, last] of ranges.toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const before = out.at(-1);
    if (before === undefined || first > before[1] + 1n) out.push([first, last]);
    else if (last > before[1]) before[1] = last;
  }
  return out;
}

function isIn(number: bigint, ranges: readonly Range[]): boolean {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.[1] ?? number) < number) low = middle + 1;
    else high = middle;
  }
  return (ranges[low]?.[0] ?? number + 1n) <= number;
}
