/**
 * The longest session that may still be about, anywhere in the mesh: how long slots that nobody speaks for must count as held.
 *
 * Each member says in its pings how long its rooms let sessions last. A longer duration counts at a node only when a majority of
 * the voters has answered a ping that said so (`most`). So of any node that is cut off then, those that decide on its removal know
 * how long its sessions last. A shorter duration ends nothing: sessions given before may be about until every member is known to have
 * it, and all that they gave is over. These earlier ones are told with the pings too, as a node that joined since cannot know them.
 *
 * Not part of a room's document: of two documents written at once one is lost, and a node may learn of a shorter duration long
 * after it was written. All rooms count together, as inherited accounts of all rooms are settled together.
 */

import type { NodeId, RoomId } from "./ids.ts";
import type { Instant } from "./instant.ts";
import { GRACE_MS, scaledMs } from "./minute.ts";
import type { Outbox } from "./outbox.ts";

/** The longest that a room can allow, in minutes: where a duration is not known. */
export const SESSION_MINUTES_MAX = 30;
/** The shortest. A session may always last as long, whoever knows of its room. */
const SESSION_MINUTES_MIN = 1;

const KEY = "longest-session";
/** Between two times that what is left goes to the disk, in ms. A restart holds slots for longer by as much at most. */
const SAVE_MS = 10_000;

/** Sessions of up to so many minutes may be about for so long yet. */
export type Earlier = [minutes: number, leftMs: number];

/** What a member says of its rooms' sessions; nothing where it knows no room. */
export interface SessionsWord {
  /** The longest that any of its rooms allows, in minutes. */
  readonly sessionMinutes?: number | undefined;
  readonly earlier?: readonly Earlier[] | undefined;
}

interface StoredSessions {
  readonly most: number;
  readonly earlier: readonly Earlier[];
}

export interface LongestSessionParts {
  readonly minuteMs: number;
  readonly leaseMs: number;
  readonly islandMs: number;
  readonly restored: ReadonlyMap<string, unknown>;
  readonly outbox: Outbox;
  readonly now: Instant;
}

export class LongestSession {
  readonly #parts: LongestSessionParts;
  /** By room: how long its sessions last. */
  readonly #allowed = new Map<RoomId, number>();
  /** By member: the longest of its rooms, as it last said. */
  readonly #words = new Map<NodeId, number>();
  /** By minutes: until when, on the steady clock, sessions of that length may be about although no room here allows them any more. */
  readonly #earlier = new Map<number, number>();
  /** Asked for at every admission, hence kept. */
  #longestAllowed = 0;
  #most: number | undefined;
  #savedMs: number;

  constructor(parts: LongestSessionParts) {
    this.#parts = parts;
    const stored = parts.restored.get(KEY) as StoredSessions | undefined;
    const { steadyMs } = parts.now;
    this.#most = stored?.most;
    this.#savedMs = steadyMs;
    for (const [minutes, leftMs] of stored?.earlier ?? []) this.#earlier.set(minutes, steadyMs + leftMs);
  }

  /** The longest that any room here allows, in minutes; 0 without a room. */
  get allowed(): number {
    return this.#longestAllowed;
  }

