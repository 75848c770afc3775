/**
 * Slots held by sessions, by the last minute they are good for, as an account keeps them: a plain version of
 * node/admission/sessions.ts, with a clock and a grace of its own.
 */

/** Slots held by last good minute; ids are not on disk. */
export type TableRecord = readonly (readonly [lastGood: number, slots: number])[];

export class SlotTable {
  readonly #slots = new Map<number, number>();
  readonly #lastGoodById = new Map<string, number>();
  /** Slots of sessions whose ids were lost by a restart. */
  readonly #unknown = new Map<number, number>();

  get record(): TableRecord {
    return [...this.#slots];
  }

  /** Adds slots whose sessions' ids are not known. */
  restore(record: TableRecord): void {
    for (const [lastGood, slots] of record) {
      add(this.#slots, lastGood, slots);
      add(this.#unknown, lastGood, slots);
    }
  }

  absorb(other: SlotTable): void {
    for (const [lastGood, slots] of other.#slots) add(this.#slots, lastGood, slots);
    for (const [lastGood, slots] of other.#unknown) add(this.#unknown, lastGood, slots);
    for (const [id, lastGood] of other.#lastGoodById) this.#lastGoodById.set(id, lastGood);
  }

  /** Slots held at `wallMs`, from which the caller has taken the grace. */
  held(wallMs: number, minuteMs: number): number {
    let held = 0;
    for (const [lastGood, slots] of this.#slots) {
      if ((lastGood + 1) * minuteMs > wallMs) held += slots;
      else this.#release(lastGood);
    }
    return held;
  }

  admit(id: string, lastGood: number): void {
    this.#lastGoodById.set(id, lastGood);
    add(this.#slots, lastGood, 1);
  }

  knows(id: string, minute: number): boolean {
    return (this.#lastGoodById.get(id) ?? -1) >= minute;
  }

  /** Holds the session's slot to `lastGood` at least; false if it has none. */
  checkIn(id: string, minute: number, lastGood: number): boolean {
    const known = this.knows(id, minute) ? this.#lastGoodById.get(id) : this.#claim(minute);
    if (known === undefined) return false;
    const heldTo = Math.max(known, lastGood);
    this.#lastGoodById.set(id, heldTo);
    add(this.#slots, known, -1);
    add(this.#slots, heldTo, 1);
    return true;
  }

  #claim(minute: number): number | undefined {
    const claimable = [...this.#unknown.keys()].filter((lastGood) => lastGood >= minute);
    if (claimable.length === 0) return undefined;
    const first = Math.min(...claimable);
    add(this.#unknown, first, -1);
    return first;
  }

  #release(lastGood: number): void {
    this.#slots.delete(lastGood);
    this.#unknown.delete(lastGood);
  }
}

function add(counts: Map<number, number>, lastGood: number, count: number): void {
  const sum = (counts.get(lastGood) ?? 0) + count;
  if (sum > 0) counts.set(lastGood, sum);
  else counts.delete(lastGood);
}
