/**
 * A rollout: new sessions go to a new origin in steps, 1 % at first and half as much again every five minutes (CT-4).
 *
 * Nodes share only its start; each computes the rest. It takes an hour, in which caches fill, pools grow, and a fault
 * affects one visitor in a hundred before it affects all. Any node that sees the new origin fail reverses it for all.
 */

import { grown } from "../config/ramp.ts";
import type { Rollout } from "../config/room.ts";

/** CT-4: percent of new sessions. */
const STEPS = { start: 1, percent: 50, minutes: 5 };

/**
 * A rollout begins a twelfth of a minute (5 s) after its order: by then all nodes know it; their clocks are within 2 s.
 */
const HEAD_START_MINUTES = 1 / 12;

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

/** Requests to one origin in the last minute, and those that failed: no answer, or one of 500 and above. */
export interface Record {
  readonly requests: number;
  readonly failures: number;
}

/** What a node sees of a rollout. */
export interface RolloutView {
  readonly next: Record & { readonly isUp: boolean; readonly reason: string };
  /** All of the old origins together. */
  readonly old: Record & { readonly isUp: boolean };
}

/** Percent of new sessions that go to the new origin; exact, not rounded. */
export function percentAt(rollout: Rollout, nowMs: number, minuteMs: number): number {
  if (rollout.state === "stopped") return rollout.percent;
  if (rollout.state === "reversed" || nowMs < rollout.startedMs) return 0;
  return Math.min(100, grown(STEPS, (nowMs - rollout.startedMs) / minuteMs));
}

/** A rollout that begins now; resumed at the step of `percent`, if one was reached before. */
export function startedRollout(to: string, now: { nowMs: number; minuteMs: number }, percent = 0): Rollout {
  const { nowMs, minuteMs } = now;
  const { start, percent: growth, minutes } = STEPS;
  const step = percent < start ? 0 : Math.round(Math.log(percent / start) / Math.log(1 + growth / 100));
  const startedMs = step === 0 ? nowMs + Math.round(HEAD_START_MINUTES * minuteMs) : nowMs - step * minutes * minuteMs;
  return { to, startedMs, state: "running", percent: 0, reason: "" };
}

/** The rollout after it was stopped or reversed. */
export function endedRollout(
  rollout: Rollout,
  end: { state: "stopped" | "reversed"; reason: string },
  percent: number,
): Rollout {
  return { ...rollout, ...end, percent: tenths(percent) };
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

/** A rollout in one sentence, for people. */
export function rolloutText(rollout: Rollout, now: { nowMs: number; minuteMs: number }): string {
  const { to, state, percent, reason } = rollout;
  if (state === "reversed") return `the rollout to ${to} was taken back at ${percent} %, as ${reason}`;
  if (state === "stopped") return `the rollout to ${to} is stopped at ${percent} % of new sessions, as ${reason}`;
  const { nowMs, minuteMs } = now;
  const running = tenths(percentAt(rollout, nowMs, minuteMs));
  return `a rollout to ${to} is under way: ${running} % of new sessions`;
}

/** Rounded to one decimal, as percentages are shown. */
export function tenths(value: number): number {
  return Number(value.toFixed(1));
}

function rateOf({ requests, failures }: Record): number {
  return requests === 0 ? 0 : failures / requests;
}
