/**
 * The judge of one room: counts its sessions by the cookies that were issued, and its admissions by the minute stamped
 * on them, at the moment they are issued. A broken promise ends the run there.
 *
 * A session counts for as long as any issued cookie is good, even if the room was deleted and created again: it
 * continues with its sessions. A revoked session counts to the end of that minute. One that every gate refuses does not
 * count, nor one whose end was ordered and stored, though not confirmed. Any of them counts again in a minute in which
 * a gate serves it.
 */

import type { Minute } from "../../mesh/core/ids.ts";
import { minutePlus } from "../../mesh/core/minute.ts";

export interface Limits {
  readonly active: number;
  readonly arrivals: number;
}

export interface RoomJudgeParts {
  /** What people call the room; empty where there is no other. */
  readonly name: string;
  /** Whether an exceeded limit ends the run: not for policies that promise none. */
  readonly isStrict: boolean;
  readonly fail: (text: string) => never;
  /** Whether every gate refuses a session. */
  readonly isRefused?: (id: string) => boolean;
  /** Whether the end of a session is on any disk. */
  readonly isEndStored?: (id: string) => boolean;
}

const NEVER = 0 as Minute;
/** Minutes for which what is over is still known. */
const KEPT_MINUTES = 2;

export class RoomJudge {
  readonly #parts: RoomJudgeParts;
  /** By session id: the last minute for which any issued cookie is good. */
  readonly #sessions = new Map<string, Minute>();
  /** Sessions by that minute. */
  readonly #goodTo = new Map<Minute, number>();
  /** Sessions that were revoked, with the last minute that a cookie of theirs could be good for. */
  readonly #revoked = new Map<string, Minute>();
  /**
   * Sessions that were ordered to end, also where the node could not confirm it; with the minute in which they were
   * last served since.
   */
  readonly #ordered = new Map<string, Minute>();
  readonly #admittedIn = new Map<Minute, number>();
  /** By session id: the minute of its last admission. */
  readonly #admittedAt = new Map<string, Minute>();
  /** The highest limits that ever applied. */
  #most: Limits = { active: 0, arrivals: 0 };
  #limits: Limits = { active: 0, arrivals: 0 };
  /** The judge of the site, where each of them counts too; and those of its members. */
  #site: RoomJudge | undefined;
  readonly #members: RoomJudge[] = [];
  /** Sessions and limit at the moment when the most of it was taken. */
  fullest = { inside: 0, limit: 1 };

  constructor(parts: RoomJudgeParts) {
    this.#parts = parts;
  }

  /** Has this room's visitors count in that one, too. */
  join(site: RoomJudge): void {
    this.#site = site;
    site.#members.push(this);
  }

  get limits(): Limits {
    return this.#limits;
  }

