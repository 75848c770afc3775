/**
 * What is idle at this node, and why: what removed nodes left to it, and its own share of rooms that it holds.
 */

import type { Instant } from "../../mesh/core/instant.ts";
import type { Members, Pot } from "../../mesh/core/members/members.ts";
import { isRoomKey } from "../../mesh/core/replica/register-keys.ts";
import type { Replica } from "../../mesh/core/replica/replica.ts";
import { IDLE_ACCOUNTS_MAX, IDLE_MAX, IDLE_ROOMS_MAX, type IdleShare } from "../admission/mesh/room-messages.ts";
import type { LostCounts } from "./lost-counts.ts";
import type { PotClock } from "./pot-clock.ts";
import type { PowerLoss } from "./power-loss.ts";

export interface IdleSharesParts {
  readonly members: Members;
  readonly replica: Replica;
  readonly pots: PotClock;
  readonly lost: LostCounts;
  readonly powerLoss: PowerLoss;
  readonly now: () => Instant;
}

export class IdleShares {
  readonly #parts: IdleSharesParts;

  constructor(parts: IdleSharesParts) {
    this.#parts = parts;
  }

  /** Ms until the slots of a pot are own ones. */
  potLeftMs(pot: Pot): number {
    return this.#parts.pots.activeMs(pot, this.#parts.now()) - pot.passedMs;
  }

  /** All of it. */
  get all(): readonly IdleShare[] {
    const { members, replica } = this.#parts;
    const held = members.pot(this.#parts.now()).filter(({ isHeard }) => !isHeard);
    const pots = held.map((pot) => {
      const untilMs = this.#inSeconds(this.potLeftMs(pot));
      const sinceMs = untilMs - (this.potLeftMs(pot) + pot.passedMs);
      const reason = pot.runsNowhere ? ("forgotten" as const) : ("removed" as const);
      const { accounts, ceilings } = pot;
      const bound = ceilings !== undefined && ceilings.length <= IDLE_ROOMS_MAX && { ceilings };
      return { accounts, reason, sinceMs: Math.max(0, Math.round(sinceMs)), untilMs, ...bound };
    });
    const isAllHeld = this.#parts.powerLoss.isOpen;
    const rooms = isAllHeld ? [...replica.registers().keys()].filter(isRoomKey) : this.#parts.lost.held;
    if (rooms.length === 0) return pots;
    const leftMs = isAllHeld ? undefined : this.#parts.lost.leftMs;
    const untilMs = leftMs === undefined ? {} : { untilMs: this.#inSeconds(leftMs) };
    return [...pots, { accounts: this.#parts.pots.settled("active"), reason: "held", rooms, ...untilMs }];
  }

  /** The same, in the form sent to others. */
  get forOthers(): IdleShare[] {
    return this.all.slice(0, IDLE_MAX).map(({ accounts, rooms, ...share }) => ({
      accounts: accounts.slice(0, IDLE_ACCOUNTS_MAX),
      ...(rooms !== undefined && { rooms: rooms.slice(0, IDLE_ROOMS_MAX) }),
      ...share,
    }));
  }

  /** Unix ms at which so many are over: in whole seconds, so that it is not news at each computation. */
  #inSeconds(leftMs: number): number {
    return Math.ceil((this.#parts.now().wallMs + leftMs) / 1_000) * 1_000;
  }
}
