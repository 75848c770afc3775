/**
 * The roll of a draw: the ids of all who have joined a line before the start, with their queue keys.
 *
 * Every node has one for each line, adds the visitors whom it answers itself, and tells the others. Rolls merge by
 * union (a grow-only set), so that anything may be lost, doubled or late: nodes compare sums of each ten seconds of
 * joining, and send each other what differs.
 */

import { KEYS_PER_MS } from "../queue-order.ts";

/** A visitor in a roll. */
export type Entry = readonly [key: number, id: number];

/** The entries of some seconds of joining: how many, and the exclusive or of what is mixed from each. */
export type Sum = readonly [bucket: number, count: number, mix: number];

/**
 * Ms of joining that are compared as one. Halved, sums are twice as long; doubled, a difference sends twice as much.
 */
const BUCKET_MS = 10_000;

/**
 * Most visitors of a roll: two large stadiums ten times over. 100 bytes each; beyond, a visitor is drawn, and not
 * listed.
 */
export const ROLL_MAX = 2_000_000;

interface Bucket {
  readonly ids: Map<number, number | number[]>;
  count: number;
  mix: number;
}

export class Roll {
  readonly #buckets = new Map<number, Bucket>();
  #size = 0;

  /** Visitors in it. */
  get size(): number {
    return this.#size;
  }

  /** Adds a visitor; returns whether that is news. */
  add(key: number, id: number): boolean {
    if (this.#size >= ROLL_MAX) return false;
    const at = Math.floor(key / (BUCKET_MS * KEYS_PER_MS));
    const bucket = this.#buckets.get(at) ?? { ids: new Map(), count: 0, mix: 0 };
    const known = bucket.ids.get(key);
    if (known === undefined) bucket.ids.set(key, id);
    else if (isAmong(known, id)) return false;
    // Two counters in a cut may have given one key to two visitors.
    else bucket.ids.set(key, [...(Array.isArray(known) ? known : [known]), id]);
    this.#buckets.set(at, bucket);
    bucket.count += 1;
    bucket.mix = (bucket.mix ^ mixOf(key, id)) >>> 0;
    this.#size += 1;
    return true;
  }

  has(key: number, id: number): boolean {
    const known = this.#buckets.get(Math.floor(key / (BUCKET_MS * KEYS_PER_MS)))?.ids.get(key);
    return known !== undefined && isAmong(known, id);
  }

  /** All of it, in no order. It may grow meanwhile. */
  *entries(): Generator<Entry> {
    for (const at of this.#buckets.keys()) yield* this.entriesOf(at);
  }

  *entriesOf(at: number): Generator<Entry> {
    for (const [key, ids] of this.#buckets.get(at)?.ids ?? [])
      if (typeof ids === "number") yield [key, ids];
      else for (const id of ids) yield [key, id];
  }

  /** Sums of those who joined before a queue key. */
  sumsBefore(key: number): Sum[] {
    const buckets = [...this.#buckets].filter(([at]) => isBefore(at, key));
    return buckets.map(([at, { count, mix }]) => [at, count, mix] as const);
  }

  /** The buckets before a queue key of which another node has something else, or nothing. */
  differing(sums: readonly Sum[], key: number): number[] {
    const theirs = new Map(sums.map(([at, count, mix]) => [at, { count, mix }]));
    return [...this.#buckets].flatMap(([at, { count, mix }]) => {
      const other = theirs.get(at);
      return !isBefore(at, key) || (other?.count === count && other.mix === mix) ? [] : [at];
    });
  }
}

function isAmong(known: number | readonly number[], id: number): boolean {
  return typeof known === "number" ? known === id : known.includes(id);
}

function isBefore(at: number, key: number): boolean {
  return (at + 1) * BUCKET_MS * KEYS_PER_MS <= key;
}

/** 32 bits of both numbers, well mixed. */
function mixOf(key: number, id: number): number {
  let mix = 0x811c9dc5;
  for (const part of [key, id]) {
    mix = Math.imul(mix ^ (part >>> 0), 0x85ebca6b);
    mix ^= mix >>> 13;
    mix = Math.imul(mix ^ Math.floor(part / 2 ** 32), 0xc2b2ae35);
    mix ^= mix >>> 16;
  }
  return mix >>> 0;
}
