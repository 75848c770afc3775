/**
 * Handling of unexpected errors.
 *
 * A broken invariant ends the process at once, wherever it was caught: memory can no longer be trusted, and the disk
 * can (the process may be killed at any time). Any other error costs what was being done, and is logged.
 */

import { BrokenInvariant } from "../../../mesh/core/invariant.ts";
import type { Log } from "../../log.ts";

/** Handles an error; `what` says what it cost. */
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
