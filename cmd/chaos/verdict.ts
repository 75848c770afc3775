/** The results of a run as checks: one function for each promise. */

import { atLeast, atMost, type Check } from "../checks.ts";
import { BUSY, type StarvedFigures } from "../crowd/starved.ts";
import { timeOf } from "../crowd/timeline.ts";
import type { Judge, JudgeOptions } from "./judge.ts";
import type { Shares } from "./shares.ts";

/** When something was, in Unix ms; 0 for never. */
interface Moment {
  readonly atMs: number;
}

/** From a ticket counter's crash to the next admission; a gate asks the next one after 1.5 s. */
const HANDOVER_MS = 2_000;

/**
 * Of slots within reach: the rest is called for visitors who come with their next poll, or under way from one node to
 * another.
 */
const USE_PERCENT = 92;

/**
 * Of all slots. A plan affects it widely: a wiped counter with most slots makes them idle until its sessions must be
 * over. A mesh that admits nobody fails it.
 */
const WHOLE_PERCENT = { least: 25, aim: 75 };

/**
 * Of the answers in line without a fault, in percent: visitors who were silent for a while come back to the places that
 * they had.
 */
const BACK_PERCENT = 10;

/** Polls in which a called visitor comes or is counted as gone. */
const POLLS = 2.5;

/**
 * Until all nodes are one view again after the last fault; longer where there must be votes for a removal and for a
 * join.
 */
const TOGETHER_MAX_MS = 5_000;
const TOGETHER_AGAIN_MAX_MS = 10_000;

/** Until all nodes report the same shares when no visitor comes any more: some rounds of gossip. */
const SAME_MAX_MS = 5_000;

/** The checks, in the order of the promises. */
export function checksOf(found: Judge): Check[] {
  return [neverOver, neverEarly, neverLost, mesh, neverSlow].flatMap((promise) => promise(found));
}

/**
 * What remains of failed checks when nodes were starved. Limits hold at any speed; all else needs time, or the answers
 * of all nodes at one moment.
 */
export function judgedBy(
  checks: readonly Check[],
  { is_starved: isStarved }: Pick<StarvedFigures, "is_starved">,
): { readonly checks: readonly Check[]; readonly isJudged: boolean } {
  const isLeftOut = ({ ok, promise }: Check): boolean => isStarved && !ok && promise !== "never over";
  return {
    checks: checks.map((check) => {
      if (!isLeftOut(check)) return check;
      const { limit, note } = check;
      const reason = note === undefined ? BUSY : `${BUSY}; ${note}`;
      return { ...check, ok: true, limit: null, ...(limit !== null && { aim: limit }), note: reason };
    }),
    isJudged: !checks.some(isLeftOut),
  };
}

function neverOver({ stays, strays, options: { limit, perMinute }, beganMs }: Judge): Check[] {
  const promise = "never over";
  const [peakInside, peakAdmitted] = [stays.peakInside(), stays.peakAdmitted()];
  const at = (moment: Moment) => noteOf(moment, beganMs);
  return [
    atMost({ promise, name: "most inside at once", value: peakInside.count, limit, ...at(peakInside) }),
    atMost({
      promise,
      name: "most let in a minute",
      value: peakAdmitted.count,
      limit: perMinute,
      ...at(peakAdmitted),
    }),
    atMost({ promise, name: "answers of the origin to visitors without a session", value: strays, limit: 0 }),
  ];
}

function neverEarly({ idle: { longest: idle, use, useOfWhole }, options, beganMs }: Judge): Check[] {
  const { minuteMs, refreshMs } = options;
  // A minute as another locality's reserve, a called visitor's polls, and a handover may come one after the other.
  const mostMs = minuteMs + POLLS * refreshMs + HANDOVER_MS;
  const name = "longest time a free slot went unused while visitors waited";
  const span = { value: idle.ms / 1_000, unit: "s", ...noteOf(idle, beganMs) };
  const used = { name: "slots within reach in use while visitors waited", value: 100 * use, unit: "%" };
  return [
    atMost({ promise: "never early", name, ...span, limit: mostMs / 1_000 }),
    atLeast({
      promise: "never early",
      ...used,
      // Calls are invisible from here: a called slot is free until the poll, which takes most of so short a minute.
      ...(minuteMs < POLLS * refreshMs
        ? { limit: null, note: "not judged: a minute is short against the polls" }
        : { limit: USE_PERCENT }),
    }),
    atLeast({
      promise: "never early",
      name: "slots of the whole room in use while visitors waited",
      unit: "%",
      value: 100 * useOfWhole,
      aim: WHOLE_PERCENT.aim,
      limit: WHOLE_PERCENT.least,
    }),
  ];
}

