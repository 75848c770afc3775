/**
 * How long the inherited accounts of removed nodes stay in the pot, apart from the own ones.
 *
 * A removed node that is only cut off admits and extends until its lease is over, and its last cookies are good for a
 * session's length: until then every `active` slot of the pot may be in use there. Its `arrivals` may be spent until
 * its lease is over, in the minute that runs then. Whole minutes are added, because minutes are counted whole. The view
 * says how long sessions last, see mesh/core/members/longest-session.ts. What one view inherited settles together, and
 * waits for nothing that was inherited before or after (`Pot.group`).
 */

import type { AccountId, RoomId } from "../../mesh/core/ids.ts";
import type { Instant } from "../../mesh/core/instant.ts";
import type { Resource } from "../../mesh/core/ledger/row.ts";
import type { Members, Pot } from "../../mesh/core/members/members.ts";
import type { MeshRoom } from "../admission/mesh/mesh-room.ts";
import { cutOffFigures } from "../config/cut-off-figures.ts";

export interface PotTimes {
  readonly minuteMs: number;
  readonly leaseMs: number;
}

export interface PotClockOptions extends PotTimes {
  readonly now: Instant;
  /** Whether accounts have no units of any room: no session can rest on them, and they can admit no visitor. */
  readonly ownsNothing: (accounts: readonly AccountId[]) => boolean;
}

export class PotClock {
  readonly #times: PotClockOptions;
  readonly #members: Members;
  readonly #rooms: ReadonlyMap<RoomId, MeshRoom>;
  /** Accounts in pots, with their groups, and all others that this node writes. */
  #of: Record<Resource, { readonly groups: ReadonlyMap<AccountId, string>; readonly settled: readonly AccountId[] }>;
  #accountsIn: ReadonlyMap<string, readonly AccountId[]> = new Map();
  /** By group: the most slots of each room that its sessions hold; undefined where that is all slots. */
  #ceilings: ReadonlyMap<string, ReadonlyMap<RoomId, number> | undefined> = new Map();
  #boundedGroups: readonly string[] = [];
  /** Groups of which a node may hold a lease. */
  #leased: ReadonlySet<string> = new Set();

  /** `now`: what was inherited before a restart is in the pot from the first request on. */
  constructor(times: PotClockOptions, members: Members, rooms: ReadonlyMap<RoomId, MeshRoom>) {
    this.#times = times;
    this.#members = members;
    this.#rooms = rooms;
    this.#of = this.#sorted(members.pot(times.now));
  }

  /** The group of pots that contains an account, if its `active` slots may still be in use elsewhere. */
  groupOf(account: AccountId): string | undefined {
    return this.#of.active.groups.get(account);
  }

  /** Accounts of a group of pots. */
  accountsIn(group: string): readonly AccountId[] {
    return this.#accountsIn.get(group) ?? [];
  }

  /**
   * Whether a node of a group of pots may still hold a lease. Mostly it holds none, as nobody has heard it for a lease,
   * or an operator said that it runs nowhere; but a member that left, or was removed before, may have granted one.
   */
  mayHoldLease(group: string): boolean {
    return this.#leased.has(group);
  }

  /** The most slots of a room that sessions of a group of pots hold; undefined where that is all slots. */
  ceilingIn(group: string, room: RoomId): number | undefined {
    const ceilings = this.#ceilings.get(group);
    return ceilings && (ceilings.get(room) ?? 0);
  }

