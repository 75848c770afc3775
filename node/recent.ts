/**
 * Remembers values for some time and within a bound, in two generations: when the younger is full or old enough, it
 * becomes the older, and what that one held is forgotten. Forgetting the oldest entries of a large map one by one costs
 * more the more were ever removed.
 */

export interface RecentOptions {
  /** Most values; above it the oldest half is forgotten. 2 at least. */
  readonly max: number;
  /** A value is remembered for at least this long, and at most twice as long. */
  readonly forMs: number;
}

interface Entry<Key, Value> {
  readonly key: Key;
  readonly value: Value;
}

type Generation<Key, Value> = Map<Key, Entry<Key, Value>>;

export class Recent<Key, Value> {
  readonly #options: RecentOptions;
  #young: Generation<Key, Value> = new Map();
  #old: Generation<Key, Value> = new Map();
  #sinceMs = Number.NEGATIVE_INFINITY;

  constructor(options: RecentOptions) {
    this.#options = options;
  }

  get(key: Key): Value | undefined {
    return (this.#young.get(key) ?? this.#old.get(key))?.value;
  }

  /** The value of `key`, which is remembered as if it were set now. */
  use(key: Key, nowMs: number): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young.value;
    const old = this.#old.get(key);
    // Under a copy of the key: the caller's may be a part of a larger text, which would stay in memory with it.
    if (old !== undefined) this.#add(old, nowMs);
    return old?.value;
  }

  set(key: Key, value: Value, nowMs: number): void {
    this.#add({ key, value }, nowMs);
  }

  /** Call it now and then. A clock that was set back makes values live longer. */
  turn(nowMs: number): void {
    const { max, forMs } = this.#options;
    if (this.#young.size < Math.floor(max / 2) && nowMs - this.#sinceMs < forMs) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#sinceMs = nowMs;
  }

  #add(entry: Entry<Key, Value>, nowMs: number): void {
    this.turn(nowMs);
    this.#young.set(entry.key, entry);
  }
}
