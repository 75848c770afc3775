/**
 * A rollout: the weights of a room's targets move from what they were to what is declared, in steps: 1 % of new sessions
 * follow at first, and half as many again every five minutes (CT-4).
 *
 * To another origin, to more targets, to fewer, to other weights: all are the same. Nodes share only the old weights and
 * the start; each computes the rest. It takes an hour, in which caches fill, pools grow, and a fault affects one visitor
 * in a hundred before it affects all. Any node that sees the new targets fail reverses it for all.
 */

import { grown } from "../config/ramp.ts";
import type { OriginShare, Rollout } from "../config/room.ts";

/** CT-4: percent of new sessions. */
const STEPS = { start: 1, percent: 50, minutes: 5 };

/**
 * A rollout begins a twelfth of a minute (5 s) after its order: by then all nodes know it; their clocks are within 2 s.
 */
const HEAD_START_MINUTES = 1 / 12;

/** CT-2: most new visitors in a minute at a cold target, 500 a second. */
const COLD_PER_MINUTE = 30_000;

/** As many targets as a room may declare. */
const FROM_MAX = 32;

/**
 * Bytes of the old weights as JSON: a register has 16 KiB for what nodes write beside a document. Addresses are rarely
 * longer than 250 bytes.
 */
const FROM_BYTES_MAX = 8 * 1024;

/** Parts below this are none; a part is a sum of a few roundings. */
const PART_MIN = 1e-6;

/** Fewer requests than this, in a minute at one node, are too few for a rate. */
const REQUESTS_MIN = 20;

/**
 * Fewer failures are too few, too: with an error in a hundred, which many sites live with, five of twenty come by
 * chance once in 70,000 times.
 */
const FAILURES_MIN = 5;

/**
 * A failure rate that no release may have; halved, sites with a few errors of their own would never complete a rollout.
 */
const FAILURE_RATE_MAX = 0.05;

/** How much worse than the old origin the new one must be: where both fail, the release is not to blame. */
const WORSE_FACTOR = 2;

interface Now {
  readonly nowMs: number;
  readonly minuteMs: number;
}

/** Requests to one origin in the last minute, and those that failed: no answer, or one of 500 and above. */
export interface Record {
  readonly requests: number;
  readonly failures: number;
}

/** What a node sees of a rollout: all new targets together, and all old ones. */
export interface RolloutView {
  readonly next: Record & { readonly isUp: boolean; readonly reason: string };
  readonly old: Record & { readonly isUp: boolean };
}

/**
 * Percent of new sessions that follow the rollout; exact, not rounded. `coldPerMinute`: how many more new visitors a
 * target may get in a minute in the end, at most.
 */
export function percentAt(rollout: Rollout, { nowMs, minuteMs }: Now, coldPerMinute: number): number {
  const { state, startedMs, percent } = rollout;
  if (state === "stopped" || (state === "running" && nowMs < startedMs)) return percent;
  if (state === "reversed") return 0;
  const start = percent > 0 ? percent : firstStep(STEPS.start, coldPerMinute);
  return climbed(start, (nowMs - startedMs) / minuteMs);
}

/** `percent`, or less where 100 % are `coldPerMinute` new visitors of a target: no more than 500 a second. */
export function firstStep(percent: number, coldPerMinute: number): number {
  return Math.min(percent, (100 * COLD_PER_MINUTE) / Math.max(1, coldPerMinute));
}

/** The percentage that `start` has grown to: half as much again every five minutes. */
export function climbed(start: number, minutesPassed: number): number {
  return Math.min(100, grown({ ...STEPS, start }, minutesPassed));
}

/** A rollout that begins now, from `shares`; undefined if none of them can be remembered. */
export function startedRollout(shares: readonly OriginShare[], { nowMs, minuteMs }: Now): Rollout | undefined {
  const from = remembered(shares);
  if (from.length === 0) return undefined;
  const startedMs = nowMs + Math.round(HEAD_START_MINUTES * minuteMs);
  return { from, startedMs, state: "running", percent: 0, reason: "" };
}

