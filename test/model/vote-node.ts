/**
 * One node as the model of votes sees it: the real `Members` of a view of three, in which two newcomers ask to be taken
 * in, each at another node.
 *
 * Pings are answered at once, for no lease, but B hears nothing of A: so B takes itself for the one whose turn it is,
 * as A does, and both propose at once. A node's clock advances only when it tries (again).
 */

import { type AccountId, accountOf, type NodeId } from "../../mesh/core/ids.ts";
import type { Instant } from "../../mesh/core/instant.ts";
import type { MemberMessage } from "../../mesh/core/members/member-messages.ts";
import { Members } from "../../mesh/core/members/members.ts";
import { isAbove, type VotesRecord } from "../../mesh/core/members/paxos.ts";
import type { View } from "../../mesh/core/members/view.ts";
import type { Message } from "../../mesh/core/wire/outbox.ts";
import { APP_IN_ORDER } from "../mesh/core/members/app-in-order.ts";
import { canonical } from "./canonical.ts";
import type { Disk, Process } from "./local.ts";
import { OpenQuestion } from "./open-question.ts";
import { SeenOutbox } from "./seen-outbox.ts";
import type { Hear } from "./world.ts";

export const VOTERS = ["A", "B", "C"] as NodeId[];
/** Who asks to be taken in, by the node that is asked. */
const NEWCOMERS: ReadonlyMap<NodeId, NodeId> = new Map([
  ["A" as NodeId, "D" as NodeId],
  ["B" as NodeId, "E" as NodeId],
]);
const START_MS = 1_000_000;
/** Longer than any step of a try, and than the pause after one that failed. */
const GIVEN_UP_MS = 4_000;
/** Time for others to come along, in joins.ts, and a little. */
const GATHERED_MS = 250;

/** The node gives up what it was trying, is asked by its newcomer once more, and tries again. */
export interface VoteEvent {
  readonly kind: "try";
}

export interface VoteFacts {
  readonly view: View;
  readonly votes: VotesRecord;
  /** Views that this node has known, by number. */
  readonly known: ReadonlyMap<number, string>;
}

export function firstDisk(self: NodeId): Disk {
  const members = VOTERS.map((node) => ({ node, locality: "here", sinceMs: 0 }));
  const root = accountOf("A" as NodeId);
  const view: View = { number: 1, members, voters: VOTERS, heirs: [], openings: [], root };
  const votes: VotesRecord = { base: view.number, voters: [[self, null]] };
  return new Map<string, unknown>([
    ["members/view", view],
    ["members/votes", votes],
  ]);
}

export class VoteNode implements Process<VoteEvent | Hear, VoteFacts> {
  readonly outbox = new SeenOutbox({
    put: (key, value) => this.#seesWrite(key, value),
    sent: (to, message) => this.#seesMessage(to, message),
  });
  readonly #self: NodeId;
  readonly #members: Members;
  readonly #incarnation: number;
  readonly #known: Map<number, string>;
  #nowMs: number;
  #votes: VotesRecord;
  readonly #question = new OpenQuestion();
  /** Whom it has told or asked of a view, which it repeats only after a while. */
  readonly #lately = new Set<string>();
  /** The view of the node that receives the newest one. */
  #theirs = 0;
  #view = 0;
  readonly #incarnations = new Map<NodeId, number>();
  /** Pings to be answered in this step. */
  #pings: [NodeId, Extract<MemberMessage, { kind: "ping" }>][] = [];

