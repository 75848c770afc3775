/**
 * The count and the digest of a draw's list, computed in slices: a million ids take half a second, and nobody is to
 * notice a pause. The digest is the SHA-256 of the ids in ascending order, each followed by a line break.
 */

import type { DrawList } from "../admission/draw/draw-document.ts";
import { drawIdText } from "../admission/draw/draw-seed.ts";
import { Sha256 } from "../sha256.ts";

/** Ids with the same first bits are sorted together: of a million, 250. */
const PARTS = 4_096;
const IDS_PER_PART = 2 ** 52 / PARTS;

export class RollDigest {
  readonly #ids: Iterator<number>;
  readonly #parts: number[][] = Array.from({ length: PARTS }, () => []);
  readonly #hash = new Sha256();
  #isGathered = false;
  #next = 0;
  #count = 0;

  constructor(ids: Iterable<number>) {
    this.#ids = ids[Symbol.iterator]();
  }

  /** Does about `max` steps; returns the list when it is done. */
  work(max: number): DrawList | undefined {
    let left = max;
    for (; left > 0 && !this.#isGathered; left--) {
      const { value, done } = this.#ids.next();
      if (done === true) this.#isGathered = true;
      else this.#parts[Math.floor(value / IDS_PER_PART)]?.push(value);
    }
    for (; left > 0 && this.#next < PARTS; left--) left -= this.#hashPart();
    return this.#isGathered && this.#next >= PARTS ? { count: this.#count, digest: this.#hash.hex() } : undefined;
  }

  /** Returns how many ids it took. */
  #hashPart(): number {
    const part = this.#parts[this.#next] ?? [];
    const ids = [...new Set(part)].sort((one, other) => one - other);
    if (ids.length > 0) this.#hash.add(ids.map((id) => `${drawIdText(id)}\n`).join(""));
    this.#count += ids.length;
    this.#parts[this.#next] = [];
    this.#next += 1;
    return ids.length;
  }
}
