/**
 * What the waiting page says about a visitor: the state, the title, and the wait.
 *
 * The page's script derives state and words from the answer to its poll in the same way.
 */

import { filled, type Words } from "../languages/words.ts";
import { type WaitingView, waitMinutes } from "./waiting-json.ts";

/** A state of the page; `next` is the first in line. */
export type PageState = keyof Words["texts"]["states"];

/** The page's script derives the same from `cfWaitingRoom`. */
export function stateOf(view: WaitingView): PageState {
  if (view.kind === "cookieless") return "cookies";
  if (view.kind === "full") return "full";
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

/** The estimated wait; the page's script words the remaining time in the same way. */
export function waitWords(view: WaitingView, { texts, plural, duration }: Words): string {
  const minutes = waitMinutes(view);
  if (view.waitSeconds === null || minutes === null) return texts.wait.unknown;
  if (view.waitSeconds < 60) return texts.wait.soon;
  if (minutes < 60) return plural(texts.wait.minutes, minutes);
  return filled(texts.wait.hours, { time: duration(minutes) });
}
