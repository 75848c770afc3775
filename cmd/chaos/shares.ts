/**
 * What nodes report about the shares of the one room of a run.
 */

import type { NodeStatus, RoomStatus, ShareStatus } from "../../node/operator/status/status.ts";

/** What all accounts have together, according to all nodes. */
export interface Shares {
  readonly active: number;
  readonly arrivals: number;
  readonly accounts: number;
}

/** The one room of a run. */
export function roomOf({ rooms: [room] }: NodeStatus): RoomStatus | undefined {
  return room;
}

/** The longest wait that a node reports, in seconds; null if it is unknown everywhere. */
export function longestWait(statuses: readonly NodeStatus[]): number | null {
  const waits = statuses.flatMap((status) => roomOf(status)?.wait_seconds ?? []);
  return waits.length === 0 ? null : Math.max(...waits);
}

/** What all nodes report about the shares, if they agree. */
export function sharesTold(statuses: readonly NodeStatus[]): Shares | undefined {
  const tables = statuses.map((status) => roomOf(status)?.shares ?? []);
  const [shares, ...others] = tables;
  if (shares === undefined || !others.every((other) => isSame(shares, other))) return undefined;
  return {
    active: sum(shares.map((share) => share.active_slots)),
    arrivals: sum(shares.map((share) => share.arrivals_slots)),
    accounts: shares.length,
  };
}

/** By node: an heir reports its pot separately, others do not; each part is rounded down. */
function isSame(one: readonly ShareStatus[], other: readonly ShareStatus[]): boolean {
  const [left, right] = [byNode(one), byNode(other)];
  if (left.size !== right.size) return false;
  return [...left].every(([node, parts]) => {
    const others = right.get(node) ?? [];
    const rounding = Math.abs(parts.length - others.length);
    return (["active_slots", "arrivals_slots"] as const).every((slots) => {
      const difference = sum(parts.map((part) => part[slots])) - sum(others.map((part) => part[slots]));
      return Math.abs(difference) <= rounding;
    });
  });
}

function byNode(shares: readonly ShareStatus[]): Map<string, ShareStatus[]> {
  return Map.groupBy(shares, ({ node, account }) => node ?? account);
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
