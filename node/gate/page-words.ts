/**
 * What the waiting page says about a visitor: the state, the title, and the wait.
 *
 * The page's script derives state and words from the answer to its poll in the same way.
 */

import { RATIO_MAX } from "../admission/wait.ts";
import { filled, type Words } from "../languages/words.ts";
import type { EventView, WaitingView } from "./waiting-json.ts";

/** A state of the page; `next` is the first in line. */
export type PageState = keyof Words["texts"]["states"];

/** The page's script derives the same from `cfWaitingRoom`. */
export function stateOf(view: WaitingView): PageState {
  if (view.kind === "cookieless") return "cookies";
  if (view.kind === "unproved") return "proving";
  if (view.kind === "turn") return "turn";
  if (view.kind === "full") return "full";
  if (view.event?.phase === "prequeue") return prequeueState(view.event);
  if (view.queueAll) return "held";
  if (view.kind === "rejected") return "rejected";
  if (!view.originReachable) return "down";
  if (view.isDrawing) return "drawn";
  return view.position === 1 ? "next" : "waiting";
}

/** The page's script derives the same. */
function prequeueState({ shuffles, waitsFor }: EventView): PageState {
  if (waitsFor !== undefined) return "drawValue";
  return shuffles ? "prequeueDrawn" : "prequeue";
}

/** The page's title: the place, if there is one, and the state. */
export function titleOf(view: WaitingView, { texts, number }: Words): string {
  const { heading } = texts.states[stateOf(view)];
  return view.position === 0 ? heading : filled(texts.line.title, { place: number(view.position), heading });
}

/** Seconds as digits, such as 1:02:03 or 4:05; the page's script counts down in the same way. */
export function spanDigits(seconds: number, { number, twoDigits }: Words): string {
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const first = hours > 0 ? `${number(hours)}:${twoDigits(minutes)}` : number(minutes);
  return `${first}:${twoDigits(rest)}`;
}

/** Up to ten minutes each one counts; from there on steps of five are as exact as an estimate can be. */
const EXACT_MINUTES = 10;
const STEP_MINUTES = 5;

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;

/**
 * From an hour on times of day say more than a number of minutes. They are given to ten minutes, and to half an hour
 * where they are hours away.
 */
const STEP_OF_DAY_SECONDS = 600;
const LONG_STEP_SECONDS = 1_800;
const LONG_SECONDS = 3 * HOUR_SECONDS;

/**
 * The estimated wait as a range, never more exact than it is known.
 * The page's script words the remaining time in the same way. A range of less than a step is its end, rounded up: a
 * visitor who is let in early does not mind.
 */
export function waitWords({ waitSeconds, waitRange, lastUpdatedMs }: WaitingView, words: Words): string {
  const { unknown, soon, day } = words.texts.wait;
  if (waitSeconds === null) return unknown;
  const [low, high] = waitRange ?? [waitSeconds, waitSeconds];
  if (high < 60) return soon;
  if (low + high > 2 * DAY_SECONDS) return day;
  return high > HOUR_SECONDS ? timesOfDay(low, high, { words, nowMs: lastUpdatedMs }) : minutesOf(low, high, words);
}

function timesOfDay(low: number, high: number, { words, nowMs }: { words: Words; nowMs: number }): string {
  const { around, between } = words.texts.wait;
  const stepMs = (high > LONG_SECONDS ? LONG_STEP_SECONDS : STEP_OF_DAY_SECONDS) * 1_000;
  const endMs = Math.ceil((nowMs + Math.min(high, DAY_SECONDS) * 1_000) / stepMs) * stepMs;
  const roundedMs = Math.floor((nowMs + low * 1_000) / stepMs) * stepMs;
  // Rounding must not set the ends further apart.
  const startMs = Math.max(roundedMs, Math.ceil((nowMs + (endMs - nowMs) / RATIO_MAX) / stepMs) * stepMs);
  if ((high - low) * 1_000 < stepMs || startMs >= endMs) return filled(around, { time: words.timeOfDay(endMs) });
  return filled(between, { low: words.shortTime(startMs), high: words.timeOfDay(endMs) });
}

function minutesOf(low: number, high: number, { texts, plural, number }: Words): string {
  const most = Math.ceil(high / 60);
  const end = most > EXACT_MINUTES ? Math.ceil(most / STEP_MINUTES) * STEP_MINUTES : most;
  const least = Math.max(1, Math.floor(low / 60));
  const rounded = least > EXACT_MINUTES ? Math.floor(least / STEP_MINUTES) * STEP_MINUTES : least;
  // Rounding must not set the ends further apart.
  const start = Math.max(rounded, Math.ceil(end / RATIO_MAX));
  if (high - low < 60 || start >= end) return plural(texts.wait.minutes, end);
  return plural(texts.wait.range, end, { low: number(start), high: number(end) });
}

/** For how long the place is kept, with and without a known wait. */
export function keptRules({ keptMinutes }: WaitingView, { texts, plural }: Words): readonly [string, string] {
  if (keptMinutes === undefined) return ["", ""];
  return [plural(texts.kept.afterWait, keptMinutes), plural(texts.kept.unknown, keptMinutes)];
}
