/**
 * Collects a request's body for the gate itself, which reads only small forms: it goes no further than a limit.
 */

import type { BodySink } from "./chunked.ts";

export class BodyCollector implements BodySink {
  /** It never holds the client back: what does not fit is given up. */
  readonly blocked = false;
  readonly #bytesMax: number;
  readonly #then: (body: string | undefined) => void;
  /** As latin1. */
  #text = "";
  #isOver = false;

  /** `then` is called once: with the body as latin1, or with undefined as soon as it is longer than `bytesMax`. */
  constructor(bytesMax: number, then: (body: string | undefined) => void) {
    this.#bytesMax = bytesMax;
    this.#then = then;
  }

  body(piece: Buffer): void {
    if (this.#isOver) return;
    this.#text += piece.toString("latin1");
    if (this.#text.length > this.#bytesMax) this.#end(undefined);
  }

  /** The body is complete. */
  bodyEnd(): void {
    if (!this.#isOver) this.#end(this.#text);
  }

  #end(body: string | undefined): void {
    this.#isOver = true;
    this.#text = "";
    this.#then(body);
  }
}
