/**
 * All visitors of a simulated world: the state of each, in line, inside or gone, and what the judges learn about it.
 */

import { Overtakes } from "../../cmd/crowd/overtakes.ts";
import { minuteOf } from "../../mesh/core/minute.ts";
import { DecisionsHeard } from "./decisions-heard.ts";
import type { Heard } from "./door-watch.ts";
import type { SimRoom } from "./sim-room.ts";
import type { InsideCookie, SimCookie, Visitor, WaitingCookie } from "./visitor.ts";
import type { World } from "./world.ts";

/** A line in which a visitor has waited this long is known to every gate of the locality. */
const LINE_MS = 3_000;

type Outside = NonNullable<Heard["outside"]>;

/** A place in line, and what its visitor was shown. */
export interface Waiting {
  readonly place: WaitingCookie;
  /** The cookie that was sent. */
  readonly sent: SimCookie | undefined;
  readonly position: number;
  readonly pollSeconds: number;
  readonly pollMs?: number | undefined;
}

export class Crowd {
  readonly all = new Set<Visitor>();
  readonly overtakes = new Overtakes<Visitor>();
  readonly decisions: DecisionsHeard;
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
    this.decisions = new DecisionsHeard(world);
  }

  roomOf({ room }: Visitor): SimRoom {
    return this.#world.roomOf(room);
  }

  goes(visitor: Visitor): void {
    this.all.delete(visitor);
    this.keeps(visitor, undefined);
  }

  /** Makes a browser keep this cookie, and no other. */
  keeps(visitor: Visitor, cookie: SimCookie | undefined): void {
    visitor.older = visitor.cookie;
    visitor.cookie = cookie;
    this.linesUp(visitor);
  }

  /** Puts a visitor in the line of its locality, if it waits. */
  linesUp(visitor: Visitor): void {
    const { lines } = this.roomOf(visitor);
    const isWaiting =
      visitor.cookie?.kind === "waiting" && !visitor.passes && !visitor.isOutside && this.all.has(visitor);
    const lineAt = isWaiting ? keeperOf(visitor) : undefined;
    if (lineAt === visitor.lineAt) return;
    if (visitor.lineAt !== undefined) lines.get(visitor.lineAt)?.delete(visitor);
    if (lineAt === undefined) this.overtakes.left(visitor);
    if (lineAt !== undefined) lines.getOrInsertComputed(lineAt, () => new Set()).add(visitor);
    visitor.lineAt = lineAt;
  }

  /** A visitor received a new session, or heard of it once more. */
  admitted({ judge }: SimRoom, { id, acceptedAt }: InsideCookie): void {
    const decided = this.decisions.received(id);
    // A gate may tell again of an admission that is over here: not the one of this minute.
    if (decided === undefined && judge.knows(id)) return;
    const stamped = decided ?? minuteOf(acceptedAt, this.#world.options.minuteMs);
    this.#world.oracle.admitted(judge, { id, stamped });
  }

  /** A visitor comes in, for the first time or once more. */
  enters(visitor: Visitor): void {
    if (visitor.admittedMs !== undefined) return;
    const { oracle, elapsedMs } = this.#world;
    const { early } = this.roomOf(visitor);
    const { nowMs } = this.#world.time;
    if (!visitor.hasWaited && early.isLine(visitor.locality, { nowMs, ms: LINE_MS })) oracle.counts.overtook += 1;
    visitor.admittedMs = nowMs;
    this.overtakes.letIn(visitor, { line: lineOf(visitor), arrivedMs: visitor.arrivedMs, nowMs });
    oracle.counts.admitted += 1;
    oracle.waited(visitor, elapsedMs);
  }

  /** A visitor was shown its place in line. Returns whether that is news to it: it may have been admitted meanwhile. */
  waits(visitor: Visitor, { place, sent, position, pollSeconds, pollMs }: Waiting, askedMs: number): boolean {
    if (visitor.cookie?.kind === "inside") return false;
    const { behaviour, pollSeconds: toldBefore } = visitor;
    this.#judgeNumber(place, position, sent);
    if (behaviour.keepsCookies) {
      const { nowMs } = this.#world.time;
      const intervalMs = 1_000 * toldBefore;
      const key = this.roomOf(visitor).placeOf(place);
      const line = `${visitor.room} ${place.line ?? visitor.locality}`;
      this.overtakes.waits(visitor, { line, key, askedMs, intervalMs, nowMs });
    }
    const { judge } = this.roomOf(visitor);
    const { oracle, minute } = this.#world;
    visitor.pollSeconds = pollSeconds;
    visitor.pollMs = pollMs;
    oracle.queued(judge, minute);
    visitor.hasWaited = true;
    visitor.isOutside = false;
    const before = visitor.cookie;
    if (before?.kind !== "waiting" || before.id === place.id) this.keeps(visitor, place);
    return true;
  }

  /** A number never rises, whichever gate tells it, unless the order of the line changed. */
  #judgeNumber({ id, told }: WaitingCookie, position: number, sent: SimCookie | undefined): void {
    const before = sent?.kind === "waiting" ? sent.told : undefined;
    const isSame = before !== undefined && told?.[0] === before[0];
    if (isSame && position > before[1])
      this.#world.broken(`one number: ${id} was told ${before[1]}, and then ${position}`);
    if (told !== undefined && position > 0 && position !== told[1])
      this.#world.broken(`one number: ${id} is told ${position}, and its cookie keeps ${told[1]}`);
  }

  /** A visitor learnt that it is outside the line until it has proved some work. */
  staysOutside(visitor: Visitor, { cookie, pollSeconds }: Outside): void {
    visitor.pollSeconds = pollSeconds;
    visitor.pollMs = undefined;
    visitor.hasWaited = true;
    visitor.isOutside = true;
    if (visitor.cookie === undefined || visitor.cookie.id === cookie.id) this.keeps(visitor, cookie);
  }

  /** A browser keeps the newest answer; an answer to an older request does not undo a newer one's. */
  received(visitor: Visitor, before: SimCookie | undefined, cookie: InsideCookie): void {
    this.#world.oracle.received(this.roomOf(visitor).judge, cookie, this.#world.minute);
    visitor.refusal = undefined;
    visitor.isOutside = false;
    if (visitor.cookie === before || visitor.cookie?.kind !== "inside") this.keeps(visitor, cookie);
  }
}

/** The line that a visitor stands in, or would: one room's, in one locality. */
function lineOf(visitor: Visitor): string {
  return `${visitor.room} ${keeperOf(visitor)}`;
}

/** The locality whose line keeps the visitor's place, or would give one. */
function keeperOf({ cookie, locality }: Visitor): string {
  return (cookie?.kind === "waiting" ? cookie.line : undefined) ?? locality;
}
