/**
 * Check-ins of sessions whose home is the other node: as a gate asks for them, by its room's own part (check-ins.ts).
 *
 * A session checks in once a minute, so each can be measured once a minute; the mesh that is measured has short ones.
 */

import { randomBytes } from "node:crypto";
import { accountOf, type Minute } from "../../../mesh/core/ids.ts";
import { minutePlus } from "../../../mesh/core/minute.ts";
import type { Session, Stay } from "../../../node/admission/mesh/check-ins.ts";
import type { AskingPlace } from "./ticket-asker.ts";
import { type AtOnce, type OneByOne, summary } from "./timing.ts";

const ID_BYTES = 16;

/** Into the minute, so that the other node's clock has passed its edge too. */
const AFTER_EDGE_MS = 100;

export class CheckInAsker {
  readonly #place: AskingPlace;
  #sessions: Session[] = [];
  /** Sessions that have checked in in this minute. */
  #checkedIn = 0;

  constructor(place: AskingPlace) {
    this.#place = place;
  }

  /** The other node takes `count` sessions in as its own. */
  async enter(count: number): Promise<void> {
    const { other, room } = this.#place;
    const lastGood = minutePlus(room.admission.minuteAt(Date.now()), room.room.sessionDuration);
    this.#sessions = Array.from({ length: count }, () => ({
      id: randomBytes(ID_BYTES).toString("base64url"),
      home: accountOf(other),
      lastGood,
    }));
    await this.#checkInAll(0);
  }

  async nextMinute(): Promise<void> {
    const { minuteMs } = this.#place.node.peer.mesh;
    await Bun.sleep(minuteMs - (Date.now() % minuteMs) + AFTER_EDGE_MS);
    this.#checkedIn = 0;
  }

  async oneByOne(count: number): Promise<OneByOne> {
    const tookMs: number[] = [];
    const minute = this.#minute();
    for (; tookMs.length < count; this.#checkedIn++) {
      const askedMs = performance.now();
      await this.#checkIn(this.#checkedIn);
      tookMs.push(performance.now() - askedMs);
    }
    this.#mustBe(minute);
    return summary(tookMs);
  }

  async atOnce(): Promise<AtOnce> {
    const minute = this.#minute();
    const count = this.#sessions.length - this.#checkedIn;
    const startedMs = performance.now();
    await this.#checkInAll(this.#checkedIn);
    const perSecond = (count * 1_000) / (performance.now() - startedMs);
    this.#mustBe(minute);
    return { count, perSecond };
  }

  async #checkInAll(from: number): Promise<void> {
    await Promise.all(this.#sessions.slice(from).map((_, at) => this.#checkIn(from + at)));
    this.#checkedIn = this.#sessions.length;
  }

  async #checkIn(at: number): Promise<void> {
    const session = this.#sessions[at];
    if (session === undefined) throw new Error("Cannot measure as there are too few sessions");
    const stay = await new Promise<Stay>((resolve) => {
      const { node, room } = this.#place;
      node.step(() => room.checkIn(session, Date.now(), resolve));
    });
    if (stay.kind !== "acknowledged" || stay.home !== session.home) {
      throw new Error(`Cannot measure check-ins as the home must acknowledge each: current answer is ${stay.kind}`);
    }
    this.#sessions[at] = { ...session, lastGood: stay.lastGood };
  }

  #minute(): Minute {
    return this.#place.room.admission.minuteAt(Date.now());
  }

  /** In the next minute, what was measured would be no check-in, or a second one. */
  #mustBe(minute: Minute): void {
    if (this.#minute() !== minute) throw new Error("Cannot measure as a minute was too short for all check-ins");
  }
}
