/**
 * What a node does when its host was restarted and its commits were not forced to disk: the last of them may be lost
 * with the power, and no other node may have heard of them.
 *
 * The same applies where a peer knows counts that the disk lacks: it may be an old copy, and lack more than that.
 *
 * Published gifts are forced to disk, so a disk that lacks them is still recognised as an old copy. What else may be
 * lost: admissions, so all rooms are held until every current session is over, as with lost counts; and gifts of the
 * last moment. The receiver of a gift knows it, so every other member is asked, and nothing is used or given before all
 * have answered. A node that is removed meanwhile without an answer may use its gift until its sessions are over: then
 * the rooms are held for that long. An orderly end of the process forces everything to disk and records that there.
 * Votes, fences and handovers are always forced.
 *
 * The same question finds an old disk where all members have just started and nobody has heard the published rows: on a
 * host that has run on, the disk has every gift that a receiver has.
 */

import type { z } from "zod";
import type { AccountId, NodeId } from "../../mesh/core/ids.ts";
import type { Instant } from "../../mesh/core/instant.ts";
import { type GiftData, giftsTo, type RowData } from "../../mesh/core/ledger/row.ts";
import type { Members } from "../../mesh/core/members/members.ts";
import type { Replica } from "../../mesh/core/replica/replica.ts";
import type { Outgoing } from "../../mesh/core/wire/outbox.ts";
import type { PowerLossMessage } from "./power-loss-messages.ts";
import { BOOT, POWER_LOSS } from "./stored-peer.ts";

/**
 * How long after the start others are asked, in ms: longer than a connection survives without traffic (8 s), so that no
 * earlier message arrives after the answer. The rooms are held for longer anyway.
 */
const ASK_AFTER_MS = 10_000;

/** What may be lost, as on the disk. */
type Loss = z.output<(typeof POWER_LOSS)["shape"]>;

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
  /** Holds all slots of all rooms here for a session's length from now on. */
  readonly holdAll: () => void;
  /** Whether the word of this member says whether the disk is an old one. */
  readonly wantsGifts: (node: NodeId) => boolean;
  /** A member has said what it was given, and the disk has all of it. */
  readonly hasGiftsTo: (node: NodeId) => void;
  /** The disk is an old one. */
  readonly outdated: (reason: string) => void;
}

export class PowerLoss {
  readonly #parts: PowerLossParts;
  #loss: Loss | undefined;
  /** On the steady clock: until when a removed node may use what it was given. */
  #removedUntilMs: number;

  constructor(parts: PowerLossParts) {
    this.#parts = parts;
    const { restored, bootId, outbox, now } = parts;
    const before = BOOT.read(restored);
    this.#loss = POWER_LOSS.read(restored);
    if (before !== undefined && before !== bootId) this.noteLoss();
    this.#removedUntilMs = this.#loss?.isOneRemoved ? this.#goneMs(now) : 0;
    if (before !== bootId) outbox.putVote(BOOT.at(), bootId);
  }

  /** Whether gifts of this node may be missing: nothing may be used, given or handed over. */
  get isOpen(): boolean {
    return this.#loss !== undefined;
  }

  /** Commits of an earlier run are lost: according to the boot id, or to a peer. */
  noteLoss(): void {
    const { members, self } = this.#parts;
    if (members.view === undefined) return;
    const asked = members.view.members.flatMap(({ node }) => (node === self ? [] : [node]));
    this.#put({ asked, isOneRemoved: this.#loss?.isOneRemoved ?? false });
  }

  /** Call it twice a second. */
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

  /** A message from a member, in the same view. */
  hear(from: NodeId, message: PowerLossMessage): void {
    const { members, replica, outbox } = this.#parts;
    const areFrom = (accounts: readonly AccountId[]) =>
      accounts.filter((account) => members.writerOf(account) === from);
    if (message.kind === "gifts-wanted") {
      const rows = giftsTo([...replica.accounts], replica.rows(areFrom(replica.ledger.accounts())));
      outbox.send(from, { kind: "gifts", rows });
      return;
    }
    const own = message.rows.filter(({ account }) => replica.accounts.has(account));
    const receivers = own.flatMap(({ gifts }) => gifts.map(({ to }) => to));
    const rows = giftsTo(areFrom(receivers), own);
    if (this.#loss === undefined) this.#compare(from, rows);
    else if (this.#loss.asked.includes(from)) {
      replica.relearn(rows);
      this.#put({ ...this.#loss, asked: this.#loss.asked.filter((node) => node !== from) });
    }
  }

  #compare(from: NodeId, rows: readonly RowData[]): void {
    const { replica, wantsGifts, hasGiftsTo, outdated } = this.#parts;
    if (!wantsGifts(from)) return;
    const lacking = rows.find(({ account, gifts }) =>
      gifts.some((gift) => givenIn(gift.totals) > givenIn(replica.ledger.totalsOf(account, gift))),
    );
    if (lacking === undefined) hasGiftsTo(from);
    else outdated(`${from} has a gift of ${lacking.account} that the disk does not have`);
  }

  /** The process ends in order: this commit and all before it are forced to disk. */
  end(): void {
    this.#parts.outbox.putVote(BOOT.at(), undefined);
  }

  #goneMs(now: Instant): number {
    return now.steadyMs + this.#parts.leaseMs;
  }

  #put(loss: Loss | undefined): void {
    this.#loss = loss;
    this.#parts.outbox.putVote(POWER_LOSS.at(), loss);
  }
}

/** All that was ever given. */
function givenIn(totals: GiftData["totals"]): number {
  return totals.at(-1)?.[1] ?? 0;
}
