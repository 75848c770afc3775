/**
 * A random-looking order of the numbers below a power of two, made from a seed: a Feistel network.
 *
 * It is a bijection, so numbers that differ stay different, and it can be undone. It is computed for one number alone:
 * nobody needs a table of all of them. It is no cipher: a person who knows the seed can compute all of it.
 */

/** Rounds of the network. Four already mix each half with the other; six leave no pattern that neighbours show. */
const ROUNDS = 6;

export class Permutation {
  /** The numbers from 0 to below this. */
  readonly size: number;
  readonly #half: number;
  readonly #keys: readonly number[];

  /** Orders the numbers below 2 to the power of `bits`, which is even and at most 52. */
  constructor(seed: string, bits: number) {
    this.size = 2 ** bits;
    this.#half = 2 ** (bits / 2);
    this.#keys = Array.from({ length: ROUNDS }, (_, round) => hashOf(`${seed} ${round}`));
  }

  /** The number in whose place `value` comes; another `page` is another order. */
  of(value: number, page = 0): number {
    let left = Math.floor(value / this.#half);
    let right = value % this.#half;
    for (let round = 0; round < ROUNDS; round++) {
      const changed = (left ^ this.#mask(right, round, page)) >>> 0;
      left = right;
      right = changed;
    }
    return left * this.#half + right;
  }

  /** The number that `of` puts at `place`. */
  undo(place: number, page = 0): number {
    let left = Math.floor(place / this.#half);
    let right = place % this.#half;
    for (let round = ROUNDS - 1; round >= 0; round--) {
      const changed = (right ^ this.#mask(left, round, page)) >>> 0;
      right = left;
      left = changed;
    }
    return left * this.#half + right;
  }

  /** What the half that is `kept` in a round does to the other one. */
  #mask(kept: number, round: number, page: number): number {
    const mixedOnce = mixed(kept ^ (this.#keys[round] ?? 0));
    return mixed(mixedOnce + (page % 2 ** 32)) % this.#half;
  }
}

/** FNV-1a with the mixer of MurmurHash3, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return mixed(hash);
}

function mixed(value: number): number {
  let mix = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35);
  return (mix ^ (mix >>> 16)) >>> 0;
}
