/**
 * `Anteroom-Visitor`: a signed header that tells the origin who came through the gate, on requests of visitors inside.
 *
 * A token is made once a minute for each session, and the same text goes with all requests meanwhile: a signature for
 * each would cost more than all else of a request. It is good for two minutes at most, so that a leaked one is soon
 * worthless, and no longer than the session's slot is held.
 */

import { minutePlus, scaledMs, startOfMinuteMs } from "../../mesh/core/minute.ts";
import type { InsideCookie } from "../cookie/seal.ts";
import type { VisitorKeys } from "../keys/visitor-keys.ts";
import { Recent } from "../recent.ts";
import type { LiveRoom } from "../rooms/live-room.ts";

export const VISITOR_FIELD = "Anteroom-Visitor";

export interface VisitorHeaderOptions {
  readonly keys: VisitorKeys;
  readonly minuteMs: number;
}

/** For how long a token is sent. */
const SENT_MS = 60_000;
/**
 * For how long one is good: twice as long, so that a request which is sent last has a minute, also by a wrong clock.
 */
const GOOD_MS = 120_000;
/** The slot of a session is held for as long after its end. */
const SLOT_GRACE_MS = 5_000;

/** About 25 MB at worst. With more sessions at one node, each request costs a signature: some 10 µs. */
const TOKENS_REMEMBERED_MAX = 50_000;

export class VisitorHeader {
  readonly #options: VisitorHeaderOptions;
  /** By all that a token is made of, and the minute: a session that was extended gets another one. */
  readonly #made = new Recent<string, string>({ max: TOKENS_REMEMBERED_MAX, forMs: GOOD_MS });

  constructor(options: VisitorHeaderOptions) {
    this.#options = options;
  }

  /** The token for the origin of a room that has them. */
  value({ id, room, acceptedAt, lastGood, pass }: InsideCookie, live: LiveRoom, nowMs: number): string {
    const { visitorKeyGeneration: generation, name: roomName } = live.room;
    const from = `${id} ${lastGood} ${generation} ${Math.floor(nowMs / SENT_MS)} ${roomName}`;
    const made = this.#made.get(from);
    if (made !== undefined) return made;
    const { keys, minuteMs } = this.#options;
    const endMs = startOfMinuteMs(minutePlus(lastGood, 1), minuteMs) + scaledMs(SLOT_GRACE_MS, minuteMs);
    const token = keys.token(
      {
        roomName,
        session: keys.sessionName(room, id),
        lane: pass?.lane ?? 0,
        admittedSeconds: Math.floor(acceptedAt / 1_000),
        expiresSeconds: Math.ceil(Math.min(nowMs + GOOD_MS, endMs) / 1_000),
      },
      { room, generation },
    );
    this.#made.set(from, token, nowMs);
    return token;
  }
}
