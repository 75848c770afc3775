/**
 * What the waiting page says about a visitor: the state, the title, and the wait.
 *
 * The page's script derives state and words from the answer to its poll in the same way.
 */

import { filled, type Words } from "../languages/words.ts";
import type { WaitingView } from "./waiting-json.ts";

/** A state of the page; `next` is the first in line. */
export type PageState = keyof Words["texts"]["states"];

/** The page's script derives the same from `cfWaitingRoom`. */
export function stateOf(view: WaitingView): PageState {
  if (view.kind === "cookieless") return "cookies";
  if (view.kind === "unproved") return "proving";
  if (view.kind === "turn") return "turn";
  if (view.kind === "full") return "full";
  if (view.event?.phase === "prequeue") return view.event.shuffles ? "prequeueDrawn" : "prequeue";
  if (view.queueAll) return "held";
  if (view.kind === "rejected") return "rejected";
  if (!view.originReachable) return "down";
  if (view.isDrawing) return "drawn";
  return view.position === 1 ? "next" : "waiting";
}

/** The page's title: the place, if there is one, and the state. */
export function titleOf(view: WaitingView, { texts, number }: Words): string {
  const { heading } = texts.states[stateOf(view)];
  return view.position === 0 ? heading : filled(texts.line.title, { place: number(view.position), heading });
}

/** Seconds as digits, such as 1:02:03 or 4:05; the page's script counts down in the same way. */
export function spanDigits(seconds: number): string {
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (digits: number): string => String(digits).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** Up to ten minutes each one counts; from there on steps of five are as exact as an estimate can be. */
const EXACT_MINUTES = 10;
const STEP_MINUTES = 5;

/** From an hour on a time of day says more than a number of minutes; it is given to ten minutes. */
const HOUR_SECONDS = 3_600;
const STEP_OF_DAY_MS = 600_000;
const DAY_SECONDS = 86_400;

/**
 * The estimated wait, never more exact than it is known; the page's script words the remaining time in the same way.
 * Rounded up: a visitor who is let in early does not mind.
 */
export function waitWords({ waitSeconds, lastUpdatedMs }: WaitingView, { texts, plural, timeOfDay }: Words): string {
  const { unknown, soon, minutes, around, day } = texts.wait;
  if (waitSeconds === null) return unknown;
  if (waitSeconds < 60) return soon;
  if (waitSeconds > DAY_SECONDS) return day;
  if (waitSeconds > HOUR_SECONDS) {
    const atMs = Math.ceil((lastUpdatedMs + waitSeconds * 1_000) / STEP_OF_DAY_MS) * STEP_OF_DAY_MS;
    return filled(around, { time: timeOfDay(atMs) });
  }
  const exact = Math.ceil(waitSeconds / 60);
  return plural(minutes, exact > EXACT_MINUTES ? Math.ceil(exact / STEP_MINUTES) * STEP_MINUTES : exact);
}
