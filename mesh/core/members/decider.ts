/**
 * What a member answers to the node that brings about the next view: a fence, a promise, a vote.
 *
 * Each is on disk before it is sent. A member that has heard a node within a lease neither fences it nor votes to
 * remove it.
 */

import { accountOf, type NodeId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import { giftsWhere } from "../ledger/row.ts";
import { WITHOUT_LEASE_MAX } from "./authority-to-act.ts";
import type { Of } from "./member-messages.ts";
import type { MemberParts } from "./member-parts.ts";
import type { Reachability } from "./reachability.ts";

export class Decider {
  readonly #parts: MemberParts;
  readonly #reach: Reachability;

  constructor(parts: MemberParts, reach: Reachability) {
    this.#parts = parts;
    this.#reach = reach;
  }

  hearFence(from: NodeId, { nodes, left, isForgetting }: Of<"fence">, now: Instant): void {
    const { self } = this.#parts;
    const view = this.#parts.book.known;
    if (nodes.includes(self) || !nodes.every((node) => this.#parts.book.nodes.has(node))) return;
    const removed = nodes.filter((node) => !left.includes(node));
    if (removed.length > 0 && !isForgetting && view.members.length <= WITHOUT_LEASE_MAX) return;
    // A node that was silent for less than a lease may be forgotten, but not one that answers: the order was a mistake,
    // or the node is back.
    const heard = removed.filter((node) =>
      isForgetting ? this.#reach.mayAnswer(node, now) : this.#reach.mayHaveHeard(node, now),
    );
    if (heard.length > 0) {
      this.#parts.send(from, { kind: "heard", nodes: heard }, now);
      return;
    }
    // Accounts of a node that has stopped in order to leave are fenced, too, until they have been taken over.
    const writes = this.#parts.succession.written;
    const accounts = nodes
      .flatMap((node) => this.#parts.succession.accountsOf(node))
      .filter((account) => !writes.includes(account));
    if (!nodes.every((node) => this.#parts.fences.has(node))) {
      this.#parts.fences.add(nodes, accounts);
      this.#parts.putFences();
    }
    this.#parts.fences.noteLost(removed);
    // Final from now on: all that is known here of what the nodes gave, and what the accounts here gave them. A receiver
    // may have lost a gift with the power of its host, while others have heard of it.
    const [ended, own] = [new Set(nodes.map(accountOf)), new Set(writes)];
    const copies = giftsWhere(
      this.#parts.app.rows([...new Set([...ended, ...own])]),
      (giver, to) => ended.has(giver) || ended.has(to),
    );
    this.#parts.send(
      from,
      {
        kind: "fenced",
        nodes,
        copies,
        writes,
        inPots: this.#parts.pots.at(now).flatMap((pot) => pot.accounts),
        leavers: this.#parts.handovers.leavers,
        runs: this.#parts.runs.of(nodes),
        ...(this.#parts.app.testimony?.lacksGifts() !== false && { lacksGifts: true }),
      },
      now,
    );
  }

  hearPrepare(from: NodeId, prepare: Of<"prepare">, now: Instant): void {
    const answer = this.#parts.voter.prepare(prepare, this.#parts.kept.all, this.#parts.book.known);
    if (answer !== undefined) this.#parts.send(from, answer, now);
  }

  hearAccept(from: NodeId, accept: Of<"accept">, now: Instant): boolean {
    if (accept.value.number <= this.#parts.book.number) return false;
    if (!this.#parts.isUnderstood(accept.value, this.#parts.self)) return true;
    const heard = accept.removes.filter((node) => this.#reach.mayHaveHeard(node, now));
    const answer = this.#parts.voter.accept(accept, heard, this.#parts.book.known);
    if (answer !== undefined) this.#parts.send(from, answer, now);
    return true;
  }
}
