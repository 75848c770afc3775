/**
 * The time of a crowd, as an argument: a run on a virtual clock is the same on any machine.
 */

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

/** Sleeps, until `signal` at most. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const wake = (): void => resolve();
  signal.addEventListener("abort", wake);
  await promise;
  clearTimeout(timer);
  signal.removeEventListener("abort", wake);
}
