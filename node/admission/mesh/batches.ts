/**
 * Questions to one node in batches: what arises while some are in flight goes with the next one. No timer is needed: an
 * idle line sends at once, a busy one in larger batches.
 *
 * A question ends once, and every item in it gets its callback, even if a callback or the sending throws: otherwise it
 * would count as in flight for ever, and after `underWayMax` of them nothing would be asked any more.
 */

import type { NodeId } from "../../../mesh/core/ids.ts";
import { tellAll } from "../../../mesh/core/wire/tell-all.ts";

/** Called once: with the answer, or undefined if there was none. */
type OnAnswer<Answer> = (answer: Answer | undefined, nowMs: number) => void;

interface Pending<Asked, Answer> {
  readonly asked: Asked;
  readonly onAnswer: OnAnswer<Answer>;
}

/**
 * Sends one batch, and calls `answered` when it is over: with the answers in the order of `asked`, or with undefined.
 */
export type SendBatch<Asked, Answer> = (
  asked: readonly Asked[],
  nowMs: number,
  answered: (answers: readonly Answer[] | undefined, nowMs: number) => void,
) => void;

interface Limits {
  readonly itemsMax: number;
  readonly underWayMax: number;
}

export class Batches<Asked, Answer> {
  readonly #send: SendBatch<Asked, Answer>;
  readonly #limits: Limits;
  readonly #pending: Pending<Asked, Answer>[] = [];
  #underWay = 0;

  constructor(limits: Limits, send: SendBatch<Asked, Answer>) {
    this.#limits = limits;
    this.#send = send;
  }

  /** Items that are not in flight yet. */
  get size(): number {
    return this.#pending.length;
  }

  /** Questions in flight. */
  get underWay(): number {
    return this.#underWay;
  }

  push(asked: Asked, nowMs: number, onAnswer: OnAnswer<Answer>): void {
    this.#pending.push({ asked, onAnswer });
    this.#flush(nowMs);
  }

  #flush(nowMs: number): void {
    while (this.#pending.length > 0 && this.#underWay < this.#limits.underWayMax)
      this.#ask(this.#pending.splice(0, this.#limits.itemsMax), nowMs);
  }

  #ask(batch: readonly Pending<Asked, Answer>[], nowMs: number): void {
    let isOver = false;
    const answered = (answers: readonly Answer[] | undefined, thenMs: number): void => {
      if (isOver) return;
      isOver = true;
      tellAll(
        batch,
        ({ onAnswer }, index) => onAnswer(answers?.[index], thenMs),
        () => {
          this.#underWay -= 1;
          this.#flush(thenMs);
        },
      );
    };
    this.#underWay += 1;
    let isSent = false;
    try {
      const asked = batch.map(({ asked }) => asked);
      this.#send(asked, nowMs, answered);
      isSent = true;
    } finally {
      if (!isSent) answered(undefined, nowMs);
    }
  }
}

/** Questions to several nodes. One that is asked nothing is not remembered: it may be gone. */
export class BatchesByNode<Asked, Answer> {
  readonly #limits: Limits;
  readonly #sendTo: (node: NodeId) => SendBatch<Asked, Answer>;
  readonly #byNode = new Map<NodeId, Batches<Asked, Answer>>();

  constructor(limits: Limits, sendTo: (node: NodeId) => SendBatch<Asked, Answer>) {
    this.#limits = limits;
    this.#sendTo = sendTo;
  }

  /** Nodes that are remembered. */
  get size(): number {
    return this.#byNode.size;
  }

  to(node: NodeId): Batches<Asked, Answer> {
    const known = this.#byNode.get(node);
    if (known !== undefined) return known;
    for (const [other, { underWay }] of this.#byNode) if (underWay === 0) this.#byNode.delete(other);
    const batches = new Batches(this.#limits, this.#sendTo(node));
    this.#byNode.set(node, batches);
    return batches;
  }
}
