/**
 * Whether the lanes of a line get their shares: each admission from a line in which several lanes wait is due to each
 * of them in part, by their shares; over time each lane should get what was due to it.
 */

import type { SimRoom } from "./sim-room.ts";
import type { Visitor } from "./visitor.ts";

/** Admissions of one lane, in all rooms. */
export interface LaneCount {
  got: number;
  due: number;
}

export class LaneWatch {
  /** By lane; 0 for visitors without one. */
  readonly counts: Record<number, LaneCount> = {};

  /** A visitor comes in from the line of its locality, in which it still stands. */
  admitted({ lines, settings: { lanes, queueingMethod } }: SimRoom, visitor: Visitor): void {
    if (lanes.length === 0 || queueingMethod !== "fifo") return;
    const waiting = new Set([laneOf(visitor, lanes)]);
    for (const other of lines.get(visitor.lineAt ?? visitor.locality) ?? [])
      if (other.behaviour.keepsCookies) waiting.add(laneOf(other, lanes));
    if (waiting.size < 2) return;
    let all = 0;
    for (const lane of waiting) all += lanes[lane] ?? 0;
    for (const lane of waiting) this.#of(lane).due += (lanes[lane] ?? 0) / all;
    this.#of(laneOf(visitor, lanes)).got += 1;
  }

  #of(lane: number): LaneCount {
    const known = this.counts[lane];
    if (known !== undefined) return known;
    const count = { got: 0, due: 0 };
    this.counts[lane] = count;
    return count;
  }
}

/** A lane that the room does not have is none. */
function laneOf({ bearer }: Visitor, lanes: readonly number[]): number {
  const { lane = 0 } = bearer?.pass ?? {};
  return (lanes[lane] ?? 0) > 0 ? lane : 0;
}
