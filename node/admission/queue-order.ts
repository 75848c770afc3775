/**
 * The order of a line: where the visitor with a queue key stands.
 *
 * The queue key is the time of joining, in the visitor's cookie, and never changes. The order is a function of it
 * alone, the same at every node, so a room may change its method while visitors wait, and a place never depends on how
 * often its visitor asks. Under `fifo` a visitor stands at the key itself. A draw shuffles the keys of a span of time:
 * each key is exchanged for another one of the same span, by a permutation made from a seed. So visitors who join after
 * the span stand behind all of it, and joining again with a new cookie gains nothing once the span is over.
 *
 * There are two kinds of spans: all that joined before a shuffle, and under `random` every 18 minutes or so. All places
 * of a room's line are in one order: a summary says which.
 */

import type { Room } from "../config/room.ts";
import { isDrawnKey } from "./draw/draw-seed.ts";
import { Permutation } from "./permutation.ts";

/** Queue keys per ms of joining time. 1.8e12 ms × 1,000 is far below 2^53. */
export const KEYS_PER_MS = 1_000;

/** What an order follows from. */
export interface Draws {
  /** What the permutations are made from. */
  readonly seed: string;
  /** Whether places are drawn all the time. */
  readonly isRandom: boolean;
  /** The moment of a shuffle, in Unix ms: all who joined before it are shuffled. 0 for none. */
  readonly shuffleMs: number;
  /**
   * Whether the places of that shuffle come from a draw that anybody can check: its visitors have queue keys that were
   * drawn (draw-seed.ts). `seed` is the draw's; empty while it is not known.
   */
  readonly isDrawn?: boolean | undefined;
}

export const NO_DRAWS: Draws = { seed: "", isRandom: false, shuffleMs: 0 };

/**
 * Bits of a span of keys under `random`: 2^30 µs are 18 minutes. Doubled twice, a visitor waits for over an hour to
 * learn the place; at a quarter, who comes five minutes later is always behind.
 */
const RANDOM_BITS = 30;

/** The same for a shuffle: all who joined in the 12 days before it. */
const SHUFFLE_BITS = 40;

export class QueueOrder {
  readonly draws: Draws;
  readonly #random: Permutation | undefined;
  readonly #shuffle: Permutation | undefined;
  /** The moment of the shuffle as a queue key. */
  readonly #shuffleKey: number;
  /**
   * Under `random` all places are one span further to the front, so that none lies in the future: other nodes compare
   * them with the times at which their visitors joined.
   */
  readonly #shift: number;

  constructor(draws: Draws = NO_DRAWS) {
    const { seed, isRandom, shuffleMs, isDrawn = false } = draws;
    this.draws = draws;
    this.#shuffleKey = shuffleMs * KEYS_PER_MS;
    this.#random = isRandom ? new Permutation(`random ${seed}`, RANDOM_BITS) : undefined;
    this.#shuffle =
      shuffleMs > 0 && !isDrawn ? new Permutation(`shuffle ${seed} ${shuffleMs}`, SHUFFLE_BITS) : undefined;
    this.#shift = this.#random?.size ?? 0;
  }

  /** Where the visitor with `key` stands: of two visitors the one with the lower number comes first. */
  placeOf(key: number): number {
    const span = this.#spanOf(key);
    return span === undefined
      ? key - this.#shift
      : span.start + span.permutation.of(key - span.start, span.page) - this.#shift;
  }

  /** The key of the visitor who stands at `place`. */
  keyAt(place: number): number {
    // A permutation stays within its span.
    const shifted = place + this.#shift;
    const span = this.#spanOf(shifted);
    return span === undefined ? shifted : span.start + span.permutation.undo(shifted - span.start, span.page);
  }

  /** Whether visitors who join later may still stand before the one with `key`: nobody can say which place that is. */
  isDrawing(key: number, nowMs: number): boolean {
    if (this.draws.isDrawn === true && key < this.#shuffleKey) return this.draws.seed === "";
    const span = this.#spanOf(key);
    return span !== undefined && nowMs * KEYS_PER_MS < span.start + span.permutation.size;
  }

  /** Whether both orders are the same. */
  isLike({ seed, isRandom, shuffleMs, isDrawn = false }: Draws): boolean {
    const { draws } = this;
    const isEqual =
      draws.isRandom === isRandom && draws.shuffleMs === shuffleMs && (draws.isDrawn ?? false) === isDrawn;
    return isEqual && (draws.seed === seed || !(isRandom || shuffleMs > 0));
  }

  /** The keys that are shuffled together with `key`; undefined where it stands as it is. */
  #spanOf(key: number): Span | undefined {
    if (this.#shuffle !== undefined && key < this.#shuffleKey) {
      const start = this.#shuffleKey - this.#shuffle.size;
      return key < start ? undefined : { start, permutation: this.#shuffle, page: 0 };
    }
    // A visitor who was drawn stands where the draw says.
    if (this.#random === undefined || (this.draws.isDrawn === true && isDrawnKey(key))) return undefined;
    const { size } = this.#random;
    const page = Math.floor((key - this.#shuffleKey) / size);
    return { start: this.#shuffleKey + page * size, permutation: this.#random, page };
  }
}

interface Span {
  readonly start: number;
  readonly permutation: Permutation;
  /** Which of the spans of one permutation it is: each has its own order. */
  readonly page: number;
}

export const FIFO = new QueueOrder();

/**
 * The order of a room's line. The seed of a shuffle is `seed`, which is the same at every node and for as long as the
 * room exists; that of a draw is what its nodes have agreed on.
 */
export function orderOfRoom(
  { queueingMethod, event, draw }: Pick<Room, "queueingMethod" | "event" | "draw">,
  seed: string,
): QueueOrder {
  const isRandom = queueingMethod === "random";
  if (draw !== undefined)
    return new QueueOrder({ seed: draw.seed ?? "", isRandom, shuffleMs: draw.startMs, isDrawn: true });
  // The order applies before the start already, when nobody is called: so nothing has to be sorted at the start.
  const shuffleMs = event?.shuffles === true ? event.startMs : 0;
  return isRandom || shuffleMs > 0 ? new QueueOrder({ seed, isRandom, shuffleMs }) : FIFO;
}
