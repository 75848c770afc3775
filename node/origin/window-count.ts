/**
 * How often something happened recently: a sliding window of equal parts.
 *
 * Adding is one array element, whatever the traffic. The sum covers the running part and those before it: between one
 * part less than the window and all of it. A clock that goes back empties it.
 */

/** More parts slide more smoothly and cost more to add up. */
const PARTS = 12;

export class WindowCount {
  readonly #partMs: number;
  readonly #parts = new Array<number>(PARTS).fill(0);
  /** Number of the running part since 1970. */
  #part = 0;

  constructor(windowMs: number) {
    this.#partMs = windowMs / PARTS;
  }

  add(nowMs: number): void {
    this.#slide(nowMs);
    const at = this.#part % PARTS;
    this.#parts[at] = (this.#parts[at] ?? 0) + 1;
  }

  sum(nowMs: number): number {
    this.#slide(nowMs);
    return this.#parts.reduce((sum, count) => sum + count, 0);
  }

  clear(): void {
    this.#parts.fill(0);
  }

  #slide(nowMs: number): void {
    const part = Math.floor(nowMs / this.#partMs);
    const steps = part - this.#part;
    if (steps === 0) return;
    if (steps < 0 || steps >= PARTS) this.clear();
    else for (let step = 1; step <= steps; step++) this.#parts[(this.#part + step) % PARTS] = 0;
    this.#part = part;
  }
}
