/** A room at one node whose account owns everything, on times that the test names. */

import type { Minute } from "../../../mesh/core/ids.ts";
import { MINUTE_MS } from "../../../mesh/core/minute.ts";
import { Admission, type Decision } from "../../../node/admission/admission.ts";
import type { Restored } from "../../../node/admission/admission-record.ts";
import { orderOfRoom, type QueueOrder } from "../../../node/admission/queue-order.ts";
import type { Room } from "../../../node/config/room.ts";
import { roomWith } from "./room-with.ts";
import { arrive, poll } from "./without-mesh.ts";

/** The minute of most tests. */
export const M = 29_000_000;
const REFRESH_MS = 20_000;

/** Unix ms `seconds` after the start of minute M. */
export function at(seconds: number): number {
  return M * MINUTE_MS + seconds * 1_000;
}

/** Visitors have names; their keys are kept. */
export class OneRoom {
  room: Room;
  /** Slots of inherited accounts, in the pot. */
  potSlots = 0;
  ceiling = Number.POSITIVE_INFINITY;
  readonly admission: Admission;
  readonly counts: string[] = [];
  readonly keys = new Map<string, number>();
  #arrived = 0;

  constructor(change: Partial<Room> = {}, restored?: Restored, nowMs = at(0)) {
    this.room = roomWith(change);
    const account = {
      active: (limit: number) => limit,
      arrivals: (limit: number) => limit,
      pot: () => this.potSlots,
      ceiling: () => this.ceiling,
      count: (kind: string, minute: Minute) => this.counts.push(`${kind} ${minute - M}`),
    };
    this.admission = new Admission(this, { account, minuteMs: MINUTE_MS, nowMs, restored });
  }

  get order(): QueueOrder {
    return orderOfRoom(this.room, "shop");
  }

  configure(change: Partial<Room>): void {
    this.room = { ...this.room, ...change };
    this.admission.roomChanged();
  }

  arrive(id: string, nowMs: number): Decision {
    return this.#noted(id, arrive(this.admission, id, nowMs));
  }

  poll(id: string, nowMs: number): Decision | { readonly kind: "used" } {
    return this.#noted(id, poll(this.admission, { id, key: this.keys.get(id) ?? 0 }, nowMs));
  }

  /** New visitors until one is not admitted; returns how many were. */
  fill(nowMs: number): number {
    for (let admitted = 0; admitted < 1_000; admitted++)
      if (this.arrive(`filler-${++this.#arrived}`, nowMs).kind !== "admitted") return admitted;
    return 1_000;
  }

  /** Housekeeping twice a second, with all of `ids` polling at every interval; returns who came in, in that order. */
  pass(fromMs: number, toMs: number, ids: readonly string[] = []): string[] {
    const letIn: string[] = [];
    for (let nowMs = fromMs; nowMs <= toMs; nowMs += 500) {
      this.admission.tick(nowMs);
      if ((nowMs - fromMs) % REFRESH_MS !== 0) continue;
      for (const id of ids) if (!letIn.includes(id) && this.poll(id, nowMs).kind === "admitted") letIn.push(id);
    }
    return letIn;
  }

  #noted<Kind extends { readonly kind: string }>(id: string, decision: Kind): Kind {
    if (isWaiting(decision)) this.keys.set(id, decision.place.key);
    return decision;
  }
}

function isWaiting(decision: { readonly kind: string }): decision is Extract<Decision, { kind: "waiting" }> {
  return decision.kind === "waiting";
}

export function placeOf(decision: { readonly kind: string }) {
  if (!isWaiting(decision)) throw new Error(`Cannot read a place as the visitor must wait: ${decision.kind}`);
  return decision.place;
}
