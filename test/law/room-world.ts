/**
 * A small world for the laws of one room: visitors with cookies, a clock, a disk, and a process that is killed at any
 * point.
 *
 * The gate is modelled by what it promises (cookies told after the commit, check-in at the first request of a minute,
 * places kept for a grace); `Admission` is the real one. The world sees every cookie that anybody holds and checks
 * after each step that no more sessions are good than the limits allowed, and that nobody inside is refused.
 */

import type { Minute } from "../../mesh/core/ids.ts";
import { MINUTE_MS, minuteOf, minutePlus, startOfMinuteMs } from "../../mesh/core/minute.ts";
import { Admission, type Decision } from "../../node/admission/admission.ts";
import type { Restored } from "../../node/admission/admission-record.ts";
import { orderOfRoom, type QueueOrder } from "../../node/admission/queue-order.ts";
import type { RoomAccount } from "../../node/admission/room-sessions.ts";
import type { Room } from "../../node/config/room.ts";
import { roomWith } from "../node/admission/room-with.ts";
import { arrive, poll } from "../node/admission/without-mesh.ts";
import { must, Onlooker } from "./onlooker.ts";
import type { Change, Cookie, CrashPoint, InsideCookie, Step, Visitor } from "./room-steps.ts";

/** As long as the cookie of a place is good in a room of the defaults, while no wait is known. */
const PLACE_GRACE_MS = 15 * MINUTE_MS;
/** As seldom as a line allows before it takes the process for stopped. */
const TICK_MS = 2_000;
const START_MS = 1_790_000_000_000 - (1_790_000_000_000 % MINUTE_MS);

export const REFRESH_MS = 20_000;

export class RoomWorld {
  nowMs = START_MS + 17_123;
  room: Room;
  admission: Admission;
  readonly visitors: Visitor[] = [];
  readonly seen = new Onlooker();
  /** Published counts of the current process, as `kind minute`. */
  readonly counts = new Map<string, number>();
  /**
   * Visitors who were admitted after their line was saved for the last time before a crash: it is restored with them in
   * it.
   */
  ghosts = 0;
  #letInAtSave = 0;
  readonly #keepsRevoked: boolean;
  readonly #disk: { record: Restored["record"]; line: Restored["line"]; aliveMs: number | undefined };
  #startedMs: number;
  #aliveAtStartMs = 0;
  #told: { readonly visitor: Visitor | undefined; readonly cookie: InsideCookie }[] = [];
  #ids = 0;
  /** The step of the last crash. */
  #crashed = 0;

  /** `keepsRevoked`: whether visitors go on showing cookies that were taken back. */
  constructor(change: Change, { keepsRevoked = false } = {}) {
    this.#keepsRevoked = keepsRevoked;
    this.room = roomWith(change);
    this.#disk = { record: undefined, line: undefined, aliveMs: undefined };
    this.#startedMs = this.nowMs;
    this.admission = this.#start();
    this.seen.limitsAre(this.room);
  }

  get order(): QueueOrder {
    return orderOfRoom(this.room, "shop");
  }

  get minute(): Minute {
    return this.admission.minuteAt(this.nowMs);
  }

  step(step: Step): void {
    this.seen.steps += 1;
    switch (step.kind) {
      case "arrive":
        for (let time = 0; time < step.times; time++) this.ask(this.newVisitor());
        break;
      case "ask": {
        const visitor = this.visitors[step.visitor % Math.max(1, this.visitors.length)];
        if (visitor !== undefined) this.ask(visitor, { cookiesBack: step.cookiesBack, lost: step.lost });
        break;
      }
      case "round":
        this.round(step.from);
        break;
      case "revoke":
        this.#revoke(this.visitors[step.visitor % Math.max(1, this.visitors.length)]);
        break;
      case "pass":
        this.pass(step.ms);
        break;
      case "edge": {
        const edgeMs = startOfMinuteMs(minutePlus(minuteOf(this.nowMs, MINUTE_MS), 1 + step.minutes), MINUTE_MS);
        this.pass(edgeMs + step.afterMs - this.nowMs);
        break;
      }
      case "clock":
        this.turn();
        this.nowMs += step.ms;
        break;
      case "configure":
        this.turn();
        this.room = { ...this.room, ...step.change };
        this.admission.roomChanged();
        this.seen.limitsAre(this.room);
        break;
      case "turn":
        this.turn(step.disk === "works");
        break;
      case "crash":
        this.crash(step.at, step.downMs);
    }
    this.checkLimits();
  }

