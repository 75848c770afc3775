/**
 * What became of a line since it was last asked: up to which place it was called, and who was let in.
 */

export interface Calls {
  /** The furthest place that was called; 0 if none was. */
  readonly calledUpTo: number;
  readonly letIn: number;
  /** The furthest place of a visitor who was let in; 0 if none was. */
  readonly letInUpTo: number;
  /** Whether the room let everybody in, whatever their place. */
  readonly isOpen: boolean;
}

const NONE: Calls = { calledUpTo: 0, letIn: 0, letInUpTo: 0, isOpen: false };

export class CallTally {
  #calls = NONE;

  /** Whether there is anything to tell. */
  get hasNews(): boolean {
    return this.#calls !== NONE;
  }

  noteCalled(place: number): void {
    if (place <= this.#calls.calledUpTo) return;
    this.#calls = { ...this.#calls, calledUpTo: place };
  }

  /** A visitor at `place` is let in, when the line was called up to `horizon`. */
  noteLetIn(place: number, horizon: number): void {
    const { calledUpTo, letIn, letInUpTo } = this.#calls;
    this.#calls = {
      ...this.#calls,
      // That may have been called in an earlier span of time.
      calledUpTo: place <= horizon ? Math.max(calledUpTo, place) : calledUpTo,
      letIn: letIn + 1,
      letInUpTo: Math.max(letInUpTo, place),
    };
  }

  noteOpen(): void {
    this.#calls = { ...this.#calls, isOpen: true };
  }

  /** Everything since the last call. */
  take(): Calls {
    const calls = this.#calls;
    this.#calls = NONE;
    return calls;
  }
}
