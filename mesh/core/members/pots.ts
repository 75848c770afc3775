/**
 * Pots: accounts inherited from nodes that were removed, whose slots must count as held for a time.
 *
 * The removed node may still run, cut off: until its lease is over it admits and extends, and its last cookies are good
 * for a session's length more. The rooms know how long that is together.
 * This file keeps how much of it has passed: by the steady clock, while this node runs. The wall clock may have been
 * wrong when the heir learnt of the pot, or be wrong at a restart, so it does not count; nor does the time between two
 * runs.
 */

import { type AccountId, accountOf, type NodeId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import type { Ceilings } from "./ceilings.ts";
import type { Run } from "./known-runs.ts";
import type { View } from "./view.ts";

/** Accounts that were inherited together. */
export interface Pot {
  readonly accounts: readonly AccountId[];
  /**
   * The view by which they were inherited: the pots of one group count as one, and settle together. Of two nodes that
   * one view removed, one may have given slots to the other without any remaining node knowing. Between nodes removed
   * by different views this is impossible: the one removed later has put up a fence, and said what it had been given.
   */
  readonly group: string;
  /** Ms that have certainly passed since the heir learnt of it. */
  readonly passedMs: number;
  /** The most slots that sessions hold on all accounts that its group had at first; all their slots if left out. */
  readonly ceilings?: Ceilings | undefined;
  /**
   * Its node has reported what it held: its `active` slots are own ones, and only its arrivals are still waited for.
   */
  readonly isHeard?: boolean | undefined;
}

interface Held extends Omit<Pot, "passedMs"> {
  /** On the steady clock of this run. */
  readonly learntMs: number;
  /**
   * Its nodes that may report what they held when they return, each with its newest known start. Only the process that
   * learnt of the pot with its view hears them: a later one, or another heir, does not know what it would need for that.
   */
  readonly returning: readonly Run[];
}

/**
 * Between two times that the age of pots goes to disk, in ms. A restart lengthens them by as much at most. Halved, a
 * node that holds one writes twice as often.
 */
const SAVE_MS = 1_000;

export class Pots {
  #pots: Held[] = [];
  #savedMs = Number.NEGATIVE_INFINITY;

  /** Continues with what an earlier run had on disk. */
  restore(pots: readonly Pot[], now: Instant): void {
    for (const pot of pots) this.add(pot, now);
  }

  /** Accounts have been inherited, `passedMs` ago. */
  add({ passedMs, ...what }: Pot, { steadyMs }: Instant, returning: readonly Run[] = []): void {
    this.#pots.push({ ...what, learntMs: steadyMs - passedMs, returning });
  }

  /** `accounts` are inherited with `view`. Returns the nodes that may report what they held when they return. */
  inherit(accounts: readonly AccountId[], { number, ceilings, returning = [] }: View, now: Instant): NodeId[] {
    // A node that missed a view inherits from two at once, and these are about the last one only.
    const areAll =
      ceilings !== undefined && new Set(ceilings.accounts).symmetricDifference(new Set(accounts)).size === 0;
    const pot = { group: `view ${number}`, passedMs: 0, accounts, ...(areAll && { ceilings: ceilings.rooms }) };
    const ofThese = returning.filter(([node]) => accounts.includes(accountOf(node)));
    this.add(pot, now, ofThese);
    return ofThese.map(([node]) => node);
  }

  /** What is held now; it is also what is to be on disk. */
  at({ steadyMs }: Instant): Pot[] {
    return this.#pots.map(({ learntMs, accounts, group, ceilings, isHeard }) => ({
      accounts,
      group,
      passedMs: Math.max(0, Math.floor(steadyMs - learntMs)),
      ...(ceilings !== undefined && { ceilings }),
      ...(isHeard && { isHeard }),
    }));
  }

  /** Accounts whose slots count as held. */
  get accounts(): AccountId[] {
    return this.#pots.flatMap((pot) => (pot.isHeard ? [] : pot.accounts));
  }

  /**
   * If the accounts are those of a node that may report what it held: with all others of that group for which no node
   * has spoken.
   */
  shareOf(
    node: NodeId,
  ): { readonly group: string; readonly accounts: readonly AccountId[]; readonly run: number } | undefined {
    const pot = this.#pots.find(({ returning, isHeard }) => !isHeard && returning.some(([each]) => each === node));
    if (pot?.accounts.includes(accountOf(node)) !== true) return undefined;
    const { group, returning } = pot;
    const accounts = this.#pots.flatMap((each) => (each.group === group && !each.isHeard ? each.accounts : []));
    return { group, accounts, run: returning.find(([each]) => each === node)?.[1] ?? 0 };
  }

  /** The node of `accounts` has reported what it held. */
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
   * All of `accounts`, in one group of pots that begins now. For a node that takes them over from `leaver` and does not
   * know which of their slots are in use.
   *
   * They are one group without ceilings: free units of a pot are given from the leaver's own account, which then owes
   * what the pot has. Apart, the pot would be usable once more.
   */
  allOf(accounts: readonly AccountId[], leaver: NodeId, now: Instant): Pot[] {
    const group = `left by ${leaver}`;
    const held = this.at(now).flatMap(({ ceilings, isHeard, ...pot }) =>
      isHeard ? [] : { ...pot, group, passedMs: 0 },
    );
    const others = accounts.filter((account) => !held.some((pot) => pot.accounts.includes(account)));
    return others.length === 0 ? held : [...held, { accounts: others, group, passedMs: 0 }];
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
