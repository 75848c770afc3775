/**
 * Of several ways to end a wait (an answer, a timer, a failure) the first one is taken, and the others do nothing.
 *
 * All ways out of one wait go through one `FirstOnly`, so that no request is answered twice, or answered and sent on.
 */

export class FirstOnly {
  #isTaken = false;

  /** Does `act`, unless something was done before. */
  take(act: () => void): void {
    if (this.#isTaken) return;
    this.#isTaken = true;
    act();
  }
}
