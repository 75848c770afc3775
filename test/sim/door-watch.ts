/**
 * Judges what rooms with doors answer (doors.ts): who gets in without a pass or a proof, whose pass counts twice, and
 * what becomes of shares, and of slots that are kept for visitors to enter.
 */

import type { RoomId } from "../../mesh/core/ids.ts";
import { keptMs } from "../../node/admission/kept-place.ts";
import type { HeaderList, RequestHead } from "../../node/http/message.ts";
import { type Bearer, challengeIn, errorIn, isOutsideIn, passCookieIn, shownBy } from "./bearer.ts";
import { cookieIn, fieldOf } from "./browser.ts";
import { KeyWatch } from "./key-watch.ts";
import { LaneWatch } from "./lane-watch.ts";
import type { SimNode } from "./sim-node.ts";
import type { SimRoom } from "./sim-room.ts";
import { isTrial, TrialWatch } from "./trial-watch.ts";
import type { InsideCookie, SimCookie, Visitor, WaitingCookie } from "./visitor.ts";
import type { World } from "./world.ts";

/** What became of doors in a run. */
export interface DoorCounts {
  readonly keys: KeyWatch["counts"];
  readonly lanes: LaneWatch["counts"];
  /** Visitors whose pass was refused, and those without one where it is needed. */
  readonly refused: number;
  /** Requests of staff. */
  readonly staff: number;
  /** Visitors who were outside the line for want of a proof. */
  readonly unproved: number;
  /** Slots that were kept for visitors who never entered, and came back. */
  readonly returned: number;
}

/** What a visitor makes of a door's answer. */
export interface Heard {
  /** Outside the line, until a proof comes: the cookie of that, and when to ask again. */
  readonly outside?: { readonly cookie: WaitingCookie; readonly pollSeconds: number };
  /** Another visitor has its pass, so it goes. */
  readonly goes: boolean;
}

/** A request, as far as doors are concerned. */
interface Asked {
  readonly visitor: Visitor;
  readonly gate: SimNode;
  readonly before: SimCookie | undefined;
  /** The time of the gate, and its minute. */
  readonly roomMs: number;
  readonly minute: number;
}

const GOES: Heard = { goes: true };

const PASS_ERRORS = ["passExpired", "passForged", "passForeign", "passWithdrawn"];
const IN_USE = "passInUse";

export class DoorWatch {
  readonly #world: World;
  /** Whether nothing fails in this world. */
  readonly #isCalm: boolean;
  readonly #keys: KeyWatch;
  readonly #lanes = new LaneWatch();
  readonly #trials: TrialWatch;
  /** Of sessions by a pass with a key, by id. */
  readonly #holders = new Map<string, { readonly visitor: Visitor; readonly key: string; readonly atMs: number }>();
  #refused = 0;
  #staff = 0;
  #unproved = 0;

  constructor(world: World, isCalm: boolean) {
    this.#world = world;
    this.#isCalm = isCalm;
    this.#keys = new KeyWatch((visitor) => world.visitors.has(visitor));
    this.#trials = new TrialWatch(world.options.minuteMs);
  }

