/** Sets of message numbers, each known by a number of its own: a set is compared and extended by that. Number 0 is the empty set. */

export class MailSets {
  readonly #sets: (readonly number[])[] = [[]];
  readonly #byKey = new Map<string, number>([["", 0]]);
  readonly #extended = new Map<string, number>();

  /** The members, ascending. */
  get(set: number): readonly number[] {
    return this.#sets[set] ?? [];
  }

  /** The set with `more` in it. */
  with(set: number, more: readonly number[]): number {
    if (more.length === 0) return set;
    return this.#extended.getOrInsertComputed(`${set}+${more.join()}`, () => {
      const all = [...new Set([...this.get(set), ...more])].sort((one, other) => one - other);
      return this.#byKey.getOrInsertComputed(all.join(), () => this.#sets.push(all) - 1);
    });
  }
}
