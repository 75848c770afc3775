/**
 * The places of a line in the order of their queue keys, with the rank of any key and the key of any rank.
 *
 * Blocks of at most 512 places in parallel arrays: about 32 bytes a place, joins and leaves move at most one block, and
 * a rank adds up the sizes of the blocks before (200 additions for 100,000 places). This file does not know what a
 * place means.
 */

import { BrokenInvariant } from "../../mesh/core/invariant.ts";

interface Block {
  readonly keys: number[];
  readonly polledMs: number[];
  /** When the next poll is due, as far as it was announced: from then on the visitor is overdue. */
  readonly dueMs: number[];
  /**
   * Lowest position shown to the visitor so far, 0 if none was; -1 for a place whose visitor has not polled since a
   * restart; below, of a visitor who has joined and not polled since: see `freshAt`.
   */
  readonly shown: number[];
  /** Places here that have never been polled. */
  fresh: number;
}

export interface PlaceRef {
  readonly block: number;
  readonly index: number;
}

/** Largest block. Doubled, inserting in the middle moves twice as much; halved, ranks add up twice as many sizes. */
const BLOCK_PLACES_MAX = 512;

/** In `shown`: the place is assumed from a summary and has not been polled yet. */
export const ASSUMED = -1;

/** In `shown`: the visitor joined at this position and has not polled since. */
export function freshAt(position: number): number {
  return ASSUMED - position;
}

function isFresh(shown: number | undefined): boolean {
  return shown !== undefined && shown < ASSUMED;
}

export class SortedPlaces {
  #blocks: Block[] = [];
  #size = 0;
  #assumed = 0;

  get size(): number {
    return this.#size;
  }

  /** Places that are assumed, and whose visitors have not polled yet. */
  get assumed(): number {
    return this.#assumed;
  }

  /** The position of `key`, or undefined. */
  find(key: number): PlaceRef | undefined {
    const block = this.#blockOf(key);
    const keys = this.#blocks[block]?.keys;
    if (keys === undefined) return undefined;
    const index = lowerBound(keys, key);
    return keys[index] === key ? { block, index } : undefined;
  }

