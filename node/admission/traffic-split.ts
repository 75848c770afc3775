/**
 * How free slots are divided among localities: by where the minute before saw its new visitors.
 *
 * Each locality gets the part of the free slots that its new visitors were of the limit of new users; what the limit
 * leaves over is Anywhere's, for visitors of any locality (WR-6, WR-7). Whole slots, by largest remainder: the parts
 * add up to the free slots exactly, every node comes to the same parts, and a tie goes to Anywhere (WR-8, WR-9).
 *
 * The slot policies divide a locality's part among its nodes.
 */

/** What every node knows about a room within seconds (WR-6). */
export interface ConvergedState {
  readonly totalActiveUsers: number;
  readonly newUsersPerMinute: number;
  /** Sessions. */
  readonly activeUsers: number;
  /** Nodes in all localities. */
  readonly globalWorkersActive: number;
  /** Nodes in the locality that decides. */
  readonly dataCenterWorkersActive: number;
  /** New visitors seen in the minute before, by locality. */
  readonly trafficHistory: ReadonlyMap<string, number>;
}

export interface TrafficSplit {
  /** Slots reserved for the visitors of each locality that had any. */
  readonly reserved: ReadonlyMap<string, number>;
  /** Slots for visitors of any locality. */
  readonly anywhere: number;
}

/** Divides this minute's free slots among the localities and Anywhere. */
export function splitByTraffic(state: ConvergedState): TrafficSplit {
  const history = [...state.trafficHistory].sort(byName);
  const visitors = history.map(([, seen]) => seen);
  const leftOver = Math.max(0, state.newUsersPerMinute - sum(visitors));
  const [anywhere = 0, ...reserved] = byLargestRemainder(freeSlots(state), [leftOver, ...visitors]);
  return { anywhere, reserved: new Map(history.map(([locality], index) => [locality, reserved[index] ?? 0])) };
}

/** Slots that either limit leaves for this minute (WR-7). */
export function freeSlots({ totalActiveUsers, newUsersPerMinute, activeUsers }: ConvergedState): number {
  return Math.max(0, Math.min(totalActiveUsers - activeUsers, newUsersPerMinute));
}

/** Whole parts of `whole` in proportion to `weights`, adding up to it; of equal remainders the earlier gets more. */
function byLargestRemainder(whole: number, weights: readonly number[]): number[] {
  const total = sum(weights);
  const parts = weights.map((weight) => Math.floor((whole * weight) / total));
  const remainders = weights.map((weight, index) => ({ index, remainder: (whole * weight) % total }));
  const roundedUp = remainders.sort((a, b) => b.remainder - a.remainder).slice(0, whole - sum(parts));
  for (const { index } of roundedUp) parts[index] = (parts[index] ?? 0) + 1;
  return parts;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function byName([a]: readonly [string, number], [b]: readonly [string, number]): number {
  return a < b ? -1 : 1;
}
