/**
 * The source's third generation of the slot policy: a counter hands out each slot once. With one node the room policy
 * `counter` needs none of it: its account owns all slots (live-room.ts); between localities these rules decide.
 *
 * A visitor takes a slot of their locality's reserve, then of Anywhere (WR-15, WR-16). Beyond the source, reserves open: as
 * the minute passes unused, a locality lends what it will not need for the rest of it, so that at its end nothing is withheld.
 *
 * These are the rules of who may take which slot, exact where all counters are at hand. That no slot is handed out twice by
 * nodes that don't hear each other is for shares to see to (mesh/core/shares.ts); how nodes ask each other is not decided here.
 */

import type { TrafficSplit } from "./traffic-split.ts";

/** A pile of slots and its counter. */
export interface SlotCounter {
  readonly slots: number;
  /** How often the counter has been asked. */
  value: number;
}

/** Whose slot a new visitor came in on. */
export type SlotSource = "reserve" | "anywhere" | "lent";

/** All counters of a room for one minute. */
export class SlotCounters {
  readonly #reserves: ReadonlyMap<string, SlotCounter>;
  readonly #anywhere: SlotCounter;

  constructor({ reserved, anywhere }: TrafficSplit) {
    this.#reserves = new Map([...reserved].map(([locality, slots]) => [locality, { slots, value: 0 }]));
    this.#anywhere = { slots: anywhere, value: 0 };
  }

  /**
   * Takes a slot for a new visitor of `locality`; undefined means that they queue. `minutePassed` is the part of the minute
   * that has passed, 0 to 1. For a line whose oldest visitor has waited longer than a minute it is 1: against them no
   * reserve is kept.
   */
  admit(locality: string, minutePassed: number): SlotSource | undefined {
    const reserve = this.#reserves.get(locality);
    if (reserve !== undefined && goesIn(reserve)) return "reserve";
    if (goesIn(this.#anywhere)) return "anywhere";
    for (const other of this.#reserves.values()) if (lendable(other, minutePassed) > 0 && goesIn(other)) return "lent";
    return undefined;
  }

  /** How often the counter of `locality` has been asked. */
  value(locality: string): number {
    return this.#reserves.get(locality)?.value ?? 0;
  }
}

/** Asks a counter: it returns its value and then adds 1; the visitor goes in if the value was below the slots (WR-15). */
export function goesIn(counter: SlotCounter): boolean {
  const value = counter.value;
  counter.value += 1;
  return value < counter.slots;
}

/** Slots of a reserve that other localities may take: all but the part for the rest of the minute; at its end all. */
export function lendable({ slots, value }: SlotCounter, minutePassed: number): number {
  const unused = slots - Math.min(value, slots);
  const neededYet = Math.ceil(slots * (1 - minutePassed));
  return Math.max(0, unused - neededYet);
}
