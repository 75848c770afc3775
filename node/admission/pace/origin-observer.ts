/**
 * What a gate reports about a room's origin: how many requests it sent there, and how they ended.
 *
 * From this each node decides by itself how far to hold back new visitors (pace.ts). Times are the node's clock in Unix
 * ms.
 */

export interface OriginObserver {
  /** A request goes to the origin. One that is sent again counts again. */
  sent(nowMs: number): void;
  /** The head of its answer is there, `tookMs` after it was sent. `isAccepted`: its status is below 500. */
  answered(isAccepted: boolean, tookMs: number, nowMs: number): void;
  /** It got no answer: refused, timed out, or broken off before the head. */
  failed(nowMs: number): void;
  /**
   * A sent request came to nothing, because its visitor went away before the origin could have answered: as if it had
   * not been sent. One whose visitor gave up after a long wait stays as sent, without an answer.
   */
  withdrawn(nowMs: number): void;
  /** Whether any target of the origin is healthy, according to the health checks. Repeated while it lasts. */
  reachable(isReachable: boolean, nowMs: number): void;
}
