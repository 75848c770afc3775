/**
 * The longest session that may still exist anywhere in the mesh: how long slots must count as held when no node speaks
 * for them.
 *
 * Each member's pings carry how long its rooms let sessions last, see longest.ts. A longer duration takes effect at a
 * node only when a majority of the voters has answered a ping that said so (`most`). So the members that decide to
 * remove a node that is cut off know how long its sessions last. A shorter duration ends nothing: earlier sessions may
 * exist until every member is known to have the shorter one and all earlier sessions are over.
 *
 * It is not part of a room's document: of two documents written at once one is lost, and a node may learn of a shorter
 * duration long after it was written. All rooms count together, because inherited accounts of all rooms are settled
 * together.
 */

import type { NodeId, RoomId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import { GRACE_MS, scaledMs } from "../minute.ts";
import type { Puts } from "../wire/outbox.ts";
import { type Earlier, type Followed, Longest } from "./longest.ts";
import { SESSION_LENGTH } from "./stored-members.ts";

/** The longest that a room can allow, in minutes: used where a duration is not known. */
export const SESSION_MINUTES_MAX = 30;
/** The shortest. A session may always last this long, even if no other node knows its room. */
const SESSION_MINUTES_MIN = 1;

/** What a member says about its rooms' sessions; nothing if it knows no room. */
export interface SessionsWord {
  /** The longest that any of its rooms allows, in minutes. */
  readonly sessionMinutes?: number | undefined;
  /** Earlier durations in minutes, with what is left of their time. */
  readonly earlier?: readonly Earlier[] | undefined;
}

export interface LongestSessionParts {
  readonly minuteMs: number;
  readonly leaseMs: number;
  readonly restored: ReadonlyMap<string, unknown>;
  readonly outbox: Puts;
  readonly now: Instant;
}

export class LongestSession {
  readonly #parts: LongestSessionParts;
  readonly #about: Longest;
  /** By room: how long its sessions last. */
  readonly #allowed = new Map<RoomId, number>();
  #most: number | undefined;

  constructor(parts: LongestSessionParts) {
    this.#parts = parts;
    const { minuteMs, now } = parts;
    const stored = SESSION_LENGTH.read(parts.restored);
    this.#most = stored?.most;
    this.#about = new Longest({
      minuteMs,
      now,
      earlier: stored?.earlier ?? [],
      lastsMs: (minutes) => this.#lastsMs(minutes),
      save: (at) => this.#save(at),
    });
  }

  /** The longest that any room here allows, in minutes; 0 without a room. */
  get allowed(): number {
    return this.#about.own;
  }

  /**
   * Most minutes that a session given or extended here may last, whatever its room allows. Before any agreement: as at
   * the start.
   */
  get most(): number {
    return Math.max(SESSION_MINUTES_MIN, this.#most ?? 0);
  }

  /** A room's sessions last `minutes` from now on; 0 if it was deleted. */
  allow(room: RoomId, minutes: number, now: Instant): void {
    const before = this.#allowed.get(room) ?? 0;
    if (minutes === 0) this.#allowed.delete(room);
    else this.#allowed.set(room, minutes);
    this.#about.own = Math.max(0, ...this.#allowed.values());
    if (minutes < before) this.#about.hold(before, now);
  }

  /** A majority of the voters knows that sessions here last up to `minutes`. */
  agree(minutes: number, now: Instant): void {
    if (minutes === this.#most) return;
    this.#most = minutes;
    this.#about.save(now);
  }

  /** What members are told. */
  word(now: Instant): { sessionMinutes?: number; earlier?: Earlier[] } {
    const { allowed } = this;
    const earlier = this.#about.earlier(now);
    return { ...(allowed > 0 && { sessionMinutes: allowed }), ...(earlier.length > 0 && { earlier }) };
  }

  /** What a member says. */
  heard(from: NodeId, { sessionMinutes = 0, earlier = [] }: SessionsWord, now: Instant): void {
    this.#about.heard(from, sessionMinutes, earlier, now);
  }

  /**
   * The longest session that may exist at `now`, in minutes, those of other members included; 0 if no node has had a
   * room.
   */
  mayBeAbout(now: Instant): number {
    return this.#about.at(now);
  }

  /**
   * Whole minutes after which all sessions must be over: those that any node gave up to `now`, and those that it gives
   * in the rest of a lease.
   */
  overMinutes(now: Instant): number {
    return Math.ceil(this.#lastsMs(this.mayBeAbout(now)) / this.#parts.minuteMs);
  }

  /** The longest that may exist although no room here allows it any more; 0 for none. */
  longestEarlier(now: Instant): number {
    return this.#about.longestEarlier(now);
  }

  /** Other members may have given sessions of up to `minutes` until now. */
  mayLast(minutes: number, now: Instant): void {
    this.#about.mayLast(minutes, now);
  }

  /** Call it often. */
  tick(others: Followed, now: Instant): void {
    this.#about.tick(others, now);
  }

  /**
   * Ms from the last moment at which such a session was given until it must be over, at a node that was cut off then.
   * One more minute, see `Longest`.
   */
  #lastsMs(minutes: number): number {
    const { minuteMs, leaseMs } = this.#parts;
    return leaseMs + (minutes + 2) * minuteMs + scaledMs(GRACE_MS, minuteMs);
  }

  #save(now: Instant): void {
    this.#parts.outbox.put(SESSION_LENGTH.at(), { most: this.#most ?? 0, earlier: [...this.#about.earlier(now)] });
  }
}
