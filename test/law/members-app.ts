/**
 * A small application on top of `Members` and the real ledger: one room, sessions on slots, check-ins, adoptions,
 * gifts.
 *
 * It keeps to the rules that ARCHITECTURE.md states and to nothing else: it does at random whatever they allow. What a
 * visitor gets leaves with the messages, after the commit. As in the product, only what concerns own accounts is on
 * disk: other nodes' rows are forgotten by a restart.
 */

import { type AccountId, accountOf, type Minute, type NodeId, type RoomId } from "../../mesh/core/ids.ts";
import type { Instant } from "../../mesh/core/instant.ts";
import { Ledger } from "../../mesh/core/ledger/ledger.ts";
import { freeUnitsOf, heldOf } from "../../mesh/core/ledger/pot-share.ts";
import { RESOURCES, type Resource, type RowData } from "../../mesh/core/ledger/row.ts";
import { slotsOf, unitsForSlots } from "../../mesh/core/ledger/shares.ts";
import type { MemberMessage } from "../../mesh/core/members/member-messages.ts";
import { Members, type Pot, type StopReason } from "../../mesh/core/members/members.ts";
import { ranked } from "../../mesh/core/members/ring.ts";
import { accountsOf, type View } from "../../mesh/core/members/view.ts";
import { minuteOf, minutePlus, GRACE_MS as PRODUCT_GRACE_MS, scaledMs } from "../../mesh/core/minute.ts";
import type { Message, Outbox } from "../../mesh/core/wire/outbox.ts";
import { Sessions, type SessionsRecord } from "../../node/admission/sessions.ts";
import { APP_IN_ORDER } from "../mesh/core/members/app-in-order.ts";

export const MINUTE_MS = 2_000;
export const LEASE_MS = 3_000;
/** Wall clocks are at most so far from true time, in ms. */
export const SKEW_MS = 750;
/** For clocks that far apart, both ways. */
export const GRACE_MS = 2 * SKEW_MS + 100;
/** What of it `Sessions` does not wait by itself, as clocks of the product are closer in a minute. */
const MORE_GRACE_MS = GRACE_MS - scaledMs(PRODUCT_GRACE_MS, MINUTE_MS);
const ROOM = "shop" as RoomId;
/**
 * What a removed node could still admit is stamped with minutes up to the one in which its lease ended, on its clock.
 */
const ARRIVALS_HELD_MS = LEASE_MS + MINUTE_MS + GRACE_MS;

export interface Limits {
  readonly active: number;
  readonly arrivals: number;
  readonly sessionDuration: number;
}

export interface Cookie {
  readonly id: string;
  readonly home: AccountId;
  readonly lastGood: Minute;
}

type AppMessage =
  | { readonly kind: "gift" | "row"; readonly view: number; readonly row: RowData }
  | { readonly kind: "check"; readonly view: number; readonly cookie: Cookie; readonly adopt: boolean }
  | { readonly kind: "checked"; readonly view: number; readonly cookie: Cookie }
  | { readonly kind: "not-mine"; readonly view: number; readonly cookie: Cookie };

/** What the all-seeing world hears of a node. */
export interface Witness {
  /** After the commit: a visitor holds this cookie. */
  cookie(cookie: Cookie): void;
  /** A visitor who was admitted in this minute has been told. */
  admitted(minute: number): void;
  stopped(node: AppNode, reason: StopReason): void;
  log(node: NodeId, text: string): void;
  /** The node treats these accounts' sessions as its own, or (`settled`) all their slots. */
  usesPot(node: AppNode, accounts: readonly AccountId[], isSettled: boolean): void;
}

export interface AppNodeOptions {
  readonly self: NodeId;
  readonly founder: AccountId;
  readonly found: boolean;
  readonly incarnation: number;
  readonly isFirstRun: boolean;
  /** Whether it is known that the disk has all that the run before has sent. */
  readonly isDiskComplete: boolean;
  readonly disk: ReadonlyMap<string, unknown>;
  readonly outbox: Outbox;
  readonly random: () => number;
  readonly limits: Limits;
  readonly witness: Witness;
}

