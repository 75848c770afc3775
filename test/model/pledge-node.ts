/**
 * One node as the model of pledges sees it. A and B vote and stay; X votes too, holds the pot of a node that was
 * removed before and runs on, and Y does not vote. X and Y admit, pledge, give each other slots of which A and B never
 * hear, and Y may leave to X. A has X removed, and Y with it while it is a member, and inherits what they owned. Before
 * that there may be a newer view, of which X and Y may never hear.
 *
 * Pledges, what voters keep of them, fences, the ledger and the pot's arithmetic are the real ones; what is between
 * them is written here, without leases: a ceiling has to hold whether the removed node's lease is over or not.
 */

import { type AccountId, accountOf, type Minute, type NodeId, type RoomId } from "../../mesh/core/ids.ts";
import { Ledger } from "../../mesh/core/ledger/ledger.ts";
import { freeUnitsOf, heldOf } from "../../mesh/core/ledger/pot-share.ts";
import { giftsTo, type RowData } from "../../mesh/core/ledger/row.ts";
import { slotsOf, UNITS, unitsForSlots } from "../../mesh/core/ledger/shares.ts";
import type { Ceilings } from "../../mesh/core/members/ceilings.ts";
import { Fences, type FencesRecord } from "../../mesh/core/members/fences.ts";
import { KeptPledges, type StoredPledge, type StoredPledges } from "../../mesh/core/members/kept-pledges.ts";
import { joinRows } from "../../mesh/core/members/next-view.ts";
import { ceilingsOf, type PledgesKnown } from "../../mesh/core/members/pledged-bound.ts";
import { Pledges, type PledgeWord } from "../../mesh/core/members/pledges.ts";
import type { View } from "../../mesh/core/members/view.ts";
import { type Message, Outbox } from "../../mesh/core/wire/outbox.ts";
import type { Disk, Process } from "./local.ts";

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
/** The next one: it drops Y, which has left to X, or changes nothing about these nodes. */
const NEXT = {
  dropped: {
    ...VIEW,
    number: 2,
    members: VIEW.members.filter(({ node }) => node !== Y),
    heirs: [...VIEW.heirs, [accountOf(Y), X, 0]],
  },
  same: { ...VIEW, number: 2 },
} as const satisfies Record<string, View>;
type Next = keyof typeof NEXT;

export type PledgeEvent =
  | { readonly kind: "admit" | "end" | "give" | "ping" | "leave" | "fence" | "view" | "limit" }
  /** Pledges so much more than is held. */
  | { readonly kind: "pledge"; readonly more: number }
  | { readonly kind: "hear"; readonly from: NodeId; readonly message: Message };

