/**
 * What a pure part wants done: writes to disk, then messages to other nodes (write-ahead).
 *
 * Parts call `put` and `send` during a step. The shell takes everything, commits all writes in one transaction, and
 * only then sends. If the commit fails, the shell gives the writes back (`retry`) and drops the messages, which is as
 * if the network had lost them: so nothing is sent that a later crash could make untrue.
 */

import type { NodeId } from "../ids.ts";
import type { Place } from "./entry.ts";

/** A message between nodes: plain data that the codec can carry. Its shape is checked on arrival. */
export interface Message {
  readonly kind: string;
}

/** Durable entries by key; `undefined` removes one. Values are plain data. */
export type Writes = ReadonlyMap<string, unknown>;

export interface Sent<Said extends Message = Message> {
  readonly to: NodeId;
  readonly message: Said;
}

export interface Batch<Said extends Message = Message> {
  readonly writes: Writes;
  /** Whether a vote is among the writes: these are always forced to the disk. */
  readonly isVote: boolean;
  readonly sent: readonly Sent<Said>[];
}

/**
 * What a part sees of the outbox: where it puts its entries. A value that is not of the entry's shape does not compile.
 */
export interface Puts {
  readonly put: <Value>(place: Place<Value>, value: NoInfer<Value> | undefined) => void;
  readonly putLater: <Value>(place: Place<Value>, make: () => NoInfer<Value> | undefined) => void;
  readonly putVote: <Value>(place: Place<Value>, value: NoInfer<Value> | undefined) => void;
}

/** The same for a part that sends messages, of its own kinds only. */
export interface Outgoing<Said extends Message> extends Puts {
  readonly send: (to: NodeId, message: Said) => void;
}

export class Outbox<Said extends Message = Message> implements Outgoing<Said> {
  #writes = new Map<string, unknown>();
  readonly #made = new Map<string, () => unknown>();
  #isVote = false;
  #sent: Sent<Said>[] = [];

  get isEmpty(): boolean {
    return this.#writes.size === 0 && this.#made.size === 0 && this.#sent.length === 0;
  }

  /** Puts `value` on disk under `key` before any message of this batch or a later one leaves. */
  put(key: string, value: unknown): void {
    this.#writes.set(key, value);
  }

  /** The same with the value as it will be when the batch is taken: for what changes often in one step. */
  putLater(key: string, make: () => unknown): void {
    this.#made.set(key, make);
  }

  /** The same for what must also survive a power loss: votes, and whatever else is rare. */
  putVote(key: string, value: unknown): void {
    this.put(key, value);
    this.#isVote = true;
  }

  send(to: NodeId, message: Said): void {
    this.#sent.push({ to, message });
  }

  /** Everything since the last call; empty afterwards. */
  take(): Batch<Said> {
    for (const [key, make] of this.#made) {
      // Runs first: one that throws must not throw at every later call too, and keep all other writes from the disk.
      this.#made.delete(key);
      this.#writes.set(key, make());
    }
    const batch = { writes: this.#writes, isVote: this.#isVote, sent: this.#sent };
    this.#writes = new Map();
    this.#isVote = false;
    this.#sent = [];
    return batch;
  }

  /** Returns the writes of a batch whose commit failed; newer values that were put since then stay. */
  retry({ writes, isVote }: Batch): void {
    this.#writes = new Map([...writes, ...this.#writes]);
    this.#isVote ||= isVote;
  }
}
