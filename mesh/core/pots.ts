/**
 * Pots: accounts inherited from nodes that were removed, whose slots must count as held for a time.
 *
 * The removed node may run on, cut off: until its lease is over it admits and extends, for its island time it goes on
 * extending, and what it told its visitors last is good for a session's length more. How long that is together is the
 * rooms' to know; here stands since when, by the clock that shows less, restarts included.
 */

import type { AccountId } from "./ids.ts";
import type { Instant } from "./instant.ts";

/** Accounts that were inherited together and count as one. */
export interface Pot {
  readonly accounts: readonly AccountId[];
  /** When the heir learnt of it, in Unix ms; for people. */
  readonly learntMs: number;
  /** Ms that have passed since then for sure. */
  readonly passedMs: number;
  /** By the operator's word the removed nodes run nowhere: nothing of them is left but the sessions that are out. */
  readonly runsNowhere: boolean;
}

export interface PotRecord {
  readonly accounts: readonly AccountId[];
  readonly learntMs: number;
  readonly runsNowhere: boolean;
}

interface Held extends Omit<PotRecord, "learntMs"> {
  readonly learnt: Instant;
}

export class Pots {
  #pots: Held[] = [];

  get record(): PotRecord[] {
    return this.#pots.map(({ accounts, learnt, runsNowhere }) => ({ accounts, learntMs: learnt.wallMs, runsNowhere }));
  }

  restore(records: readonly PotRecord[], now: Instant): void {
    for (const { accounts, learntMs, runsNowhere } of records) {
      const passedMs = Math.max(0, now.wallMs - learntMs);
      this.#pots.push({ accounts, runsNowhere, learnt: before(now, passedMs) });
    }
  }

  /** Accounts have been inherited, `passedMs` ago. */
  add(pot: { accounts: readonly AccountId[]; runsNowhere: boolean; passedMs: number }, now: Instant): void {
    const { accounts, runsNowhere, passedMs } = pot;
    this.#pots.push({ accounts, runsNowhere, learnt: before(now, passedMs) });
  }

  at(now: Instant): Pot[] {
    return this.#pots.map(({ accounts, learnt, runsNowhere }) => ({
      accounts,
      learntMs: learnt.wallMs,
      passedMs: leastMsSince(learnt, now),
      runsNowhere,
    }));
  }

  /** The time of `accounts` is over. */
  settle(accounts: readonly AccountId[]): void {
    this.#pots = this.#pots
      .map((pot) => ({ ...pot, accounts: pot.accounts.filter((account) => !accounts.includes(account)) }))
      .filter((pot) => pot.accounts.length > 0);
  }

  clear(): void {
    this.#pots = [];
  }
}

/** How much time has passed since `before` for sure, in ms: what the clock says that shows less. */
function leastMsSince(before: Instant, now: Instant): number {
  return Math.max(0, Math.min(now.wallMs - before.wallMs, now.steadyMs - before.steadyMs));
}

function before(now: Instant, ms: number): Instant {
  return { wallMs: now.wallMs - ms, steadyMs: now.steadyMs - ms };
}
