/**
 * Pots: accounts inherited from nodes that were removed, whose slots must count as held for a time.
 *
 * The removed node may run on, cut off: until its lease is over it admits and extends, for its island time it goes on
 * extending, and its last cookies are good for a session's length more. How long that is together is the rooms' to
 * know. This file keeps how much of it has passed: by the steady clock, while this node runs. The wall clock may have been
 * wrong when the pot was learnt of, or be wrong at a restart, so it does not count; nor does the time between two runs.
 */

import { type AccountId, accountOf, type NodeId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import type { Ceilings } from "./ceilings.ts";
import type { Run } from "./known-runs.ts";

/** The group of all pots of which an earlier version kept none. */
export const EARLIER_POTS = "earlier";

/** A pot as it is on the disk or comes from a leaver; an earlier version kept no group, and a still earlier one no age. */
export interface StoredPot extends Omit<Pot, "group" | "passedMs"> {
  readonly group?: string | undefined;
  readonly passedMs?: number | undefined;
}

/** Accounts that were inherited together, of nodes whose processes end in the same way. */
export interface Pot {
  readonly accounts: readonly AccountId[];
  /**
   * By what they were inherited: the pots of one group count as one, and are settled at once. One of two nodes that were removed by one view
   * may have been given slots by the other, of which nobody who stays has heard. Of nodes removed by different views that cannot be: the
   * later one has put up a fence, and said what it had been given.
   */
  readonly group: string;
  /** Ms that have passed for sure since the heir learnt of it. */
  readonly passedMs: number;
  /** By the operator's word the removed nodes run nowhere: nothing of them is left but the sessions that are out. */
  readonly runsNowhere: boolean;
  /** The longest of its sessions that may be about, in minutes; not known if left out. */
  readonly sessionMinutes?: number | undefined;
  /** The longest island time that one of its nodes may have had, in ms; not known if left out. */
  readonly islandMs?: number | undefined;
  /** The most slots that sessions hold on all accounts that its group had at first; all of theirs if it is left out. */
  readonly ceilings?: Ceilings | undefined;
  /** Of its nodes those that may say what they held when they return, each with the newest of its starts that is known. */
  readonly returning?: readonly Run[] | undefined;
  /** Its node has said what it held: its `active` slots are own ones, and only its arrivals are waited for. */
  readonly isHeard?: boolean | undefined;
}

interface Held extends Omit<Pot, "passedMs"> {
  /** On the steady clock of this run. */
  readonly learntMs: number;
}

/**
 * Between two times that the age of pots goes to the disk, in ms. A restart lengthens them by as much at most. Halved, a node that
 * holds one writes twice as often.
 */
const SAVE_MS = 1_000;

export class Pots {
  #pots: Held[] = [];
  #savedMs = Number.NEGATIVE_INFINITY;

  /** Goes on with what an earlier run had on disk. */
  restore(pots: readonly StoredPot[], now: Instant): void {
    for (const pot of pots) this.add(pot, now);
  }

  /** Accounts have been inherited, `passedMs` ago. */
  add(pot: StoredPot, { steadyMs }: Instant): void {
    const { passedMs = 0, group = EARLIER_POTS, ...what } = pot;
    this.#pots.push({ ...what, group, learntMs: steadyMs - passedMs });
  }

  /** What is held now; it is also what is to be on disk. */
  at({ steadyMs }: Instant): Pot[] {
    return this.#pots.map(
      ({ accounts, group, learntMs, runsNowhere, sessionMinutes, islandMs, ceilings, returning = [], isHeard }) => ({
        accounts,
        group,
        passedMs: Math.max(0, Math.floor(steadyMs - learntMs)),
        runsNowhere,
        ...(sessionMinutes !== undefined && { sessionMinutes }),
        ...(islandMs !== undefined && { islandMs }),
        ...(ceilings !== undefined && { ceilings }),
        ...(returning.length > 0 && { returning }),
        ...(isHeard && { isHeard }),
      }),
    );
  }

  /** Accounts whose slots count as held. */
  get accounts(): AccountId[] {
    return this.#pots.flatMap((pot) => (pot.isHeard ? [] : pot.accounts));
  }

  /** Where the accounts are of a node that may say what it held, with all others of that group of which nobody has spoken. */
  shareOf(
    node: NodeId,
  ): { readonly group: string; readonly accounts: readonly AccountId[]; readonly run: number } | undefined {
    const pot = this.#pots.find(({ returning = [], isHeard }) => !isHeard && returning.some(([each]) => each === node));
    if (pot?.accounts.includes(accountOf(node)) !== true) return undefined;
    const { group, returning = [] } = pot;
    const accounts = this.#pots.flatMap((each) => (each.group === group && !each.isHeard ? each.accounts : []));
    return { group, accounts, run: returning.find(([each]) => each === node)?.[1] ?? 0 };
  }

  /** The node of `accounts` has said what it held. */
  heard(accounts: readonly AccountId[]): void {
    this.#pots = this.#pots.flatMap((pot) => {
      if (pot.isHeard) return pot;
      const [spoken, others] = [true, false].map((isSpoken) =>
        pot.accounts.filter((account) => accounts.includes(account) === isSpoken),
      );
      const parts = [
        { ...pot, accounts: others ?? [] },
        { ...pot, accounts: spoken ?? [], isHeard: true },
      ];
      return parts.filter((part) => part.accounts.length > 0);
    });
  }

  /**
   * All of `accounts`, in pots that begin now, those that are in none in a group of their own: for one who takes them over from `leaver`, which
   * does not know what of their slots is in use.
   */
  allOf(accounts: readonly AccountId[], leaver: NodeId, now: Instant): Pot[] {
    const group = `left by ${leaver}`;
    const held = this.at(now).flatMap((pot) => (pot.isHeard ? [] : { ...pot, passedMs: 0 }));
    const others = accounts.filter((account) => !held.some((pot) => pot.accounts.includes(account)));
    return others.length === 0 ? held : [...held, { accounts: others, group, passedMs: 0, runsNowhere: true }];
  }

  /** Whether the age of pots is to be saved again. */
  isSaveDue({ steadyMs }: Instant): boolean {
    if (this.#pots.length === 0 || steadyMs - this.#savedMs < SAVE_MS) return false;
    this.#savedMs = steadyMs;
    return true;
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