/** What a document remembers of old weights: of many targets, or very long addresses, the heaviest. */
function remembered(shares: readonly OriginShare[]): readonly OriginShare[] {
  const kept: OriginShare[] = [];
  for (const share of [...shares].sort((one, other) => other.weight - one.weight).slice(0, FROM_MAX))
    if (Buffer.byteLength(JSON.stringify([...kept, share])) <= FROM_BYTES_MAX) kept.push(share);
  return kept.some(({ weight }) => weight > 0) ? kept : [];
}

/** Whether one list of targets gives every target of the other what that gave it, and none is gone. */
export function isSameSplit(from: readonly OriginShare[], to: readonly OriginShare[]): boolean {
  const [before, after] = [partsOf(from), partsOf(to)];
  const isSame = (url: string): boolean => Math.abs((before.get(url) ?? 0) - (after.get(url) ?? 0)) < PART_MIN;
  return [...before.keys()].every((url) => after.has(url)) && [...after.keys()].every(isSame);
}

/** The part of each target, by its URL; together 1. */
export function partsOf(shares: readonly OriginShare[]): ReadonlyMap<string, number> {
  const sum = shares.reduce((all, { weight }) => all + weight, 0);
  return new Map(shares.map(({ url, weight }) => [url, weight / sum]));
}

/** Where a rollout was stopped or reversed, and why. */
export interface RolloutEnd {
  readonly state: "stopped" | "reversed";
  readonly reason: string;
  readonly percent: number;
}

/**
 * What a room's origin and rollout are after it was stopped or reversed. A reversed one remembers the targets that it
 * led to, as their sessions stay there.
 */
export function afterEnd(
  rollout: Rollout,
  declared: readonly OriginShare[],
  { state, reason, percent }: RolloutEnd,
): { readonly rollout: Rollout | undefined; readonly origin?: string | readonly OriginShare[] } {
  const ended = { ...rollout, state, reason, percent: tenths(percent) };
  if (state === "stopped") return { rollout: ended };
  const from = remembered(declared);
  const [only, ...others] = rollout.from;
  return {
    origin: only !== undefined && others.length === 0 ? only.url : rollout.from,
    rollout: from.length === 0 ? undefined : { ...ended, from },
  };
}

/** Why the rollout must be reversed; undefined while all is well. */
export function reasonToReverse({ next, old }: RolloutView): string | undefined {
  if (!next.isUp) return old.isUp ? `it is down: ${next.reason}` : undefined;
  if (next.requests < REQUESTS_MIN || next.failures < FAILURES_MIN) return undefined;
  const rate = rateOf(next);
  if (rate <= FAILURE_RATE_MAX || rate <= WORSE_FACTOR * rateOf(old)) return undefined;
  return (
    `${next.failures} of its ${next.requests} requests failed within a minute (${tenths(rate * 100)} %), ` +
    `${tenths(rateOf(old) * 100)} % of those to the old origin`
  );
}

/** A rollout of a room with the targets `declared` in one sentence, for people; `percent` is that of now. */
export function rolloutText(rollout: Rollout, declared: readonly OriginShare[], percent: number): string {
  const { from, state, reason } = rollout;
  const to = state === "reversed" ? goal(declared, from) : goal(from, declared);
  if (state === "reversed") return `the rollout to ${to} was taken back at ${rollout.percent} %, as ${reason}`;
  if (state === "stopped")
    return `the rollout to ${to} is stopped at ${rollout.percent} % of new sessions, as ${reason}`;
  return `a rollout to ${to} is under way: ${tenths(percent)} % of new sessions follow it`;
}

/** What is new in `to`, in words. */
function goal(from: readonly OriginShare[], to: readonly OriginShare[]): string {
  const old = new Set(from.filter(({ weight }) => weight > 0).map(({ url }) => url));
  const fresh = to.filter(({ url, weight }) => weight > 0 && !old.has(url));
  if (fresh.length > 2) return `${fresh.length} new origins`;
  if (fresh.length > 0) return fresh.map(({ url }) => url).join(" and ");
  return from.every(({ url }) => to.some((share) => share.url === url)) ? "other weights" : "fewer origins";
}

/** Rounded to one decimal, as percentages are shown. */
export function tenths(value: number): number {
  return Number(value.toFixed(1));
}

function rateOf({ requests, failures }: Record): number {
  return requests === 0 ? 0 : failures / requests;
}