  /** Puts a place in. The key must not be in yet. */
  insert(key: number, polledMs: number, shown: number): PlaceRef {
    if (this.#blocks.length === 0) this.#blocks.push({ keys: [], polledMs: [], dueMs: [], shown: [], fresh: 0 });
    let at = this.#blockOf(key);
    let block = this.#block(at);
    if (block.keys.length >= BLOCK_PLACES_MAX) {
      this.#split(at, key);
      at = this.#blockOf(key);
      block = this.#block(at);
    }
    const index = lowerBound(block.keys, key);
    block.keys.splice(index, 0, key);
    block.polledMs.splice(index, 0, polledMs);
    block.dueMs.splice(index, 0, Number.POSITIVE_INFINITY);
    block.shown.splice(index, 0, shown);
    if (isFresh(shown)) block.fresh += 1;
    if (shown === ASSUMED) this.#assumed += 1;
    this.#size += 1;
    return { block: at, index };
  }

  remove({ block: at, index }: PlaceRef): void {
    const block = this.#block(at);
    if (isFresh(block.shown[index])) block.fresh -= 1;
    if (block.shown[index] === ASSUMED) this.#assumed -= 1;
    block.keys.splice(index, 1);
    block.polledMs.splice(index, 1);
    block.dueMs.splice(index, 1);
    block.shown.splice(index, 1);
    if (block.keys.length === 0) this.#blocks.splice(at, 1);
    this.#size -= 1;
  }

  /** How many places have a smaller key. */
  rank(key: number): number {
    const at = this.#blockOf(key);
    let before = 0;
    for (let block = 0; block < at; block++) before += this.#block(block).keys.length;
    const keys = this.#blocks[at]?.keys;
    return keys === undefined ? 0 : before + lowerBound(keys, key);
  }

  /** Key of the place with `rank` places before it, or undefined past the end. */
  select(rank: number): number | undefined {
    let left = rank;
    for (const { keys } of this.#blocks) {
      if (left < keys.length) return keys[left];
      left -= keys.length;
    }
    return undefined;
  }

  /** Puts in a place of another line that is to be in another order here, with no position shown yet. */
  take(key: number, from: SortedPlaces, { block, index }: PlaceRef): void {
    const { polledMs, dueMs, shown } = from.#block(block);
    const ref = this.insert(key, polledMs[index] ?? 0, shown[index] === ASSUMED ? ASSUMED : 0);
    this.expect(ref, dueMs[index] ?? Number.POSITIVE_INFINITY);
  }

  /** Records a poll at `ref`, where no position is shown. */
  hear(ref: PlaceRef, polledMs: number): void {
    const block = this.#block(ref.block);
    block.polledMs[ref.index] = polledMs;
    block.dueMs[ref.index] = Number.POSITIVE_INFINITY;
    if (isFresh(block.shown[ref.index])) block.fresh -= 1;
    if (block.shown[ref.index] === ASSUMED) this.#assumed -= 1;
    block.shown[ref.index] = 0;
  }

  /** Records a poll at `ref` and returns the lowest of `position` and all positions shown there before. */
  show(ref: PlaceRef, polledMs: number, position: number): number {
    const block = this.#block(ref.block);
    const last = block.shown[ref.index] ?? ASSUMED;
    const before = isFresh(last) ? ASSUMED - last : last;
    const shown = before > 0 && before < position ? before : position;
    block.polledMs[ref.index] = polledMs;
    block.dueMs[ref.index] = Number.POSITIVE_INFINITY;
    block.shown[ref.index] = shown;
    if (isFresh(last)) block.fresh -= 1;
    if (last === ASSUMED) this.#assumed -= 1;
    return shown;
  }

  /** Whether the visitor at `ref` has joined and has not polled since. */
  isFresh(ref: PlaceRef): boolean {
    return isFresh(this.#block(ref.block).shown[ref.index]);
  }

  /** Places that have never been polled. */
  get fresh(): number {
    return this.#blocks.reduce((sum, { fresh }) => sum + fresh, 0);
  }

  /**
   * How many places it takes until `wanted` visitors show up, if of those who have never polled only the part `share`
   * does. More than there are, if all of them do not suffice.
   */
  reach(wanted: number, share: number): number {
    let [left, places] = [wanted, 0];
    for (const { keys, shown, fresh } of this.#blocks) {
      const weight = keys.length - fresh * (1 - share);
      if (weight <= left) {
        left -= weight;
        places += keys.length;
        continue;
      }
      for (const each of shown) {
        if (left <= 0) return places;
        left -= isFresh(each) ? share : 1;
        places += 1;
      }
    }
    return places + Math.max(0, left);
  }

  /** How many of the first `count` places are not fresh. */
  heardOf(count: number): number {
    let [left, heard] = [count, 0];
    for (const { keys, shown, fresh } of this.#blocks) {
      if (left <= 0) break;
      if (keys.length <= left) heard += keys.length - fresh;
      else heard += shown.slice(0, left).filter((each) => !isFresh(each)).length;
      left -= keys.length;
    }
    return heard;
  }

  /** Records when the next poll at `ref` is due. */
  expect(ref: PlaceRef, dueMs: number): void {
    this.#block(ref.block).dueMs[ref.index] = dueMs;
  }

  isAssumed(ref: PlaceRef): boolean {
    return this.#block(ref.block).shown[ref.index] === ASSUMED;
  }

  /** Removes every place last polled before `polledMs` and returns them. */
  removePolledBefore(polledMs: number): { key: number; assumed: boolean; fresh: boolean }[] {
    const gone: { key: number; assumed: boolean; fresh: boolean }[] = [];
    for (let at = this.#blocks.length - 1; at >= 0; at--) {
      const block = this.#block(at);
      for (let index = block.keys.length - 1; index >= 0; index--) {
        if ((block.polledMs[index] ?? 0) >= polledMs) continue;
        const { [index]: shown } = block.shown;
        gone.push({ key: block.keys[index] ?? 0, assumed: shown === ASSUMED, fresh: isFresh(shown) });
        this.remove({ block: at, index });
      }
    }
    return gone;
  }

  /** How many places with keys up to `high` are overdue at `nowMs`. */
  countOverdue(high: number, nowMs: number): number {
    let count = 0;
    for (const { keys, dueMs } of this.#blocks)
      for (const [index, key] of keys.entries()) {
        if (key > high) return count;
        if ((dueMs[index] ?? 0) < nowMs) count += 1;
      }
    return count;
  }

  /** How many places with keys up to `high` were last polled before `polledMs`. */
  countPolledBefore(polledMs: number, high: number): number {
    let count = 0;
    for (const { keys, polledMs: polled } of this.#blocks)
      for (const [index, key] of keys.entries()) {
        if (key > high) return count;
        if ((polled[index] ?? 0) < polledMs) count += 1;
      }
    return count;
  }

  /** Whether `count` places with keys below `key` are not overdue at `nowMs`. */
  hasExpectedBefore(key: number, count: number, nowMs: number): boolean {
    let left = count;
    for (const { keys, dueMs } of this.#blocks)
      for (const [index, each] of keys.entries()) {
        if (left <= 0) return true;
        if (each >= key) return false;
        if ((dueMs[index] ?? 0) >= nowMs) left -= 1;
      }
    return left <= 0;
  }

  /** The last assumed place with a key above `low` and below `high`, or undefined. */
  lastAssumedBetween(low: number, high: number): PlaceRef | undefined {
    for (let at = this.#size === 0 ? -1 : this.#blockOf(high); at >= 0; at--) {
      const { keys, shown } = this.#block(at);
      for (let index = lowerBound(keys, high) - 1; index >= 0; index--) {
        if ((keys[index] ?? 0) <= low) return undefined;
        if (shown[index] === ASSUMED) return { block: at, index };
      }
    }
    return undefined;
  }

  /** Keys of places that are not assumed, in order; at most `max`. */
  keysHeard(max: number): number[] {
    const heard: number[] = [];
    for (const { keys, shown } of this.#blocks)
      for (const [index, key] of keys.entries()) {
        if (heard.length >= max) return heard;
        if (shown[index] !== ASSUMED) heard.push(key);
      }
    return heard;
  }

  /** All keys, in order. */
  *keys(): Generator<number> {
    for (const { keys } of this.#blocks) yield* keys;
  }

  keyOf({ block, index }: PlaceRef): number {
    return this.#block(block).keys[index] ?? 0;
  }

  /** Runs of neighbouring places, at most `runs` of them: first key, last key, how many. */
  *runs(runs: number): Generator<{ low: number; high: number; count: number }> {
    const length = Math.max(1, Math.ceil(this.#size / runs));
    let run: { low: number; high: number; count: number } | undefined;
    for (const { keys } of this.#blocks) {
      for (const key of keys) {
        if (run === undefined) run = { low: key, high: key, count: 0 };
        run.high = key;
        run.count += 1;
        if (run.count < length) continue;
        yield run;
        run = undefined;
      }
    }
    if (run !== undefined) yield run;
  }

  /** Index of the block that holds `key` or would hold it. */
  #blockOf(key: number): number {
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#block(middle).keys[0] ?? 0) <= key) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #block(at: number): Block {
    const block = this.#blocks[at];
    if (block === undefined) throw new BrokenInvariant(`Cannot use block ${at} as there are ${this.#blocks.length}`);
    return block;
  }

  /** Makes room at block `at`: a new last block when the key goes to the very end, else two halves. */
  #split(at: number, key: number): void {
    const block = this.#block(at);
    const isEnd = at === this.#blocks.length - 1 && key > (block.keys.at(-1) ?? 0);
    const cut = isEnd ? block.keys.length : block.keys.length >>> 1;
    const shown = block.shown.splice(cut);
    const fresh = shown.reduce((sum, each) => (isFresh(each) ? sum + 1 : sum), 0);
    block.fresh -= fresh;
    const tail = {
      keys: block.keys.splice(cut),
      polledMs: block.polledMs.splice(cut),
      dueMs: block.dueMs.splice(cut),
      shown,
      fresh,
    };
    this.#blocks.splice(at + 1, 0, tail);
  }
}

function lowerBound(keys: readonly number[], key: number): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? 0) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