  /** The same for all pots together; Infinity if it is unknown for one. */
  ceilingOf(room: RoomId): number {
    let sum = 0;
    for (const group of this.#ceilings.keys()) sum += this.ceilingIn(group, room) ?? Number.POSITIVE_INFINITY;
    return sum;
  }

  /** Groups of pots of which some part may be usable at once. */
  get boundedGroups(): readonly string[] {
    return this.#boundedGroups;
  }

  /** Whether all pots have ceilings. */
  get areBounded(): boolean {
    return this.#ceilings.values().every((ceilings) => ceilings !== undefined);
  }

  /** Rooms in which sessions of a pot may exist. */
  get roomsWithCeilings(): RoomId[] {
    return [...this.#ceilings.values()].flatMap((ceilings) => [...(ceilings?.keys() ?? [])]);
  }

  /** The accounts that this node writes and whose units of this resource it may use. */
  settled(resource: Resource): readonly AccountId[] {
    return this.#of[resource].settled;
  }

  /** Recomputes everything: accounts were inherited or taken over, or time has passed. */
  tick(now: Instant): void {
    const pots = this.#members.pot(now);
    for (const group of groupsOf(pots).values()) {
      const accounts = group.flatMap((pot) => pot.accounts);
      const isOver = group.every((pot) => pot.passedMs > this.activeMs) || this.#times.ownsNothing(accounts);
      if (isOver) this.#members.settle(accounts, now);
    }
    for (const pot of pots)
      if (pot.isHeard && !this.#areArrivalsHeld(pot, pots)) this.#members.settle(pot.accounts, now);
    this.#of = this.#sorted(this.#members.pot(now));
    for (const room of this.#rooms.values()) this.settleIn(room);
  }

  /** Moves the sessions of a room from pots that have settled to own slots: now, or when the room becomes known. */
  settleIn(room: MeshRoom): void {
    for (const group of room.admission.sessions.potGroups) if (!this.#accountsIn.has(group)) room.settlePot(group);
  }

  /** Ms after the heir learnt of a pot at which its `active` slots are its own. */
  get activeMs(): number {
    return cutOffFigures(this.#times, this.#members.sessions.longest).idleMs;
  }

  /** Whether slots for new visitors may still be used by the nodes whose accounts these were. */
  #areArrivalsAbout(pot: Pot): boolean {
    return pot.passedMs <= this.#times.leaseMs + 2 * this.#times.minuteMs;
  }

  /** The same of any pot of its group. */
  #areArrivalsHeld({ group }: Pot, pots: readonly Pot[]): boolean {
    return pots.some((pot) => pot.group === group && this.#areArrivalsAbout(pot));
  }

  #sorted(pots: readonly Pot[]) {
    const all = this.#members.writes();
    const of = (held: readonly Pot[]) => {
      const groups = new Map(
        held.flatMap(({ accounts, group }) => accounts.map((account) => [account, group] as const)),
      );
      return { groups, settled: all.filter((account) => !groups.has(account)) };
    };
    const grouped = groupsOf(pots);
    this.#accountsIn = new Map(Array.from(grouped, ([group, of]) => [group, of.flatMap(({ accounts }) => accounts)]));
    this.#ceilings = new Map(Array.from(grouped, ([group, of]) => [group, ceilingsOf(of)]));
    this.#boundedGroups = [...this.#ceilings.keys()].filter((group) => this.#ceilings.get(group) !== undefined);
    this.#leased = new Set(pots.filter((pot) => pot.passedMs <= this.#times.leaseMs).map(({ group }) => group));
    // All accounts of a group together: one of its pots may owe what another one has.
    return {
      active: of([...grouped.values()].flat()),
      arrivals: of(pots.filter((pot) => this.#areArrivalsHeld(pot, pots))),
    };
  }
}

/** What the pots of one group hold together at most: it was decided for all of them at once. */
function ceilingsOf(pots: readonly Pot[]): ReadonlyMap<RoomId, number> | undefined {
  const [ceilings] = pots.map((pot) => pot.ceilings);
  return ceilings === undefined || pots.some((pot) => pot.ceilings === undefined) ? undefined : new Map(ceilings);
}

/** Pots whose slots count as held, by their group. */
function groupsOf(pots: readonly Pot[]): Map<string, Pot[]> {
  const held = pots.filter(({ isHeard }) => !isHeard);
  return Map.groupBy(held, ({ group }) => group);
}
