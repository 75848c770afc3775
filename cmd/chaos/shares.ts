/**
 * What nodes tell of the shares of the one room of a run.
 */

import type { NodeStatus, RoomStatus } from "../../node/status.ts";

/** What all accounts have together, by the word of all nodes. */
export interface Shares {
  readonly active: number;
  readonly arrivals: number;
  readonly accounts: number;
}

/** The one room of a run. */
export function roomOf({ rooms: [room] }: NodeStatus): RoomStatus | undefined {
  return room;
}

/** What all nodes tell of the shares, if they tell the same. */
export function sharesTold(statuses: readonly NodeStatus[]): Shares | undefined {
  const tables = statuses.map((status) => roomOf(status)?.shares ?? []);
  const texts = tables.map((shares) =>
    shares
      .map((share) => `${share.account} ${share.active_slots} ${share.arrivals_slots}`)
      .sort()
      .join(),
  );
  const [shares] = tables;
  if (shares === undefined || new Set(texts).size > 1) return undefined;
  return {
    active: sum(shares.map((share) => share.active_slots)),
    arrivals: sum(shares.map((share) => share.arrivals_slots)),
    accounts: shares.length,
  };
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
