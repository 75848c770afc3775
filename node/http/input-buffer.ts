/**
 * Received bytes that wait to be used, in one piece.
 *
 * Bytes that arrive while nothing waits are not copied. Otherwise they are appended to a buffer that grows by doubling:
 * bytes that come one by one cost their number, not its square.
 */

/** Smaller buffers would only be allocated again and again. */
const CAPACITY_MIN = 1_024;

const EMPTY = Buffer.alloc(0);

export class InputBuffer {
  /** The waiting bytes; valid until the next call. */
  view: Buffer = EMPTY;
  /** The buffer that `view` is the middle of, if it is our own; undefined when it is the runtime's. */
  #own: Buffer | undefined;
  #end = 0;

  get length(): number {
    return this.view.length;
  }

  push(bytes: Buffer): void {
    if (this.view.length === 0) {
      this.view = bytes;
      this.#own = undefined;
      return;
    }
    let own = this.#own;
    if (own === undefined || this.#end + bytes.length > own.length) own = this.#move(bytes.length);
    bytes.copy(own, this.#end);
    const start = this.#end - this.view.length;
    this.#end += bytes.length;
    this.view = own.subarray(start, this.#end);
  }

  /** Takes the first `count` bytes away. */
  use(count: number): void {
    if (count > 0) this.view = count === this.view.length ? EMPTY : this.view.subarray(count);
    if (this.view.length === 0) this.#own = undefined;
  }

  takeAll(): Buffer {
    const { view } = this;
    this.view = EMPTY;
    this.#own = undefined;
    return view;
  }

  /** Copies the waiting bytes if they keep a much larger buffer in memory. */
  settle(): void {
    if (this.#own === undefined && this.view.length > 0) this.#move(0);
  }

  /** Our own buffer, with the waiting bytes at its start and room for `more`. */
  #move(more: number): Buffer {
    const own = Buffer.allocUnsafeSlow(Math.max(CAPACITY_MIN, (more === 0 ? 1 : 2) * (this.view.length + more)));
    this.view.copy(own);
    this.#own = own;
    this.#end = this.view.length;
    this.view = own.subarray(0, this.#end);
    return own;
  }
}
