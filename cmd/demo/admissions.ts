/**
 * How many visitors a mesh admits in a minute, from each node's own report.
 *
 * A node's count of the running minute only grows; the highest one heard is kept, so that a node that dies in the
 * middle of a minute still counts in it. Minutes are those of the nodes' own clocks, which on one host are one clock.
 */

export class Admissions {
  #minute = 0;
  readonly #highest = new Map<string, number>();

  /** Records that `node` has admitted `count` in `minute`. A late report about a past minute is dropped. */
  heard(node: string, minute: number, count: number): void {
    if (minute < this.#minute) return;
    if (minute > this.#minute) this.#highest.clear();
    this.#minute = minute;
    this.#highest.set(node, Math.max(this.#highest.get(node) ?? 0, count));
  }

  /** All nodes together, in the latest minute heard of. */
  get total(): number {
    return this.#highest.values().reduce((sum, count) => sum + count, 0);
  }
}
