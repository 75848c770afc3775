/**
 * One node as the model of pledges sees it. A and B vote and stay; X votes too, holds the pot of a node that was
 * removed before and runs on, and Y does not vote. X and Y admit, pledge, give each other slots of which A and B never
 * hear, and Y may leave to X. A has X removed, and Y with it while it is a member, and inherits what they owned. Before
 * that there may be a newer view, of which X and Y may never hear.
 *
 * Pledges, what voters keep of them, what views make of that, fences, the ledger and the pot's arithmetic are the real
 * ones; what is between them is written here, without leases and votes: a ceiling has to hold whether the removed
 * node's lease is over or not, and A decides as soon as a majority has promised.
 */

import { type AccountId, accountOf, type Minute, type NodeId, type RoomId } from "../../mesh/core/ids.ts";
import { Ledger } from "../../mesh/core/ledger/ledger.ts";
import { freeUnitsOf, heldOf } from "../../mesh/core/ledger/pot-share.ts";
import { giftsTo, type RowData } from "../../mesh/core/ledger/row.ts";
import { slotsOf, UNITS, unitsForSlots } from "../../mesh/core/ledger/shares.ts";
import type { Ceilings, KeptPledge } from "../../mesh/core/members/ceilings.ts";
import { Fences, type FencesRecord } from "../../mesh/core/members/fences.ts";
import { KeptPledges } from "../../mesh/core/members/kept-pledges.ts";
import { type Dropping, joinRows, nextView } from "../../mesh/core/members/next-view.ts";
import { boundOf } from "../../mesh/core/members/pledged-bound.ts";
import { Pledges, type PledgeWord } from "../../mesh/core/members/pledges.ts";
import type { View } from "../../mesh/core/members/view.ts";
import { majorityOf } from "../../mesh/core/members/voters.ts";
import { type Message, Outbox } from "../../mesh/core/wire/outbox.ts";
import type { Disk, Process } from "./local.ts";
import type { Hear } from "./world.ts";

export const [A, B, X, Y] = ["A", "B", "X", "Y"] as NodeId[] as [NodeId, NodeId, NodeId, NodeId];
export const NODES = [A, B, X, Y];
const VOTERS = [A, B, X];
const ROOM = "shop" as RoomId;
/** The node whose pot X holds: one session of it never ends. */
const Z = "Z" as AccountId;
export const POT_SLOTS = 1;
/** The room's limit, and the one that it may be changed to. */
export const LIMITS = [4, 2];
const SLOT = UNITS / 4;
const VIEW: View = {
  number: 1,
  members: NODES.map((node) => ({ node, locality: "here", sinceMs: 0 })),
  voters: VOTERS,
  heirs: [[Z, X, 0]],
  openings: [],
  root: accountOf(A),
};
/** What A has others promise for: another view of the same nodes, or of those that have not left; or the removal. */
type Aim = "view" | "removal";

export type PledgeEvent =
  | { readonly kind: "admit" | "end" | "give" | "ping" | "leave" | "fence" | "limit" }
  /** A decides the next view with the promise of another voter. */
  | { readonly kind: "view"; readonly with: NodeId }
  /** Pledges so much more than is held. */
  | { readonly kind: "pledge"; readonly more: number };

type Said = { readonly view: number; readonly incarnation: number } & (
  | { readonly kind: "ping"; readonly pledge: PledgeWord }
  | { readonly kind: "pong"; readonly pledged: number }
  | { readonly kind: "gift"; readonly row: RowData }
  | { readonly kind: "offer"; readonly held: number; readonly rows: readonly RowData[] }
  | { readonly kind: "took-over" }
  | { readonly kind: "decided"; readonly next: View }
  | { readonly kind: "fence" }
  | { readonly kind: "fenced"; readonly copies: readonly RowData[] }
  | { readonly kind: "prepare" }
  | { readonly kind: "promise"; readonly pledges: readonly KeptPledge[] }
);
type Body = Said extends infer One ? (One extends Said ? Omit<One, "view" | "incarnation"> : never) : never;

