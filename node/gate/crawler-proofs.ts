/**
 * Which addresses are proven to be a crawler's: kept for a time, and looked up off the path of any request.
 *
 * A request is answered by what is known when it comes. If nothing is known, a lookup begins, and a later request of
 * the same address gets its result. Only requests that call themselves a known crawler cause lookups. A lookup that
 * fails proves nothing, so a slow or silent DNS server costs a crawler time, and nobody else anything.
 */

import { addressPrefix, plainAddress } from "../http/client.ts";
import { Recent } from "../recent.ts";
import type { Surroundings } from "./gate-context.ts";
import { crawlerClaims, type KnownCrawler } from "./known-crawlers.ts";
import { PerSecond } from "./per-second.ts";

/** Whose crawler an address is; `failed`: not found out. */
export type CrawlerFinding = KnownCrawler | "nobody's" | "failed";

/** Looks an address up and reports once; the result ends a lookup that takes too long. */
export type CrawlerLookup = (address: string, onFinding: (finding: CrawlerFinding) => void) => () => void;

export type CrawlerStanding =
  /** Does not call itself a crawler. */
  | { readonly kind: "visitor" }
  /** `name`: whose crawler it is. */
  | { readonly kind: "proven"; readonly name: string }
  /** Calls itself a crawler, without a proof so far. It may have one after these seconds. */
  | { readonly kind: "unproven"; readonly retryAfterSeconds: number };

/** Lookups at once. With more, a flood under the names of crawlers takes more of the DNS server. */
export const LOOKUPS_MAX = 8;

/** Lookups that begin in a second. A crawler has some dozens of addresses, and each is looked up a few times a day. */
export const LOOKUPS_PER_SECOND = 20;

/** A DNS server answers in less, or is in trouble. Doubled, slow servers keep others' lookups waiting for longer. */
export const LOOKUP_MS_MAX = 3_000;

/**
 * How long an address counts as proven; then it is looked up again, and its crawler waits for that. Operators of crawlers
 * change their addresses more slowly than in a day.
 */
export const PROVEN_MS = 12 * 3_600_000;

/**
 * How long an address counts as unproven. Halved, floods cause twice as many lookups; doubled, an outage of DNS costs
 * crawlers more.
 */
export const UNPROVEN_MS = 5 * 60_000;

/** Addresses remembered, about 200 bytes each. Proven ones are apart: no flood displaces them. */
export const PROVEN_MAX = 10_000;
export const UNPROVEN_MAX = 20_000;

/** For a crawler whose address is being looked up. */
export const LOOKED_UP_SECONDS = 5;

/** For a crawler that no lookup can prove. */
export const NEVER_PROVEN_SECONDS = 3_600;

interface Proof {
  readonly crawler: KnownCrawler;
  /** Ms of the steady clock. */
  readonly untilMs: number;
}

const VISITOR: CrawlerStanding = { kind: "visitor" };

export interface CrawlerProofsOptions {
  readonly lookup: CrawlerLookup;
  readonly surroundings: Pick<Surroundings, "after" | "steadyMs">;
}

export class CrawlerProofs {
  readonly #lookup: CrawlerLookup;
  readonly #surroundings: CrawlerProofsOptions["surroundings"];
  /** By address. */
  readonly #proofs = new Recent<string, Proof>({ max: PROVEN_MAX, forMs: PROVEN_MS });
  /** Until when (ms of the steady clock) an address counts as unproven. */
  readonly #unproven = new Recent<string, number>({ max: UNPROVEN_MAX, forMs: UNPROVEN_MS });
  /** Networks with a lookup on its way: one at a time, so that none takes them all. */
  readonly #looking = new Set<string>();
  readonly #begun = new PerSecond(LOOKUPS_PER_SECOND);

  constructor({ lookup, surroundings }: CrawlerProofsOptions) {
    this.#lookup = lookup;
    this.#surroundings = surroundings;
  }

  /** What is known about a request's sender now. */
  standing(userAgent: string, clientAddress: string): CrawlerStanding {
    const claims = crawlerClaims(userAgent);
    if (claims === undefined) return VISITOR;
    const address = plainAddress(clientAddress);
    if (claims.length === 0 || address === undefined) return unproven(NEVER_PROVEN_SECONDS);
    const nowMs = this.#surroundings.steadyMs();
    const proof = this.#proofs.get(address);
    if (proof !== undefined && nowMs < proof.untilMs) {
      return claims.includes(proof.crawler)
        ? { kind: "proven", name: proof.crawler.name }
        : unproven(NEVER_PROVEN_SECONDS);
    }
    const leftMs = (this.#unproven.get(address) ?? nowMs) - nowMs;
    if (leftMs > 0) return unproven(Math.ceil(leftMs / 1_000));
    this.#look(address, nowMs);
    return unproven(LOOKED_UP_SECONDS);
  }

  #look(address: string, nowMs: number): void {
    const network = addressPrefix(address);
    const isBusy = this.#looking.size >= LOOKUPS_MAX || this.#looking.has(network);
    if (isBusy || !this.#begun.take(nowMs, network)) return;
    this.#looking.add(network);
    let isOver = false;
    const end = (finding: CrawlerFinding): void => {
      if (isOver) return;
      isOver = true;
      this.#looking.delete(network);
      this.#keep(address, finding);
    };
    const cancel = this.#lookup(address, end);
    this.#surroundings.after(LOOKUP_MS_MAX, () => {
      if (isOver) return;
      end("failed");
      cancel();
    });
  }

  #keep(address: string, finding: CrawlerFinding): void {
    const nowMs = this.#surroundings.steadyMs();
    if (finding === "failed" || finding === "nobody's") this.#unproven.set(address, nowMs + UNPROVEN_MS, nowMs);
    else this.#proofs.set(address, { crawler: finding, untilMs: nowMs + PROVEN_MS }, nowMs);
  }
}

function unproven(retryAfterSeconds: number): CrawlerStanding {
  return { kind: "unproven", retryAfterSeconds };
}
