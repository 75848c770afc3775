/**
 * Leaving, on the leaver's side: it stops for good, on disk, and then offers everything to one heir after another.
 *
 * An heir that was offered everything may have taken it, however long it is silent. So the next one is asked only after
 * the first has refused, for good, or has left itself; the node that it left to knows which nodes it had taken over by
 * then. While an offer is out, the node answers nothing else: the heir may already vote in its name, and a node that
 * heard the leaver would keep a dead heir from being removed together with it. Between two offers it votes and fences
 * like any member. If all have refused, the node is in the state after a restart: it may extend no session before it
 * has a new lease.
 *
 * A node with a fence up offers nothing. It may be the heir of the node that is being removed, by a view that it does
 * not know yet; what that view gives it would be missing in its offer, and no node would write it any more.
 */

import type { NodeId } from "../ids.ts";
import type { Instant } from "../instant.ts";

export interface LeavingRecord {
  /** Offers ever made, this one included: heirs recognise a late copy by it. */
  readonly attempt: number;
  readonly isStopped: boolean;
  /** The heir that has an offer and has not refused it. */
  readonly heir: NodeId | undefined;
  readonly isGone: boolean;
}

/**
 * How it ended. `underway`: an earlier order is being carried out and continues; this one changes nothing. `restart`:
 * no node could take over, or what there is to take over is too large to send; the node is a member as before.
 * `unanswered`: the heir has the offer and is silent; the node stays stopped and keeps asking it, also after a restart.
 */
export type Left =
  | { readonly kind: "left"; readonly heir: NodeId }
  | { readonly kind: "underway" }
  | { readonly kind: "restart" }
  | { readonly kind: "unanswered"; readonly heir: NodeId };

/** Between copies of an offer, in ms. It may be large, so it is not sent more often. */
const OFFER_MS = 1_000;

/** How long to look for an heir, or to wait for one, before the operator gets the outcome. */
const PATIENCE_MS = 10_000;

/** How long to wait until everything can be offered. This node works meanwhile; a removal takes some 25 s. */
const OFFER_WAIT_MS = 60_000;

/** A refusal may be temporary, as while a member is being removed: all are asked again after this time. */
const AGAIN_MS = 1_000;

/**
 * How long a node that has left, or has given up leaving, refuses the offers of others, in ms: some retries of an
 * offer, so that no node waits for the answer of a process that has just ended. Doubled, an operator waits for that;
 * halved, one lost message is enough.
 */
export const LINGER_MS = 3_000;

export interface LeaverParts {
  readonly self: NodeId;
  /** Whether this node may stop now, and offer what it has. */
  readonly mayOffer: () => boolean;
  /** Whether what it would offer can be sent. */
  readonly canSend: (now: Instant) => boolean;
  /** Members that answer and have not left, in the order in which they are asked. */
  readonly candidates: (now: Instant) => readonly NodeId[];
  readonly store: (record: LeavingRecord) => void;
  /** Sends everything to an heir. */
  readonly offer: (heir: NodeId, attempt: number, now: Instant) => void;
  /** Asks all members whether `heir`, which does not answer, has left to them. */
  readonly seek: (heir: NodeId, now: Instant) => void;
  /** No node took over; this node is a member again. */
  readonly resumed: (now: Instant) => void;
  readonly gone: () => void;
}

export class Leaver {
  readonly #parts: LeaverParts;
  #record: LeavingRecord = { attempt: 0, isStopped: false, heir: undefined, isGone: false };
  #isWanted = false;
  #refusers = new Set<NodeId>();
  #startedMs = 0;
  /** When the heir was first asked, and last. */
  #askedMs = Number.NEGATIVE_INFINITY;
  #offeredMs = Number.NEGATIVE_INFINITY;
  #resumedMs = Number.NEGATIVE_INFINITY;
  #againMs = Number.NEGATIVE_INFINITY;
  #notify: ((left: Left) => void) | undefined;

  constructor(parts: LeaverParts) {
    this.#parts = parts;
  }

  restore(record: LeavingRecord, now: Instant): void {
    this.#record = record;
    this.#startedMs = now.steadyMs;
  }

  get isStopped(): boolean {
    return this.#record.isStopped;
  }

  /**
   * Whether it refuses to take over other nodes: it has stopped, or will as soon as it may, or has just given up and
   * its process may end.
   */
  isLeaving(now: Instant): boolean {
    return this.#isWanted || this.isStopped || now.steadyMs - this.#resumedMs < LINGER_MS;
  }

  /** Whether an heir has received everything and may have taken it over. */
  get isOffering(): boolean {
    return this.isStopped && this.#record.heir !== undefined;
  }

  get isGone(): boolean {
    return this.#record.isGone;
  }

  get heir(): NodeId | undefined {
    return this.#record.heir;
  }