  get counts(): DoorCounts {
    const [refused, staff, unproved] = [this.#refused, this.#staff, this.#unproved];
    const { counts: keys } = this.#keys;
    return {
      ...{ keys, lanes: this.#lanes.counts },
      ...{ refused, staff, unproved, returned: this.#trials.returned },
    };
  }

  /** A visitor's request with what it brings, at a gate whose time is `atMs`. */
  request(visitor: Visitor, request: RequestHead, before: SimCookie | undefined, atMs: number): RequestHead {
    const { bearer } = visitor;
    if (before?.kind === "inside") this.#trials.enters(before.id);
    if (bearer === undefined) return request;
    const polls = before?.kind === "waiting" && this.#roomOf(visitor).settings.enterWithinSeconds > 0;
    const { target, fields, cookies } = shownBy(bearer, { polls });
    const { challenge } = bearer.kept;
    if (bearer.solves && challenge !== undefined) bearer.kept.hasProved = true;
    if (bearer.pass?.key !== undefined && before === undefined) this.#keys.shows(bearer.pass.key, visitor, atMs);
    return { ...request, target, headers: [...withCookies(request.headers, cookies), ...fields] };
  }

  /** A gate answered by itself. Undefined if the answer is not one of a door. */
  answered(asked: Asked, headers: HeaderList, body: string): Heard | undefined {
    const { visitor, before } = asked;
    const { bearer } = visitor;
    const code = errorIn(body);
    if (code === "inviteOnly") this.#uninvited(visitor);
    if (bearer === undefined) return code === "inviteOnly" ? GOES : undefined;
    noteKept(bearer, headers);
    bearer.kept.challenge = challengeIn(body);
    if (isOutsideIn(body)) return this.#isOutside(visitor, cookieIn(headers, this.#world.cipher) ?? before, headers);
    if (code === IN_USE) return this.#isInUse(asked);
    if (code === "inviteOnly") return GOES;
    if (code === undefined || !PASS_ERRORS.includes(code)) return undefined;
    if (bearer.pass?.isGood === true) this.#broken(`passes: a good one of ${visitor.number} is refused as ${code}`);
    this.#refused += 1;
    return GOES;
  }

  /** The origin's answer reached a visitor, with or without a session. Returns whether it passes as staff. */
  served({ bearer }: Visitor, headers: HeaderList): boolean {
    if (bearer === undefined) return false;
    noteKept(bearer, headers);
    const isStaff = bearer.pass?.isStaff === true;
    if (isStaff) this.#staff += 1;
    return isStaff;
  }

  /** A visitor was shown a place in line. */
  waits(asked: Asked, cookie: WaitingCookie): void {
    this.#check(asked, this.#roomOf(asked.visitor), "a place");
    this.#holds(asked, cookie);
  }

  /** A visitor got a session, for the first time or once more. Returns whether it will never be entered. */
  admitted(asked: Asked, cookie: InsideCookie): boolean {
    const { visitor, before } = asked;
    const room = this.#roomOf(visitor);
    this.#check(asked, room, "a session");
    this.#holds(asked, cookie);
    if (before?.kind === "waiting") this.#lanes.admitted(room, visitor);
    if (!isTrial(cookie)) return false;
    const problem = this.#trials.asked(room, cookie);
    if (problem !== undefined) this.#broken(problem);
    if (visitor.bearer?.enters !== false) return false;
    this.#trials.ignores(room, cookie);
    return true;
  }

  /** A request with a cookie that counts for nothing got a session. */
  strayed(room: SimRoom): void {
    const { inviteOnly } = room.settings;
    if (inviteOnly || asksForProofs(room))
      this.#broken(`doors: a request without pass or proof is let into ${room.name}`);
  }

  /**
   * A gate ends a session. It may where another visitor has used the pass before; an origin's order is known already.
   */
  revokes(room: RoomId, id: string): void {
    const { judge, name } = this.#world.roomOf(room);
    const holder = this.#holders.get(id);
    if (judge.mayBeRevoked(id) || holder === undefined) return;
    const { key, visitor, atMs } = holder;
    if (!this.#keys.mayLose(key, visitor, atMs))
      this.#broken(`passes: the session of ${id} in ${name} is ended, and nobody used its pass before`);
    judge.revoking(id);
    this.#keys.counts.lost += 1;
    this.#world.oracle.counts.endedByOrder += 1;
  }

  /** Every second. */
  look(): void {
    const { nodes, time } = this.#world;
    const problem = this.#trials.look(nodes, time.nowMs);
    if (problem !== undefined) this.#broken(problem);
  }

  /** Passes that two visitors have at once now. */
  get twice(): readonly string[] {
    return this.#keys.twice(this.#world.minute);
  }

  #check({ visitor, gate, before }: Asked, room: SimRoom, what: string): void {
    const { bearer } = visitor;
    const hasPass = bearer?.pass?.isGood === true;
    const said = `${gate.identity} gives ${what} in ${room.name} to ${visitor.number}`;
    if (bearer?.pass?.isGood === false && before === undefined) this.#broken(`passes: ${said}, whose pass is bad`);
    if (room.settings.inviteOnly && !hasPass) this.#broken(`passes: ${said}, who has none`);
    if (asksForProofs(room) && !hasPass && bearer?.kept.hasProved !== true)
      this.#broken(`proofs: ${said}, who has proved nothing`);
  }

  #holds({ visitor }: Asked, cookie: InsideCookie | WaitingCookie): void {
    const key = visitor.bearer?.pass?.key;
    if (key === undefined || cookie.pass === undefined) return;
    this.#holders.set(cookie.id, { visitor, key, atMs: cookie.pass.atMs });
    const isTwice = this.#keys.holds(key, visitor, this.#world.minute);
    if (isTwice && this.#isCalm) this.#broken(`passes: ${visitor.number} has ${key}, which another visitor has`);
  }

  #isOutside(visitor: Visitor, cookie: SimCookie | undefined, headers: HeaderList): Heard {
    if (visitor.bearer?.pass?.isGood === true)
      this.#broken(`proofs: ${visitor.number} stays outside the line with a good pass`);
    if (cookie?.kind !== "waiting") return { goes: false };
    if (!visitor.isOutside) this.#unproved += 1;
    return { outside: { cookie, pollSeconds: Number(fieldOf(headers, "Retry-After")) }, goes: false };
  }

  #isInUse(asked: Asked): Heard {
    const { visitor, before } = asked;
    const { key } = visitor.bearer?.pass ?? {};
    if (key === undefined) this.#broken(`passes: one of ${visitor.number}, good for any number, is in use`);
    if (before?.kind === "waiting" && before.pass !== undefined && !this.#isPlaceOver(asked, before)) {
      if (!this.#keys.mayLose(key, visitor, before.pass.atMs))
        this.#broken(`passes: ${visitor.number} loses the place by ${key}, which nobody used before`);
      this.#keys.counts.lost += 1;
    } else this.#keys.counts.refused += 1;
    // A visitor who asked twice before the first answer has one request refused. Half of the others try again.
    if (before === undefined) return { goes: visitor.cookie === undefined && visitor.number % 2 === 0 };
    return { goes: visitor.cookie?.id === before.id };
  }

  /**
   * Whether a place is over by the time of the gate: of a gate whose clock is behind, it is elsewhere from the start.
   */
  #isPlaceOver({ visitor, roomMs }: Asked, place: WaitingCookie): boolean {
    const { minuteMs } = this.#world.options;
    return roomMs - place.lastCheckInTime >= keptMs(place, { room: this.#roomOf(visitor).settings, minuteMs });
  }

  #uninvited(visitor: Visitor): void {
    if (visitor.bearer?.pass?.isGood === true) this.#broken(`passes: ${visitor.number} is not let in with a good pass`);
    this.#refused += 1;
  }

  #roomOf({ room }: Visitor): SimRoom {
    return this.#world.roomOf(room);
  }

  #broken(text: string): never {
    return this.#world.broken(text);
  }
}

/** Whether a room keeps visitors outside the line until they have proved some work. */
function asksForProofs({ settings: { proofOfWorkMode, proofOfWorkAction } }: SimRoom): boolean {
  return proofOfWorkMode === "always" && proofOfWorkAction === "infinite_queue";
}

function noteKept({ kept }: Bearer, headers: HeaderList): void {
  kept.passCookie = passCookieIn(headers) ?? kept.passCookie;
}

function withCookies(headers: HeaderList, more: readonly string[]): HeaderList {
  if (more.length === 0) return headers;
  const at = headers.indexOf("Cookie");
  if (at < 0) return [...headers, "Cookie", more.join("; ")];
  return headers.with(at + 1, [headers[at + 1], ...more].join("; "));
}
