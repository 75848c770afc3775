/**
 * Members that leave: this node itself, and those that leave to it.
 *
 * A leaver hands everything to one heir, whose answer is final; see leaver.ts. The heir writes the leaver's accounts
 * and votes in its name, and tells the longest-standing member until a view has dropped the leaver.
 */

import { accountOf, type NodeId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import { giftsTo, withoutCounts } from "../ledger/row.ts";
import { isSendable } from "../wire/codec.ts";
import { Leaver, type LeavingRecord, type Left } from "./leaver.ts";
import type { MemberMessageBody, Of } from "./member-messages.ts";
import type { MemberParts } from "./member-parts.ts";
import type { StopReason } from "./members-app.ts";
import type { Reachability } from "./reachability.ts";
import { LEAVING } from "./stored-members.ts";
import { writerOf } from "./view.ts";

export interface DeparturesHooks {
  /** Nothing more is proposed. */
  readonly stopProposing: () => void;
}

export class Departures {
  readonly leaver: Leaver;
  readonly #parts: MemberParts;
  readonly #reach: Reachability;
  readonly #hooks: DeparturesHooks;

  constructor(parts: MemberParts, reach: Reachability, hooks: DeparturesHooks) {
    this.#parts = parts;
    this.#reach = reach;
    this.#hooks = hooks;
    this.leaver = new Leaver({
      self: parts.self,
      store: (record) => this.#putLeaving(record),
      // While a member is being removed, all refuse: see hearOffer.
      mayOffer: () => parts.app.mayHandOver() && !parts.fences.hasLost,
      canSend: (at) => this.#canSend(at),
      candidates: (at) => this.#heirsToAsk(at),
      seek: (heir, at) => this.#seekHeirOf(heir, at),
      offer: (heir, attempt, at) => this.#sendOffer(heir, attempt, at),
      resumed: (at) => this.#resume(at),
      gone: () => parts.tenure.stop("left"),
    });
  }

  /** Resumes a leave of an earlier run. */
  restore(restored: ReadonlyMap<string, unknown>, now: Instant): void {
    const leaving = LEAVING.read(restored);
    if (leaving !== undefined) this.leaver.restore(leaving, now);
  }

  /**
   * Makes this node leave: it stops at once, on disk, and hands everything over to one heir. `notify` is called when
   * that is done, or when there is no heir: then this node is a member as before, and its end will be like a restart.
   */
  leave(now: Instant, notify: (left: Left) => void): void {
    if (this.#parts.isIn) this.leaver.start(now, notify);
    else notify({ kind: "restart" });
  }

  /**
   * Why this node is not a member: it has left if the heir that it asked writes its account now, or that one's heir
   * writes both.
   */
  howItEnded(): StopReason {
    const { isGone, isOffering, heir } = this.leaver;
    if (isGone) return "left";
    if (!isOffering || heir === undefined) return "removed";
    const [own, theirs] = [this.#parts.self, heir].map((node) => writerOf(this.#parts.book.known, accountOf(node)));
    return own === heir || own === theirs ? "left" : "removed";
  }

  noteLeavers(heir: NodeId, leavers: readonly NodeId[], now: Instant): void {
    this.leaver.haveLeft(leavers, heir, now);
    for (const leaver of leavers) this.#parts.succession.left(leaver, heir);
  }

  /** An heir gets an offer of everything; its answer is final. */
  hearOffer(from: NodeId, offer: Of<"offer">, now: Instant): void {
    const { attempt, leavers, accounts, rows, voters, pots, tables } = offer;
    if (this.#parts.handovers.has(from)) {
      this.#parts.send(from, { kind: "offer-taken" }, now);
      return;
    }
    const isStopped = this.#parts.tenure.over !== undefined || this.leaver.isLeaving(now);
    // What was said of a fenced leaver is final. Of one that is lost, a view is about to say who holds what it held:
    // perhaps the member that offers here.
    const isFenced = this.#parts.fences.has(from) || this.#parts.fences.hasLost;
    const mayTake = !isStopped && !isFenced && this.#parts.app.mayTakeOver();
    if (this.#parts.handovers.hasRefused(from, attempt) || !mayTake) {
      this.#parts.handovers.refuse(from, attempt);
      this.#parts.promiseHandovers();
      this.#parts.send(from, { kind: "offer-refused", attempt }, now);
      return;
    }
    this.#parts.handovers.take(from, { leavers, accounts });
    this.#parts.succession.renew();
    this.#parts.promiseHandovers();
    this.#parts.voter.keep(voters, this.#parts.book.known);
    for (const pot of pots) this.#parts.pots.add(pot, now);
    this.#parts.putPots(now);
    this.#parts.app.takeOver(from, accounts, rows, tables, now);
    this.#parts.app.log(`${leavers.join(", ")} left to this node`);
    this.#parts.send(from, { kind: "offer-taken" }, now);
    this.sayTookOver(now);
  }

  /** Reports to the longest-standing member what was taken over, until a view has dropped the leavers. */
  sayTookOver(now: Instant): void {
    const { leavers } = this.#parts.handovers;
    if (leavers.length === 0) return;
    const longestStanding = this.#reach.alive(now)[0];
    if (longestStanding === undefined || longestStanding === this.#parts.self) return;
    this.#parts.send(longestStanding, { kind: "took-over", leavers: [...leavers] }, now);
  }

  /**
   * The asking node has offered everything to `of`, which left to this node: what that node had taken over by then is
   * known here.
   */
  hearHeirWanted(from: NodeId, { of }: Of<"heir-wanted">, now: Instant): void {
    const { leavers } = this.#parts.handovers;
    if (leavers.includes(of)) this.#parts.send(from, { kind: "heir-found", leavers }, now);
  }

  #sendOffer(heir: NodeId, attempt: number, now: Instant): void {
    this.#parts.send(heir, this.#offer(attempt, now), now);
  }

  #canSend(now: Instant): boolean {
    if (isSendable(this.#offer(0, now))) return true;
    this.#parts.app.log("Cannot leave as what this node would hand over is larger than a message: it stays a member");
    return false;
  }

  #offer(attempt: number, now: Instant): Extract<MemberMessageBody, { kind: "offer" }> {
    const { self } = this.#parts;
    const accounts = this.#parts.succession.written;
    const others = this.#parts.app.accounts().filter((account) => !accounts.includes(account));
    return {
      kind: "offer",
      attempt,
      leavers: [self, ...this.#parts.handovers.leavers],
      accounts,
      rows: [...withoutCounts(this.#parts.app.rows(accounts)), ...giftsTo(accounts, this.#parts.app.rows(others))],
      voters: this.#parts.voter.record.voters.map(([voter, state]) => [voter, state]),
      pots: this.#parts.app.hasLostCounts() ? this.#parts.pots.allOf(accounts, self, now) : this.#parts.pots.at(now),
      tables: this.#parts.app.tables(),
    };
  }

  /** Members that answer, those of this locality first. */
  #heirsToAsk(now: Instant): NodeId[] {
    const others = this.#reach.alive(now).filter((node) => node !== this.#parts.self);
    const [near = [], far = []] = [true, false].map((isNear) =>
      others.filter((node) => this.#reach.isNear(node) === isNear),
    );
    return [...near, ...far];
  }

  #seekHeirOf(node: NodeId, now: Instant): void {
    for (const other of this.#parts.book.others)
      if (other !== node) this.#parts.send(other, { kind: "heir-wanted", of: node }, now);
  }

  #putLeaving(record: LeavingRecord): void {
    if (record.isStopped) this.#hooks.stopProposing();
    this.#parts.outbox.putVote(LEAVING.at(), record);
  }

  /** No node took over: as after a restart. */
  #resume(now: Instant): void {
    this.#parts.lease.begin();
    this.#parts.heartbeats.follow([], now);
    this.#reach.follow(now);
  }
}
