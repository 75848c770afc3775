/**
 * The order of a line while there is no fault: how long visitors still waited after later ones were admitted, and how
 * often their position went back.
 *
 * A called visitor comes in at the next poll, so a few polls are no error. During a fault there may be two lines for a
 * while, one on each side of it: then nothing is counted, and counting restarts when it is over.
 */

import { type OvertakeCounts, Overtakes } from "../crowd/overtakes.ts";
import type { ShownPlace } from "./lines.ts";

/** When a visitor polled, and which pause it had been given. */
export interface Asked {
  readonly askedMs: number;
  readonly intervalMs: number;
}

interface Place {
  readonly key: number;
  /** The locality of its line. Undefined for a visitor whose line was taken over. */
  locality: string | undefined;
  overtakenMs: number | undefined;
  /** As last shown in this calm. */
  position: number | undefined;
}

export class Turns {
  readonly #places = new Map<string, Place>();
  #isCalm = false;
  #overtakes = new Overtakes<Place>();
  /** From the calms before this one. */
  #before: OvertakeCounts = { visitors: 0, beyondInterval: 0, longestMs: 0 };
  #longest = { ms: 0, atMs: 0 };
  #letIn = 0;
  #overtook = 0;
  #answers = 0;
  #wentBack = 0;
  #furthestBack = 0;

  /** Whether no fault is active, and the nodes have come together since the last one. */
  calm(isCalm: boolean): void {
    if (isCalm === this.#isCalm) return;
    this.#isCalm = isCalm;
    for (const place of this.#places.values()) place.overtakenMs = place.position = undefined;
    this.#before = this.overtakes;
    this.#overtakes = new Overtakes();
    for (const place of this.#places.values()) this.#standIn(place, { askedMs: 0, intervalMs: 0 }, 0);
  }

  /** A visitor has to wait. */
  waits({ visitor, locality, key, position }: ShownPlace, atMs: number, asked?: Asked): void {
    const before = this.#places.get(visitor);
    const isKnown = before?.key === key;
    if (before !== undefined && !isKnown) this.#overtakes.left(before);
    const place = isKnown ? before : { key, locality, overtakenMs: undefined, position: undefined };
    this.#places.set(visitor, place);
    if (place.locality !== locality) {
      place.locality = undefined;
      this.#overtakes.left(place);
    }
    this.#note(place, atMs);
    if (!this.#isCalm || place.locality === undefined) return;
    this.#answers += 1;
    if (asked !== undefined) this.#standIn(place, asked, atMs);
    const back = position - (place.position ?? position);
    place.position = position;
    if (back <= 0) return;
    this.#wentBack += 1;
    this.#furthestBack = Math.max(this.#furthestBack, back);
  }

  /** A visitor was admitted, who may have waited before. */
  letIn(visitor: string, atMs: number): void {
    const place = this.#places.get(visitor);
    if (place === undefined) return;
    this.#places.delete(visitor);
    if (!this.#isCalm || place.locality === undefined) return;
    this.#note(place, atMs);
    this.#letIn += 1;
    this.#overtakes.letIn(place, { line: place.locality, arrivedMs: atMs, nowMs: atMs });
    let overtaken = 0;
    for (const other of this.#places.values()) {
      if (other.locality !== place.locality || other.key >= place.key) continue;
      other.overtakenMs ??= atMs;
      overtaken += 1;
    }
    if (overtaken > 0) this.#overtook += 1;
  }

  /** A visitor has left the line. */
  left(visitor: string): void {
    const place = this.#places.get(visitor);
    if (place !== undefined) this.#overtakes.left(place);
    this.#places.delete(visitor);
  }

  /** Visitors who polled while there was no fault, and still had to wait, after a later one was admitted. */
  get overtakes(): OvertakeCounts {
    const { visitors, beyondInterval, longestMs } = this.#overtakes.counts;
    return {
      visitors: this.#before.visitors + visitors,
      beyondInterval: this.#before.beyondInterval + beyondInterval,
      longestMs: Math.max(this.#before.longestMs, longestMs),
    };
  }

  /** The longest wait after being overtaken, and when it began. */
  get longest(): { readonly ms: number; readonly atMs: number } {
    return this.#longest;
  }

  /** Part of those admitted while there was no fault who overtook an older visitor for the moment. */
  get overtakingPart(): number {
    return this.#letIn === 0 ? 0 : this.#overtook / this.#letIn;
  }

  /** Part of the answers in line with a position behind the one shown before, and by how many places at most. */
  get wentBack(): { readonly part: number; readonly furthest: number } {
    return { part: this.#answers === 0 ? 0 : this.#wentBack / this.#answers, furthest: this.#furthestBack };
  }

  #standIn(place: Place, asked: Asked, nowMs: number): void {
    const { locality: line, key } = place;
    if (line !== undefined) this.#overtakes.waits(place, { line, key, ...asked, nowMs });
  }

  #note({ locality, overtakenMs }: Place, atMs: number): void {
    if (!this.#isCalm || locality === undefined || overtakenMs === undefined) return;
    const ms = atMs - overtakenMs;
    if (ms > this.#longest.ms) this.#longest = { ms, atMs: overtakenMs };
  }
}
