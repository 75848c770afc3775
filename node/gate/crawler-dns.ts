/**
 * Finds the operator of a crawler by its address, by forward-confirmed reverse DNS: the address has a name under a
 * crawler's domain (PTR), and that name leads back to the address (A or AAAA). The owner of an address can give it any
 * name; only the owner of the domain can make the name lead back.
 */

import { Resolver } from "node:dns/promises";
import { plainAddress } from "../http/client.ts";
import type { CrawlerFinding, CrawlerLookup } from "./crawler-proofs.ts";
import { crawlerOfHost } from "./known-crawlers.ts";

/** What is asked of `node:dns`. */
export type NameResolver = Pick<Resolver, "reverse" | "resolve4" | "resolve6" | "cancel">;

/** For one question, tried twice: both fit into the time for a lookup (`LOOKUP_MS_MAX`). */
const QUESTION = { timeout: 1_000, tries: 2 };

/** Names of an address that are looked up. A crawler's address has one; a liar's answer may have thousands. */
export const NAMES_MAX = 3;

/** Asks the DNS servers of the host. */
export function crawlerDns(newResolver: () => NameResolver = () => new Resolver(QUESTION)): CrawlerLookup {
  return (address, onFinding) => {
    let resolver: NameResolver | undefined;
    const find = async (): Promise<CrawlerFinding> => {
      resolver = newResolver();
      return await crawlerAt(address, resolver);
    };
    // Every failure proves nothing, and keeps the crawler out.
    find().then(onFinding, () => onFinding("failed"));
    return () => resolver?.cancel();
  };
}

async function crawlerAt(address: string, resolver: NameResolver): Promise<CrawlerFinding> {
  const names = await resolver.reverse(address);
  const possible = names.filter((name) => crawlerOfHost(name) !== undefined).slice(0, NAMES_MAX);
  for (const name of possible) {
    const addresses = await (address.includes(":") ? resolver.resolve6(name) : resolver.resolve4(name));
    if (addresses.some((found) => plainAddress(found) === address)) return crawlerOfHost(name) ?? "nobody's";
  }
  return "nobody's";
}
