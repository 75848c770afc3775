/**
 * How long admissions took to be seen elsewhere, from what every node has noted.
 */

import type { Sighting } from "./onlooker-process.ts";

export interface Report {
  readonly admitted: readonly Sighting[];
  readonly seen: readonly Sighting[];
}

export interface Spread {
  /** From each admission to each other node that saw it, in ms. */
  readonly atOneMs: readonly number[];
  /** From each admission to the last of the other nodes. */
  readonly atAllMs: readonly number[];
  /** Admissions that not every node has seen. */
  readonly unseen: number;
}

/** Works out of all nodes' reports how long each admission took. */
export function spreadOf(reports: readonly Report[]): Spread {
  const atOneMs: number[] = [];
  const atAllMs: number[] = [];
  let unseen = 0;
  for (const [at, { admitted }] of reports.entries()) {
    const others = reports.filter((_, other) => other !== at);
    for (const admission of admitted) {
      const tookMs = others.map(({ seen }) => firstMs(seen, admission) - admission.atMs);
      const known = tookMs.filter((ms) => ms !== Number.POSITIVE_INFINITY);
      atOneMs.push(...known);
      if (known.length === others.length) atAllMs.push(Math.max(...known));
      else unseen += 1;
    }
  }
  return { atOneMs, atAllMs, unseen };
}

/** When a node first knew of so many admissions; counts only grow, so a later one tells of it as well. */
function firstMs(seen: readonly Sighting[], { account, minute, count }: Sighting): number {
  const first = seen.find((other) => other.account === account && other.minute === minute && other.count >= count);
  return first?.atMs ?? Number.POSITIVE_INFINITY;
}
