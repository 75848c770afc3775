/**
 * Questions to other nodes and their answers: a number pairs them, a deadline ends the wait.
 *
 * An answer that comes late, twice or from another node is ignored. The question may have arrived although no answer
 * came: whatever it asks for must be idempotent.
 */

import type { NodeId } from "../ids.ts";
import type { Message, Outbox } from "./outbox.ts";
import { tellAll } from "./tell-all.ts";

/** A question carries the number under which its answer is awaited. */
export interface Question extends Message {
  readonly call: number;
}

/** Called once: with the answer, or with undefined when the deadline has passed or there were too many questions. */
type Told = (answer: Question | undefined, nowMs: number) => void;

interface Open {
  readonly to: NodeId;
  readonly deadlineMs: number;
  readonly told: Told;
}

/**
 * Questions open at once. A healthy mesh never reaches it: that would take 25,000 answers a second with 1.5 s of
 * patience.
 */
const OPEN_MAX = 50_000;

export class Calls {
  readonly #outbox: Outbox;
  readonly #open = new Map<number, Open>();
  #next: number;

  /**
   * `first`: a number that earlier runs of the node have not used, so that no answer to them is taken for an answer to
   * this run.
   */
  constructor(outbox: Outbox, first: number) {
    this.#outbox = outbox;
    this.#next = first;
  }

  /** Sends `message` with its own number to `to`, and reports the answer or its absence. */
  ask(to: NodeId, message: Message, wait: { readonly nowMs: number; readonly forMs: number }, told: Told): void {
    if (this.#open.size >= OPEN_MAX) {
      told(undefined, wait.nowMs);
      return;
    }
    const call = this.#next++;
    this.#open.set(call, { to, deadlineMs: wait.nowMs + wait.forMs, told });
    this.#outbox.send(to, { ...message, call } as Question);
  }

  /** Takes an answer in; returns whether a question was waiting for it. */
  answered(from: NodeId, answer: Question, nowMs: number): boolean {
    const open = this.#open.get(answer.call);
    if (open?.to !== from) return false;
    this.#open.delete(answer.call);
    open.told(answer, nowMs);
    return true;
  }

  /** Gives up on questions to a node that is known to be gone. */
  lost(to: NodeId, nowMs: number): void {
    this.#giveUp(nowMs, (open) => open.to === to);
  }

  /** Gives up on questions whose deadline has passed; call it often. */
  tick(nowMs: number): void {
    this.#giveUp(nowMs, ({ deadlineMs }) => deadlineMs <= nowMs);
  }

  #giveUp(nowMs: number, isLost: (open: Open) => boolean): void {
    const lost = [...this.#open].filter(([, open]) => isLost(open));
    tellAll(lost, ([call, { told }]) => {
      // An answer to an earlier one may have ended this one, too.
      if (this.#open.delete(call)) told(undefined, nowMs);
    });
  }
}
