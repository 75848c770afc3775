/**
 * The text of the gate's own pages: the states of a waiting visitor, waits and intervals.
 *
 * The page's script has the same states, and derives the state from the answer to its poll as `stateOf` does from the
 * view.
 */

import { formatMinutes, type WaitingView, waitMinutes } from "./waiting-json.ts";

/** The states that the page shows; `next` is the first in line. */
export const STATES = {
  waiting: {
    heading: "You are in line",
    advice: "Keep this page open. Your place is kept, and you will be let in automatically when it is your turn.",
  },
  next: {
    heading: "You are next",
    advice: "Keep this page open. You will be let in automatically as soon as there is room.",
  },
  held: {
    heading: "The line is paused",
    advice: "Nobody is being let in right now. Keep this page open: your place is kept, and the line will move again.",
  },
  down: {
    heading: "The site does not answer",
    advice:
      "The site behind this waiting room does not answer at the moment. You keep your place. Keep this page open: the line moves again as soon as the site is back.",
  },
  full: {
    heading: "The line is full",
    advice: "Nobody else can join at the moment. Keep this page open: it tries again automatically.",
  },
  cookies: {
    heading: "Please allow cookies",
    advice:
      "Your browser does not keep the cookie that holds a place in line, so you have none yet. Please allow cookies for this site in your browser. This page then gets you a place automatically.",
  },
  rejected: {
    heading: "Closed at the moment",
    advice: "No visitors are being let in now. Keep this page open: it tries again automatically.",
  },
};

/** A visitor who sent a form reads this while waiting. */
export const POSTED_NOTE = "What you sent was not passed on. When you are let in, please send it again.";

/** The page's script derives the same from `cfWaitingRoom`. */
export function stateOf(view: WaitingView): keyof typeof STATES {
  if (view.kind === "cookieless") return "cookies";
  if (view.kind === "full") return "full";
  if (view.queueAll) return "held";
  if (view.kind === "rejected") return "rejected";
  if (!view.originReachable) return "down";
  return view.position === 1 ? "next" : "waiting";
}

/** The page's title as HTML: the place, if there is one, and the state. */
export function titleOf(view: WaitingView): string {
  const { heading } = STATES[stateOf(view)];
  // The dash is an entity: one character above latin1 would make the whole page twice as wide in memory, and slow to send.
  return view.position === 0 ? heading : `Place ${grouped(view.position)} &mdash; ${heading}`;
}

/** The estimated wait; the page's script words the remaining time in the same way. */
export function waitWords(view: WaitingView): string {
  const minutes = waitMinutes(view);
  if (view.waitSeconds === null || minutes === null) return "not known yet";
  if (view.waitSeconds < 60) return "less than a minute";
  return minutes === 1 ? "about a minute" : `about ${formatMinutes(minutes)}`;
}

/** A number of seconds in words: "20 seconds", from a minute on in whole minutes. */
export function pauseWords(seconds: number): string {
  if (seconds < 60) return `${seconds} second${seconds === 1 ? "" : "s"}`;
  return formatMinutes(Math.ceil(seconds / 60));
}

/** 12345 as "12,345". */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}
