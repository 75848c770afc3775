/**
 * What was looked up lately, within a bound: two generations of a map, of which the older is dropped when the younger is full.
 *
 * Keeps at least the last `entriesMax / 2` entries used, at the cost of one or two look-ups; no order is kept in between.
 */

export class Recent<Key, Value> {
  readonly #generationMax: number;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();

  /** `entriesMax`: most entries held, 2 or more. */
  constructor(entriesMax: number) {
    this.#generationMax = Math.floor(entriesMax / 2);
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: Key, value: Value): void {
    if (this.#young.size >= this.#generationMax) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}
