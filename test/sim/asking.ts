/**
 * Requests of visitors at gates, what the origin answers, and whether the gate may give that answer.
 *
 * The judges see each answer at the moment when the visitor gets it.
 */

import type { Minute } from "../../mesh/core/ids.ts";
import { minuteOf, minutePlus, startOfMinuteMs } from "../../mesh/core/minute.ts";
import { COOKIE_PREFIX } from "../../node/cookie/cookie-header.ts";
import type { ForwardPlan, HeaderList, ResponseHead } from "../../node/http/message.ts";
import type { Peer } from "../../node/peer/peer.ts";
import { addressOf, cookieIn, fieldOf, forged, pollMsIn, positionIn, requestTo } from "./browser.ts";
import type { Crowd } from "./crowd.ts";
import { isOpen } from "./load-balancer.ts";
import type { Answered, ExchangeOutcome, MemoryRequest } from "./memory-exchange.ts";
import type { SimNode } from "./sim-node.ts";
import type { SimRoom } from "./sim-room.ts";
import { whyNotExtended } from "./thrown-out.ts";
import { Unanswered } from "./unanswered.ts";
import type { InsideCookie, SimCookie, Visitor } from "./visitor.ts";
import type { World } from "./world.ts";

/** This many of those whose session was revoked continue with another cookie of it, as a second browser would. */
const SHOWS_REVOKED = 0.5;

/** So many requests of visitors inside carry the cookie before as well. */
const BOTH = 0.05;

/** The origin extends the session with so many of its answers to visitors inside. */
const EXTENDS = 0.05;

/** A request under way. */
interface Asking {
  readonly visitor: Visitor;
  readonly gate: SimNode;
  /** The cookie that was sent. */
  readonly before: SimCookie | undefined;
  /** Whether this gate knows the room as deleted: another gate may know it otherwise while the answer is on its way. */
  readonly passes: boolean;
  readonly askedMs: number;
  /** The time of the gate, and its minute. */
  readonly roomMs: number;
  readonly minute: Minute;
  /** Whether the origin ends the session with its answer. */
  readonly revokes: boolean;
  /** Whether the gate knows that the session has ended, and asks for it to be extended. */
  readonly isOver: boolean;
}

const REVOKE: HeaderList = ["Anteroom-Command", "revoke"];
const ORDINARY: ResponseHead = { status: 200, reason: "OK", headers: [] };

interface Plans {
  /** A visitor learnt when to poll again. */
  readonly plan: (visitor: Visitor) => void;
  /** A visitor was let in. */
  readonly enters: (visitor: Visitor) => void;
}

export class AskingVisitors {
  readonly #world: World;
  readonly #crowd: Crowd;
  readonly #plans: Plans;
  readonly unanswered = new Unanswered();

  constructor(world: World, crowd: Crowd, plans: Plans) {
    this.#world = world;
    this.#crowd = crowd;
    this.#plans = plans;
  }