interface Decided {
  readonly accounts: readonly AccountId[];
  readonly ceilings: Ceilings | undefined;
}

export interface PledgeFacts {
  /** Slots that may be used: of the own account, and of what was inherited. */
  readonly own: number;
  readonly free: number;
  /** What the heir counts as held. */
  readonly potHeld: number;
  readonly held: number;
  readonly may: ReadonlySet<PledgeEvent["kind"]>;
  readonly isDecided: boolean;
  readonly isKnown: boolean;
  readonly view: number;
}

export function firstDisks(): Disk[] {
  return NODES.map(() => new Map());
}

export class PledgeNode implements Process<PledgeEvent | Hear, PledgeFacts> {
  readonly outbox = new Outbox();
  readonly #self: NodeId;
  readonly #ledger: Ledger;
  readonly #fences = new Fences();
  readonly #kept: KeptPledges;
  readonly #pledges: Pledges;
  readonly #incarnation: number;
  readonly #incarnations = new Map<NodeId, number>();
  readonly #answers = new Map<NodeId, Extract<Said, { kind: "fenced" }>>();
  #view: View;
  /** The view for whose successor this node has given a promise. */
  #promisedIn: number;
  /** What A tries, and what came with the promises for it. */
  #aim: Aim | undefined;
  readonly #said = new Map<NodeId, readonly KeptPledge[]>();
  #limitAt: number;
  #held: number;
  #hasLeft: boolean;
  /** X: whether Y left to it; A: whether X said so. */
  #hasTaken: boolean;
  #decided: Decided | undefined;
  /** The view of each pledge since the start: their versions follow from these. */
  readonly #pledgedIn: number[] = [];