function neverLost({ thrownOut: { refused, ranOut }, lines, options }: Judge): Check[] {
  const promise = "never lost";
  const { lost, wentBack, overtakes } = lines;
  const { minuteMs, refreshMs } = options;
  const thrownOut = refused + ranOut;
  const how = thrownOut > 0 ? { note: `${refused} with a good cookie, ${ranOut} whose cookie ran out` } : {};
  return [
    atMost({ promise, name: "sessions lost before their end", value: thrownOut, ...how, limit: 0 }),
    atMost({ promise, name: "visitors who lost their place in line", value: lost, limit: 0 }),
    atMost({
      promise,
      name: "answers without a fault with a position further back",
      unit: "%",
      ...(wentBack.furthest > 0 && { note: `by ${wentBack.furthest} at most` }),
      value: 100 * wentBack.part,
      limit: BACK_PERCENT,
    }),
    atMost({
      promise,
      name: "longest wait after being overtaken",
      unit: "s",
      ...(overtakes.visitors > 0 && { note: `${overtakes.visitors} overtaken` }),
      value: overtakes.longestMs / 1_000,
      // Across localities the oldest minute goes first; a called visitor comes within some polls.
      limit: (minuteMs + POLLS * refreshMs) / 1_000,
    }),
  ];
}

function mesh({ mesh: found, options: room }: Judge): Check[] {
  if (found === undefined) return [];
  const promise = "mesh";
  const { hasRemoved, togetherMs, sameMs, shares } = found;
  const togetherMaxMs = hasRemoved ? TOGETHER_AGAIN_MAX_MS : TOGETHER_MAX_MS;
  return [
    atMost({
      promise,
      name: "from the last fault until all nodes are one view",
      value: togetherMs / 1_000,
      unit: "s",
      limit: togetherMaxMs / 1_000,
    }),
    atMost({
      promise,
      name: "from the last visitor until all nodes report the same shares",
      value: sameMs / 1_000,
      unit: "s",
      limit: SAME_MAX_MS / 1_000,
    }),
    ...(shares === undefined ? [] : sums(shares, room)),
  ];
}

/** No slot was created, and none was lost except by rounding down in each account. */
function sums(shares: Shares, { limit, perMinute }: Pick<JudgeOptions, "limit" | "perMinute">): Check[] {
  const promise = "mesh";
  const { active, arrivals, accounts } = shares;
  const beyond = Math.max(active - limit, arrivals - perMinute, 0);
  const missing = Math.max(limit - active, perMinute - arrivals, 0);
  const note = "rounding takes one from each account";
  return [
    atMost({ promise, name: "slots in all shares beyond a limit, at the end", value: beyond, limit: 0 }),
    atMost({ promise, name: "slots missing in all shares, at the end", value: missing, limit: accounts, note }),
  ];
}

function neverSlow({ answersMs, unanswered, handovers }: Judge): Check[] {
  const promise = "never slow";
  const sorted = answersMs.toSorted((one, other) => one - other);
  const within = (part: number) => ({ value: sorted[Math.floor(part * (sorted.length - 1))] ?? 0, unit: "ms" });
  return [
    atMost({ promise, name: "half of all answers within", ...within(0.5), limit: null }),
    atMost({ promise, name: "99 of 100 answers within", ...within(0.99), limit: null }),
    ...(handovers.count === 0
      ? []
      : [
          atMost({
            promise,
            name: "from kill -9 of a ticket counter until its gates answer at once",
            unit: "s",
            note: `${handovers.count} killed`,
            value: handovers.longest.ms / 1_000,
            limit: HANDOVER_MS / 1_000,
          }),
        ]),
    atMost({ promise, name: "requests that no gate answered", value: unanswered, limit: null }),
  ];
}

function noteOf({ atMs }: Moment, beganMs: number): { readonly note?: string } {
  // A minute may have begun before the run.
  return atMs === 0 ? {} : { note: `at ${timeOf(Math.max(0, atMs - beganMs) / 1_000)}` };
}
