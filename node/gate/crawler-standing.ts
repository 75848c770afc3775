/**
 * Whether a request comes from a crawler: by lists of addresses and keys that the operator has put in, which prove it at
 * once; otherwise by DNS (`crawler-proofs.ts`).
 */

import { addressPrefix, type Client } from "../http/client.ts";
import { fieldValue } from "../http/fields.ts";
import type { RequestHead } from "../http/message.ts";
import { crawlerAt } from "../rules/crawler-lists.ts";
import type { Lookups } from "../rules/lookups.ts";
import { CrawlerProofs, type CrawlerProofsOptions, type CrawlerStanding } from "./crawler-proofs.ts";
import { PerSecond } from "./per-second.ts";

/**
 * Signatures verified in a second, a tenth of them for one network. Each takes 55 µs, so that a flood of forged ones
 * takes a twentieth of a core; a bot beyond that waits like a visitor.
 */
export const SIGNATURES_PER_SECOND = 1_000;

export interface CrawlerStandingsOptions extends CrawlerProofsOptions {
  readonly lookups: () => Lookups;
}

export class CrawlerStandings {
  readonly #options: CrawlerStandingsOptions;
  readonly #proofs: CrawlerProofs;
  readonly #verified = new PerSecond(SIGNATURES_PER_SECOND);

  constructor(options: CrawlerStandingsOptions) {
    this.#options = options;
    this.#proofs = new CrawlerProofs(options);
  }

  /** What is known about a request's sender now. */
  of(request: RequestHead, { address, secure }: Client, nowMs: number): CrawlerStanding {
    const { crawlers, claimOf } = this.#options.lookups();
    const listed = crawlerAt(address, crawlers);
    if (listed !== undefined) return { kind: "proven", name: listed };
    const claim = claimOf({ request, secure, nowMs });
    if (claim !== undefined && this.#mayVerify(address) && claim.isGood()) return { kind: "proven", name: claim.name };
    return this.#proofs.standing(fieldValue(request.headers, "user-agent") ?? "", address);
  }

  #mayVerify(address: string): boolean {
    return this.#verified.take(this.#options.surroundings.steadyMs(), addressPrefix(address));
  }
}
