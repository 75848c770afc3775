/** What an operator's files tell about the senders of requests: read at the edge of the process, asked for by rules. */

import type { RequestHead } from "../http/message.ts";
import type { AddressData } from "./address-data.ts";
import type { CrawlerList } from "./crawler-lists.ts";

export interface Lookups {
  readonly addresses: AddressData;
  readonly crawlers: readonly CrawlerList[];
  /** The signature of a bot in a request, by a key that the node has. */
  readonly claimOf: (from: SignedRequest) => BotClaim | undefined;
}

export interface SignedRequest {
  readonly request: Pick<RequestHead, "method" | "target" | "host" | "authority" | "headers">;
  readonly secure: boolean;
  readonly nowMs: number;
}

/** Whose signature it is, if it is good. */
export interface BotClaim {
  readonly name: string;
  readonly isGood: () => boolean;
}

/** Of a node without such files. */
export const NO_LOOKUPS: Lookups = { addresses: {}, crawlers: [], claimOf: () => undefined };

/** A field of rules that needs a file which is not there. */
export interface Lacking {
  readonly field: string;
  /** The file, in words. */
  readonly file: string;
}

/** Which of these fields are unknown for want of a file. */
export function lacking(
  fields: ReadonlySet<string>,
  { addresses: { country, network } }: Pick<Lookups, "addresses">,
): readonly Lacking[] {
  const needed = [
    { field: "ip.src.country", file: "database of countries (.mmdb)", isThere: country !== undefined },
    { field: "ip.src.asnum", file: "database of networks (.mmdb)", isThere: network !== undefined },
  ];
  return needed.filter(({ field, isThere }) => fields.has(field) && !isThere);
}