  /** Leaves to the first node that takes over. `notify` is called once, whatever else is ordered meanwhile. */
  start(now: Instant, notify: (left: Left) => void): void {
    if (this.#notify !== undefined) {
      notify({ kind: "underway" });
      return;
    }
    this.#notify = notify;
    this.#startedMs = now.steadyMs;
    // An earlier leave continues, as after a restart, and nothing waits for it: from now on this call does.
    if (this.isStopped) return;
    this.#refusers.clear();
    this.#isWanted = this.#parts.candidates(now).length > 0;
    if (this.#isWanted) this.tick(now);
    else this.#tell({ kind: "restart" });
  }

  tick(now: Instant): void {
    if (this.isGone) return;
    if (this.#isWanted) this.#stop(now);
    if (!this.isStopped) return;
    const { heir } = this.#record;
    const isLate = now.steadyMs - this.#startedMs >= PATIENCE_MS;
    if (heir !== undefined) {
      if (isLate) this.#tell({ kind: "unanswered", heir });
      if (now.steadyMs - this.#offeredMs < OFFER_MS) return;
      this.#parts.seek(heir, now);
      this.#offer(heir, now);
      return;
    }
    const candidates = this.#parts.mayOffer() ? this.#parts.candidates(now) : [];
    const next = candidates.find((candidate) => !this.#refusers.has(candidate));
    if (next !== undefined) {
      this.#askedMs = now.steadyMs;
      this.#put({ attempt: this.#record.attempt + 1, heir: next });
      this.#offer(next, now);
    } else if (isLate) this.#resume(now);
    else if (now.steadyMs >= this.#againMs) this.#refusers.clear();
  }

  /** `heir` has refused. */
  refused(heir: NodeId, attempt: number, now: Instant): void {
    if (this.isGone || heir !== this.#record.heir || attempt !== this.#record.attempt) return;
    this.#refusers.add(heir);
    this.#againMs = now.steadyMs + AGAIN_MS;
    // No other node was listened to for so long: they must be heard first.
    if (now.steadyMs - this.#askedMs >= PATIENCE_MS) this.#startedMs = now.steadyMs;
    this.#put({ heir: undefined });
  }

  /**
   * These members have left to `holder`. If the heir is among them it has taken over no other node, and will not any
   * more.
   */
  haveLeft(leavers: readonly NodeId[], holder: NodeId, now: Instant): void {
    const { heir } = this.#record;
    if (this.isGone || heir === undefined || !leavers.includes(heir)) return;
    if (leavers.includes(this.#parts.self)) this.#leftTo(holder);
    else this.#turnAway(now);
  }

  /** `heir` has taken over. */
  taken(heir: NodeId): void {
    if (!this.isGone && heir === this.#record.heir) this.#leftTo(heir);
  }

  /** A view says that this node has left to `heir`, or to one that left to it. */
  decided(heir: NodeId): void {
    if (!this.isGone) this.#leftTo(heir);
  }

  #leftTo(heir: NodeId): void {
    this.#put({ heir, isGone: true });
    this.#tell({ kind: "left", heir });
    this.#parts.gone();
  }

  /**
   * The heir runs nowhere and never will again: what it may have taken over belongs to no node, and this node is a
   * member as before.
   */
  abandon(now: Instant): void {
    this.#put({ heir: undefined });
    this.#resume(now);
  }

  /** An heir that is no longer a member, while this node is one, has taken nothing over. */
  viewChanged(isMember: (node: NodeId) => boolean, now: Instant): void {
    const { heir } = this.#record;
    if (this.isStopped && heir !== undefined && !isMember(heir)) this.#turnAway(now);
  }

  /** The heir has taken nothing and never will: others are tried, with as much patience as at first. */
  #turnAway(now: Instant): void {
    this.#startedMs = now.steadyMs;
    this.#put({ heir: undefined });
  }

  #stop(now: Instant): void {
    if (this.#parts.mayOffer()) {
      if (this.#parts.canSend(now)) this.#put({ isStopped: true, heir: undefined });
      else this.#tell({ kind: "restart" });
    } else if (now.steadyMs - this.#startedMs >= OFFER_WAIT_MS) this.#tell({ kind: "restart" });
    else return;
    this.#startedMs = now.steadyMs;
    this.#isWanted = false;
  }

  #offer(heir: NodeId, now: Instant): void {
    this.#offeredMs = now.steadyMs;
    this.#parts.offer(heir, this.#record.attempt, now);
  }

  #resume(now: Instant): void {
    this.#resumedMs = now.steadyMs;
    this.#put({ isStopped: false });
    this.#parts.resumed(now);
    this.#tell({ kind: "restart" });
  }

  #tell(left: Left): void {
    const notify = this.#notify;
    this.#notify = undefined;
    notify?.(left);
  }

  #put(change: Partial<LeavingRecord>): void {
    this.#record = { ...this.#record, ...change };
    this.#parts.store(this.#record);
  }
}
