/**
 * A small world for the laws of shares: accounts that admit, end sessions and give, each with its own ledger, clock and
 * limits, joined by messages that are lost, doubled and reordered at will.
 *
 * An account follows the rules and no more: it admits within its slots and gives from its surplus, as much as it
 * pleases, to whom it pleases. The world knows the truth and checks after each step that no limit is passed and no unit
 * made.
 */

import type { AccountId, Minute, RoomId } from "../../mesh/core/ids.ts";
import { Ledger } from "../../mesh/core/ledger/ledger.ts";
import { RESOURCES, type Resource, type RowData } from "../../mesh/core/ledger/row.ts";
import { giftFor, type Holdings, slotsOf, surplus, UNITS } from "../../mesh/core/ledger/shares.ts";

export type Step =
  /** A new visitor comes to `at`. */
  | { readonly kind: "visit"; readonly at: number; readonly times: number }
  | { readonly kind: "leave"; readonly at: number; readonly times: number }
  /**
   * `at` gives `to` slots, or with `slots` undefined all it can spare; `direct`: the message arrives at once, for a
   * first time.
   */
  | {
      readonly kind: "give";
      readonly at: number;
      readonly to: number;
      readonly resources: readonly Resource[];
      readonly slots: number | undefined;
      readonly direct: boolean;
    }
  /** `at` sends what it knows of the row of `about` to `to`. */
  | { readonly kind: "gossip"; readonly at: number; readonly about: number; readonly to: number }
  /** One of the messages under way arrives (and with `again` stays under way, to arrive once more). */
  | { readonly kind: "arrive"; readonly message: number; readonly again: boolean }
  | { readonly kind: "lose"; readonly message: number }
  /** The clock of `at` reaches its next minute. */
  | { readonly kind: "minute"; readonly at: number }
  /** `at` comes back with its own row from disk, through JSON, and nothing else. */
  | { readonly kind: "restart"; readonly at: number }
  | { readonly kind: "limit"; readonly at: number; readonly resource: Resource; readonly limit: number };

const ROOM = "shop" as RoomId;

interface Member {
  readonly id: AccountId;
  readonly admitted: Map<Minute, number>;
  /** Units that the account truly owns, whether it has heard of them or not. */
  readonly owned: Record<Resource, number>;
  readonly limits: Record<Resource, number>;
  ledger: Ledger;
  minute: Minute;
  held: number;
}

export class ShareWorld {
  readonly members: readonly Member[];
  /** The highest limit that ever applied anywhere. */
  readonly #limitsMax: Record<Resource, number>;
  readonly #messages: { readonly to: number; readonly row: RowData }[] = [];

  constructor(accounts: number, limits: Readonly<Record<Resource, number>>) {
    this.#limitsMax = { ...limits };
    this.members = Array.from({ length: accounts }, (_, index) => ({
      id: idOf(index),
      admitted: new Map(),
      owned: index === 0 ? { active: UNITS, arrivals: UNITS } : { active: 0, arrivals: 0 },
      limits: { ...limits },
      ledger: new Ledger({ self: idOf(index), founder: idOf(0) }),
      minute: 28_000_000 as Minute,
      held: 0,
    }));
  }

  step(step: Step): void {
    const touched = step.kind === "arrive" || step.kind === "lose" ? this.#handleMessage(step) : this.#act(step);
    this.#checkLimits();
    if (touched !== undefined) this.#checkBalances(touched);
  }

