/**
 * Adaptive throttling: when many requests fail, new visitors are held back by as much (CT-10).
 *
 * The rule is the one of the SRE book's chapter on overload: of `requests` sent within two minutes `accepts` were
 * accepted, and the share max(0, (requests - K × accepts) / (requests + 1)) of what is new is held back. There it is a
 * chance, here a rate: a draw would let a new visitor overtake the line.
 */

/** Fewer requests within two minutes say nothing: two failures of three would hold back a third. */
const REQUESTS_MIN = 10;

/** The part of new visitors to hold back, 0 to 1. `k` below 1 would hold back though nothing fails. */
export function heldBackShare({ requests, accepts }: { requests: number; accepts: number }, k: number): number {
  if (requests < REQUESTS_MIN) return 0;
  return Math.max(0, (requests - k * accepts) / (requests + 1));
}
