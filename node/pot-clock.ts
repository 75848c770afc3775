/**
 * How long the inherited accounts of removed nodes stay in the pot, apart from the own ones.
 *
 * A removed node that is only cut off admits until its lease is over, extends its sessions for its island time, and what it
 * told last is good for a session's length: until then every `active` slot of the pot may be in use there. Its `arrivals`
 * may be spent until its lease is over, in the minute that runs then. Whole minutes are added, as minutes are counted whole.
 */

import type { AccountId, RoomId } from "../mesh/core/ids.ts";
import type { Instant } from "../mesh/core/instant.ts";
import type { Members, Pot } from "../mesh/core/members.ts";
import { GRACE_MS, scaledMs } from "../mesh/core/minute.ts";
import type { Outbox } from "../mesh/core/outbox.ts";
import type { Resource } from "../mesh/core/row.ts";
import type { MeshRoom } from "./admission/mesh/mesh-room.ts";

export interface PotTimes {
  readonly minuteMs: number;
  readonly leaseMs: number;
  readonly islandMs: number;
}

export interface PotClockOptions extends PotTimes {
  readonly now: Instant;
  readonly restored: ReadonlyMap<string, unknown>;
  readonly outbox: Outbox;
  /** Whether accounts have no units of any room: no session can rest on them, and nobody be admitted. */
  readonly ownsNothing: (accounts: readonly AccountId[]) => boolean;
}

/** Under this key lies how long sessions may be that are out, in minutes. */
const LONGEST_KEY = "session-minutes";
/** For a node that knows no room yet. */
const SESSION_MINUTES_MAX = 30;

export class PotClock {
  readonly #times: PotClockOptions;
  readonly #members: Members;
  readonly #rooms: ReadonlyMap<RoomId, MeshRoom>;
  /** The longest session that may be out, in minutes: of a room whose sessions were made shorter, until the long ones are over. */
  #longest: { minutes: number; sinceMs: number };
  #of: Record<Resource, { readonly pot: ReadonlySet<AccountId>; readonly settled: readonly AccountId[] }>;

  /** `now`: what was inherited before a restart is in the pot from the first request on. */
  constructor(times: PotClockOptions, members: Members, rooms: ReadonlyMap<RoomId, MeshRoom>) {
    const { restored, now } = times;
    this.#longest = { minutes: (restored.get(LONGEST_KEY) as number | undefined) ?? 0, sinceMs: now.steadyMs };
    this.#times = times;
    this.#members = members;
    this.#rooms = rooms;
    this.#of = this.#sorted(members.pot(times.now));
  }

  /** Accounts of which a resource may still be in use elsewhere. */
  accounts(resource: Resource): ReadonlySet<AccountId> {
    return this.#of[resource].pot;
  }

  /** Accounts that this node writes and whose resource it may use. */
  settled(resource: Resource): readonly AccountId[] {
    return this.#of[resource].settled;
  }

  /** Has it all looked at anew: accounts were inherited or taken over, or time has passed. */
  tick(now: Instant): void {
    const pots = this.#members.pot(now);
    this.#noteLongest(now, pots.length > 0);
    // All at once: one table holds the sessions of all pots, and they count against own slots only when no pot is left.
    // One without units keeps no other one waiting.
    const isOver =
      pots.length > 0 &&
      pots.every((pot) => pot.passedMs > this.activeMs(pot) || this.#times.ownsNothing(pot.accounts));
    if (isOver) {
      for (const { accounts } of pots) this.#members.settle(accounts, now);
      for (const room of this.#rooms.values()) room.settlePot();
    }
    this.#of = this.#sorted(isOver ? [] : pots);
  }

  /** Ms after the heir learnt of a pot at which its `active` slots are its own. */
  activeMs({ runsNowhere }: Pot): number {
    const { minuteMs, leaseMs, islandMs } = this.#times;
    const away = runsNowhere ? 0 : leaseMs + islandMs;
    const minutes = Math.max(this.#longest.minutes, this.#sessionMinutes()) || SESSION_MINUTES_MAX;
    return away + (minutes + 1) * minuteMs + scaledMs(GRACE_MS, minuteMs);
  }

  #noteLongest({ steadyMs }: Instant, isPotHeld: boolean): void {
    const minutes = this.#sessionMinutes();
    const { minutes: longest, sinceMs } = this.#longest;
    const isOver = !isPotHeld && steadyMs - sinceMs > (longest + 1) * this.#times.minuteMs;
    if (minutes >= longest || isOver) this.#longest = { minutes, sinceMs: steadyMs };
    if (this.#longest.minutes !== longest) this.#times.outbox.put(LONGEST_KEY, this.#longest.minutes);
  }

  #sessionMinutes(): number {
    return Math.max(0, ...Array.from(this.#rooms.values(), ({ room }) => room.sessionDuration));
  }

  #arrivalsMs({ runsNowhere }: Pot): number {
    const { minuteMs, leaseMs } = this.#times;
    return (runsNowhere ? 0 : leaseMs) + 2 * minuteMs;
  }

  #sorted(pots: readonly Pot[]) {
    const all = this.#members.writes();
    const of = (held: readonly Pot[]) => {
      const pot = new Set(held.flatMap(({ accounts }) => accounts));
      return { pot, settled: all.filter((account) => !pot.has(account)) };
    };
    return { active: of(pots), arrivals: of(pots.filter((pot) => pot.passedMs <= this.#arrivalsMs(pot))) };
  }
}
