/**
 * One node as the model of removals sees it: the real `Members` and `Replica` of A, B and C, of whom C has not been
 * heard for a while, and A is about to have it removed.
 *
 * A and B hear each other's pings at once, as if nothing were wrong between them; C's reach B, and its answers C,
 * whenever the model likes, and theirs never reach C. One clock for all advances by ticks, few to a lease.
 */

import { type AccountId, accountOf, type Minute, type NodeId, type RoomId } from "../../mesh/core/ids.ts";
import type { Instant } from "../../mesh/core/instant.ts";
import type { GiftData, RowData } from "../../mesh/core/ledger/row.ts";
import { UNITS } from "../../mesh/core/ledger/shares.ts";
import type { MemberMessage } from "../../mesh/core/members/member-messages.ts";
import { Members } from "../../mesh/core/members/members.ts";
import type { VotesRecord } from "../../mesh/core/members/paxos.ts";
import { accountsOf, type View } from "../../mesh/core/members/view.ts";
import { Replica } from "../../mesh/core/replica/replica.ts";
import type { ReplicaMessage } from "../../mesh/core/replica/replica-messages.ts";
import type { Message } from "../../mesh/core/wire/outbox.ts";
import { APP_IN_ORDER } from "../mesh/core/members/app-in-order.ts";
import { plainSignatures } from "../mesh/core/replica/plain-signatures.ts";
import { canonical } from "./canonical.ts";
import type { Disk, Process } from "./local.ts";
import { OpenQuestion } from "./open-question.ts";
import { SeenOutbox } from "./seen-outbox.ts";
import type { Hear } from "./world.ts";

export const MEMBERS = ["A", "B", "C"] as NodeId[];
const ROOM = "shop" as RoomId;
export const TICK_MS = 250;
export const LEASE_MS = 2 * TICK_MS;
const START_MS = 60_000_000;
/** The tick at which the model begins: at the next one A finds C silent for long enough. C's pings before are lost. */
export const FIRST_TICK = 4;
/** In so many ticks C pings; its later pings are lost too. */
const PING_TICKS = 1;
/** Once so many tries have failed, A tries no more. */
const TRIES = 1;
const MINUTE = (START_MS / 60_000) as Minute;
/** What is given at once. */
const PIECE = UNITS / 8;

export type RemovalEvent =
  | { readonly kind: "tick" }
  | { readonly kind: "give"; readonly to: NodeId }
  | { readonly kind: "publish" };

/** A message about shares, with the sender's view as its frame carries it. */
interface Stamped extends Message {
  readonly stamp: number;
  readonly about: ReplicaMessage | (Message & { readonly row: RowData });
}

export interface RemovalFacts {
  readonly tick: number;
  readonly mayAct: boolean;
  readonly view: number;
  readonly known: ReadonlyMap<number, string>;
  /** The tick in which it voted to remove C, and in which ballot. */
  readonly votedAt: { readonly tick: number; readonly ballot: string } | undefined;
  /** Units of the accounts that it writes, its own among them. */
  readonly own: number;
  /** Units that it takes for C's. */
  readonly ofC: number;
  readonly writesC: boolean;
  readonly mayPublish: boolean;
}

/** The root has given half to B; B has given half of it to the third one. Each gift is known to those two only. */
export function firstDisks(root: "A" | "C"): Disk[] {
  const members = MEMBERS.map((node) => ({ node, locality: "here", sinceMs: 0 }));
  const view: View = { number: 1, members, voters: MEMBERS, heirs: [], openings: [], root: root as AccountId };
  const cell = (from: string, to: string, units: number) => {
    const gift: GiftData = { room: ROOM, resource: "active", to: to as AccountId, totals: [[0 as Minute, units]] };
    return [`ledger/cell/${from}/${ROOM}/active/${to}`, { account: from, gifts: [gift], counts: [] }] as const;
  };
  const toB = cell(root, "B", UNITS / 2);
  const onward = cell("B", root === "A" ? "C" : "A", UNITS / 4);
  const disks = root === "A" ? [[toB], [toB, onward], [onward]] : [[onward], [toB, onward], [toB]];
  return disks.map((cells, at) => {
    const votes: VotesRecord = { base: view.number, voters: [[MEMBERS[at] ?? ("nobody" as NodeId), null]] };
    return new Map<string, unknown>([["members/view", view], ["members/votes", votes], ...cells]);
  });
}

