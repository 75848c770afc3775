/** How long a visitor waits before the next request: in line, after an error, and before a click. */

import type { Waiting } from "./seen.ts";

export type Manner = "script" | "no script" | "reloads" | "app";

/** The pause of a visitor who is not in line, before the page is loaded again after an error. */
const RETRY_MS = 5_000;

/** The waiting page's own pauses after an error: 2 s, doubled each time, up to a minute. */
const BACK_OFF_MS = 2_000;
const BACK_OFF_MS_MAX = 60_000;

/** The script's own spread of polls, of visitors with and without a place. */
const PLACE_JITTER = 0.1;
const JITTER = 0.5;

/** One who reloads does it so many times in one interval of the page; not more often than once a second. */
const RELOADS = 3;
const RELOAD_MS_MIN = 1_000;

/** Time to see that it is one's turn, and to click. */
const CLICK_MS_MAX = 5_000;

/** Before the waiting page is asked again. */
export function waitingMs(
  { position, refreshSeconds, pollSeconds, pollMs }: Waiting,
  { manner, random }: { readonly manner: Manner; readonly random: () => number },
): number {
  if (manner === "reloads") return Math.max(RELOAD_MS_MIN, (1_000 * refreshSeconds) / RELOADS);
  if (manner === "no script" || pollSeconds === undefined) return 1_000 * refreshSeconds;
  return pollMs ?? 1_000 * pollSeconds * (1 + random() * (position > 0 ? PLACE_JITTER : JITTER));
}

/** Before the click of a visitor whose turn it is. */
export function clickMs(enterSeconds: number, random: () => number): number {
  return enterSeconds === 0 ? 0 : random() * Math.min(CLICK_MS_MAX, 500 * enterSeconds);
}

/** After an error; `errors` in a row. */
export function retryMs(
  retryAfterSeconds: number,
  {
    errors,
    isWaiting,
    random,
  }: { readonly errors: number; readonly isWaiting: boolean; readonly random: () => number },
): number {
  const ownMs = isWaiting ? Math.min(BACK_OFF_MS_MAX, BACK_OFF_MS * 2 ** errors) : RETRY_MS;
  return Math.max(ownMs, Math.min(BACK_OFF_MS_MAX, 1_000 * retryAfterSeconds)) * (1 + random() * JITTER);
}