  /** Most minutes that a session given or extended here may last, whatever its room allows. Before anything was agreed on: as at the start. */
  get most(): number {
    return Math.max(SESSION_MINUTES_MIN, this.#most ?? 0);
  }

  /** All rooms of the disk are known. Where nothing was agreed on, what they allow was, by an earlier version. */
  begin(now: Instant): void {
    if (this.#most === undefined) this.agree(this.allowed, now);
  }

  /** A room lets its sessions last `minutes` from now on; 0 if it was deleted. */
  allow(room: RoomId, minutes: number, now: Instant): void {
    const before = this.#allowed.get(room) ?? 0;
    if (minutes === 0) this.#allowed.delete(room);
    else this.#allowed.set(room, minutes);
    this.#longestAllowed = Math.max(0, ...this.#allowed.values());
    if (minutes < before) this.#mayLast(before, now);
  }

  /** A majority of the voters knows that sessions here last up to `minutes`. */
  agree(minutes: number, now: Instant): void {
    if (minutes === this.#most) return;
    this.#most = minutes;
    this.#save(now);
  }

  /** What is said to members. */
  word(now: Instant): { sessionMinutes?: number; earlier?: Earlier[] } {
    const { allowed } = this;
    const earlier = this.#earlierAt(now);
    return { ...(allowed > 0 && { sessionMinutes: allowed }), ...(earlier.length > 0 && { earlier }) };
  }

  /** What a member says. */
  heard(from: NodeId, { sessionMinutes = 0, earlier = [] }: SessionsWord, now: Instant): void {
    this.#words.set(from, sessionMinutes);
    for (const [minutes, leftMs] of earlier) this.#hold(minutes, Math.min(leftMs, this.#lastsMs(minutes)), now);
  }

  /** The longest session that may be about at `now`, in minutes, other members' included; 0 where nobody has had a room. */
  mayBeAbout(now: Instant): number {
    return Math.max(this.allowed, ...this.#words.values(), this.longestEarlier(now));
  }

  /** Whole minutes after which every session must be over that anybody gave up to `now`, or extends while it is cut off. */
  overMinutes(now: Instant): number {
    return Math.ceil(this.#lastsMs(this.mayBeAbout(now)) / this.#parts.minuteMs);
  }

  /** The longest that may be about although no room here allows it any more; 0 for none. */
  longestEarlier(now: Instant): number {
    return Math.max(0, ...this.#earlierAt(now).map(([minutes]) => minutes));
  }

  /** Other members may have given sessions of up to `minutes` until now. */
  mayLast(minutes: number, now: Instant): void {
    if (minutes > this.allowed) this.#mayLast(minutes, now);
  }

  /** To be called often; `others`: the members that this node listens to. */
  tick(others: Iterable<NodeId>, now: Instant): void {
    const followed = new Set(others);
    for (const node of this.#words.keys()) if (!followed.has(node)) this.#words.delete(node);
    for (const minutes of this.#words.values()) this.mayLast(minutes, now);
    // What was not heard since the start may give such sessions still.
    const isUnheard = followed.size > this.#words.size;
    for (const [minutes, untilMs] of this.#earlier) {
      if (isUnheard && untilMs > now.steadyMs) this.#mayLast(minutes, now);
      else if (untilMs <= now.steadyMs) this.#earlier.delete(minutes);
      else continue;
      if (this.#earlier.size === 0) this.#save(now);
    }
    if (this.#earlier.size > 0 && now.steadyMs - this.#savedMs >= SAVE_MS) this.#save(now);
  }

  #mayLast(minutes: number, now: Instant): void {
    this.#hold(minutes, this.#lastsMs(minutes), now);
  }

  /** Ms from the last moment at which such a session was given until it must be over, by a node that was cut off then. A minute more, see `#hold`. */
  #lastsMs(minutes: number): number {
    const { minuteMs, leaseMs, islandMs } = this.#parts;
    return leaseMs + islandMs + (minutes + 2) * minuteMs + scaledMs(GRACE_MS, minuteMs);
  }

  /** Less than a minute more is not news: what two nodes tell each other would grow by the time that their messages take. */
  #hold(minutes: number, forMs: number, now: Instant): void {
    const untilMs = now.steadyMs + forMs;
    if (untilMs - (this.#earlier.get(minutes) ?? now.steadyMs) < this.#parts.minuteMs) return;
    this.#earlier.set(minutes, untilMs);
    this.#save(now);
  }

  #earlierAt({ steadyMs }: Instant): Earlier[] {
    const left = Array.from(this.#earlier, ([minutes, untilMs]): Earlier => [minutes, Math.ceil(untilMs - steadyMs)]);
    return left.filter(([, leftMs]) => leftMs > 0);
  }

  #save(now: Instant): void {
    this.#savedMs = now.steadyMs;
    this.#parts.outbox.put(KEY, { most: this.#most ?? 0, earlier: this.#earlierAt(now) } satisfies StoredSessions);
  }
}
