/**
 * Requests that nobody has answered: as long as its gate runs, each gets an answer or is forwarded within a time.
 */

import type { SimNode } from "./sim-node.ts";

/**
 * Longer than the longest wait of a gate that is in order: for tickets from a counter and its stand-ins that do not
 * answer, and for a ceiling. A gate that lost a request would never answer.
 */
const ANSWER_MS = 15_000;

interface Open {
  readonly gate: SimNode;
  /** Of the process that was asked. */
  readonly process: number;
  sinceMs: number;
}

export class Unanswered {
  readonly #open = new Set<Open>();

  /** A request comes to a gate. Call what is returned when it is answered. */
  asked(gate: SimNode, nowMs: number): () => void {
    const open = { gate, process: gate.process, sinceMs: nowMs };
    this.#open.add(open);
    return () => this.#open.delete(open);
  }

  /** Every second or so: what is wrong, if a request has waited for too long. */
  look(nowMs: number): string | undefined {
    for (const open of this.#open) {
      const { gate, process, sinceMs } = open;
      if (gate.process !== process) this.#open.delete(open);
      else if (!gate.isRunning) open.sinceMs = nowMs;
      else if (nowMs - sinceMs > ANSWER_MS)
        return `never slow: ${gate.identity} has not answered a request for ${ANSWER_MS / 1_000} s`;
    }
    return undefined;
  }
}
