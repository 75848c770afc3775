/**
 * Questions to other nodes and their answers: a number pairs them, a deadline ends the wait.
 *
 * An answer that comes late, twice, from another node or of another kind is ignored. The question may have arrived
 * although no answer came: whatever it asks for must be idempotent.
 */

import type { NodeId } from "../ids.ts";
import type { Message, Outgoing } from "./outbox.ts";
import { tellAll } from "./tell-all.ts";

/** A question carries the number under which its answer is awaited. */
export interface Question extends Message {
  readonly call: number;
}

/** By kind of a question: the kind of its answer. */
export type AnswerKinds = Readonly<Record<string, string>>;

export type QuestionKind<Kinds extends AnswerKinds> = keyof Kinds & string;

/** The message of a kind among `Said`. */
export type OfKind<Said extends Message, Kind extends string> = Extract<Said, { readonly kind: Kind }>;

/** A question of a kind, before it has its number. */
export type Asked<Said extends Message, Kind extends string> = { readonly kind: Kind } & Omit<
  OfKind<Said, Kind>,
  "call" | "kind"
>;

/** What answers a question of a kind. */
export type AnswerTo<Said extends Message, Kinds extends AnswerKinds, Kind extends QuestionKind<Kinds>> = OfKind<
  Said,
  Kinds[Kind]
>;

/** Called once: with the answer, or with undefined when the deadline has passed or there were too many questions. */
type OnAnswer<Answer> = (answer: Answer | undefined, nowMs: number) => void;

interface Open {
  readonly to: NodeId;
  readonly answerKind: string;
  readonly deadlineMs: number;
  readonly onAnswer: OnAnswer<Question>;
}

/**
 * Questions open at once. A healthy mesh never reaches it: that would take 25,000 answers a second with 1.5 s of
 * patience.
 */
const OPEN_MAX = 50_000;

export class Calls<Said extends Message, Kinds extends AnswerKinds> {
  readonly #outbox: Outgoing<Said>;
  readonly #answerKinds: Kinds;
  readonly #open = new Map<number, Open>();
  #next: number;

  /**
   * `first`: a number that earlier runs of the node have not used, so that no answer to them is taken for an answer to
   * this run.
   */
  constructor(outbox: Outgoing<Said>, answerKinds: Kinds, first: number) {
    this.#outbox = outbox;
    this.#answerKinds = answerKinds;
    this.#next = first;
  }

  /** Sends `message` with its own number to `to`, and reports the answer or its absence. */
  ask<Kind extends QuestionKind<Kinds>>(
    to: NodeId,
    message: Asked<Said, Kind>,
    wait: { readonly nowMs: number; readonly forMs: number },
    onAnswer: OnAnswer<AnswerTo<Said, Kinds, Kind>>,
  ): void {
    if (this.#open.size >= OPEN_MAX) {
      onAnswer(undefined, wait.nowMs);
      return;
    }
    const call = this.#next++;
    const answerKind = this.#answerKinds[message.kind] ?? "";
    // Only an answer of that kind is given to it: see `answered`.
    const given = onAnswer as unknown as OnAnswer<Question>;
    this.#open.set(call, { to, answerKind, deadlineMs: wait.nowMs + wait.forMs, onAnswer: given });
    this.#outbox.send(to, { ...message, call } as unknown as Said);
  }

  /** Takes an answer in; returns whether a question was waiting for it. */
  answered(from: NodeId, answer: Question, nowMs: number): boolean {
    const open = this.#open.get(answer.call);
    if (open?.to !== from || open.answerKind !== answer.kind) return false;
    this.#open.delete(answer.call);
    open.onAnswer(answer, nowMs);
    return true;
  }

  /** Gives up on questions to a node that is known to be gone. */
  lost(to: NodeId, nowMs: number): void {
    this.#giveUp(nowMs, (open) => open.to === to);
  }

  /** Gives up on questions whose deadline has passed; call it often. */
  tick(nowMs: number): void {
    if (this.#open.size === 0) return;
    this.#giveUp(nowMs, ({ deadlineMs }) => deadlineMs <= nowMs);
  }

  #giveUp(nowMs: number, isLost: (open: Open) => boolean): void {
    const lost: [number, Open][] = [];
    for (const [call, open] of this.#open) if (isLost(open)) lost.push([call, open]);
    tellAll(lost, ([call, { onAnswer }]) => {
      // An answer to an earlier one may have ended this one, too.
      if (this.#open.delete(call)) onAnswer(undefined, nowMs);
    });
  }
}