  newVisitor(): Visitor {
    const visitor: Visitor = { cookies: [], positions: [], polledMs: this.nowMs, isHeard: false, isSaved: false };
    this.visitors.push(visitor);
    return visitor;
  }

  /** A request of `visitor`; returns what the gate decided. */
  ask(visitor: Visitor, { cookiesBack = 0, lost = false } = {}): Decision["kind"] | "inside" | "refused" {
    const cookie = visitor.cookies.at(-1 - (cookiesBack % Math.max(1, visitor.cookies.length)));
    const receiver = lost ? undefined : visitor;
    if (cookie === undefined || this.#isOver(cookie)) return this.#arrive(receiver);
    if (cookie.kind === "inside") return this.#inside(cookie, receiver);
    const session = this.seen.sessions.get(cookie.id);
    const isUsed = session !== undefined && Math.min(session.lastGood, session.revokedIn ?? Infinity) < this.minute;
    const decision = poll(this.admission, cookie, this.nowMs);
    // A restart forgets which places were used.
    must(
      decision.kind === "used" ? isUsed : !isUsed || session.since < this.#crashed,
      `a place is used once: ${cookie.id}`,
    );
    return decision.kind === "used" ? this.#arrive(receiver) : this.#decided(decision, cookie.id, receiver);
  }

  round(from: number): void {
    const { visitors } = this;
    for (let index = 0; index < visitors.length; index++) {
      const visitor = visitors[(from + index) % visitors.length];
      if (visitor !== undefined) this.ask(visitor);
    }
  }

  /** Time goes by, with the housekeeping of the node. */
  pass(ms: number): void {
    this.turn();
    const untilMs = this.nowMs + ms;
    while (this.nowMs < untilMs) {
      this.nowMs += Math.min(TICK_MS, untilMs - this.nowMs);
      this.tick();
    }
  }

  tick(): void {
    this.admission.tick(this.nowMs);
    this.#disk.line = this.admission.lineSummary;
    this.#letInAtSave = this.seen.letIn.length;
    for (const visitor of this.visitors) visitor.isSaved ||= visitor.isHeard;
    this.#disk.aliveMs = this.nowMs;
  }

  /** The end of a turn of the event loop: one commit, then all answers. */
  turn(isDiskWorking = true): void {
    if (this.#told.length === 0) return;
    if (isDiskWorking) this.#commit();
    this.#tell(isDiskWorking);
  }

  crash(at: CrashPoint, downMs: number): void {
    if (at !== "decided" && this.#told.length > 0) this.#commit();
    if (at === "told") this.#tell(true);
    this.#told = [];
    this.ghosts += this.seen.letIn.length - this.#letInAtSave;
    this.#letInAtSave = this.seen.letIn.length;
    this.seen.forgetUntold();
    this.nowMs += downMs;
    for (const visitor of this.visitors) {
      visitor.positions = [];
      visitor.isHeard = false;
    }
    this.#crashed = this.seen.steps;
    this.counts.clear();
    this.#startedMs = this.nowMs;
    this.admission = this.#start();
  }

  /** Visitors waiting as far as they know, in the order of their keys. */
  waiting(): { visitor: Visitor; key: number }[] {
    return this.visitors
      .flatMap((visitor) => {
        const cookie = visitor.cookies.at(-1);
        const isWaiting = cookie?.kind === "waiting" && !this.#isOver(cookie) && !this.seen.sessions.has(cookie.id);
        return isWaiting ? [{ visitor, key: cookie.key }] : [];
      })
      .sort((a, b) => a.key - b.key);
  }

  checkLimits(): void {
    this.seen.checkLimits(this.minute);
  }

  #arrive(receiver: Visitor | undefined): Decision["kind"] {
    const id = `visitor-${++this.#ids}`;
    return this.#decided(arrive(this.admission, id, this.nowMs), id, receiver);
  }

  #decided(decision: Decision, id: string, visitor: Visitor | undefined): Decision["kind"] {
    if (decision.kind === "admitted") this.#admitted(id, decision.lastGood, visitor);
    if (decision.kind === "waiting" && visitor !== undefined) {
      const { key, position } = decision.place;
      if (visitor.cookies.at(-1)?.id !== id) {
        visitor.isSaved = false;
        visitor.positions = [];
      }
      visitor.cookies.push({ kind: "waiting", id, key, lastCheckInTime: this.nowMs });
      visitor.positions.push(position);
      visitor.polledMs = this.nowMs;
      visitor.isHeard = true;
    }
    return decision.kind;
  }

  #admitted(id: string, lastGood: Minute, visitor: Visitor | undefined): void {
    const { nowMs, minute } = this;
    this.seen.admits(id, minute, lastGood);
    this.#told.push({ visitor, cookie: { kind: "inside", id, lastCheckInTime: nowMs, lastGood } });
  }

