/**
 * A byte stream of which a test says what it takes and what comes.
 */

import type { ByteStream } from "../../mesh/peer-stream.ts";

export class FakeStream implements ByteStream {
  readonly writes: Uint8Array[] = [];
  writeBufferLength = 0;
  isFull = false;
  isAborted = false;
  /** Where what is written goes as well. */
  other: FakeStream | undefined;
  readonly #listeners = new Map<string, ((event: never) => void)[]>();

  send(bytes: Uint8Array): boolean {
    if (this.isAborted) throw new Error("closed");
    this.writes.push(bytes);
    queueMicrotask(() => this.other?.emit("message", { data: bytes }));
    return !this.isFull;
  }

  abort(): void {
    if (this.isAborted) return;
    this.isAborted = true;
    this.emit("close", {});
  }

  addEventListener(type: string, listener: (event: never) => void): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
  }

  emit(type: "message" | "drain" | "close", event: object): void {
    for (const listener of this.#listeners.get(type) ?? []) listener(event as never);
  }

  drain(): void {
    this.isFull = false;
    this.emit("drain", {});
  }

  /** Two streams of which each is the other end. */
  static pair(): readonly [FakeStream, FakeStream] {
    const [one, other] = [new FakeStream(), new FakeStream()];
    one.other = other;
    other.other = one;
    return [one, other];
  }
}

/** Lets everything happen that was put off to the end of this turn. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
