/** The span of time of a question, and its steps: `from`, `to` and `step`, read from text. */

import type { Minute } from "../../mesh/core/ids.ts";
import { MOMENT_REPAIR, momentOf } from "../config/moment.ts";
import { type Checked, type Complaint, checked, type Problem, problemAt } from "../config/problem.ts";
import { isoOf } from "../iso-time.ts";
import type { Steps } from "./points.ts";

/** Points of one answer: a week by the minute, and the minute that is not over. */
export const POINTS_MAX = 7 * 24 * 60 + 1;

/** Points where no step is asked for: as many as a plot shows. */
const POINTS_USUAL = 24 * 60;

/** How far back and ahead a time may be: minutes are kept for 30 days. */
const FAR_MS = 366 * 24 * 3_600_000;

/** Seconds are for nodes whose minutes are shorter than 60 s. */
const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const USUAL_STEPS_MS = [1, 5, 15, 60, 6 * 60, 24 * 60].map((minutes) => minutes * 60_000);

const FROM = "-24h";
const TO = "now";
const TIME_REPAIR = `${MOMENT_REPAIR}, or a time before now, such as "-2h", "-30m" or "-7d"`;
const STEP_REPAIR = "write 1m, 5m, 1h, 1d or another number of minutes, hours or days";

export interface SpanText {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly step?: string | undefined;
}

/** The steps that are asked for; the span is widened to whole steps. */
export function stepsOf(text: SpanText, { nowMs, minuteMs }: { nowMs: number; minuteMs: number }): Checked<Steps> {
  const { from: fromText = FROM, to: toText = TO, step: stepText } = text;
  const problems: Problem[] = [];
  const read = (path: string, value: string, reading: number | NonNullable<Complaint>): number => {
    if (typeof reading === "number") return reading;
    problems.push(problemAt(path, value, reading));
    return Number.NaN;
  };
  const fromMs = read("from", fromText, timeOf(fromText, nowMs));
  const toMs = read("to", toText, timeOf(toText, nowMs));
  if (fromMs >= toMs) {
    const repair = `write a time after ${isoOf(fromMs)}`;
    problems.push(problemAt("to", toText, { problem: "is not after from", repair }));
  }
  const stepMs = stepText === undefined ? usualStepMs(toMs - fromMs) : read("step", stepText, spanOf(stepText));
  if (problems.length > 0) return { ok: false, problems };
  const step = Math.max(1, Math.ceil(stepMs / minuteMs));
  const from = stepBefore(Math.floor(fromMs / minuteMs), step);
  const to = stepBefore(Math.ceil(toMs / minuteMs) + step - 1, step);
  const points = (to - from) / step;
  if (points > POINTS_MAX) {
    const least = Math.ceil(((to - from) * minuteMs) / POINTS_MAX / 60_000);
    const complaint = {
      problem: `makes ${points.toLocaleString("en-US")} points where at most ${POINTS_MAX.toLocaleString("en-US")} are possible`,
      repair: `write ${least}m or more, or ask for a shorter span`,
    };
    return { ok: false, problems: [problemAt("step", stepText, complaint)] };
  }
  return checked({ from: from as Minute, to: to as Minute, step, now: Math.floor(nowMs / minuteMs) as Minute }, []);
}

/** Steps begin at midnight (UTC) where they fit into a day. */
function stepBefore(minute: number, step: number): number {
  return minute - (minute % step);
}

function usualStepMs(spanMs: number): number {
  return USUAL_STEPS_MS.find((ms) => spanMs / ms <= POINTS_USUAL) ?? Math.max(...USUAL_STEPS_MS);
}

/** Unix ms. */
function timeOf(text: string, nowMs: number): number | NonNullable<Complaint> {
  if (text === "now") return nowMs;
  const back = text.startsWith("-") ? spanOf(text.slice(1)) : undefined;
  const ms = typeof back === "number" ? nowMs - back : momentOf(text);
  if (ms === undefined) return { problem: "is not a time", repair: TIME_REPAIR };
  if (Math.abs(nowMs - ms) > FAR_MS || ms < 0)
    return { problem: "is more than a year away", repair: "minutes are kept for 30 days: ask for these" };
  return ms;
}

function spanOf(text: string): number | NonNullable<Complaint> {
  const [, digits, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const ms = Number(digits) * UNITS_MS[unit as keyof typeof UNITS_MS];
  if (!(ms > 0)) return { problem: "is not a number of minutes, hours or days", repair: STEP_REPAIR };
  return ms <= FAR_MS ? ms : { problem: "is more than a year", repair: STEP_REPAIR };
}
