/**
 * How much more than it holds a node pledges for a room, and when it changes its pledge.
 *
 * Headroom is lost for a while together with a lost node, in addition to what it held; and a new visitor beyond it
 * waits for a round trip to the voters. So it is small, and doubles with each raise while visitors come in faster than
 * raises are acknowledged. A pledge is raised when half of the headroom is used up, and lowered when there has been far
 * too much for some seconds: at rest nothing is sent.
 */

/**
 * Slots in an empty room: this many where the limit is large, and one in a room for fifty or less. Halved, the first
 * visitors wait for each other's raises; doubled, twice as much is lost with each node.
 */
const HEADROOM_MIN = 4;
const LIMIT_PER_SLOT = 50;
/**
 * Part of what is held. A full room turns over once in a session's length, so a tenth lasts for half a minute; doubled,
 * twice as much is lost with a node.
 */
const HEADROOM_PART = 0.1;
/**
 * Raises that follow each other within this time mean that visitors come in faster, in ms: it covers a round trip
 * around the world and what is admitted meanwhile.
 */
const RUSH_MS = 1_000;
/** How often headroom doubles: to 512 slots and more, by then in nine round trips. */
const DOUBLINGS_MAX = 7;
/**
 * How long there must have been too much before it is lowered, in ms: sessions end in waves, and their slots are taken
 * again within seconds.
 */
const LOWER_MS = 3_000;

export class Headroom {
  #doublings = 0;
  #raisedMs = Number.NEGATIVE_INFINITY;
  /** Since when there has been too much; undefined while there is not. */
  #muchSinceMs: number | undefined;

  /**
   * What to pledge where `needed` slots are held or waited for and `pledged` are pledged now; `limit`: the room's,
   * `nowMs`: on the steady clock. The same number means no change.
   */
  next({ needed, pledged, limit }: { needed: number; pledged: number; limit: number }, nowMs: number): number {
    const least = Math.min(HEADROOM_MIN, Math.ceil(limit / LIMIT_PER_SLOT));
    const usual = Math.max(1, least, Math.ceil(needed * HEADROOM_PART));
    if (!Number.isFinite(pledged)) return needed + usual;
    if (pledged - needed < usual / 2) {
      this.#doublings = nowMs - this.#raisedMs < RUSH_MS ? Math.min(this.#doublings + 1, DOUBLINGS_MAX) : 0;
      this.#raisedMs = nowMs;
      this.#muchSinceMs = undefined;
      return needed + usual * 2 ** this.#doublings;
    }
    if (pledged - needed <= 2 * usual) this.#muchSinceMs = undefined;
    else {
      this.#muchSinceMs ??= nowMs;
      if (nowMs - this.#muchSinceMs >= LOWER_MS) {
        this.#muchSinceMs = undefined;
        return needed + usual;
      }
    }
    return pledged;
  }
}
