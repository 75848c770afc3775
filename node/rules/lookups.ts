/** What an operator's files tell about the senders of requests: read at the edge of the process, asked for by rules. */

import type { AddressData } from "./address-data.ts";
import type { CrawlerList } from "./crawler-lists.ts";

export interface Lookups {
  readonly addresses: AddressData;
  readonly crawlers: readonly CrawlerList[];
}

/** Of a node without such files. */
export const NO_LOOKUPS: Lookups = { addresses: {}, crawlers: [] };

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