type Said = { readonly view: number; readonly incarnation: number } & (
  | { readonly kind: "ping"; readonly pledge: PledgeWord }
  | { readonly kind: "pong"; readonly pledged: number; readonly isGranted: boolean }
  | { readonly kind: "gift"; readonly row: RowData }
  | { readonly kind: "offer"; readonly held: number; readonly rows: readonly RowData[] }
  | { readonly kind: "took-over" }
  | { readonly kind: "view"; readonly next: Next }
  | { readonly kind: "fence" }
  | ({ readonly kind: "fenced"; readonly copies: readonly RowData[] } & PledgesKnown)
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

export class PledgeNode implements Process<PledgeEvent, PledgeFacts> {
  readonly outbox = new Outbox();
  readonly #self: NodeId;
  readonly #ledger: Ledger;
  readonly #fences = new Fences();
  readonly #kept: KeptPledges;
  readonly #pledges: Pledges;
  readonly #incarnation: number;
  readonly #incarnations = new Map<NodeId, number>();
  readonly #answers = new Map<NodeId, Extract<Said, { kind: "fenced" }>>();
  /** Undefined in the first view. */
  #next: Next | undefined;
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
    this.#next = disk.get("view") as Next | undefined;
    this.#limitAt = (disk.get("limit") as number | undefined) ?? 0;
    this.#held = (disk.get("held") as number | undefined) ?? 0;
    this.#hasLeft = disk.get("left") === true;
    this.#hasTaken = disk.get("taken") === true;
    this.#decided = disk.get("decided") as Decided | undefined;
    this.#pledges = new Pledges(this.#incarnation * 1_000);
    this.#kept = new KeptPledges({
      write: (node, pledges) => this.outbox.put(`pledges ${node}`, pledges),
      writeViews: (views) => this.outbox.put("pledge views", views),
    });
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
    if (this.#incarnation > 1) {
      this.#kept.restore(this.#view, isSound ? pledgesOn(disk) : { views: [], pledges: [] });
      return;
    }
    this.#kept.begin(VIEW);
    this.#beginPledged();
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

  handle(event: PledgeEvent): void {
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
        this.#pledgedIn.push(this.#view);
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
        this.#learn(this.#hasTaken ? "dropped" : "same");
        if (this.#next !== undefined)
          for (const node of [B, X, Y]) this.#send(node, { kind: "view", next: this.#next });
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
      [this.#incarnation, this.#next, this.#limitAt, this.#held, this.#hasLeft, this.#hasTaken, this.#decided],
      [this.#pledgedIn, newest, isOpen, this.#pledges.ceiling(ROOM), this.#pledges.pledged(ROOM), words],
      [this.#kept.of(NODES), this.#kept.earlierOf(NODES), this.#fences.record(0), this.#incarnations],
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
      if (this.#view === 1) may.add("view");
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
      view: this.#view,
    };
  }

  get #view(): number {
    return this.#next === undefined ? 1 : 2;
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
    const known = { pledges: this.#kept.of(nodes), earlier: this.#kept.earlierOf(nodes) };
    this.#fences.add(nodes, accounts, known);
    this.outbox.putVote("fences", this.#fences.record(this.#view));
    this.#answer(A);
  }

  get #removed(): NodeId[] {
    return this.#next === "dropped" ? [X] : [X, Y];
  }

  #answer(to: NodeId): void {
    const accounts = [X, Y].map(accountOf);
    const copies = [...this.#rows([...accounts, Z]), ...giftsTo([...accounts, Z], this.#rows([accountOf(this.#self)]))];
    const answer = { kind: "fenced", copies, ...this.#fences.pledgesOf(this.#removed) } as const;
    if (to === this.#self) this.#decide(this.#self, { ...answer, ...this.#head });
    else this.#send(to, answer);
  }

  #decide(from: NodeId, answer: Extract<Said, { kind: "fenced" }>): void {
    if (this.#decided !== undefined) return;
    this.#answers.set(from, answer);
    if (this.#answers.size < 2) return;
    const now = this.#next === undefined ? VIEW : NEXT[this.#next];
    const ceilings = ceilingsOf(this.#removed, {
      views: [now, ...this.#kept.views.slice(1)],
      answers: this.#answers,
    });
    for (const row of joinRows([...this.#answers.values()].flatMap(({ copies }) => copies))) this.#ledger.merge(row);
    this.#putRows();
    this.#decided = { accounts: [accountOf(X), accountOf(Y), Z], ceilings };
    this.outbox.putVote("decided", this.#decided);
  }

  #learn(next: Next): void {
    this.#next = next;
    this.outbox.putVote("view", next);
    this.#pledges.begin();
    this.#kept.begin(NEXT[next]);
  }

  #hear(from: NodeId, said: Said): void {
    if (said.incarnation < (this.#incarnations.get(from) ?? 0)) return;
    this.#incarnations.set(from, said.incarnation);
    if (said.kind === "view") {
      if (this.#view < 2) this.#learn(said.next);
      return;
    }
    if (said.view !== this.#view) return;
    switch (said.kind) {
      case "ping": {
        const isGranted = !this.#fences.has(from);
        if (said.pledge.to === this.#incarnation && isGranted) this.#kept.hear(from, said.pledge);
        this.#send(from, { kind: "pong", pledged: this.#kept.versionOf(from), isGranted });
        return;
      }
      case "pong":
        if (!said.isGranted) return;
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
        if (this.#fences.stand) this.#decide(from, said);
    }
  }

  get #head() {
    return { view: this.#view, incarnation: this.#incarnation };
  }

  #send(to: NodeId, body: Body): void {
    this.outbox.send(to, { ...body, ...this.#head } as Message);
  }
}

function pledgesOn(disk: Disk): StoredPledges {
  const views = (disk.get("pledge views") as readonly View[] | undefined) ?? [];
  const pledges = [X, Y].map((node) => [node, (disk.get(`pledges ${node}`) as StoredPledge[]) ?? []] as const);
  return { views, pledges };
}

function canonicalRow(row: RowData): RowData {
  return { ...row, gifts: [...row.gifts].sort((one, other) => (one.to < other.to ? -1 : 1)) };
}
