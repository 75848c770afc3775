/**
 * What a node does when its host has started again, and its commits were not forced to the disk: the last of them may be lost with the power,
 * and nobody may have heard of them.
 *
 * The same where a peer knows of counts that the disk has not: it may be an old copy, and lack more than that.
 *
 * Gifts that were published are forced to the disk, so an old copy of a disk is still told by those that it lacks. What else may be lost:
 * Admissions: all rooms are held until every session of now is over, as with lost counts. Gifts of the last moment: who was given slots knows it, so
 * every other member is asked, and nothing is used or given before all have answered. Whoever is removed meanwhile, and has not
 * answered, may use its gift until its sessions are over: then the rooms are held for that long. An ordered end of the process forces all to
 * the disk and says so there. Votes, fences and what is handed over are forced in any case.
 */

import type { AccountId, NodeId } from "../../mesh/core/ids.ts";
import type { Instant } from "../../mesh/core/instant.ts";
import { giftsTo } from "../../mesh/core/ledger/row.ts";
import type { Members } from "../../mesh/core/members/members.ts";
import type { Replica } from "../../mesh/core/replica/replica.ts";
import type { Outgoing } from "../../mesh/core/wire/outbox.ts";
import type { PowerLossMessage } from "./power-loss-messages.ts";

/** The boot in which commits are made that are not forced to the disk; none after an ordered end. */
const BOOT_KEY = "boot";
/** Kept while gifts may be lacking. */
const LOSS_KEY = "power-loss";

/**
 * How long after the start others are asked, in ms: longer than a connection lives that nothing comes through (8 s), so that no message of the
 * time before arrives after the answer. The rooms are held for longer anyway.
 */
const ASK_AFTER_MS = 10_000;

/** What may be lost, as on the disk. */
interface Loss {
  /** Members that have not told their gifts. */
  readonly asked: readonly NodeId[];
  /** Whether one of them was removed before it did. */
  readonly isOneRemoved: boolean;
}

export interface PowerLossParts {
  readonly self: NodeId;
  readonly leaseMs: number;
  readonly restored: ReadonlyMap<string, unknown>;
  readonly now: Instant;
  /** Of this process, if its commits are not forced to the disk. */
  readonly bootId?: string;
  readonly outbox: Outgoing<PowerLossMessage>;
  readonly members: Members;
  readonly replica: Replica;
  /** Has all slots of all rooms here held for a session's length from now on. */
  readonly holdAll: () => void;
}

export class PowerLoss {
  readonly #parts: PowerLossParts;
  #loss: Loss | undefined;
  /** On the steady clock: until when a removed node may use what it was given. */
  #removedUntilMs: number;

  constructor(parts: PowerLossParts) {
    this.#parts = parts;
    const { restored, bootId, outbox, now } = parts;
    const before = restored.get(BOOT_KEY);
    this.#loss = restored.get(LOSS_KEY) as Loss | undefined;
    if (before !== undefined && before !== bootId) this.noteLoss();
    this.#removedUntilMs = this.#loss?.isOneRemoved ? this.#goneMs(now) : 0;
    if (before !== bootId) outbox.putVote(BOOT_KEY, bootId);
  }

  /** Whether gifts of this node may be lacking: nothing may be used, given or handed over. */
  get isOpen(): boolean {
    return this.#loss !== undefined;
  }

  /** Commits of an earlier run are lost: by the boot, or as somebody knows of some. */
  noteLoss(): void {
    const { members, self } = this.#parts;
    if (members.view === undefined) return;
    const asked = members.view.members.flatMap(({ node }) => (node === self ? [] : [node]));
    this.#put({ asked, isOneRemoved: this.#loss?.isOneRemoved ?? false });
  }

  /** To be called twice a second. */
  tick(now: Instant, isInStep: boolean): void {
    const { members, outbox, holdAll } = this.#parts;
    if (this.#loss === undefined || now.steadyMs - this.#parts.now.steadyMs < ASK_AFTER_MS) return;
    const asked = this.#loss.asked.filter((node) => members.isMember(node));
    if (asked.length < this.#loss.asked.length) {
      this.#removedUntilMs = this.#goneMs(now);
      this.#put({ asked, isOneRemoved: true });
    }
    for (const node of asked) outbox.send(node, { kind: "gifts-wanted" });
    if (asked.length > 0 || !isInStep || now.steadyMs < this.#removedUntilMs) return;
    if (this.#loss?.isOneRemoved) holdAll();
    this.#put(undefined);
  }

  /** A message of a member, in the same view. */
  hear(from: NodeId, message: PowerLossMessage): void {
    const { members, replica, outbox } = this.#parts;
    const areFrom = (accounts: readonly AccountId[]) =>
      accounts.filter((account) => members.writerOf(account) === from);
    if (message.kind === "gifts-wanted") {
      const rows = giftsTo([...replica.accounts], replica.copies(areFrom(replica.ledger.accounts())));
      outbox.send(from, { kind: "gifts", rows });
    } else if (this.#loss?.asked.includes(from)) {
      const rows = message.rows.filter(({ account }) => replica.accounts.has(account));
      const receivers = rows.flatMap(({ gifts }) => gifts.map(({ to }) => to));
      replica.mergeDecided(giftsTo(areFrom(receivers), rows));
      this.#put({ ...this.#loss, asked: this.#loss.asked.filter((node) => node !== from) });
    }
  }

  /** The process ends in order: what it commits with this is forced to the disk, and all before it. */
  end(): void {
    this.#parts.outbox.putVote(BOOT_KEY, undefined);
  }

  #goneMs(now: Instant): number {
    return now.steadyMs + this.#parts.leaseMs + this.#parts.members.islands.longestMs(now);
  }

  #put(loss: Loss | undefined): void {
    this.#loss = loss;
    this.#parts.outbox.putVote(LOSS_KEY, loss);
  }
}
