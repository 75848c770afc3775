/**
 * What one node counted of one room in one minute: written once the minute is over, and never changed.
 *
 * So the records of all nodes merge by union, in any order and however often they come.
 */

import type { Minute, NodeId, RoomId } from "../../mesh/core/ids.ts";

/**
 * What is counted. `inside` and `waiting` are sums over `samples` looks. A later release adds to the end: a record
 * without a number has none of it.
 */
export const FIELDS = [
  "samples",
  "inside",
  "waiting",
  "limit",
  "admitted",
  "joined",
  "abandoned",
  "no_shows",
  "returned",
  "revoked",
  "bypassed",
  "rejected",
  "completed",
] as const;
export type Field = (typeof FIELDS)[number];

/** Numbers that add up over minutes and nodes. */
export const SUMS = FIELDS.slice(FIELDS.indexOf("admitted")) as readonly Exclude<Field, Gauge>[];
type Gauge = "samples" | "inside" | "waiting" | "limit";
export type Sums = Record<Exclude<Field, Gauge>, number>;

/** What held visitors in line back, besides the limits. A later release adds to the end. */
export const HELD_REASONS = ["hold", "prequeue", "lease", "ramp", "paced", "down", "failing", "slow"] as const;
export type HeldReason = (typeof HELD_REASONS)[number];

/** Of a reason that only a later release knows. */
export const UNKNOWN_REASON = "other";

export interface MinuteRecord {
  readonly room: RoomId;
  /** What the room was called. */
  readonly name: string;
  readonly minute: Minute;
  /** In the order of `FIELDS`, without the zeros at the end. */
  readonly counts: readonly number[];
  /** How many waited how long: a class (wait-classes.ts) and its visitors, and so on. */
  readonly waits: readonly number[];
  /** A number of `HELD_REASONS` and ms, and so on. */
  readonly held: readonly number[];
}

/**
 * A run of a node in which its minutes only rise: each process begins one, and so does a clock that is set back. Its
 * records are numbered from 1 without a gap.
 */
export interface Source {
  readonly node: NodeId;
  readonly run: number;
  readonly locality: string;
  /** The minute in which it began. */
  readonly since: Minute;
  /** The number of the oldest record that is kept. */
  readonly first: number;
  /** The number of the next record: all from `first` on are here. */
  readonly next: number;
  /** All its minutes before this one are here. */
  readonly until: Minute;
  readonly end: End;
}

/** `stopped` in order: nothing is missing. `crashed`: what was counted in the minute `until` is lost. */
export const ENDS = ["open", "stopped", "crashed"] as const;
export type End = (typeof ENDS)[number];

/** Records of a source from the number `from` on, and how much of it the sender has. */
export interface Piece extends Source {
  readonly from: number;
  readonly records: readonly MinuteRecord[];
}

/** Whether nothing happened: such a minute is not kept. */
export function isIdle({ counts, waits, held }: Pick<MinuteRecord, "counts" | "waits" | "held">): boolean {
  const isQuiet = counts.every((count, at) => count === 0 || FIELDS[at] === "samples" || FIELDS[at] === "limit");
  return isQuiet && waits.length === 0 && held.length === 0;
}

/** The numbers of a record as a list. */
export function countsOf(numbers: Readonly<Record<Field, number>>): number[] {
  const counts = FIELDS.map((field) => numbers[field]);
  while (counts.at(-1) === 0) counts.pop();
  return counts;
}

/** One number of a record. */
export function countIn({ counts }: Pick<MinuteRecord, "counts">, field: Field): number {
  return counts[FIELDS.indexOf(field)] ?? 0;
}

/** The pairs of a list of pairs. */
export function* pairsOf(list: readonly number[]): Generator<readonly [number, number]> {
  for (let at = 0; at + 1 < list.length; at += 2) yield [list[at] ?? 0, list[at + 1] ?? 0];
}
