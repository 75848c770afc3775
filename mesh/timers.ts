/**
 * When the transport looks, gives up and tries again: by the timers of the process, or in tests by those of a clock
 * that does not depend on how busy the host is.
 */

export interface Timers {
  /** Does something once; what is returned takes it back. */
  after(ms: number, act: () => void): () => void;
  /** Does something again and again; what is returned ends it. */
  every(ms: number, act: () => void): () => void;
}

export const PROCESS_TIMERS: Timers = {
  after: (ms, act) => {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
  every: (ms, act) => {
    const timer = setInterval(act, ms);
    return () => clearInterval(timer);
  },
};
