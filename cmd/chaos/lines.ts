/**
 * What visitors in line are shown: a position that does not go back, and a place that stays theirs.
 *
 * A place is its queue key. A visitor who gets a later one has lost the place.
 */

/** A place in line, as a visitor was shown it. */
export interface ShownPlace {
  readonly visitor: string;
  readonly position: number;
  /** The locality whose line keeps it. */
  readonly locality: string;
  /** Queue key in the cookie. */
  readonly key: number;
}

type Place = Pick<ShownPlace, "position" | "key">;

export class Lines {
  readonly #waiting = new Map<string, Place>();
  #longest = 0;
  #joined = 0;
  #wentBack = 0;
  #furthestBack = 0;
  #lost = 0;

  shown({ visitor, position, key }: ShownPlace): void {
    const before = this.#waiting.get(visitor);
    this.#waiting.set(visitor, { position, key });
    this.#longest = Math.max(this.#longest, this.#waiting.size);
    if (before === undefined) this.#joined += 1;
    else if (key > before.key) this.#lost += 1;
    else if (position > before.position) {
      this.#wentBack += 1;
      this.#furthestBack = Math.max(this.#furthestBack, position - before.position);
    }
  }

  /** `visitor` is no longer in line: admitted, or gone. */
  left(visitor: string): void {
    this.#waiting.delete(visitor);
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Visitors that were in line at once, at most. */
  get longest(): number {
    return this.#longest;
  }

  /** Visitors that were given a place so far. */
  get joined(): number {
    return this.#joined;
  }

  /** Answers with a position behind the one shown before, and by how many places at most. */
  get wentBack(): { readonly times: number; readonly furthest: number } {
    return { times: this.#wentBack, furthest: this.#furthestBack };
  }

  /** Visitors that were given a later place than they had. */
  get lost(): number {
    return this.#lost;
  }
}
