/**
 * What becomes of an error that nobody foresaw.
 *
 * A broken invariant ends the process at once, wherever it was caught: what is in memory cannot be trusted any more, and what is on disk
 * can (the process may be killed at any time). Any other one costs what was being done, and is logged.
 */

import { BrokenInvariant } from "../../mesh/core/invariant.ts";
import type { Log } from "../log.ts";

/** Takes an error; `what` says what it cost. */
export type OnFault = (error: unknown, what: string) => void;

/** `end` ends the process, without saving anything. */
export function faultHandler(log: Log, end: () => void): OnFault {
  return (error, what) => {
    const stack = error instanceof Error ? error.stack : undefined;
    if (error instanceof BrokenInvariant) {
      log.error({ error: String(error), stack }, "a broken invariant: the process ends at once, as with kill -9");
      end();
    } else log.error({ error: String(error), stack }, what);
  };
}
