/**
 * Exchanges that outlast the decision about their request: WebSockets, event streams, long polls, downloads, uploads.
 *
 * Their bytes are activity: a session that moves some in a minute checks in, once, by the way that its requests take.
 * They end when a request would not pass any more: the session is over or was ended, or, for one that began without a
 * session, the room has no slot free. Only exchanges that the HTTP layer still has at a sweep cost anything here. Not
 * watched: what a rule, a staff pass or a crawler's proof lets through, and what a proxy in front sends itself.
 */

import type { Minute } from "../../mesh/core/ids.ts";
import { minuteOf } from "../../mesh/core/minute.ts";
import type { CheckInOutcome } from "../admission/mesh/check-ins.ts";
import type { InsideCookie } from "../cookie/seal.ts";
import type { Exchange, OpenExchange } from "../http/message.ts";
import type { Closing } from "../http/websocket-frames.ts";
import type { LiveRoom } from "../rooms/live-room.ts";
import type { CutReason } from "../rooms/room-counts.ts";
import type { Rooms } from "../rooms/rooms.ts";
import { endBlockedSession, isBlocked } from "./blocked.ts";
import { GATE_ERRORS } from "./error-page.ts";
import type { GateContext } from "./gate-context.ts";
import { renewClaim } from "./passes.ts";
import type { Refusals } from "./refusals.ts";

export interface LongLivedOptions extends Pick<GateContext, "commit" | "clock" | "minuteMs"> {
  readonly rooms: Pick<Rooms, "liveById">;
  readonly refusals: Refusals;
  /** Another visitor used the pass of a session before. */
  readonly passLost: (at: { readonly live: LiveRoom; readonly nowMs: number }, session: InsideCookie) => void;
}

/** Looks at an exchange that is still open. */
export type Look = (open: OpenExchange) => void;

const CLOSINGS: Readonly<Record<CutReason, Closing>> = {
  over: { code: 1001, reason: "session over" },
  revoked: { code: 1008, reason: "session ended" },
  full: { code: 1001, reason: "waiting room" },
};

export class LongLived {
  readonly #options: LongLivedOptions;

  constructor(options: LongLivedOptions) {
    this.#options = options;
  }

  /** Watches an exchange of a session. */
  ofSession(exchange: Exchange, live: LiveRoom, cookie: InsideCookie): Look {
    const watch = new SessionWatch(this.#options, live, cookie);
    return (open) => watch.look(open, (why) => this.#cut(exchange, live, { open, why }));
  }

  /** Watches an exchange that passes without a session, as long as such requests pass. */
  ofRoom(exchange: Exchange, live: LiveRoom): Look {
    let seen = live.admission.minuteAt(this.#options.clock());
    return (open) => {
      const nowMs = this.#options.clock();
      const minute = live.admission.minuteAt(nowMs);
      if (minute === seen) return;
      seen = minute;
      const isFull = live.room.inviteOnly || !live.meshRoom.isOpen(nowMs);
      if (isFull && isGuarded(this.#options.rooms, live)) this.#cut(exchange, live, { open, why: "full" });
    };
  }

  #cut(exchange: Exchange, live: LiveRoom, { open, why }: { open: OpenExchange; why: CutReason }): void {
    const { room } = live;
    open.cut(CLOSINGS[why], () => {
      const retryAfterSeconds = room.refreshIntervalSeconds;
      this.#options.refusals.answer(exchange, GATE_ERRORS.busy, {
        retryAfterSeconds,
        room,
        fields: { room: room.name },
      });
    });
    live.counts.cut[why] += 1;
  }
}

/** Whether the room is still there, and not suspended. */
function isGuarded(rooms: Pick<Rooms, "liveById">, live: LiveRoom): boolean {
  return rooms.liveById(live.id) === live && !live.room.suspended;
}

class SessionWatch {
  readonly #options: LongLivedOptions;
  readonly #live: LiveRoom;
  /** What is known of the session. */
  #cookie: InsideCookie;
  #passedBytes = 0;
  #isAsking = false;
  /** When no node could tell, in the last such minute. */
  #unanswered: Minute | undefined;

  constructor(options: LongLivedOptions, live: LiveRoom, cookie: InsideCookie) {
    this.#options = options;
    this.#live = live;
    this.#cookie = cookie;
  }

  look(open: OpenExchange, cut: (why: CutReason) => void): void {
    const hasMoved = open.passedBytes !== this.#passedBytes;
    this.#passedBytes = open.passedBytes;
    if (this.#isAsking || !isGuarded(this.#options.rooms, this.#live)) return;
    const { clock, commit, minuteMs } = this.#options;
    const { admission } = this.#live;
    const nowMs = clock();
    const minute = admission.minuteAt(nowMs);
    const { id, lastGood, lastCheckInTime } = this.#cookie;
    if (admission.sessions.isRevoked(id)) cut("revoked");
    else if (isBlocked(this.#cookie, this.#live, nowMs)) {
      endBlockedSession(this.#cookie, this.#live, nowMs);
      commit.wake();
      cut("revoked");
    } else if (lastGood < minute) this.#askWhetherOver(nowMs, cut);
    else if (hasMoved && minuteOf(lastCheckInTime, minuteMs) < minute) {
      // One answer a minute is enough, but in the session's last one.
      if (this.#unanswered !== minute || lastGood <= minute) this.#checkIn(nowMs, cut);
    }
  }

  #checkIn(nowMs: number, cut: (why: CutReason) => void): void {
    this.#isAsking = true;
    this.#options.commit.wake();
    this.#live.meshRoom.checkIn(this.#cookie, nowMs, (outcome) => {
      if (outcome.kind === "acknowledged") this.#extend(outcome, nowMs);
      else {
        this.#isAsking = false;
        if (outcome.kind === "revoked") cut("revoked");
        // What may have ended elsewhere is not served here.
        else if (outcome.kind === "unsure") cut("over");
        else this.#unanswered = this.#live.admission.minuteAt(nowMs);
      }
    });
  }

  /** The extension counts once it is on the disk, as it does for a cookie. */
  #extend({ home, lastGood }: Extract<CheckInOutcome, { kind: "acknowledged" }>, nowMs: number): void {
    const { commit, minuteMs, passLost } = this.#options;
    const live = this.#live;
    commit.afterCommit((isOnDisk) => {
      this.#isAsking = false;
      if (!isOnDisk) return;
      const known = this.#cookie.lastGood > lastGood ? this.#cookie.lastGood : lastGood;
      const session = { ...this.#cookie, home, lastGood: known, lastCheckInTime: nowMs };
      this.#cookie = session;
      renewClaim({ live, nowMs, minuteMs }, session, () => passLost({ live, nowMs }, session));
    });
  }

  /** Other requests of the visitor, here or at another gate, may have extended it. */
  #askWhetherOver(nowMs: number, cut: (why: CutReason) => void): void {
    this.#isAsking = true;
    this.#live.meshRoom.known(this.#cookie, nowMs, (lastGood, thenMs) => {
      this.#isAsking = false;
      if (lastGood === undefined || lastGood < this.#live.admission.minuteAt(thenMs)) cut("over");
      else this.#cookie = { ...this.#cookie, lastGood };
    });
  }
}
