/**
 * What a proposer goes by, as can be told from outside: the question that it has asked last, who has answered it with
 * what, and the highest ballot that it has seen.
 */

import type { NodeId } from "../../mesh/core/ids.ts";
import type { MemberMessage } from "../../mesh/core/members/member-messages.ts";
import { canonical } from "./canonical.ts";

/** Questions, and the answers that count for them. */
const ANSWERS: Readonly<Record<string, string>> = { fence: "fenced", prepare: "promise", accept: "accepted" };

export class OpenQuestion {
  #asked: MemberMessage | undefined;
  readonly #answers = new Map<NodeId, string>();
  /** The fences that the value will be made of, once voters have promised. */
  #fences: unknown;
  #round = 0;

  get digest(): unknown {
    return [this.#asked, this.#answers, this.#fences, this.#round];
  }

  /** Nothing is being asked any more. */
  close(): void {
    this.#asked = undefined;
    this.#fences = undefined;
    this.#answers.clear();
  }

  /** A message leaves. `own`: what the node answers to itself, at once. */
  sends(message: MemberMessage, self: NodeId, own: unknown): void {
    if (!(message.kind in ANSWERS)) return;
    this.#see(message);
    if (canonical(message) === canonical(this.#asked)) return;
    const fences = this.#asked?.kind === "fence" && message.kind === "prepare" ? [...this.#answers] : undefined;
    this.close();
    this.#fences = fences;
    this.#asked = message;
    this.#answers.set(self, canonical(own));
  }

  /** A message of the same view has come. Returns whether the question has failed by it. */
  hears(from: NodeId, message: MemberMessage): boolean {
    this.#see(message);
    if (this.#asked === undefined) return false;
    const isOfBallot =
      "ballot" in message && "ballot" in this.#asked && canonical(message.ballot) === canonical(this.#asked.ballot);
    if ((message.kind === "refusal" && isOfBallot) || message.kind === "heard") {
      this.close();
      return true;
    }
    if (
      message.kind === ANSWERS[this.#asked.kind] &&
      (isOfBallot || message.kind === "fenced") &&
      !this.#answers.has(from)
    )
      this.#answers.set(from, canonical(message));
    return false;
  }

  #see(message: MemberMessage): void {
    if (message.kind === "prepare" || message.kind === "accept") this.#round = Math.max(this.#round, message.ballot[0]);
    if (message.kind === "refusal") this.#round = Math.max(this.#round, message.promised?.[0] ?? 0);
  }
}
