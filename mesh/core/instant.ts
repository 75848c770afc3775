/**
 * A moment on a node's two clocks: the wall clock, which can be set, and a steady one, which cannot, but may stand
 * still while the machine sleeps.
 */

export interface Instant {
  /** Unix ms. */
  readonly wallMs: number;
  /** Ms since some moment before the process started. */
  readonly steadyMs: number;
}

/**
 * How much time may have passed since `before`, in ms, by the clock that shows more. For leases and the like, which at
 * worst end too early.
 */
export function mostMsSince(before: Instant, now: Instant): number {
  return Math.max(now.wallMs - before.wallMs, now.steadyMs - before.steadyMs);
}