export class RemovalNode implements Process<RemovalEvent | Hear, RemovalFacts> {
  readonly outbox = new SeenOutbox({
    put: (key, value) => this.#seesWrite(key, value),
    sent: (to, message) => this.#seesMessage(to, message),
  });
  readonly #self: NodeId;
  readonly #members: Members;
  readonly #replica: Replica;
  readonly #question = new OpenQuestion();
  readonly #lately = new Set<string>();
  readonly #known: Map<number, string>;
  /** Pings that the other of A and B is to answer in this step. */
  #pings: MemberMessage[] = [];
  /** By sender: the tick at which it was heard last, and its incarnation. */
  readonly #heard = new Map<NodeId, readonly [tick: number, incarnation: number]>();
  /** By voter that grants: when the newest ping was sent that it has answered. */
  readonly #granted = new Map<string, number>();
  readonly #pinged = new Map<string, number>();
  #votes: VotesRecord | undefined;
  #votedAt: RemovalFacts["votedAt"];
  #tick: number;
  /** Since when silence counts. */
  readonly #startTick: number;
  #published: string;
  /** When a try failed last, how many have, and when it was told last that C has been heard. */
  #failedTick = 0;
  #failures = 0;
  #objectedTick = 0;

  constructor(self: NodeId, disk: Disk) {
    this.#self = self;
    const tick = disk.get("model/tick") as number | undefined;
    const incarnation = 1 + ((disk.get("model/starts") as number | undefined) ?? 0);
    this.#tick = tick ?? 0;
    this.#startTick = this.#tick;
    this.#known = new Map(disk.get("model/known") as [number, string][] | undefined);
    this.#votes = disk.get("members/votes") as VotesRecord | undefined;
    this.#votedAt = disk.get("model/voted") as RemovalFacts["votedAt"];
    this.#published = (disk.get("model/published") as string | undefined) ?? "";
    this.#replica = new Replica({
      self,
      founder: accountOf("A" as NodeId),
      mesh: "mesh",
      minuteMs: 60_000,
      incarnation,
      outbox: this.outbox,
      stored: disk,
      signatures: plainSignatures(self),
      writerOf: (account) => this.#members.writerOf(account),
      writes: () => this.#members.written,
      isFenced: (account) => this.#members.isFenced(account),
      outdated: (reason) => {
        throw new Error(`Broken: nobody is alarmed: ${reason}`);
      },
      forgot: () => {},
      registerChanged: () => {},
    });
    this.#members = new Members(
      {
        self,
        locality: "here",
        incarnation,
        leaseMs: LEASE_MS,
        restored: disk,
        found: false,
        outbox: this.outbox,
        random: () => 0,
        app: {
          ...APP_IN_ORDER,
          accounts: () => this.#replica.ledger.accounts(),
          rows: (accounts) => this.#replica.rows(accounts),
          viewChanged: (view) => this.#replica.fold(accountsOf(view)),
        },
      },
      this.#now,
    );
    const { view } = this.#members;
    if (view !== undefined) this.#replica.fold(accountsOf(view));
    this.outbox.put("model/starts", incarnation);
    if (tick === undefined) while (this.#tick < FIRST_TICK) this.#pass();
  }

  handle(event: RemovalEvent | Hear): void {
    switch (event.kind) {
      case "tick":
        this.#pass();
        return;
      case "give":
        if (this.#members.mayGiveTo(event.to, this.#now) && this.#units() >= PIECE) {
          const gift = {
            room: ROOM,
            resource: "active",
            minute: MINUTE,
            to: accountOf(event.to),
            units: PIECE,
          } as const;
          this.#share(event.to, { kind: "gift", row: this.#replica.give(gift) });
        }
        return;
      case "publish": {
        const rows = this.#replica.publish(START_MS);
        this.#published = canonical(this.#replica.rows([accountOf(this.#self)]));
        this.outbox.put("model/published", this.#published);
        if (rows !== undefined) for (const node of MEMBERS) if (node !== this.#self) this.#share(node, rows);
        return;
      }
      case "hear":
        if (event.message.kind === "stamped") this.#hearShares(event.from, event.message as Stamped);
        else this.#hear(event.from, event.message as MemberMessage);
    }
  }

  digest(): unknown {
    const nothing = { ...this.#replica.digest(), known: [] };
    return [
      [this.#tick, this.#startTick],
      this.#question.digest,
      this.#lately,
      this.#heard,
      this.#granted,
      [this.#failedTick, this.#failures, this.#objectedTick],
      this.#replica.heard(nothing, this.#self, START_MS).answers,
      MEMBERS.map((node) => sortedRow(this.#replica.ledger.row(accountOf(node)))),
    ];
  }

  facts(): RemovalFacts {
    const { view } = this.#members;
    const ofC = accountOf("C" as NodeId);
    return {
      tick: this.#tick,
      mayAct: this.#members.mayAct(this.#now),
      view: view?.number ?? 0,
      known: new Map(this.#known),
      votedAt: this.#votedAt,
      own: this.#units(),
      ofC: this.#replica.netUnits([ofC], { room: ROOM, resource: "active", minute: MINUTE }),
      writesC: this.#self !== "C" && this.#members.writes().includes(ofC),
      mayPublish: canonical(this.#replica.rows([accountOf(this.#self)])) !== this.#published,
    };
  }

  #units(): number {
    return this.#replica.netUnits(this.#members.writes(), { room: ROOM, resource: "active", minute: MINUTE });
  }

  #pass(): void {
    this.#tick += 1;
    this.#lately.clear();
    this.outbox.put("model/tick", this.#tick);
    if (this.#failures < TRIES) this.#members.tick(this.#now);
    for (const ping of this.#pings.splice(0))
      if (ping.kind === "ping") this.#answerFor(this.#self === "A" ? "B" : "A", ping);
  }

  /** The other of A and B answers at once; for no lease, which is C's matter here. */
  #answerFor(other: "A" | "B", { id, incarnation: asker, view }: Extract<MemberMessage, { kind: "ping" }>): void {
    const incarnation = this.#heard.get(other as NodeId)?.[1] ?? 1;
    const pong = {
      kind: "pong",
      id,
      asker,
      wallMs: this.#now.wallMs,
      grants: [],
      leavers: [],
      view,
      incarnation,
    } as const;
    this.#members.receive(other as NodeId, { ...pong, grants: [], leavers: [] }, this.#now);
  }

  #share(to: NodeId, about: Stamped["about"]): void {
    this.outbox.send(to, { kind: "stamped", stamp: this.#members.view?.number ?? 0, about } as Message);
  }

  /** As `Peer` does: what is said of shares counts between members of one view only. */
  #hearShares(from: NodeId, { stamp, about }: Stamped): void {
    this.#members.sawView(from, stamp, this.#now);
    if (stamp !== this.#members.view?.number || !this.#members.isMember(from)) return;
    if (about.kind === "gift") this.#replica.receive(from, (about as Message & { row: RowData }).row);
    else this.#replica.heard(about as ReplicaMessage, from, START_MS);
  }

  #hear(from: NodeId, sent: MemberMessage): void {
    // As if the way had taken no time, so that an answer is one message whenever it is given. Clocks are no matter
    // here.
    const message = sent.kind === "pong" ? { ...sent, wallMs: this.#now.wallMs } : sent;
    const known = this.#heard.get(from);
    if (message.incarnation >= (known?.[1] ?? 0)) {
      const isSign = message.kind === "ping" || message.kind === "pong";
      this.#heard.set(from, [isSign ? this.#tick : (known?.[0] ?? 0), message.incarnation]);
      if (message.view === this.#members.view?.number) {
        if (message.kind === "heard" || (message.kind === "refusal" && message.heard.length > 0))
          this.#objectedTick = this.#tick;
        if (this.#question.hears(from, message)) this.#fails();
        if (message.kind === "pong") this.#noteGrants(from, message);
      }
    }
    this.#members.receive(from, message, this.#now);
  }

  #fails(): void {
    this.#failedTick = this.#tick;
    this.#failures += 1;
  }

  #noteGrants(from: NodeId, { id, grants }: Extract<MemberMessage, { kind: "pong" }>): void {
    const key = `${from} ${id}`;
    const asked = this.#pinged.get(key);
    this.#pinged.delete(key);
    if (asked === undefined) return;
    for (const voter of grants) this.#granted.set(voter, Math.max(asked, this.#granted.get(voter) ?? 0));
  }

  #seesWrite(key: string, value: unknown): void {
    if (key === "members/votes") this.#seesVotes(value as VotesRecord);
    if (key !== "members/view") return;
    const view = value as View;
    this.#known.set(view.number, canonical(view));
    this.outbox.put("model/known", [...this.#known]);
    this.#question.close();
    this.#lately.clear();
  }

  #seesVotes(record: VotesRecord): void {
    const own = record.voters.find(([voter]) => voter === this.#self)?.[1];
    this.#votes = record;
    if (own?.accepted === undefined) return;
    const ballot = canonical(own.accepted.ballot);
    if (this.#votedAt?.ballot === ballot) return;
    this.#votedAt = { tick: this.#tick, ballot };
    this.outbox.put("model/voted", this.#votedAt);
  }

  #seesMessage(to: NodeId, message: MemberMessage): Message | undefined {
    if (message.kind === "ping") {
      if (this.#self === "C" && this.#tick >= FIRST_TICK && this.#tick < FIRST_TICK + PING_TICKS) {
        this.#pinged.set(`${to} ${message.id}`, this.#tick);
        return message;
      }
      if (to !== "C" && this.#self !== "C") this.#pings.push(message);
      return undefined;
    }
    // An answer that grants nothing tells C only that a node is there.
    if (message.kind === "pong" && message.grants.length === 0) return undefined;
    if (message.kind === "decided" || message.kind === "view-wanted") this.#lately.add(`${message.kind} ${to}`);
    this.#question.sends(message, this.#self, this.#votes);
    return message.kind === "pong" ? ({ ...message, wallMs: 0 } as Message) : message;
  }

  get #now(): Instant {
    const ms = START_MS + this.#tick * TICK_MS;
    return { wallMs: ms, steadyMs: ms };
  }
}

function sortedRow(row: RowData): RowData {
  return { ...row, gifts: [...row.gifts].sort((one, other) => (one.to < other.to ? -1 : 1)) };
}