  /** The limits from now on. */
  limit(limits: Limits): void {
    this.#limits = limits;
    this.#most = {
      active: Math.max(this.#most.active, limits.active),
      arrivals: Math.max(this.#most.arrivals, limits.arrivals),
    };
  }

  /** Sessions whose cookies are good in `minute`. */
  inside(minute: Minute): number {
    let inside = 0;
    for (const [lastGood, count] of this.#goodTo) if (lastGood >= minute) inside += count;
    return inside;
  }

  /** Visitors admitted in `minute`. */
  admittedIn(minute: Minute): number {
    return this.#admittedIn.get(minute) ?? 0;
  }

  /** How full the room is, of 1. */
  fullness(minute: Minute): number {
    const { active, arrivals } = this.#limits;
    return Math.max(this.inside(minute) / active, this.admittedIn(minute) / arrivals);
  }

  /** A visitor received a session, or its extension, to the end of `lastGood`. */
  received(id: string, lastGood: Minute, minute: Minute): void {
    const revokedTo = this.#revoked.get(id);
    if (revokedTo !== undefined) {
      // By a gate that has not heard of its end: it counts when it is served, and is refused at a later check-in.
      if (lastGood > revokedTo) this.#revoked.set(id, lastGood);
      return;
    }
    const before = this.#sessions.get(id);
    if (before !== undefined && before >= lastGood) return;
    this.#move(id, before, lastGood);
    this.#look(minute);
    this.#site?.received(id, lastGood, minute);
  }

  /** Whether a visitor was admitted lately. */
  knows(id: string): boolean {
    return this.#admittedAt.has(id);
  }

  /**
   * A visitor was admitted in the minute `stamped`, for the first time or, after a session was lost, once more. Returns
   * how much of the arrivals limit is used; undefined if it was known.
   */
  admitted(id: string, stamped: Minute): number | undefined {
    if (this.#admittedAt.get(id) === stamped) return undefined;
    this.#admittedAt.set(id, stamped);
    const ofSite = this.#site?.admitted(id, stamped) ?? 0;
    const admitted = (this.#admittedIn.get(stamped) ?? 0) + 1;
    this.#admittedIn.set(stamped, admitted);
    if (admitted > this.#most.arrivals && this.#parts.isStrict)
      this.#fail(`${admitted} admitted in minute ${stamped}, ${this.#most.arrivals} allowed`);
    return Math.max(ofSite, admitted / this.#most.arrivals);
  }

  /** An order to end a session was given. Until it is confirmed the session may have ended or not: it counts on. */
  revoking(id: string): void {
    if (this.#sessions.has(id)) this.#ordered.set(id, NEVER);
    this.#site?.revoking(id);
  }

  /** Whether a gate may refuse a session as revoked. */
  mayBeRevoked(id: string): boolean {
    return this.#ordered.has(id) || this.#revoked.has(id);
  }

  /** A session was ended in `minute`: after that it no longer counts. */
  revoked(id: string, minute: Minute): void {
    const lastGood = this.#sessions.get(id);
    if (lastGood === undefined || lastGood < minute) return;
    // Once more, at another gate: its cookies are no shorter by that.
    if (!this.#revoked.has(id)) this.#revoked.set(id, lastGood);
    this.#move(id, lastGood, minute);
    this.#site?.revoked(id, minute);
  }

  isRevoked(id: string): boolean {
    return this.#revoked.has(id);
  }

  /** A gate served a visitor with the cookie of a session, which therefore counts in `minute`. */
  served(id: string, minute: Minute): void {
    this.#site?.served(id, minute);
    if (this.#ordered.has(id)) this.#ordered.set(id, minute);
    const before = this.#sessions.get(id);
    if (before === undefined || before >= minute || !this.#revoked.has(id)) return;
    this.#move(id, before, minute);
    this.#look(minute);
  }

  /** Forgets what is long over. */
  sweep(minute: Minute): void {
    const isOver = (lastGood: Minute): boolean => lastGood < minute - KEPT_MINUTES;
    for (const lastGood of this.#goodTo.keys()) if (isOver(lastGood)) this.#goodTo.delete(lastGood);
    for (const [id, lastGood] of this.#sessions) {
      if (!isOver(lastGood) || !isOver(this.#revoked.get(id) ?? lastGood)) continue;
      this.#sessions.delete(id);
      this.#admittedAt.delete(id);
      this.#revoked.delete(id);
      this.#ordered.delete(id);
    }
  }

  #move(id: string, before: Minute | undefined, lastGood: Minute): void {
    this.#sessions.set(id, lastGood);
    if (before !== undefined) this.#goodTo.set(before, (this.#goodTo.get(before) ?? 0) - 1);
    this.#goodTo.set(lastGood, (this.#goodTo.get(lastGood) ?? 0) + 1);
  }

  #look(minute: Minute): void {
    if (this.inside(minute) > this.#most.active && this.#parts.isStrict) {
      for (const id of this.#sessions.keys()) this.#endUnconfirmed(id, minute);
      const left = this.inside(minute);
      if (left > this.#most.active) this.#fail(`${left} sessions inside, ${this.#most.active} allowed`);
    }
    const inside = this.inside(minute);
    if (inside * this.fullest.limit > this.fullest.inside * this.#most.active)
      this.fullest = { inside, limit: this.#most.active };
  }

  /**
   * Ends a session that has ended although no gate could confirm it: where the order reached a disk that was full it is
   * stored later, and the process may end before it tells. Gates that join after that may not know.
   */
  #endUnconfirmed(id: string, minute: Minute): void {
    for (const member of this.#members) member.#endUnconfirmed(id, minute);
    const before = minutePlus(minute, -1);
    const servedIn = this.#ordered.get(id);
    if (this.#parts.isRefused?.(id)) this.revoked(id, before);
    else if (servedIn !== undefined && this.#parts.isEndStored?.(id))
      this.revoked(id, Math.max(before, servedIn) as Minute);
  }

  #fail(text: string): never {
    const { name, fail } = this.#parts;
    return fail(`never over: ${name === "" ? "" : `${name}: `}${text}`);
  }
}
