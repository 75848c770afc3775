/**
 * What visitors in line are shown: a place that stays theirs, a position that does not go back, and their turn.
 *
 * A place is its queue key: a visitor who gets a later one has lost the place. During a fault there may be two lines for
 * a while, one on each side of it: then neither order nor positions are judged, and both start again when it is over.
 */

import { type OvertakeCounts, Overtakes } from "../crowd/overtakes.ts";

/** A place in line, as a visitor was shown it. */
export interface ShownPlace {
  readonly visitor: string;
  readonly position: number;
  /** The locality whose line keeps it. */
  readonly locality: string;
  /** Queue key in the cookie. */
  readonly key: number;
  /** When the visitor polled, and which pause it had been given. */
  readonly askedMs: number;
  readonly intervalMs: number;
}

interface Place {
  key: number;
  /** Undefined for a visitor whose line was taken over. */
  locality: string | undefined;
  /** As last shown in this calm. */
  position: number | undefined;
}

export class Lines {
  readonly #places = new Map<string, Place>();
  readonly #overtakes = new Overtakes<Place>();
  #isCalm = false;
  #answers = 0;
  #wentBack = 0;
  #furthestBack = 0;
  /** Visitors that were in line at once, at most. */
  longest = 0;
  /** Visitors that were given a place so far, and a later one than they had. */
  joined = 0;
  lost = 0;

  /** Whether no fault is active, and the nodes have come together since the last one. */
  calm(isCalm: boolean): void {
    if (isCalm === this.#isCalm) return;
    this.#isCalm = isCalm;
    this.#overtakes.restart();
    for (const place of this.#places.values()) {
      place.position = undefined;
      // Who is admitted next without another poll has a place all the same, and overtakes only those ahead of it.
      this.#standIn(place, { askedMs: 0, intervalMs: 0, nowMs: 0 });
    }
  }

  shown({ visitor, position, locality, key, askedMs, intervalMs }: ShownPlace, nowMs: number): void {
    const before = this.#places.get(visitor);
    if (before === undefined) this.joined += 1;
    else if (key > before.key) this.lost += 1;
    const place = before ?? { key, locality, position: undefined };
    if (key !== place.key) Object.assign(place, { key, locality, position: undefined });
    else if (place.locality !== locality) place.locality = undefined;
    this.#places.set(visitor, place);
    this.longest = Math.max(this.longest, this.#places.size);
    if (place.locality === undefined) this.#overtakes.left(place);
    else if (this.#isCalm) {
      this.#standIn(place, { askedMs, intervalMs, nowMs });
      this.#judge(place, position);
    }
  }

  /** A visitor was admitted, who may have waited before. */
  admitted(visitor: string, nowMs: number): void {
    const place = this.#places.get(visitor);
    if (this.#isCalm && place?.locality !== undefined)
      this.#overtakes.letIn(place, { line: place.locality, arrivedMs: nowMs, nowMs });
    this.left(visitor);
  }

  /** `visitor` is no longer in line. */
  left(visitor: string): void {
    const place = this.#places.get(visitor);
    if (place !== undefined) this.#overtakes.left(place);
    this.#places.delete(visitor);
  }

  get waiting(): number {
    return this.#places.size;
  }

  /** Visitors who polled while there was no fault, and still had to wait, after a later one was admitted. */
  get overtakes(): OvertakeCounts {
    return this.#overtakes.counts;
  }

  /** Part of the answers without a fault with a position behind the one shown before, and by how many places at most. */
  get wentBack(): { readonly part: number; readonly furthest: number } {
    return { part: this.#answers === 0 ? 0 : this.#wentBack / this.#answers, furthest: this.#furthestBack };
  }

  #standIn(place: Place, asked: { askedMs: number; intervalMs: number; nowMs: number }): void {
    const { locality: line, key } = place;
    if (line !== undefined) this.#overtakes.waits(place, { line, key, ...asked });
  }

  #judge(place: Place, position: number): void {
    this.#answers += 1;
    const back = position - (place.position ?? position);
    place.position = position;
    if (back > 0) this.#wentBack += 1;
    this.#furthestBack = Math.max(this.#furthestBack, back);
  }
}
