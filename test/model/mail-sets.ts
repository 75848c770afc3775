/**
 * Sets of message numbers, each known by a number of its own: a set is compared and extended by that. Number 0 is the
 * empty set.
 */

export class MailSets {
  readonly #sets: (readonly number[])[] = [[]];
  readonly #byKey = new Map<string, number>([["", 0]]);
  /** By set, then by what is added: the same list each time, as steps are computed once. */
  readonly #extended = new Map<number, Map<readonly number[], number>>();

  /** The members, ascending. */
  get(set: number): readonly number[] {
    return this.#sets[set] ?? [];
  }

  /** The set with `more` in it, which is known again by its identity. */
  with(set: number, more: readonly number[]): number {
    if (more.length === 0) return set;
    const extended = this.#extended.getOrInsertComputed(set, () => new Map<readonly number[], number>());
    const known = extended.get(more);
    if (known !== undefined) return known;
    const all = [...new Set([...this.get(set), ...more])].sort((one, other) => one - other);
    const number = this.#byKey.getOrInsertComputed(all.join(), () => this.#sets.push(all) - 1);
    extended.set(more, number);
    return number;
  }
}
