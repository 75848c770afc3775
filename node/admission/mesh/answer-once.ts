/**
 * A question that arrives twice gets the same answer twice, and is carried out once (idempotent).
 */

import type { NodeId } from "../../../mesh/core/ids.ts";
import type { Outgoing } from "../../../mesh/core/wire/outbox.ts";
import type { RoomAnswer } from "./room-messages.ts";

/** Answers remembered. Fewer than the questions of a second would answer a late copy as if it were new. */
const ANSWERED_MAX = 2_000;

/** An answer before it has the number of its question. */
type Unnumbered = RoomAnswer extends infer Answer ? (Answer extends RoomAnswer ? Omit<Answer, "call"> : never) : never;

export class AnswerOnce {
  readonly #outbox: Outgoing<RoomAnswer>;
  /** By asker and call; undefined while the answer is being found. */
  readonly #answered = new Map<string, RoomAnswer | undefined>();

  constructor(outbox: Outgoing<RoomAnswer>) {
    this.#outbox = outbox;
  }

  /** Lets `act` answer a question of `from`, unless that was done before. */
  answer(from: NodeId, { call }: { readonly call: number }, act: (reply: (answer: Unnumbered) => void) => void): void {
    const key = `${from} ${call}`;
    if (this.#answered.has(key)) {
      const answer = this.#answered.get(key);
      if (answer !== undefined) this.#outbox.send(from, answer);
      return;
    }
    this.#answered.set(key, undefined);
    if (this.#answered.size > ANSWERED_MAX) this.#answered.delete(this.#answered.keys().next().value ?? "");
    act((answer) => {
      const numbered: RoomAnswer = { ...answer, call };
      this.#answered.set(key, numbered);
      this.#outbox.send(from, numbered);
    });
  }
}
