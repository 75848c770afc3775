/**
 * The time by which the HTTP layer counts all its waiting, and what calls its sweep.
 *
 * It is an argument of the listener: a test moves it by hand, so no verdict depends on the speed of its machine.
 */

export interface SteadyClock {
  /** Milliseconds since some moment; never goes back. */
  now(): number;
  /** Calls `act` every `everyMs`, until the function that it returns is called. */
  every(everyMs: number, act: () => void): () => void;
}

/** That of the process. */
export const PROCESS_CLOCK: SteadyClock = {
  now: () => performance.now(),
  every(everyMs, act) {
    const timer = setInterval(act, everyMs);
    return () => clearInterval(timer);
  },
};
