/**
 * Operators' orders that nodes run nowhere, while they wait to be carried out.
 *
 * An order is valid for a stated time, and for nodes that stay silent. A node that is heard again ends it: otherwise
 * the node would be removed later, although it is back and healthy, by an order that was right once. The same holds for
 * a node about which the operator was told that it could not be forgotten. What members have voted for by then is
 * carried out all the same, as any vote is: such an order is tried no more, and its outcome is that of the next view.
 * So is that of an order that is given at that time, here or at another member.
 *
 * Several orders at a node are tried as one: of two hosts lost at once neither can be forgotten without the other,
 * because all members that stay must answer, and an orchestrator may report them one by one.
 */

import type { NodeId } from "../ids.ts";
import type { Instant } from "../instant.ts";

/**
 * How long an order is valid at most, in ms: some rounds of fences and votes around the world. The operator waits for
 * it. Doubled, a node may have been started again meanwhile; halved, one slow member makes it fail.
 */
export const FORGET_MS_MAX = 20_000;

/** Orders that wait at once. A script that gives more of them is faulty. */
export const WORDS_MAX = 100;

/**
 * Why nodes are not forgotten: one of them answers; another member does not, or did not agree in time; this node is no
 * member, is not ready, is stopping, or has too many orders; or a named node is no member.
 */
export type ForgetReason = "answers" | "others-silent" | "not-agreed" | "no-member" | "not-ready" | "busy" | "unknown";

export interface ForgetRefusal {
  readonly reason: ForgetReason;
  readonly problem: string;
}

/** How it ended; without a problem the nodes are no longer members. */
export type Forgot = ForgetRefusal | { readonly problem?: undefined };

/** An order, and the callback that waits for it. */
export interface Word {
  readonly nodes: readonly NodeId[];
  readonly notify: (forgot: Forgot) => void;
  /** For how long it is valid. */
  readonly forMs: number;
}

/** An order that waits until a time on the steady clock. */
export interface Waiting extends Word {
  readonly untilMs: number;
  /** Why it is tried no more. Members may have voted for it: if the next view has its nodes, this is the outcome. */
  readonly refusal?: ForgetRefusal;
}

export class ForgetOrder {
  #words: Waiting[] = [];

  /** The nodes of all orders that are tried. */
  get nodes(): readonly NodeId[] {
    const tried = this.#words.filter(({ refusal }) => refusal === undefined);
    return [...new Set(tried.flatMap(({ nodes }) => nodes))].sort();
  }

  get isEmpty(): boolean {
    return this.#words.length === 0;
  }

  get isFull(): boolean {
    return this.#words.length >= WORDS_MAX;
  }

  add(word: Word, now: Instant): void {
    this.#words.push({ ...word, untilMs: now.steadyMs + word.forMs });
  }

  /** An order is tried no more. */
  leaveOpen(word: Waiting, refusal: ForgetRefusal): void {
    this.#words = this.#words.map((each) => (each === word ? { ...word, refusal } : each));
  }

  /** Ends the orders for which `end` gives an outcome, and reports it to those that wait. */
  endWhere(end: (word: Waiting) => Forgot | undefined): void {
    const ended = this.#words.flatMap((word) => {
      const forgot = end(word);
      return forgot === undefined ? [] : [{ word, forgot }];
    });
    this.#words = this.#words.filter((each) => !ended.some(({ word }) => word === each));
    for (const { word, forgot } of ended) word.notify(forgot);
  }
}