interface TablesData {
  readonly own: SessionsRecord;
  readonly pots: readonly (readonly [string, SessionsRecord])[];
  readonly minute: Minute;
  readonly admitted: number;
}

const TABLES_KEY = "app/tables";
/** Never read: a start commits its incarnation, as in the product, so a crash may meet that commit. */
const RUN_KEY = "app/run";

export class AppNode {
  readonly self: NodeId;
  readonly account: AccountId;
  readonly members: Members;
  readonly ledger: Ledger;
  /** Told after the commit, with the messages. */
  untold: (() => void)[] = [];
  readonly #options: AppNodeOptions;
  #own = newSessions();
  readonly #pots = new Map<string, Sessions>();
  #minute = 0 as Minute;
  #admitted = 0;
  readonly #usedPots = new Set<string>();

  constructor(options: AppNodeOptions, now: Instant) {
    const { self, founder, found, incarnation, isFirstRun, isDiskComplete, disk, outbox, random, witness, limits } =
      options;
    this.#options = options;
    outbox.put(RUN_KEY, incarnation);
    this.self = self;
    this.account = accountOf(self);
    this.ledger = new Ledger({ self: this.account, founder });
    for (const [key, value] of disk) if (key.startsWith("cell/")) this.ledger.merge(value as RowData);
    const view = disk.get("members/view") as View | undefined;
    if (view !== undefined) this.#fold(view);
    const tables = disk.get(TABLES_KEY) as TablesData | undefined;
    if (tables !== undefined) this.#restore(tables);
    this.members = new Members(
      {
        self,
        locality: "here",
        incarnation,
        isFirstRun,
        isDiskComplete,
        leaseMs: LEASE_MS,
        minuteMs: MINUTE_MS,
        restored: disk,
        found,
        outbox,
        random,
        app: {
          ...APP_IN_ORDER,
          accounts: () => this.ledger.accounts(),
          rows: (accounts) => accounts.map((account) => this.ledger.row(account)),
          viewChanged: (view) => this.#viewChanged(view),
          tables: () => this.#tables(),
          takeOver: (_from, accounts, rows, data) => this.#takeOver(accounts, rows, data as TablesData),
          stoppedBy: (reason) => witness.stopped(this, reason),
          log: (text) => witness.log(self, text),
        },
      },
      now,
    );
    this.members.sessions.allow(ROOM, limits.sessionDuration);
  }

  minuteAt(now: Instant): Minute {
    this.#turn(now);
    return this.#minute;
  }

  /** Slots of own accounts in use. */
  held(now: Instant): number {
    return this.#own.held(now.wallMs - MORE_GRACE_MS);
  }

  /** Accounts whose slots of `resource` this node may use, by what it knows. */
  usable(resource: Resource, now: Instant): AccountId[] {
    const pots = this.members.pot(now);
    const groups = pots.filter((pot) => resource === "active" || pot.passedMs < ARRIVALS_HELD_MS);
    const isHeld = (pot: Pot) => groups.some(({ group }) => group === pot.group);
    const held = pots.filter(isHeld).flatMap(({ accounts }) => accounts);
    return this.members.writes().filter((account) => !held.includes(account));
  }

  /** Units of `resource` that this node may use: of those accounts, and what nothing rests on in its pots. */
  usableUnits(resource: Resource, now: Instant): number {
    const own = this.units(resource, this.usable(resource, now), now);
    if (resource === "arrivals") return own;
    return [...this.#potGroups(now)].reduce((sum, pots) => sum + freeUnitsOf(this.#share(pots, now)), own);
  }

  /**
   * What rests on the accounts of this node: sessions, and what its pots may hold; Infinity where that is not known.
   */
  load(now: Instant): number {
    const pots = [...this.#potGroups(now)].map(([pot]) => (pot === undefined ? 0 : (ceilingOf(pot) ?? Infinity)));
    return pots.reduce((sum, slots) => sum + slots, this.held(now));
  }

  #potGroups(now: Instant): Iterable<readonly Pot[]> {
    return Map.groupBy(this.members.pot(now), ({ group }) => group).values();
  }

  #share(pots: readonly Pot[], now: Instant) {
    const accounts = pots.flatMap((pot) => pot.accounts);
    const [pot] = pots;
    const units = this.units("active", accounts, now);
    return { limit: this.#options.limits.active, units, ceiling: pot && ceilingOf(pot) };
  }

  /** Whether the ceiling leaves room for one more session. */
  #mayHoldMore(now: Instant): boolean {
    return !this.members.mustPledge || this.load(now) < this.members.pledges.ceiling(ROOM);
  }

