/**
 * A moment as a node's two clocks tell it: the wall's, which can be set, and a steady one, which cannot but may stand
 * still while the machine sleeps.
 */

export interface Instant {
  /** Unix ms. */
  readonly wallMs: number;
  /** Ms since some moment before the process began. */
  readonly steadyMs: number;
}

/** How much time may have passed since `before`, in ms: what the clock says that shows more. For leases and the like, which end too early at worst. */
export function mostMsSince(before: Instant, now: Instant): number {
  return Math.max(now.wallMs - before.wallMs, now.steadyMs - before.steadyMs);
}
