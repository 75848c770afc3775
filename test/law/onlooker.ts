/**
 * Sees everything that happens at a room: every session, what its visitor received, and every limit that applied. It
 * computes for itself which sessions exist and which slots are held, and fails a test when a limit is exceeded.
 */

import type { Minute } from "../../mesh/core/ids.ts";
import { GRACE_MS, MINUTE_MS } from "../../mesh/core/minute.ts";
import type { Room } from "../../node/config/room.ts";

export interface Session {
  /** The step in which it came in. */
  readonly since: number;
  readonly minute: Minute;
  /** The last minute that any cookie a visitor holds is good for; -1 while nobody was told. */
  toldLastGood: number;
  /** What the process has in memory. */
  lastGood: Minute;
  revokedIn: Minute | undefined;
  /** The session that had this id before, if its place was used again after a restart. */
  readonly before: Session | undefined;
}

export class Onlooker {
  readonly sessions = new Map<string, Session>();
  /** Ids in the order in which visitors were admitted. */
  readonly letIn: string[] = [];
  /** Number of the step under way. */
  steps = 0;
  readonly #limits: { readonly since: number; readonly active: number; readonly arrivals: number }[] = [];

  limitsAre({ totalActiveUsers, newUsersPerMinute }: Room): void {
    this.#limits.push({ since: this.steps, active: totalActiveUsers, arrivals: newUsersPerMinute });
  }

  /** `id` was admitted, for the first time or by a second request of the same visitor. */
  admits(id: string, minute: Minute, lastGood: Minute): void {
    const known = this.sessions.get(id);
    const isOver = known !== undefined && (known.lastGood < minute || lastGood > (known.revokedIn ?? lastGood));
    if (known !== undefined && !isOver) {
      this.extends(known, lastGood);
      return;
    }
    const since = this.steps;
    this.sessions.set(id, { since, minute, toldLastGood: -1, lastGood, revokedIn: undefined, before: known });
    this.letIn.push(id);
  }

  extends(session: Session, lastGood: Minute): void {
    if (lastGood > session.lastGood) session.lastGood = lastGood;
  }

  /** A cookie of `id` has reached its visitor. */
  tells(id: string, lastGood: Minute): void {
    const session = this.sessions.get(id);
    if (session !== undefined) session.toldLastGood = Math.max(session.toldLastGood, lastGood);
  }

  /** After a crash, what no visitor received is gone everywhere except on disk. */
  forgetUntold(): void {
    for (const [id, session] of this.sessions) {
      const { toldLastGood, before } = session;
      if (toldLastGood >= 0) session.lastGood = toldLastGood as Minute;
      else if (before === undefined) this.sessions.delete(id);
      else this.sessions.set(id, before);
    }
  }

  /** Sessions that hold a slot by the rule, whether their visitors were told or not. */
  slotsHeld(nowMs: number): number {
    let held = 0;
    for (const { lastGood, revokedIn } of this.sessions.values()) {
      const last = revokedIn === undefined ? lastGood : Math.min(lastGood, revokedIn);
      if ((last + 1) * MINUTE_MS + GRACE_MS > nowMs) held += 1;
    }
    return held;
  }

  checkLimits(minute: Minute): void {
    const sessions = [...this.sessions.values()];
    const inside = sessions.filter(
      ({ toldLastGood, revokedIn }) => toldLastGood >= minute && (revokedIn === undefined || revokedIn >= minute),
    );
    const activeMax = this.#limitMax("active", inside);
    must(inside.length <= activeMax, `sessions inside stay within ${activeMax}, not ${inside.length}`);
    const admitted = sessions.filter((session) => session.minute === minute && session.toldLastGood >= 0);
    const arrivalsMax = this.#limitMax("arrivals", admitted);
    must(admitted.length <= arrivalsMax, `admissions of a minute stay within ${arrivalsMax}, not ${admitted.length}`);
  }

  /** The highest limit that applied since the oldest of `sessions` came in. */
  #limitMax(resource: "active" | "arrivals", sessions: readonly Session[]): number {
    const oldest = Math.min(...sessions.map(({ since }) => since));
    const inForce = this.#limits.filter((_, index) => (this.#limits[index + 1]?.since ?? oldest) >= oldest);
    return Math.max(...inForce.map((limits) => limits[resource]));
  }
}

/** Vitest's `expect` is too slow for a check at every step. */
export function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(`Broken: ${what}`);
}
