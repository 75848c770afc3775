/**
 * Waves of a room: passes that are numbered, and up to which number they are good by now.
 *
 * A wave is written as `500/10m`: 500 passes are good from its start, and 500 more every 10 minutes; `500/50/10m` makes
 * each step 50 % larger than the one before. A pass has the name of its wave and its own number, so a change of the
 * wave holds for passes that were sent out already. A wave that the room does not have, or no longer, keeps nobody out.
 */

import { z } from "zod";
import { isoOf } from "../iso-time.ts";
import { spanMs } from "./expiry.ts";
import { LIMIT_MAX } from "./field-kinds.ts";
import { momentComplaint, momentOf } from "./moment.ts";
import type { Complaint } from "./problem.ts";
import { text } from "./text-field.ts";

/** Highest number of a pass. */
export const PASS_NUMBER_MAX = 1_000_000_000;

/** Each is looked at in every status. */
export const WAVES_MAX = 50;

/** A wave's passes carry its name. */
export const WAVE_NAME = /^[A-Za-z][\w-]{0,31}$/;

export const RATE_REPAIR = "write a rate such as 500/10m, or 500/50/10m for steps that grow by 50 %";

const PERCENT_MAX = 1_000;
const STEP_MS_MIN = 60_000;

export interface Wave {
  readonly name: string;
  /** As it is written. */
  readonly rate: string;
  /** The passes up to this number are good whatever the time is. */
  readonly open: number;
  /** Unix ms from which on more are good. */
  readonly startMs: number;
  readonly isPaused: boolean;
  /** Its passes; undefined where nobody has said how many there are. */
  readonly count?: number;
}

/** The number of the last pass that is good at `nowMs`. */
export function lastGood(wave: Wave, nowMs: number): number {
  return Math.min(PASS_NUMBER_MAX, wave.open + inSteps(wave, stepsBy(wave, nowMs)));
}

/** When the next step is, in Unix ms; undefined for a paused wave. */
export function nextStepMs(wave: Wave, nowMs: number): number | undefined {
  return wave.isPaused ? undefined : wave.startMs + stepsBy(wave, nowMs) * rateOf(wave.rate).stepMs;
}

/** When the pass with this number begins to be good, in Unix ms; undefined while its wave is paused. */
export function goodFromMs(wave: Wave, number: number): number | undefined {
  if (wave.isPaused) return undefined;
  const { size, growth, stepMs } = rateOf(wave.rate);
  const missing = number - wave.open;
  const exact = growth === 1 ? missing / size : Math.log1p((missing * (growth - 1)) / size) / Math.log(growth);
  // The logarithm may be off by a rounding error.
  const steps = Math.max(0, Math.ceil(exact) - 1);
  const isEnough = inSteps(wave, steps) >= missing;
  return wave.startMs + (isEnough ? steps - 1 : steps) * stepMs;
}

/** The wave from now on: the passes that are good stay so, and the next step is when it would have been. */
export function paused(wave: Wave, nowMs: number): Wave {
  const startMs = nextStepMs(wave, nowMs) ?? wave.startMs;
  return { ...wave, open: lastGood(wave, nowMs), startMs, isPaused: true };
}

export function resumed(wave: Wave, nowMs: number): Wave {
  return { ...wave, startMs: Math.max(nowMs, wave.startMs), isPaused: false };
}

/** Steps that have begun by `nowMs`. */
function stepsBy({ rate, startMs, isPaused }: Wave, nowMs: number): number {
  if (isPaused || nowMs < startMs) return 0;
  return Math.floor((nowMs - startMs) / rateOf(rate).stepMs) + 1;
}

/** Passes that so many steps make good. */
function inSteps({ rate }: Wave, steps: number): number {
  const { size, growth } = rateOf(rate);
  return growth === 1 ? size * steps : Math.floor((size * (growth ** steps - 1)) / (growth - 1));
}

const RATE = /^(\d{1,9})(?:\/(\d{1,4}(?:\.\d{1,2})?))?\/(\d{1,6}[mhd])$/;

/** A rate that `rateComplaint` has accepted. */
function rateOf(rate: string): { readonly size: number; readonly growth: number; readonly stepMs: number } {
  const [, size, percent = "0", span = ""] = RATE.exec(rate) ?? [];
  return { size: Number(size), growth: 1 + Number(percent) / 100, stepMs: spanMs(span) ?? STEP_MS_MIN };
}

export function rateComplaint(rate: string): Complaint {
  const repair = RATE_REPAIR;
  if (!RATE.test(rate)) return { problem: "is not SIZE/TIME or SIZE/PERCENT/TIME", repair };
  const { size, growth, stepMs } = rateOf(rate);
  if (size < 1 || size > LIMIT_MAX) return { problem: "is not for 1 to 10,000,000 passes at first", repair };
  if (growth > 1 + PERCENT_MAX / 100) return { problem: `grows by more than ${PERCENT_MAX} percent`, repair };
  return stepMs < STEP_MS_MIN ? { problem: "has steps of less than a minute", repair } : undefined;
}

const passNumber = z.int().min(0).max(PASS_NUMBER_MAX);

/** The waves in a room's document. */
export const WAVES = z
  .record(
    z.string().regex(WAVE_NAME, "is not the name of a wave"),
    z.strictObject({
      rate: text(rateComplaint).describe("such as 500/10m: passes that begin to be good at a time, and how often"),
      open: passNumber.default(0).describe("the passes up to this number are good whatever the time is"),
      start: text(momentComplaint).describe("from when on more are good, such as 2026-11-27T10:00:00+01:00"),
      paused: z.boolean().default(false).describe("true: no more, until it is resumed"),
      count: passNumber.nullable().default(null).describe("how many passes it has; null for not known"),
    }),
  )
  .refine((waves) => Object.keys(waves).length <= WAVES_MAX, `has more than ${WAVES_MAX} waves`)
  .nullable()
  .default(null);

export function wavesOf(document: z.output<typeof WAVES>): readonly Wave[] {
  return Object.entries(document ?? {}).map(([name, { start, paused: isPaused, count, ...wave }]) => ({
    name,
    ...wave,
    startMs: momentOf(start) ?? 0,
    isPaused,
    ...(count !== null && { count }),
  }));
}

export function wavesDocument(waves: readonly Wave[]): z.output<typeof WAVES> {
  const documents = waves.map(({ name, startMs, isPaused, count = null, ...wave }) => [
    name,
    { ...wave, start: isoOf(startMs), paused: isPaused, count },
  ]);
  return documents.length === 0 ? null : Object.fromEntries(documents);
}
