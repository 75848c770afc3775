/**
 * Whether each visitor stands in one line: the lines of a room together are as long as the visitors who wait are many.
 *
 * Looked at once a second where nothing fails. Answers are on their way meanwhile, so it is wrong only if that lasts.
 * In a world with faults lines also hold the places of those who left, and of those whose line was taken over.
 */

import type { SimNode } from "./sim-node.ts";
import type { SimRoom } from "./sim-room.ts";

/** Looks in a row at which the numbers differ: an answer takes less than 100 ms over an ocean. */
const WRONG_LOOKS = 3;

export class LineWatch {
  readonly #nodes: readonly SimNode[];
  readonly #rooms: readonly Pick<SimRoom, "id" | "lines">[];
  #wrong = 0;

  constructor(nodes: readonly SimNode[], rooms: readonly Pick<SimRoom, "id" | "lines">[]) {
    this.#nodes = nodes;
    this.#rooms = rooms;
  }

  look(): string | undefined {
    for (const { id, lines } of this.#rooms) {
      let waiting = 0;
      for (const line of lines.values()) waiting += line.size;
      let inLines = 0;
      for (const { peer, identity } of this.#nodes) {
        const room = peer?.rooms.get(id);
        if (room?.counters()[0] === identity) inLines += room.admission.waiting;
      }
      this.#wrong = inLines === waiting ? 0 : this.#wrong + 1;
      if (this.#wrong >= WRONG_LOOKS) return `one line: ${inLines} places in all lines, ${waiting} visitors wait`;
    }
    return undefined;
  }
}
