/**
 * Visitors of another locality's line who stand in this one's now, because no node there answered: that line is told,
 * as soon as one answers, so that nobody counts in two lines.
 *
 * What is not acknowledged is told again. If this node ends before that, the visitor counts there as gone like any other
 * who does not poll.
 */

import type { RoomId } from "../../../mesh/core/ids.ts";
import type { Counters } from "./counters.ts";
import type { RoomNode } from "./room-node.ts";

/** Places remembered for each line: of more, that line finds out by itself who is gone. */
const MOVED_MAX = 50_000;

/** Places in one message. */
const TOLD_MAX = 2_000;

/** How long an answer may take; then it is told again. */
const ANSWER_MS = 2_000;

export interface MovedPlacesParts {
  readonly id: RoomId;
  readonly roomNode: RoomNode;
  readonly counters: Counters;
}

export class MovedPlaces {
  readonly #parts: MovedPlacesParts;
  /** By the locality that had them. */
  readonly #moved = new Map<string, Set<number>>();
  readonly #telling = new Set<string>();

  constructor(parts: MovedPlacesParts) {
    this.#parts = parts;
  }

  /** The visitor with `key` has left the line of `locality` for another one. */
  note(locality: string, key: number): void {
    const keys = this.#moved.getOrInsertComputed(locality, () => new Set());
    if (keys.size < MOVED_MAX) keys.add(key);
  }

  /** The visitor with `key` is in the line of `locality` again. */
  cameBack(locality: string, key: number): void {
    this.#moved.get(locality)?.delete(key);
  }

  /** Twice a second: tells the lines that can be reached. */
  tick(): void {
    for (const [locality, keys] of this.#moved) {
      if (keys.size === 0) this.#moved.delete(locality);
      else if (!this.#telling.has(locality)) this.#tell(locality, keys);
    }
  }

  #tell(locality: string, keys: Set<number>): void {
    const { id: room, roomNode, counters } = this.#parts;
    const [counter] = counters.in(locality);
    if (counter === undefined || !roomNode.alive().has(locality)) return;
    const told = [...keys].slice(0, TOLD_MAX);
    this.#telling.add(locality);
    roomNode.ask(counter, { kind: "moved", room, keys: told }, ANSWER_MS, (answer) => {
      this.#telling.delete(locality);
      if (answer !== undefined) for (const key of told) keys.delete(key);
    });
  }
}