  /** One request of a visitor at a gate. */
  ask(visitor: Visitor, gate: SimNode, revokes = false): void {
    if (isOpen(gate)) gate.do((peer) => this.#atGate(visitor, { gate, peer, revokes }));
  }

  /**
   * Shows a cookie to another room than its own, under that one's name, or a forged one to its own: it counts for
   * nothing.
   */
  stray(visitor: Visitor, { cookie, gate, room }: { cookie: SimCookie; gate: SimNode; room: SimRoom }): void {
    const isOwn = room.id === visitor.room;
    const pair = isOwn ? forged(cookie.pair) : cookie.pair.replace(/^[^=]+/, `${COOKIE_PREFIX}${room.name}`);
    gate.do(() =>
      this.#serve(gate, { request: requestTo(room, pair), remoteAddress: addressOf(visitor) }, (outcome) => {
        const isForwarded = outcome.kind === "forward";
        const given = this.#cookieIn(isForwarded ? outcome.plan.onResponse(ORDINARY) : outcome.headers);
        const counts =
          given === undefined ? isForwarded || positionIn(outcome.body) !== undefined : given.id === cookie.id;
        const what = isOwn ? "a forged cookie" : "a cookie of another room";
        if (counts) this.#world.broken(`never over: ${what} counted in ${room.name}: ${cookie.id}`);
        if (given?.kind !== "inside") return;
        this.#world.doors?.strayed(room);
        this.#crowd.admitted(room, given);
        this.#world.oracle.received(room.judge, given, this.#world.minute);
      }),
    );
  }

  #atGate(visitor: Visitor, { gate, peer, revokes }: { gate: SimNode; peer: Peer; revokes: boolean }): void {
    const room = peer.rooms.get(visitor.room);
    if (room === undefined) return;
    const { nowMs: askedMs } = this.#world.time;
    const minute = room.admission.minuteAt(peer.roomMs);
    const isInForce = gate.rooms.has(visitor.room);
    const before = this.#cookieAt(visitor, minute, isInForce);
    const isOver =
      before?.kind === "inside" && this.#isDue(before, minute) && room.admission.sessions.isRevoked(before.id);
    const { roomMs } = peer;
    // By a clock that is ahead its session may be over: then it is a new visitor, whom the origin lets be.
    const ends = revokes && before?.kind === "inside";
    const asking = { visitor, gate, before, passes: !isInForce, askedMs, roomMs, minute, revokes: ends, isOver };
    const plain = requestTo(this.#crowd.roomOf(visitor), ...this.#pairsOf(visitor, before));
    const request = this.#world.doors?.request(visitor, plain, before, roomMs) ?? plain;
    this.#serve(gate, { request, remoteAddress: addressOf(visitor) }, (outcome) => this.#onOutcome(asking, outcome));
  }

  #serve(gate: SimNode, request: MemoryRequest, onOutcome: (outcome: ExchangeOutcome) => void): void {
    const answered = this.unanswered.asked(gate, this.#world.time.nowMs);
    gate.serve(request, (outcome) => {
      answered();
      onOutcome(outcome);
    });
  }

  /**
   * The cookies that are sent: now and then also what the one that counts has taken the place of, as browsers do when
   * its domain was changed.
   */
  #pairsOf({ older }: Visitor, cookie: SimCookie | undefined): readonly string[] {
    if (cookie === undefined) return [];
    const { random } = this.#world;
    const sendsBoth = cookie.kind === "inside" && older?.id === cookie.id && random() < BOTH;
    if (!sendsBoth) return [cookie.pair];
    return random() < 0.5 ? [cookie.pair, older.pair] : [older.pair, cookie.pair];
  }

  /**
   * What a browser sends: it drops a cookie that is over. When the room is deleted its visitors pass like those of no
   * room, and no gate extends their sessions.
   */
  #cookieAt(visitor: Visitor, minute: Minute, isInForce: boolean): SimCookie | undefined {
    const { cookie, behaviour, passes } = visitor;
    if (passes === isInForce) {
      visitor.passes = !isInForce;
      this.#crowd.linesUp(visitor);
    }
    if (!behaviour.keepsCookies) return undefined;
    if (cookie?.kind !== "inside" || cookie.lastGood >= minute || !isInForce) return cookie;
    const { oracle } = this.#world;
    if (passes) oracle.counts.endedByOrder += 1;
    else oracle.thrownOut(visitor.refusal);
    this.#crowd.keeps(visitor, undefined);
    return undefined;
  }

  #onOutcome(asking: Asking, outcome: ExchangeOutcome): void {
    if (outcome.kind === "answer") this.#answered(asking, outcome);
    else if (asking.passes) outcome.plan.onResponse(ORDINARY);
    else this.#atOrigin(asking, outcome.plan);
  }

  #atOrigin(asking: Asking, plan: ForwardPlan): void {
    const answers = (status: number): void => {
      if (asking.revokes && asking.before !== undefined)
        this.#crowd.roomOf(asking.visitor).judge.revoking(asking.before.id);
      const head = { status, reason: "", headers: this.#ordersOf(asking) };
      this.#served(asking, plan.onResponse(head));
    };
    atOrigin(this.#world, { gate: asking.gate, answers, fails: () => this.#fails(asking, plan) });
  }

  #ordersOf({ before, revokes, visitor }: Asking): HeaderList {
    if (revokes) return REVOKE;
    const { random } = this.#world;
    if (before?.kind !== "inside" || random() >= EXTENDS) return [];
    const minutes = Math.ceil(random() * this.#crowd.roomOf(visitor).settings.sessionDuration);
    return ["Anteroom-Command", random() < 0.5 ? "extend" : `extend; minutes=${minutes}`];
  }

  /** The origin does not answer: the page that says so carries the cookie of a visitor who was just let in. */
  #fails(asking: Asking, plan: ForwardPlan): void {
    const { visitor, before, gate } = asking;
    plan.onFailure({ kind: "unreachable", detail: "" });
    const isStaff = visitor.bearer?.pass?.isStaff === true;
    if (before?.kind !== "inside" && visitor.cookie?.kind !== "inside" && !isStaff)
      this.#world.broken(`never lost: ${gate.identity} let somebody in, and told nobody, as the origin failed`);
  }

  /** The gate's own answer: a place in line, or why the visitor is kept out. */
  #answered(asking: Asking, { headers, body }: Answered): void {
    const cookie = this.#cookieIn(headers);
    if (cookie?.kind === "inside") {
      this.#isInside(asking, cookie);
      return;
    }
    if (this.#atDoor(asking, headers, body)) return;
    const { visitor, gate, before, askedMs } = asking;
    const place = cookie ?? before;
    // A gate that is unsure now leaves the visitor the cookie, and the next request.
    const position = positionIn(body);
    if (position === undefined) {
      if (before?.kind === "inside") this.#wasNotExtended(asking, before);
      return;
    }
    if (before?.kind === "inside") this.#wasRefused(asking, before);
    if (place?.kind !== "waiting") return;
    this.#world.doors?.waits(asking, place);
    this.#crowd.roomOf(visitor).early.waits(place, place.line ?? gate.locality);
    const pollSeconds = Number(fieldOf(headers, "Retry-After"));
    const shown = { place, sent: before, position, pollSeconds, pollMs: pollMsIn(body) };
    if (this.#crowd.waits(visitor, shown, askedMs)) this.#plans.plan(visitor);
  }

  /** An answer about passes and proofs. Returns whether it was one. */
  #atDoor(asking: Asking, headers: HeaderList, body: string): boolean {
    const heard = this.#world.doors?.answered(asking, headers, body);
    if (heard === undefined) return false;
    const { visitor, before } = asking;
    if (before?.kind === "inside") this.#wasRefused(asking, before);
    if (heard.goes) this.#crowd.goes(visitor);
    if (heard.outside === undefined || visitor.cookie?.kind === "inside") return true;
    this.#crowd.staysOutside(visitor, heard.outside);
    this.#plans.plan(visitor);
    return true;
  }

  /** The origin's answer. */
  #served(asking: Asking, headers: HeaderList): void {
    const { visitor, gate, before, minute } = asking;
    const cookie = this.#cookieIn(headers);
    const isStaff = this.#world.doors?.served(visitor, headers) === true && before?.kind !== "inside";
    if (cookie?.kind === "inside") this.#isInside(asking, cookie);
    else if (isStaff) this.#crowd.goes(visitor);
    else if (before?.kind === "inside") {
      if (asking.isOver && asking.revokes) {
        // It started over, and the origin ended the new session at once: the visitor has never heard of that one.
        this.#wasRefused(asking, before);
        this.#crowd.goes(visitor);
        gate.afterCommit(() => {
          this.#world.oracle.counts.endedByOrder += 1;
        });
        return;
      }
      if (asking.isOver) this.#world.broken(`never over: ${gate.identity} served ${before.id}, of whose end it knew`);
      this.#isServed(visitor, before.id, minute);
      this.#wasNotExtended(asking, before);
    } else this.#world.broken(`never over: a request was let in without a session at ${gate.identity}`);
    if (before?.kind !== "inside" || !asking.revokes) return;
    if (cookie !== undefined || fieldOf(headers, "Set-Cookie") === undefined)
      this.#world.broken(
        `revoked: ${gate.identity} leaves ${before.id} its cookie, although the origin ended the session`,
      );
    const { judge } = this.#crowd.roomOf(visitor);
    gate.afterCommit(() => {
      judge.revoked(before.id, this.#earliestMinute());
      this.#world.oracle.counts.endedByOrder += 1;
      if (this.#world.random() >= SHOWS_REVOKED) this.#crowd.goes(visitor);
    });
  }

  /** Admitted with a cookie that is new or extended. */
  #isInside(asking: Asking, cookie: InsideCookie): void {
    const { visitor, gate, before, minute } = asking;
    const { minuteMs } = this.#world.options;
    // A clock that was ahead may be set right while the gate answers: the cookie is of the time before.
    const roomMs = Math.max(gate.peer?.roomMs ?? 0, asking.roomMs);
    if (roomMs + cookie.maxAgeMs < startOfMinuteMs(minutePlus(cookie.lastGood, 1), minuteMs) - 1_000)
      this.#world.broken(`never lost: browsers drop the cookie of ${cookie.id} before its stay is over`);
    const room = this.#crowd.roomOf(visitor);
    let neverEnters = false;
    if (before?.kind === "inside" && before.id === cookie.id) {
      if (cookie.lastGood < before.lastGood)
        this.#world.broken(
          `never lost: ${gate.identity} gave ${cookie.id} a cookie that is over before the one it had`,
        );
      this.#isServed(visitor, cookie.id, minute);
    } else {
      if (before?.kind === "inside") this.#wasRefused(asking, before);
      this.#crowd.admitted(room, cookie);
      neverEnters = this.#world.doors?.admitted(asking, cookie) === true;
      if (before?.kind === "waiting") room.early.used(before.key, before.line ?? gate.locality);
      this.#crowd.enters(visitor);
    }
    this.#crowd.received(visitor, before, cookie);
    if (neverEnters) this.#crowd.goes(visitor);
    else if (before?.kind !== "inside") this.#plans.enters(visitor);
  }

  /** A cookie that was good by the gate's clock was not accepted: that is allowed only for a session that was ended. */
  #wasRefused({ visitor, minute }: Asking, { id, lastGood }: InsideCookie): void {
    const { judge } = this.#crowd.roomOf(visitor);
    if (visitor.cookie?.id === id) this.#crowd.keeps(visitor, undefined);
    if (lastGood >= minute && !judge.mayBeRevoked(id))
      this.#world.broken(`never lost: ${id} was inside and was refused`);
  }

  /** A session that had to be extended was not. */
  #wasNotExtended({ visitor, gate, minute }: Asking, cookie: InsideCookie): void {
    if (this.#isDue(cookie, minute) || cookie.lastGood <= minute)
      visitor.refusal = whyNotExtended(this.#world.nodes, { gate, room: visitor.room, home: cookie.home });
  }

  #cookieIn(headers: HeaderList): SimCookie | undefined {
    return cookieIn(headers, this.#world.cipher);
  }

  /** Whether a cookie is to be extended by its first request in a minute. */
  #isDue({ lastCheckInTime }: InsideCookie, minute: Minute): boolean {
    return minuteOf(lastCheckInTime, this.#world.options.minuteMs) < minute;
  }

  /** In the minute of the gate: its slot is held for the grace of clocks longer. */
  #isServed(visitor: Visitor, id: string, minute: Minute): void {
    this.#crowd.roomOf(visitor).judge.served(id, minute);
  }

  /** By the slowest clock: until then, plus the grace of clocks, the home holds the slot of a session that ends now. */
  #earliestMinute(): Minute {
    const { nodes, options } = this.#world;
    const minutes = nodes.flatMap(({ peer }) => (peer === undefined ? [] : minuteOf(peer.roomMs, options.minuteMs)));
    return Math.min(this.#world.minute, ...minutes) as Minute;
  }
}

interface ToOrigin {
  readonly gate: SimNode;
  /** It answers with this status. */
  readonly answers: (status: number) => void;
  /** It cannot be reached. */
  readonly fails: () => void;
}

/**
 * What becomes of a forwarded request: the origin answers, or one that does badly now is slow, refuses, or cannot be
 * reached.
 */
function atOrigin({ badOrigin, random }: World, { gate, answers, fails }: ToOrigin): void {
  if (badOrigin === undefined) {
    answers(200);
    return;
  }
  const isBad = random() < badOrigin.failing;
  const act = (): void => {
    if (!isBad) answers(200);
    else if (random() < 0.5) answers(503);
    else fails();
  };
  if (badOrigin.slowMs === 0) act();
  else gate.later(random() * badOrigin.slowMs, act);
}