  constructor(self: NodeId, disk: Disk) {
    this.#self = self;
    this.#nowMs = (disk.get("model/now") as number | undefined) ?? START_MS;
    // As low as can be, for the sake of fewer messages: what counts is that no ballot is used twice.
    this.#incarnation = 1 + ((disk.get("model/tries") as number | undefined) ?? 0);
    this.#known = new Map((disk.get("model/known") as [number, string][] | undefined) ?? []);
    this.#votes = disk.get("members/votes") as VotesRecord;
    this.#view = (disk.get("members/view") as View).number;
    this.#members = new Members(
      {
        self,
        locality: "here",
        incarnation: this.#incarnation,
        leaseMs: 30_000,
        restored: disk,
        found: false,
        outbox: this.outbox,
        random: () => 0,
        app: {
          ...APP_IN_ORDER,
          accounts: () => VOTERS.map(accountOf),
          rows: (accounts: readonly AccountId[]) => accounts.map((account) => ({ account, gifts: [], counts: [] })),
          viewChanged: () => {},
        },
      },
      this.#now,
    );
  }

  handle(event: VoteEvent | Hear): void {
    if (event.kind === "try") this.#try();
    else {
      const message = event.message as MemberMessage;
      this.#hears(event.from, message);
      this.#members.receive(event.from, message, this.#now);
    }
  }

  /** What a proposer goes by, and what else is in no record on the disk. */
  digest(): unknown {
    return [this.#nowMs, this.#incarnation, this.#question.digest, this.#lately, this.#incarnations];
  }

  facts(): VoteFacts {
    const { view } = this.#members;
    if (view === undefined) throw new Error("Cannot be without a view: current value is none");
    return { view, votes: this.#votes, known: new Map(this.#known) };
  }

  #try(): void {
    const newcomer = NEWCOMERS.get(this.#self);
    const ask = () => {
      if (newcomer === undefined || this.#members.isMember(newcomer)) return;
      const join = { kind: "join", node: newcomer, locality: "here", view: 0, incarnation: 1 } as const;
      this.#members.receive(newcomer, join, this.#now);
    };
    this.#nowMs += GIVEN_UP_MS;
    this.#tick();
    this.#question.close();
    this.#lately.clear();
    this.#nowMs += GIVEN_UP_MS;
    ask();
    this.#nowMs += GATHERED_MS;
    this.#tick();
    this.outbox.put("model/now", this.#nowMs);
    this.outbox.put("model/tries", this.#incarnation);
  }

  #tick(): void {
    this.#members.tick(this.#now);
    for (const [from, { id, view, incarnation: asker }] of this.#pings.splice(0)) {
      const incarnation = this.#incarnations.get(from) ?? 1;
      const pong = { kind: "pong", id, asker, wallMs: this.#nowMs, view, incarnation } as const;
      this.#members.receive(from, { ...pong, grants: [], leavers: [] }, this.#now);
    }
  }

  #seesWrite(key: string, value: unknown): void {
    if (key === "members/votes") this.#votes = value as VotesRecord;
    if (key !== "members/view") return;
    const view = value as View;
    this.#theirs = this.#view;
    this.#view = view.number;
    this.#known.set(view.number, canonical(view));
    this.outbox.put("model/known", [...this.#known]);
    this.#question.close();
    this.#lately.clear();
  }

  #seesMessage(to: NodeId, message: MemberMessage): Message | undefined {
    if (message.kind === "ping" && !(this.#self === "B" && to === "A")) this.#pings.push([to, message]);
    if (message.kind === "ping" || !VOTERS.includes(to)) return undefined;
    if (message.kind === "decided" || message.kind === "view-wanted")
      this.#lately.add(`${message.kind} ${to} ${this.#theirs}`);
    this.#question.sends(message, this.#self, this.#votes);
    return message;
  }

  #hears(from: NodeId, message: MemberMessage): void {
    this.#theirs = message.view;
    if (message.incarnation < (this.#incarnations.get(from) ?? 0)) return;
    this.#incarnations.set(from, message.incarnation);
    if (message.view === this.#view) this.#question.hears(from, message);
  }

  get #now(): Instant {
    return { wallMs: this.#nowMs, steadyMs: this.#nowMs };
  }
}

/** What a voter must never take back: the ballot that it has promised, and the one that it has accepted. */
export function takesBack(before: VotesRecord, after: VotesRecord): string | undefined {
  if (before.base !== after.base) return undefined;
  for (const [voter, was] of before.voters) {
    const is = after.voters.find(([name]) => name === voter)?.[1];
    if (was === null) continue;
    if (is === null || is === undefined || isAbove(was.promised, is.promised)) return `${voter} keeps its promise`;
    if (was.accepted === undefined) continue;
    if (is.accepted === undefined || isAbove(was.accepted.ballot, is.accepted.ballot)) return `${voter} keeps its vote`;
    const isSame = !isAbove(is.accepted.ballot, was.accepted.ballot);
    if (isSame && canonical(is.accepted.value) !== canonical(was.accepted.value))
      return `${voter} votes once in a ballot`;
  }
  return undefined;
}