  /** Delivers all knowledge to all nodes: then all know the truth, and it is a whole room. */
  converge(): void {
    for (const from of this.members)
      for (const to of this.members) if (from !== to) to.ledger.merge(from.ledger.row(from.id));
    this.#checkLimits();
    const atLast = Number.POSITIVE_INFINITY as Minute;
    for (const resource of RESOURCES)
      for (const { ledger } of this.members) {
        const known = this.members.map(({ id }) => ledger.unitsOf(id, { room: ROOM, resource, minute: atLast }));
        must(sum(known) === UNITS, `units of ${resource} are conserved, not ${sum(known)}`);
        for (const [index, units] of known.entries())
          must(units === this.#member(index).owned[resource], `all know the ${resource} of ${index}, not ${units}`);
      }
  }

  /** What an account knows and uses of its own. */
  holdings({ ledger, limits, minute, held, admitted }: Member): Holdings {
    const units = (resource: Resource) => ledger.units({ room: ROOM, resource, minute });
    return {
      active: { limit: limits.active, units: units("active"), used: held },
      arrivals: { limit: limits.arrivals, units: units("arrivals"), used: admitted.get(minute) ?? 0 },
    };
  }

  give(from: Member, to: Member, gift: { resources: readonly Resource[]; slots: number | undefined }): RowData[] {
    if (from === to) return [];
    return gift.resources.flatMap((resource) => {
      const purse = { room: ROOM, resource, minute: from.minute };
      const limit = from.limits[resource];
      const spare = surplus(this.holdings(from))[resource];
      const known = Math.max(0, from.ledger.unitsOf(to.id, purse));
      const units =
        gift.slots === undefined ? spare : giftFor({ limit, units: known, slots: gift.slots, surplus: spare });
      from.owned[resource] -= units;
      to.owned[resource] += units;
      return units === 0 ? [] : [from.ledger.give({ ...purse, to: to.id, units })];
    });
  }

  visit(member: Member): boolean {
    const { active, arrivals } = this.holdings(member);
    if (active.used >= slotsOf(active.limit, active.units)) return false;
    if (arrivals.used >= slotsOf(arrivals.limit, arrivals.units)) return false;
    member.held += 1;
    member.admitted.set(member.minute, arrivals.used + 1);
    return true;
  }

  #act(step: Exclude<Step, { kind: "arrive" | "lose" }>): Member {
    const member = this.#member(step.at);
    switch (step.kind) {
      case "visit":
        for (let time = 0; time < step.times; time++) this.visit(member);
        break;
      case "leave":
        member.held = Math.max(0, member.held - step.times);
        break;
      case "give": {
        const receiver = this.#member(step.to);
        for (const row of this.give(member, receiver, step)) {
          this.#messages.push({ to: step.to, row });
          if (step.direct) receiver.ledger.merge(row);
        }
        break;
      }
      case "gossip":
        this.#messages.push({ to: step.to, row: member.ledger.row(this.#member(step.about).id) });
        break;
      case "minute":
        member.minute = (member.minute + 1) as Minute;
        break;
      case "restart": {
        const stored: RowData = JSON.parse(JSON.stringify(member.ledger.row(member.id)));
        member.ledger = new Ledger({ self: member.id, founder: idOf(0) });
        member.ledger.merge(stored);
        break;
      }
      case "limit":
        member.limits[step.resource] = step.limit;
        this.#limitsMax[step.resource] = Math.max(this.#limitsMax[step.resource], step.limit);
    }
    return member;
  }

  #handleMessage(step: Extract<Step, { kind: "arrive" | "lose" }>): Member | undefined {
    const index = step.message % this.#messages.length;
    const message = this.#messages[index];
    if (message === undefined) return undefined;
    if (step.kind === "lose" || !step.again) this.#messages.splice(index, 1);
    const receiver = this.#member(message.to);
    if (step.kind === "arrive") receiver.ledger.merge(message.row);
    return receiver;
  }

  #checkLimits(): void {
    const { members } = this;
    const inside = sum(members.map(({ held }) => held));
    must(inside <= this.#limitsMax.active, `sessions stay within ${this.#limitsMax.active}, not ${inside}`);
    for (const minute of new Set(members.map(({ minute }) => minute))) {
      const admitted = sum(members.map((member) => member.admitted.get(minute) ?? 0));
      must(admitted <= this.#limitsMax.arrivals, `admissions stay within ${this.#limitsMax.arrivals}, not ${admitted}`);
    }
    for (const resource of RESOURCES) {
      const limit = this.#limitsMax[resource];
      const units = members.map(({ ledger, minute }) => ledger.units({ room: ROOM, resource, minute }));
      const slots = sum(units.map((own) => slotsOf(limit, own)));
      must(slots <= limit, `slots of all stay within ${limit}, not ${slots}`);
    }
  }

  #checkBalances({ ledger, minute, owned }: Member): void {
    const rows = ledger.accounts().map((account) => ledger.row(account));
    for (const resource of RESOURCES) {
      const own = ledger.units({ room: ROOM, resource, minute });
      must(own <= owned[resource], `the own view of ${resource} stays within ${owned[resource]}, not ${own}`);
      for (const { id } of this.members) {
        const kept = ledger.unitsOf(id, { room: ROOM, resource, minute });
        const computed = unitsByRows(rows, { account: id, resource, minute });
        must(kept === computed, `a kept balance is the computed one, ${computed}, not ${kept}`);
      }
    }
  }

  #member(index: number): Member {
    const member = this.members[index % this.members.length];
    if (member === undefined) throw new RangeError(`Cannot find a member: current value is ${index}`);
    return member;
  }
}

/** An account's units by the definition, from all rows. */
function unitsByRows(
  rows: readonly RowData[],
  { account, resource, minute }: { account: AccountId; resource: Resource; minute: number },
): number {
  const gifts = rows.flatMap((row) => row.gifts.map((gift) => ({ from: row.account, ...gift })));
  const ofResource = gifts.filter((gift) => gift.resource === resource);
  const received = ofResource
    .filter(({ to }) => to === account)
    .map(({ totals }) => Math.max(0, ...totals.filter(([since]) => since <= minute).map(([, total]) => total)));
  const given = ofResource
    .filter(({ from }) => from === account)
    .map(({ totals }) => Math.max(0, ...totals.map(([, total]) => total)));
  return (account === idOf(0) ? UNITS : 0) + sum(received) - sum(given);
}

/** Vitest's `expect` is too slow for a check at every step. */
function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(`Broken: ${what}`);
}

function idOf(index: number): AccountId {
  return `account-${index}` as AccountId;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