  /** Pledges a little more than is held when that is used up, and now and then less. */
  #pledge(now: Instant): void {
    const { random } = this.#options;
    const load = this.load(now);
    if (this.members.pledges.pledged(ROOM) > load && random() < 0.9) return;
    const slots = load + Math.floor(random() * 3);
    this.members.pledge(Number.isFinite(slots) ? new Map([[ROOM, slots]]) : "whole", now);
  }

  units(resource: Resource, accounts: readonly AccountId[], now: Instant): number {
    return this.ledger.netUnits(accounts, { room: ROOM, resource, minute: this.minuteAt(now) });
  }

  tick(now: Instant): void {
    this.members.tick(now);
    for (const pots of this.#potGroups(now))
      if (pots.every((pot) => pot.passedMs >= this.#potHeldMs)) this.#settle(pots, now);
    if (this.members.isMember()) this.#pledge(now);
  }

  /** A new visitor comes; admitted if there is a slot of both. */
  visit(id: string, now: Instant): void {
    const { limits, witness } = this.#options;
    if (!this.members.mayAct(now)) return;
    const minute = this.minuteAt(now);
    if (this.held(now) >= this.#slots("active", now) || this.#admitted >= this.#slots("arrivals", now)) return;
    if (!this.#mayHoldMore(now)) return;
    const cookie = { id, home: this.account, lastGood: minutePlus(minute, limits.sessionDuration) };
    this.#own.admit(id, cookie.lastGood);
    this.#admitted += 1;
    this.#put();
    this.untold.push(() => {
      witness.admitted(minute);
      witness.cookie(cookie);
    });
  }

  /** A visitor inside shows a cookie in a new minute. */
  checkIn(cookie: Cookie, now: Instant): void {
    if (this.minuteAt(now) > cookie.lastGood) return;
    const writer = this.members.writerOf(cookie.home);
    if (writer === this.self) {
      if (!this.#acknowledge(cookie, this.self, now)) this.#seekStandIn(cookie, writer, now);
    } else if (writer !== undefined && this.members.reach.state(writer, now) === "alive")
      this.#send(writer, { kind: "check", cookie, adopt: false });
    else this.#seekStandIn(cookie, writer, now);
  }

  /** Gives a random part of what is not needed to a random member. */
  give(now: Instant): void {
    const { random, limits } = this.#options;
    const others = this.members.reach.alive(now).filter((node) => this.members.mayGiveTo(node, now));
    const to = others[Math.floor(random() * others.length)];
    if (to === undefined) return;
    const minute = this.minuteAt(now);
    for (const resource of RESOURCES) {
      const pots = resource === "active" ? [...this.#potGroups(now)].flat().filter(({ ceilings }) => ceilings) : [];
      const accounts = [...this.usable(resource, now), ...pots.flatMap((pot) => pot.accounts)];
      const limit = limits[resource];
      const used = resource === "active" ? this.held(now) : this.#admitted;
      const spare = this.usableUnits(resource, now) - unitsForSlots(limit, used);
      const units = random() < 0.5 ? spare : Math.min(spare, unitsForSlots(limit, 1 + Math.floor(random() * 2)));
      if (units <= 0 || accounts.includes(accountOf(to))) continue;
      const row = this.ledger.give({ room: ROOM, resource, minute, to: accountOf(to), units, accounts });
      this.#putCells(row);
      this.#send(to, { kind: "gift", row });
    }
  }

  /** Tells a random member of a random row. */
  gossip(now: Instant): void {
    const { random } = this.#options;
    const others = (this.members.view?.members ?? []).filter(({ node }) => node !== this.self);
    const to = others[Math.floor(random() * others.length)]?.node;
    const accounts = this.ledger.accounts();
    const account = accounts[Math.floor(random() * accounts.length)];
    if (to === undefined || account === undefined || !this.members.isMember() || this.members.isStopped) return;
    this.#turn(now);
    this.#send(to, { kind: "row", row: this.ledger.row(account) });
  }

  receive(from: NodeId, message: Message, now: Instant): void {
    const { kind } = message;
    if (kind !== "gift" && kind !== "row" && kind !== "check" && kind !== "checked" && kind !== "not-mine") {
      this.members.receive(from, message as MemberMessage, now);
      return;
    }
    const told = message as AppMessage;
    const { members } = this;
    if (told.view !== members.view?.number || !members.isMember(from) || !members.isMember()) {
      members.sawView(from, told.view, now);
      return;
    }
    switch (told.kind) {
      case "gift":
      case "row":
        if (!members.isFenced(told.row.account) && !members.writes().includes(told.row.account)) this.#merge(told.row);
        return;
      case "check":
        if (told.adopt) this.#adopt(told.cookie, from, now);
        else if (!this.#acknowledge(told.cookie, from, now))
          this.#send(from, { kind: "not-mine", cookie: told.cookie });
        return;
      case "checked":
        this.untold.push(() => this.#options.witness.cookie(told.cookie));
        return;
      case "not-mine":
        this.#seekStandIn(told.cookie, from, now);
    }
  }

  #seekStandIn(cookie: Cookie, home: NodeId | undefined, now: Instant): void {
    const others = this.members.reach.alive(now).filter((node) => node !== home);
    const [standIn] = ranked(cookie.id, others);
    if (standIn === this.self) this.#adopt(cookie, this.self, now);
    else if (standIn !== undefined) this.#send(standIn, { kind: "check", cookie, adopt: true });
  }

  /** Whether it is settled; false: not mine. */
  #acknowledge({ id, home, lastGood }: Cookie, to: NodeId, now: Instant): boolean {
    if (!this.members.writes().includes(home)) return false;
    if (!this.members.mayExtendOwn(now)) return true;
    const minute = this.minuteAt(now);
    const extended = Math.max(lastGood, minute + this.#options.limits.sessionDuration) as Minute;
    const pot = this.members.pot(now).find(({ accounts }) => accounts.includes(home));
    if (pot === undefined) {
      // A slower gate may pass on a cookie that is over here.
      if (this.#own.checkIn(id, minute, extended, lastGood).kind !== "acknowledged") return false;
    } else {
      const table = this.#pots.getOrInsertComputed(pot.group, newSessions);
      if (pot.passedMs < LEASE_MS) return true;
      this.#uses(pot.accounts, false);
      const pots = this.members.pot(now).filter(({ group }) => group === pot.group);
      const slots = heldOf(this.#share(pots, now));
      if (table.checkIn(id, minute, extended).kind !== "acknowledged") {
        if (table.held(now.wallMs - MORE_GRACE_MS) >= slots) return true;
        table.admit(id, extended);
      }
    }
    this.#tell(to, { id, home, lastGood: extended });
    return true;
  }

  #adopt({ id, lastGood }: Cookie, to: NodeId, now: Instant): void {
    if (!this.members.mayAct(now)) return;
    const minute = this.minuteAt(now);
    const extended = Math.max(lastGood, minute + this.#options.limits.sessionDuration) as Minute;
    if ((this.#own.lastGoodOf(id) ?? 0) < minute) {
      if (this.held(now) >= this.#slots("active", now) || !this.#mayHoldMore(now)) return;
      this.#own.admit(id, extended);
    } else this.#own.checkIn(id, minute, extended);
    this.#tell(to, { id, home: this.account, lastGood: extended });
  }

  #tell(to: NodeId, cookie: Cookie): void {
    this.#put();
    if (to === this.self) this.untold.push(() => this.#options.witness.cookie(cookie));
    else this.#send(to, { kind: "checked", cookie });
  }

  #slots(resource: Resource, now: Instant): number {
    return slotsOf(this.#options.limits[resource], this.usableUnits(resource, now));
  }

  /** How long the slots of a pot count as held. */
  get #potHeldMs(): number {
    return LEASE_MS + (this.#options.limits.sessionDuration + 1) * MINUTE_MS + GRACE_MS;
  }

  #settle(pots: readonly Pot[], now: Instant): void {
    const accounts = pots.flatMap((pot) => pot.accounts);
    this.#uses(accounts, true);
    const key = pots[0]?.group ?? "";
    const table = this.#pots.get(key);
    if (table !== undefined) this.#own.absorb(table);
    this.#pots.delete(key);
    this.members.settle(accounts, now);
    this.#put();
  }

  #uses(accounts: readonly AccountId[], isSettled: boolean): void {
    const key = `${keyOf(accounts)} ${isSettled}`;
    if (this.#usedPots.has(key)) return;
    this.#usedPots.add(key);
    this.#options.witness.usesPot(this, accounts, isSettled);
  }

  /** Gifts to and from former members are part of the openings from now on. */
  #fold(view: View): void {
    for (const { account, to, resource } of this.ledger.fold(accountsOf(view)))
      this.#options.outbox.put(`cell/${account}/${to}/${resource}`, undefined);
  }

  #viewChanged(view: View): void {
    this.#fold(view);
    // What is inherited is on disk with the view.
    for (const account of this.members.writes()) this.#putCells(this.ledger.row(account));
    this.#putReceived();
  }

  #tables(): TablesData {
    return {
      own: this.#own.record,
      pots: [...this.#pots].map(([key, table]) => [key, table.record] as const),
      minute: this.#minute,
      admitted: this.#admitted,
    };
  }

  #takeOver(accounts: readonly AccountId[], rows: readonly RowData[], data: TablesData): void {
    this.#own.takeOver(data.own, []);
    for (const [key, record] of data.pots) this.#pots.getOrInsertComputed(key, newSessions).takeOver(record, []);
    if (data.minute > this.#minute) {
      this.#minute = data.minute;
      this.#admitted = 0;
    }
    if (data.minute === this.#minute) this.#admitted += data.admitted;
    for (const row of rows) this.#merge(row);
    for (const account of accounts) this.#putCells(this.ledger.row(account));
    this.#putReceived();
    this.#put();
  }

  #restore({ own, pots, minute, admitted }: TablesData): void {
    this.#own.takeOver(own, []);
    for (const [key, record] of pots) this.#pots.getOrInsertComputed(key, newSessions).takeOver(record, []);
    this.#minute = minute;
    this.#admitted = admitted;
  }

  /** A minute never goes back, restarts included. */
  #turn({ wallMs }: Instant): void {
    const minute = minuteOf(wallMs, MINUTE_MS);
    if (minute <= this.#minute) return;
    this.#minute = minute;
    this.#admitted = 0;
  }

  #merge(row: RowData): void {
    if (this.ledger.merge({ ...row, counts: [] })) this.#putCells(row);
  }

  /** Has on disk what own accounts gave or received. */
  #putCells({ account, gifts }: RowData): void {
    const mine = [this.account, ...this.members.writes()];
    for (const { room, resource, to } of gifts) {
      if (!mine.includes(account) && !mine.includes(to)) continue;
      const totals = this.ledger.totalsOf(account, { room, resource, to });
      const row = { account, gifts: [{ room, resource, to, totals }], counts: [] };
      this.#options.outbox.put(`cell/${account}/${to}/${resource}`, row);
    }
  }

  #putReceived(): void {
    for (const account of this.ledger.accounts()) this.#putCells(this.ledger.row(account));
  }

  #put(): void {
    this.#options.outbox.put(TABLES_KEY, this.#tables());
  }

  #send(to: NodeId, message: { kind: AppMessage["kind"] } & Record<string, unknown>): void {
    const stamped = { ...message, view: this.members.view?.number ?? 0 };
    this.#options.outbox.send(to, stamped as Message);
  }
}

function newSessions(): Sessions {
  return new Sessions({ minuteMs: MINUTE_MS, rememberMinutes: Number.POSITIVE_INFINITY });
}

/** The most slots that a pot's group holds; undefined where that is all that there are. */
function ceilingOf({ ceilings }: Pot): number | undefined {
  return ceilings && (new Map(ceilings).get(ROOM) ?? 0);
}

function keyOf(accounts: readonly AccountId[]): string {
  return accounts.join(" ");
}
