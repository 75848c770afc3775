/**
 * Places that visitors left at this gate, although another node keeps their line: that one is told, so that nobody
 * counts in two lines or in none.
 *
 * A visitor has given up the place, or stands in this locality's line now, because no node answered where the line is.
 * What is not acknowledged is told again. If this node ends before that, the visitor counts there as gone like any
 * other who does not poll.
 */

import type { RoomParts } from "./room-parts.ts";

/** Places remembered for each line: of more, that line finds out by itself who is gone. */
const LEFT_MAX = 50_000;

/** Places in one message. */
const TOLD_MAX = 2_000;

/** How long an answer may take; then it is told again. */
const ANSWER_MS = 2_000;

type Reason = "moved" | "gaveUp";

type LeftPlacesParts = Pick<RoomParts, "id" | "roomNode" | "admission" | "counters">;

export class LeftPlaces {
  readonly #parts: LeftPlacesParts;
  /** By the locality of their line, and by queue key. */
  readonly #left = new Map<string, Map<number, Reason>>();
  readonly #telling = new Set<string>();

  constructor(parts: LeftPlacesParts) {
    this.#parts = parts;
  }

  get isEmpty(): boolean {
    return this.#left.size === 0;
  }

  /** The visitor with `key` is no longer in the line of `locality`. */
  note(locality: string, key: number, reason: Reason): void {
    const keys = this.#left.getOrInsertComputed(locality, () => new Map());
    if (keys.size < LEFT_MAX) keys.set(key, reason);
  }

  /** The visitor with `key` is in the line of `locality` again. */
  cameBack(locality: string, key: number): void {
    this.#left.get(locality)?.delete(key);
  }

  /** Twice a second: tells the lines that can be reached. */
  tick(nowMs: number): void {
    for (const [locality, keys] of this.#left) {
      if (keys.size === 0) this.#left.delete(locality);
      else if (!this.#telling.has(locality)) this.#tell(locality, keys, nowMs);
    }
  }

  #tell(locality: string, keys: Map<number, Reason>, nowMs: number): void {
    const { id: room, roomNode, admission, counters } = this.#parts;
    const [counter] = counters.in(locality);
    if (counter === undefined || !roomNode.alive().has(locality)) return;
    const told = [...keys].slice(0, TOLD_MAX);
    const of = (wanted: Reason): number[] => told.flatMap(([key, reason]) => (reason === wanted ? key : []));
    const left = { moved: of("moved"), gaveUp: of("gaveUp") };
    if (counter === roomNode.self) {
      admission.leftLine(left, nowMs);
      this.#left.delete(locality);
      return;
    }
    this.#telling.add(locality);
    roomNode.ask(counter, { kind: "left", room, ...left }, ANSWER_MS, (answer) => {
      this.#telling.delete(locality);
      if (answer !== undefined) for (const [key] of told) keys.delete(key);
    });
  }
}
