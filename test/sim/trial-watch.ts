/**
 * Slots that are kept for visitors who are asked to enter: the session of one who does not enter is only as long as the
 * time for that, and its home gives the slot back after it.
 */

import { startOfMinuteMs } from "../../mesh/core/minute.ts";
import type { SimNode } from "./sim-node.ts";
import type { SimRoom } from "./sim-room.ts";
import type { InsideCookie } from "./visitor.ts";

interface Trial {
  readonly room: SimRoom;
  readonly cookie: InsideCookie;
  readonly untilMs: number;
}

/** Minutes after its end in which each clock that may act has seen it. */
const LATER_MINUTES = 1;

/** Whether a session has not been entered. */
export function isTrial(cookie: {
  readonly kind: string;
  readonly lastCheckInTime: number;
  readonly acceptedAt?: number;
}): boolean {
  return cookie.kind === "inside" && cookie.lastCheckInTime < (cookie.acceptedAt ?? 0);
}

export class TrialWatch {
  readonly #minuteMs: number;
  /** Of visitors who do not enter. */
  #open: Trial[] = [];
  /** Sessions that their visitors have entered, by id. */
  readonly #entered = new Set<string>();
  /** Slots that were given back. */
  returned = 0;

  constructor(minuteMs: number) {
    this.#minuteMs = minuteMs;
  }

  /** A visitor's own request shows a session. */
  enters(id: string): void {
    this.#entered.add(id);
  }

  /**
   * A visitor is asked to enter. Returns what is wrong with the session; undefined if nothing is. One that was entered
   * is a whole one: a poll that was under way at another gate asks once more.
   */
  asked(
    { settings, name }: Pick<SimRoom, "settings" | "name">,
    { id, acceptedAt, lastGood }: Pick<InsideCookie, "id" | "acceptedAt" | "lastGood">,
  ): string | undefined {
    if (this.#entered.has(id)) return undefined;
    const minutes = Math.ceil((settings.enterWithinSeconds * 1_000) / this.#minuteMs);
    const acceptedMinute = Math.floor(acceptedAt / this.#minuteMs);
    // The clock of a gate may be a moment behind the minute of its room.
    if (lastGood <= acceptedMinute + minutes + 1) return undefined;
    return `never early: ${name} keeps a slot for ${id} to minute ${lastGood}, who may enter for ${minutes} minutes from ${acceptedMinute} on`;
  }

  /** A visitor who was asked never enters. */
  ignores(room: SimRoom, cookie: InsideCookie): void {
    const untilMs = startOfMinuteMs((cookie.lastGood + 1 + LATER_MINUTES) as never, this.#minuteMs);
    this.#open.push({ room, cookie, untilMs });
  }

  /** Every second: what is wrong, if a slot was not given back. */
  look(nodes: readonly SimNode[], nowMs: number): string | undefined {
    if (this.#open.length === 0) return undefined;
    const due = this.#open.filter(({ untilMs }) => untilMs <= nowMs);
    if (due.length === 0) return undefined;
    this.#open = this.#open.filter(({ untilMs }) => untilMs > nowMs);
    for (const { room, cookie } of due) {
      const home = nodes.find(({ identity, isRunning }) => isRunning && identity === (cookie.home as string));
      const { peer } = home ?? {};
      const { admission } = peer?.rooms.get(room.id) ?? {};
      if (peer === undefined || admission === undefined || admission.minuteAt(peer.roomMs) <= cookie.lastGood) continue;
      const known = admission.sessions.knownAs(cookie.id, peer.roomMs);
      if (known?.kind === "admitted")
        return `never early: ${home?.identity} holds a slot for ${cookie.id}, who has not entered ${room.name}`;
      this.returned += 1;
    }
    return undefined;
  }
}
