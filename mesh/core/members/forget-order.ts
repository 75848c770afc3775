/**
 * Operators' words that nodes run nowhere, while they wait to be carried out.
 *
 * A word is good for a stated time, and for nodes that stay silent. One that is heard again takes it back: it would be removed later, back
 * and in good health, by a word that was true once. So would one of which the operator is told that it could not be forgotten. What
 * members have voted for by then is carried out all the same, as any vote is.
 *
 * Several words at a node are one order: of two hosts that are lost at once neither can be forgotten without the other, as all that stay
 * must answer, and whoever speaks for them may do so one by one.
 */

import type { NodeId } from "../ids.ts";
import type { Instant } from "../instant.ts";

/**
 * How long a word is good at most, in ms: some rounds of fences and votes around the world. The operator waits for it; at twice this a node may
 * have been started again, at half of it one slow member makes it fail.
 */
export const FORGET_MS_MAX = 20_000;

/** Words that wait at once. A script that gives more of them is out of order. */
export const WORDS_MAX = 100;

/**
 * Why nodes are not forgotten: one of them answers; other members do not; not all of them agreed in time; this node is none that could ask, is
 * not ready to, or stops; it has too many words already; or one of them is no member.
 */
export type ForgetReason = "answers" | "others-silent" | "not-agreed" | "no-member" | "not-ready" | "busy" | "unknown";

export interface ForgetRefusal {
  readonly reason: ForgetReason;
  readonly problem: string;
}

/** How it ended; without a problem the nodes are members no more. */
export type Forgot = ForgetRefusal | { readonly problem?: undefined };

/** A word, and who waits for it. */
export interface Word {
  readonly nodes: readonly NodeId[];
  readonly told: (forgot: Forgot) => void;
  /** For how long it is good. */
  readonly forMs: number;
}

/** A word that waits, until a time on the steady clock. */
export type Waiting = Word & { readonly untilMs: number };

export class ForgetOrder {
  #words: Waiting[] = [];

  /** The nodes of all words. */
  get nodes(): readonly NodeId[] {
    return [...new Set(this.#words.flatMap(({ nodes }) => nodes))].sort();
  }

  get isFull(): boolean {
    return this.#words.length >= WORDS_MAX;
  }

  add(word: Word, now: Instant): void {
    this.#words.push({ ...word, untilMs: now.steadyMs + word.forMs });
  }

  /** Ends the words of which `end` says how they ended, and tells who waits. */
  endWhere(end: (word: Waiting) => Forgot | undefined): void {
    const ended = this.#words.flatMap((word) => {
      const forgot = end(word);
      return forgot === undefined ? [] : [{ word, forgot }];
    });
    this.#words = this.#words.filter((each) => !ended.some(({ word }) => word === each));
    for (const { word, forgot } of ended) word.told(forgot);
  }
}
