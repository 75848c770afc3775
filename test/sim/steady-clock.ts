/** The steady clock of a simulated host. */

/**
 * How far it gets from the time, in ms. Time synchronisation sets the frequency of both clocks of a host, so they do
 * not drift apart for ever. A node that nobody can confirm follows its steady clock once it is 500 ms from the wall
 * clock; by this bound it never is, whenever the node started.
 */
const OFF_MS_MAX = 250;

/**
 * What it shows, in ms, `elapsedMs` after 0: it runs at `rate`, until it is too far from the time, and then as much
 * slower or faster until it is as far off on the other side.
 */
export function steadyMsAt(elapsedMs: number, rate: number): number {
  const offMs = (rate - 1) * elapsedMs;
  if (Math.abs(offMs) <= OFF_MS_MAX) return elapsedMs * rate;
  const turn = 4 * OFF_MS_MAX;
  const inTurn = (((offMs - OFF_MS_MAX) % turn) + turn) % turn;
  return elapsedMs + Math.abs(inTurn - 2 * OFF_MS_MAX) - OFF_MS_MAX;
}