  /** `isSound`: whether a start believes the pledges that it finds on its disk. */
  constructor(self: NodeId, disk: Disk, isSound: boolean) {
    this.#self = self;
    this.#incarnation = 1 + ((disk.get("starts") as number | undefined) ?? 0);
    this.#view = (disk.get("view") as View | undefined) ?? VIEW;
    this.#promisedIn = (disk.get("promised") as number | undefined) ?? 0;
    this.#limitAt = (disk.get("limit") as number | undefined) ?? 0;
    this.#held = (disk.get("held") as number | undefined) ?? 0;
    this.#hasLeft = disk.get("left") === true;
    this.#hasTaken = disk.get("taken") === true;
    this.#decided = disk.get("decided") as Decided | undefined;
    this.#pledges = new Pledges(this.#incarnation * 1_000);
    const pledges = NODES.flatMap((node) => (disk.get(`pledges ${node}`) as KeptPledge | undefined) ?? []);
    this.#kept = new KeptPledges(pledges, (node, pledge) => this.outbox.put(`pledges ${node}`, pledge));
    if (!isSound) this.#kept.begin();
    this.#ledger = new Ledger({ self: accountOf(self), founder: accountOf(A) });
    // What A gave at the beginning is known to all, and to voters that start again by A's own row.
    for (const [to, units] of [
      [accountOf(X), SLOT],
      [accountOf(Y), 2 * SLOT],
      [Z, SLOT],
    ] as const)
      this.#ledger.merge({
        account: accountOf(A),
        gifts: [{ room: ROOM, resource: "active", to, totals: [[0 as Minute, units]] }],
        counts: [],
      });
    for (const row of (disk.get("rows") as readonly RowData[] | undefined) ?? []) this.#ledger.merge(row);
    const fences = disk.get("fences") as FencesRecord | undefined;
    if (fences !== undefined) this.#fences.restore(fences);
    this.outbox.put("starts", this.#incarnation);
    if (this.#incarnation === 1) this.#beginPledged();
  }

  /** At the beginning X and Y have pledged what they hold, and all know it. */
  #beginPledged(): void {
    for (const [node, slots] of [
      [X, POT_SLOTS],
      [Y, 0],
    ] as const) {
      const pledges = node === this.#self ? this.#pledges : new Pledges(1_000);
      pledges.pledge(new Map([[ROOM, slots]]));
      const word = pledges.wordFor(A, 1);
      if (word !== undefined) this.#kept.hear(node, word);
      for (const voter of VOTERS) pledges.answered(voter, pledges.newest);
      pledges.settle(VOTERS, this.#self);
    }
  }

  handle(event: PledgeEvent | Hear): void {
    switch (event.kind) {
      case "admit":
        this.#hold(1);
        return;
      case "end":
        this.#hold(-1);
        return;
      case "give":
        if (this.#spare >= SLOT) this.#give();
        return;
      case "pledge":
        this.#pledgedIn.push(this.#view.number);
        this.#pledges.pledge(new Map([[ROOM, this.#load + event.more]]));
        this.#ping();
        return;
      case "ping":
        this.#ping();
        return;
      case "limit":
        this.#limitAt = (this.#limitAt + 1) % LIMITS.length;
        this.outbox.put("limit", this.#limitAt);
        return;
      case "leave":
        this.#hasLeft = true;
        this.outbox.put("left", true);
        this.#send(X, { kind: "offer", held: this.#held, rows: this.#rows([accountOf(Y)]) });
        this.#hold(-this.#held);
        return;
      case "view":
        this.#prepare("view", event.with);
        return;
      case "fence":
        this.#fence();
        this.#send(B, { kind: "fence" });
        return;
      case "hear":
        this.#hear(event.from, event.message as Said);
    }
  }

  digest(): unknown {
    const words = VOTERS.map((voter) => this.#pledges.wordFor(voter, this.#incarnations.get(voter) ?? 0));
    const { newest, isOpen } = this.#pledges;
    return [
      [this.#incarnation, this.#view, this.#limitAt, this.#held, this.#hasLeft, this.#hasTaken, this.#decided],
      [this.#promisedIn, this.#aim, [...this.#said]],
      [this.#pledgedIn, newest, isOpen, this.#pledges.ceiling(ROOM), this.#pledges.pledged(ROOM), words],
      [this.#kept.all, this.#fences.record(0), this.#incarnations],
      this.#rows([...NODES.map(accountOf), Z]).map((row) => canonicalRow(row)),
      [...this.#answers.values()],
    ];
  }

  facts(): PledgeFacts {
    const isHolder = this.#self === X || (this.#self === Y && !this.#hasLeft);
    const taken = this.#self === X && this.#hasTaken ? [accountOf(Y)] : [];
    const own = slotsOf(this.#limit, this.#units([accountOf(this.#self), ...taken]));
    const may = new Set<PledgeEvent["kind"]>();
    if (isHolder) {
      may.add("ping");
      if (!this.#pledges.isOpen) may.add("pledge");
      if (this.#held < own && this.#load < this.#pledges.ceiling(ROOM)) may.add("admit");
      if (this.#held > 0) may.add("end");
      if (this.#spare >= SLOT) may.add("give");
      if (this.#self === Y) may.add("leave");
    } else if (this.#self === A && !this.#fences.stand && this.#decided === undefined) {
      may.add("fence");
      if (this.#view.number === VIEW.number && this.#aim === undefined) may.add("view");
    }
    const share = this.#pot;
    return {
      own: isHolder ? 0 : own,
      free: share === undefined ? 0 : slotsOf(this.#limit, freeUnitsOf(share)),
      potHeld: share === undefined ? 0 : heldOf(share),
      held: this.#held,
      may,
      isDecided: this.#decided !== undefined,
      isKnown: this.#decided?.ceilings !== undefined,
      view: this.#view.number,
    };
  }

  get #limit(): number {
    return LIMITS[this.#limitAt] ?? 0;
  }

  /** All that rests on this node's accounts: its sessions, and what the pot that it holds may hold. */
  get #load(): number {
    return this.#held + (this.#self === X ? POT_SLOTS : 0);
  }

  get #spare(): number {
    return this.#units([accountOf(this.#self)]) - unitsForSlots(this.#limit, this.#held);
  }

  get #pot() {
    if (this.#decided === undefined) return undefined;
    const { accounts, ceilings } = this.#decided;
    const ceiling = ceilings && (new Map(ceilings).get(ROOM) ?? 0);
    return { limit: this.#limit, units: this.#units(accounts), ceiling };
  }

  #units(accounts: readonly AccountId[]): number {
    return this.#ledger.netUnits(accounts, { room: ROOM, resource: "active", minute: 0 as Minute });
  }

  #rows(accounts: readonly AccountId[]): RowData[] {
    return accounts.map((account) => this.#ledger.row(account));
  }

  #hold(slots: number): void {
    this.#held += slots;
    this.outbox.put("held", this.#held);
  }

  /** Y gives X a slot, and X gives A one: the first is known to those two only. */
  #give(): void {
    const to = this.#self === Y ? X : A;
    const gift = { room: ROOM, resource: "active", minute: 0 as Minute, to: accountOf(to), units: SLOT } as const;
    const row = this.#ledger.give(gift);
    this.#putRows();
    this.#send(to, { kind: "gift", row });
  }

  #putRows(): void {
    this.outbox.put("rows", this.#rows([X, Y].map(accountOf)));
  }

  #ping(): void {
    for (const voter of VOTERS) {
      // A voter that is removed too is never heard: without it the others must all acknowledge.
      const word = voter === X ? undefined : this.#pledges.wordFor(voter, this.#incarnations.get(voter) ?? 1);
      if (word !== undefined) this.#send(voter, { kind: "ping", pledge: word });
    }
  }

  #fence(): void {
    const nodes = this.#removed;
    const accounts = [...nodes.map(accountOf), Z, ...(nodes.includes(Y) ? [] : [accountOf(Y)])];
    this.#fences.add(nodes, accounts);
    this.outbox.putVote("fences", this.#fences.record(this.#view.number));
    this.#answer(A);
  }

  get #removed(): NodeId[] {
    return this.#view.members.flatMap(({ node }) => (node === X || node === Y ? node : []));
  }

  #answer(to: NodeId): void {
    const accounts = [X, Y].map(accountOf);
    const copies = [...this.#rows([...accounts, Z]), ...giftsTo([...accounts, Z], this.#rows([accountOf(this.#self)]))];
    const answer = { kind: "fenced", copies } as const;
    if (to === this.#self) this.#fenced(this.#self, { ...answer, ...this.#head });
    else this.#send(to, answer);
  }

  #fenced(from: NodeId, answer: Extract<Said, { kind: "fenced" }>): void {
    if (this.#decided !== undefined || this.#aim === "removal") return;
    this.#answers.set(from, answer);
    if (this.#answers.size === 2) this.#prepare("removal", B);
  }

  #prepare(aim: Aim, other: NodeId): void {
    this.#aim = aim;
    this.#said.clear();
    this.#send(other, { kind: "prepare" });
    this.#promise(A);
  }

  #promise(to: NodeId): void {
    this.#promisedIn = this.#view.number;
    this.outbox.putVote("promised", this.#promisedIn);
    const promise = { kind: "promise", pledges: this.#kept.all } as const;
    if (to === this.#self) this.#promised(this.#self, { ...promise, ...this.#head });
    else this.#send(to, promise);
  }

  #promised(from: NodeId, { pledges }: Extract<Said, { kind: "promise" }>): void {
    if (this.#aim === undefined || this.#decided !== undefined) return;
    this.#said.set(from, pledges);
    if (this.#said.size < majorityOf(VOTERS)) return;
    if (this.#aim === "removal") this.#decide();
    else {
      const writes = [accountOf(X), accountOf(Y), Z];
      const claims = new Map([A, B].map((node) => [node, { writes: [accountOf(node)], inPots: [] }]));
      const left: Dropping = {
        ...{ removed: [], left: [Y], heir: A, copies: [] },
        claims: claims.set(X, { writes, inPots: [] }),
      };
      this.#learn(this.#next(this.#hasTaken ? left : undefined));
      for (const node of [B, X, Y]) this.#send(node, { kind: "decided", next: this.#view });
    }
  }

  #decide(): void {
    const accounts = [A, B].map((node) => [node, { writes: [accountOf(node)], inPots: [] }] as const);
    const ends = { removed: this.#removed, left: [], heir: A, copies: [] };
    const { ceilings } = this.#next({ ...ends, claims: new Map(accounts) });
    for (const row of joinRows([...this.#answers.values()].flatMap(({ copies }) => copies))) this.#ledger.merge(row);
    this.#putRows();
    this.#decided = { accounts: [accountOf(X), accountOf(Y), Z], ceilings: ceilings?.rooms };
    this.outbox.putVote("decided", this.#decided);
  }

  /** The view after this one, with what came with the promises. */
  #next(dropping: Dropping | undefined): View {
    const { voters, number } = this.#view;
    return nextView(this.#view, {
      ...{ number: number + 1, nowMs: 0, joins: [], dropping, nameKeptMs: Number.POSITIVE_INFINITY },
      pledgeOf: (node) => boundOf(node, voters, this.#said),
    });
  }

  #learn(next: View): void {
    this.#view = next;
    this.outbox.putVote("view", next);
    this.#aim = undefined;
    this.#said.clear();
    this.#pledges.begin();
    this.#kept.begin(next.pledges);
  }

  #hear(from: NodeId, said: Said): void {
    if (said.incarnation < (this.#incarnations.get(from) ?? 0)) return;
    this.#incarnations.set(from, said.incarnation);
    if (said.kind === "decided") {
      if (this.#view.number === VIEW.number) this.#learn(said.next);
      return;
    }
    if (said.view !== this.#view.number) return;
    switch (said.kind) {
      case "ping": {
        const hasPromised = this.#promisedIn === this.#view.number;
        if (said.pledge.to === this.#incarnation && !hasPromised) this.#kept.hear(from, said.pledge);
        this.#send(from, { kind: "pong", pledged: this.#kept.versionOf(from) });
        return;
      }
      case "pong":
        this.#pledges.answered(from, said.pledged);
        this.#pledges.settle(VOTERS, this.#self);
        return;
      case "gift":
        if (this.#fences.has(from) || (this.#self === A && this.#decided !== undefined)) return;
        this.#ledger.merge(said.row);
        this.#putRows();
        return;
      case "offer":
        if (this.#hasTaken) return;
        this.#hasTaken = true;
        this.outbox.put("taken", true);
        for (const row of said.rows) this.#ledger.merge(row);
        this.#putRows();
        this.#hold(said.held);
        this.#send(A, { kind: "took-over" });
        return;
      case "took-over":
        this.#hasTaken = !this.#fences.stand;
        return;
      case "fence":
        if (this.#fences.stand) this.#answer(A);
        else this.#fence();
        return;
      case "fenced":
        if (this.#fences.stand) this.#fenced(from, said);
        return;
      case "prepare":
        this.#promise(A);
        return;
      case "promise":
        this.#promised(from, said);
    }
  }

  get #head() {
    return { view: this.#view.number, incarnation: this.#incarnation };
  }

  #send(to: NodeId, body: Body): void {
    this.outbox.send(to, { ...body, ...this.#head } as Message);
  }
}

function canonicalRow(row: RowData): RowData {
  return { ...row, gifts: [...row.gifts].sort((one, other) => (one.to < other.to ? -1 : 1)) };
}