  #inside(cookie: InsideCookie, visitor: Visitor | undefined): Decision["kind"] | "inside" | "refused" {
    const { nowMs, minute } = this;
    if (minuteOf(cookie.lastCheckInTime, MINUTE_MS) >= minute) return "inside";
    const checkIn = this.admission.sessions.checkIn(cookie.id, cookie.lastGood, nowMs);
    const session = this.seen.sessions.get(cookie.id);
    if (session === undefined) throw new Error("Broken: a cookie without a session");
    if (checkIn.kind === "revoked") {
      must(session.revokedIn !== undefined, "nobody inside is refused unless revoked");
      this.#arrive(visitor);
      return "refused";
    }
    must(session.revokedIn === undefined, "who was revoked is refused at the next check-in");
    must(checkIn.kind === "acknowledged", "everybody inside is acknowledged");
    if (checkIn.kind !== "acknowledged") return "refused";
    const wanted = this.room.disableSessionRenewal ? cookie.lastGood : minute + this.room.sessionDuration;
    must(checkIn.lastGood >= wanted, `a check-in is good to ${wanted} at least, not ${checkIn.lastGood}`);
    must(checkIn.lastGood >= cookie.lastGood, `a check-in shortens no stay: ${cookie.lastGood} to ${checkIn.lastGood}`);
    this.seen.extends(session, checkIn.lastGood);
    const extended = { ...cookie, lastCheckInTime: nowMs, lastGood: checkIn.lastGood };
    this.#told.push({ visitor, cookie: extended });
    return "inside";
  }

  /** The origin's answer to a request of `visitor` ends the session; the browser drops its cookie. */
  #revoke(visitor: Visitor | undefined): void {
    const cookie = visitor?.cookies.at(-1);
    if (visitor === undefined || cookie?.kind !== "inside" || this.#isOver(cookie)) return;
    if (this.ask(visitor) !== "inside") return;
    this.admission.sessions.revoke(cookie.id, this.nowMs);
    const session = this.seen.sessions.get(cookie.id);
    if (session !== undefined) session.revokedIn = this.minute;
  }

  #isOver(cookie: Cookie): boolean {
    if (cookie.kind === "inside") {
      const isDropped = this.seen.sessions.get(cookie.id)?.revokedIn !== undefined && !this.#keepsRevoked;
      return isDropped || cookie.lastGood < this.minute;
    }
    const isJustStarted = this.nowMs - this.#startedMs < PLACE_GRACE_MS;
    const { nowMs } = this;
    const fromMs = isJustStarted && this.#disk.aliveMs !== undefined ? Math.min(this.#aliveAtStartMs, nowMs) : nowMs;
    return cookie.lastCheckInTime < fromMs - PLACE_GRACE_MS;
  }

  #start(): Admission {
    const { record, line, aliveMs } = this.#disk;
    this.#aliveAtStartMs = aliveMs ?? this.nowMs;
    const restored: Restored = JSON.parse(JSON.stringify({ record, line }));
    return new Admission(this, { account: this.#account(), minuteMs: MINUTE_MS, nowMs: this.nowMs, restored });
  }

  /** One account that owns everything. */
  #account(): RoomAccount {
    return {
      active: (limit) => limit,
      arrivals: (limit) => limit,
      pot: () => 0,
      ceiling: () => Number.POSITIVE_INFINITY,
      count: (kind, minute) => {
        const key = `${kind} ${minute}`;
        this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
      },
    };
  }

  #commit(): void {
    this.#disk.record = { ...this.admission.sessions.record };
  }

  #tell(isOnDisk: boolean): void {
    const told = this.#told;
    this.#told = [];
    if (!isOnDisk) return;
    for (const { visitor, cookie } of told) {
      if (visitor === undefined) continue;
      visitor.cookies.push(cookie);
      this.seen.tells(cookie.id, cookie.lastGood);
    }
  }
}
