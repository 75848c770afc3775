/**
 * The time of a rehearsal, as an argument: a run on a virtual clock is the same on any machine.
 */

import { pause } from "../crowd/pause.ts";

export interface Clock {
  /** Ms that never go back; their zero means nothing. */
  steadyMs(): number;
  /** Unix ms, for cookies. */
  unixMs(): number;
  /** Sleeps, until `signal` at most. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
  /** Calls `act` again and again, until the function that it returns is called. */
  every(everyMs: number, act: () => void): () => void;
}

export const SYSTEM_CLOCK: Clock = {
  steadyMs: () => performance.now(),
  unixMs: () => Date.now(),
  pause,
  every: (everyMs, act) => {
    const timer = setInterval(act, everyMs);
    return () => clearInterval(timer);
  },
};
