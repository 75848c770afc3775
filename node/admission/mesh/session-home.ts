/**
 * The sessions that rest on slots of this node's accounts: it extends, adopts and ends them, for its own gate and for
 * others.
 *
 * Whatever it acknowledges, and whatever it refuses, is on its disk before any node hears of it.
 */

import { type AccountId, accountOf, type Minute, type RoomId } from "../../../mesh/core/ids.ts";
import type { Puts } from "../../../mesh/core/wire/outbox.ts";
import type { Admission } from "../admission.ts";
import type { AdmissionRecord } from "../admission-record.ts";
import type { CheckIn, Revoked } from "../sessions.ts";
import type { Session } from "./check-ins.ts";
import type { CheckedData, CheckInMode } from "./room-messages.ts";
import type { RoomNode } from "./room-node.ts";
import { ADMISSION, REVOKED } from "./stored-room.ts";

export interface SessionHomeParts {
  readonly id: RoomId;
  readonly roomNode: RoomNode;
  readonly admission: Admission;
  readonly writer: AdmissionWriter;
}

/** Whether no node can answer for an account's sessions now: its writer does not answer. */
export function isSilent(roomNode: Pick<RoomNode, "writerOf" | "isAlive">, home: AccountId): boolean {
  const writer = roomNode.writerOf(home);
  return writer === undefined || !roomNode.isAlive(writer);
}

export class SessionHome {
  readonly #parts: SessionHomeParts;

  constructor(parts: SessionHomeParts) {
    this.#parts = parts;
  }

  /** Extends a session, or adopts it, or says what is known of it. */
  checkIn({ id, home, lastGood }: Session, mode: CheckInMode, nowMs: number): CheckedData {
    const { id: room, roomNode, admission } = this.#parts;
    if (mode === "known") {
      const known = admission.sessions.knownAs(id, nowMs);
      return known === undefined ? "not-mine" : known.kind === "used" ? "used" : known.lastGood;
    }
    const adopt = mode === "adopt";
    if (!(adopt ? roomNode.mayAct(room) : roomNode.mayExtend())) return "later";
    const isMine = roomNode.writerOf(home) === roomNode.self;
    const group = roomNode.potOf(home);
    // Its slot may be another visitor's by now: the removed node has not seen the session since.
    if (!adopt && isMine && group !== undefined && roomNode.mayHoldLease(group)) return "later";
    const isHereOrAdopted = adopt || (isMine && group === undefined);
    const checked = adopt
      ? admission.sessions.adopt(id, lastGood, nowMs, isSilent(roomNode, home) ? home : undefined)
      : !isMine
        ? ({ kind: "not-mine" } as const)
        : group === undefined
          ? admission.sessions.checkIn(id, lastGood, nowMs)
          : admission.sessions.checkInPot(group, { id, home, lastGood }, nowMs);
    // The reason may be only a missing ceiling: that is raised, and the question is asked again.
    if (
      checked.kind === "not-mine" &&
      isHereOrAdopted &&
      !admission.sessions.mayHoldMore(nowMs) &&
      admission.free(nowMs) > 0
    ) {
      roomNode.touched(room);
      return "later";
    }
    // The name of a former member is known for a time only, and its session rests on a slot of this node's account.
    const own = accountOf(roomNode.self);
    const isMoved = checked.kind === "acknowledged" && !adopt && group === undefined && home !== own;
    const acknowledged = this.#acknowledged(checked);
    return isMoved && typeof acknowledged === "number" ? [acknowledged, own] : acknowledged;
  }

  /** Gives a session a new term of `minutes`. */
  extend(session: Session, minutes: number, nowMs: number): CheckedData {
    const { roomNode, admission } = this.#parts;
    if (!roomNode.mayExtend()) return "later";
    if (roomNode.writerOf(session.home) !== roomNode.self) return "not-mine";
    return this.#acknowledged(admission.sessions.extend(session, minutes, nowMs, roomNode.potOf(session.home)));
  }

  /**
   * Refuses a session from now on, whatever its home is. `toldTo`: the last minute in which a cookie of it may be good,
   * as the node knows that ended it; this one's clock may have been behind. Returns whether it was not refused
   * before.
   */
  refuse(id: string, toldTo: Minute = this.#parts.roomNode.refusedTo): boolean {
    const { roomNode, admission, writer } = this.#parts;
    const lastGood = Math.max(roomNode.refusedTo, toldTo) as Minute;
    if (!admission.sessions.refuse({ id, lastGood })) return false;
    writer.refused(id, lastGood);
    return true;
  }

  /**
   * Ends a session and frees its slot. On disk before the slot is free, so that no restart lets its cookie take another
   * session's slot. Returns whether this node knew of the session.
   */
  end(id: string, home: AccountId, nowMs: number): boolean {
    const { roomNode, admission, writer } = this.#parts;
    const isRefused = admission.sessions.isRevoked(id);
    const revoked = admission.sessions.revoke(id, nowMs, roomNode.potOf(home));
    if (revoked === undefined) return false;
    if (!isRefused) writer.refused(id, revoked.lastGood);
    writer.changed();
    return true;
  }

  /** On disk before it is sent. */
  #acknowledged(checked: CheckIn): Exclude<CheckedData, readonly unknown[]> {
    if (checked.kind !== "acknowledged") return checked.kind;
    this.#parts.writer.changed();
    return checked.lastGood;
  }
}

/** Puts on the disk what a room that is not loaded holds, now that its site holds slots for it. */
export function putApart(outbox: Puts, room: RoomId, record: Omit<AdmissionRecord, "site">): void {
  outbox.put(ADMISSION.at(room), record);
}

/** Puts on the disk what changes in a room's admission: its sessions as counts, and the sessions that were ended. */
export class AdmissionWriter {
  readonly #id: RoomId;
  readonly #roomNode: Pick<RoomNode, "outbox" | "touched">;
  readonly #admission: Admission;

  constructor(id: RoomId, roomNode: Pick<RoomNode, "outbox" | "touched">, admission: Admission) {
    this.#id = id;
    this.#roomNode = roomNode;
    this.#admission = admission;
  }

  /** Slots were taken, extended or freed: the state at the end of the step goes to the disk. */
  changed(): void {
    this.#roomNode.touched(this.#id);
    this.#roomNode.outbox.putLater(ADMISSION.at(this.#id), () => this.#admission.sessions.record);
  }

  /** A session is refused from now on, for as long as a cookie of it could be good. */
  refused(session: string, lastGood: Minute): void {
    this.#roomNode.outbox.put(REVOKED.at(this.#id, session), lastGood);
  }

  /** What another node held was taken over. */
  tookOver(revoked: readonly Revoked[]): void {
    for (const { id, lastGood } of revoked) this.refused(id, lastGood);
    this.changed();
  }

  /** No cookie of an ended session is good any more. */
  forget(session: string): void {
    this.#roomNode.outbox.put(REVOKED.at(this.#id, session), undefined);
  }
}
