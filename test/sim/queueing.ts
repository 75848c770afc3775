/**
 * When visitors had to wait in a run, minute by minute as on a chart of it: the times at which queueing began and
 * ended.
 *
 * Near a limit a visitor waits for a moment now and then. So a minute counts when there was a line for half of it, and
 * gaps of less than five minutes do not end a time of queueing.
 */

import { timeText } from "./clock.ts";
import type { Sample } from "./oracle.ts";
import type { Scenario } from "./scenario.ts";

/** From the start of its first minute to the end of its last one, in ms since the start of the run. */
export interface Queueing {
  readonly fromMs: number;
  readonly toMs: number;
  /** Whether visitors still waited when the run ended. */
  readonly isOpen: boolean;
}

const PART = 0.5;
const GAP_MINUTES = 5;

/** The times of queueing, in order; `samples` are one a second. */
export function queueingOf(samples: readonly Pick<Sample, "atMs" | "waiting">[], minuteMs: number): Queueing[] {
  const minutes = new Map<number, { looks: number; waiting: number }>();
  for (const { atMs, waiting } of samples) {
    const minute = minutes.getOrInsertComputed(Math.floor(atMs / minuteMs), () => ({ looks: 0, waiting: 0 }));
    minute.looks += 1;
    if (waiting > 0) minute.waiting += 1;
  }
  const last = Math.max(...minutes.keys());
  const times: Queueing[] = [];
  for (const [minute, { looks, waiting }] of minutes) {
    if (waiting < PART * looks) continue;
    const before = times.at(-1);
    const goesOn = before !== undefined && minute * minuteMs - before.toMs < GAP_MINUTES * minuteMs;
    const time = {
      fromMs: goesOn ? before.fromMs : minute * minuteMs,
      toMs: (minute + 1) * minuteMs,
      isOpen: minute === last,
    };
    times.splice(goesOn ? -1 : times.length, 1, time);
  }
  return times;
}

/** The times of queueing as text. */
export function queueingText(samples: readonly Sample[], scenario: Scenario): string {
  const times = queueingOf(samples, scenario.minuteMs).map(({ fromMs, toMs, isOpen }) => {
    const until = isOpen ? "to the end" : `to ${timeText(toMs, scenario)}`;
    return `from ${timeText(fromMs, scenario)} ${until}`;
  });
  return times.length === 0 ? "nobody had to wait" : times.join("; ");
}
