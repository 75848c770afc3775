/**
 * Pings to members, and what depends on their answers: the lease, and what this node pledges.
 *
 * A voter grants a lease with its answer unless it has voted for the next view or has fenced the asker. It acknowledges
 * pledges in the same answer, unless it has given a promise for the next view: that has said which pledges it knows.
 */

import type { NodeId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import type { Of } from "./member-messages.ts";
import type { MemberParts } from "./member-parts.ts";
import type { Pledged } from "./pledges.ts";

export interface PingsHooks {
  readonly hasLease: (now: Instant) => boolean;
  /** A member reports which members have left to it. */
  readonly leftTo: (heir: NodeId, leavers: readonly NodeId[], now: Instant) => void;
}

export class Pings {
  readonly #parts: MemberParts;
  readonly #hooks: PingsHooks;

  constructor(parts: MemberParts, hooks: PingsHooks) {
    this.#parts = parts;
    this.#hooks = hooks;
  }

  /** Sends the pings that are due. */
  ping(now: Instant): void {
    const { voters } = this.#parts.book.known;
    const urgent = this.#hooks.hasLease(now) ? [] : voters;
    const due = this.#parts.heartbeats.due(now, urgent);
    if (due.length === 0) return;
    for (const { node, id } of due) {
      const to = this.#parts.tenure.incarnationOf(node);
      const pledge = to === undefined || !voters.includes(node) ? undefined : this.#parts.pledges.wordFor(node, to);
      this.#parts.send(node, { kind: "ping", id, ...(pledge !== undefined && { pledge }) }, now);
    }
  }

  answerPing(from: NodeId, { id, incarnation: asker, pledge }: Of<"ping">, now: Instant): void {
    // A fenced node gets no more lease from here, but may know that this node is up.
    const grants = this.#parts.fences.has(from) || !this.#parts.app.isInStep() ? [] : [...this.#parts.voter.unvoted];
    if (pledge?.to === this.#parts.incarnation && !this.#parts.voter.hasPromised) this.#parts.kept.hear(from, pledge);
    const { leavers } = this.#parts.handovers;
    const pledged = this.#parts.kept.versionOf(from);
    this.#parts.send(
      from,
      { kind: "pong", id, asker, wallMs: now.wallMs, grants, leavers, ...(pledged > 0 && { pledged }) },
      now,
    );
  }

  hearPong(from: NodeId, pong: Of<"pong">, now: Instant): void {
    if (pong.asker !== this.#parts.incarnation) return;
    const asked = this.#parts.heartbeats.answered(from, pong, now);
    if (asked === undefined) return;
    this.#parts.sessions.answered(from, now);
    // Before the lease: with it, this node may act.
    this.#parts.clocks.compare(now);
    this.#hooks.leftTo(from, pong.leavers, now);
    for (const voter of pong.grants)
      if (this.#parts.succession.isKeptBy(from, voter)) this.#parts.lease.answered(voter, asked);
    this.#parts.pledges.answered(from, pong.pledged ?? 0);
    this.#settlePledge();
  }

  /**
   * Pledges `pledged` from now on, which must be within what is held already; a higher ceiling counts once a majority
   * of the voters has acknowledged it. Returns false while an earlier pledge waits for that.
   */
  pledge(pledged: Pledged, now: Instant): boolean {
    if (this.#parts.pledges.isOpen) return false;
    this.#parts.pledges.pledge(pledged);
    for (const voter of this.#parts.book.known.voters) this.#parts.heartbeats.hurry(voter);
    this.#settlePledge();
    this.ping(now);
    return true;
  }

  #settlePledge(): void {
    if (this.#parts.pledges.settle(this.#parts.book.known.voters, this.#parts.self)) this.#parts.app.pledgeCounts?.();
  }
}
