/**
 * SQLite in memory as the disk of a simulated host: it outlives the processes that open it, says which commits were
 * forced, and can be full.
 */

import { Database } from "bun:sqlite";

export class SimDatabase extends Database {
  /** While it is full every commit fails, after all of its writes: as the write-ahead log on a real one. */
  isFull = false;
  /** Transactions that were committed. */
  transactions = 0;
  /** Whether the last one was forced to disk, so that no power loss undoes it. */
  wasForced = false;
  #isForcing = false;

  constructor() {
    super(":memory:", { strict: true });
  }

  override run(...query: Parameters<Database["run"]>): ReturnType<Database["run"]> {
    const [, level] = /^PRAGMA synchronous = (\w+)$/.exec(query[0]) ?? [];
    if (level === undefined) return super.run(...query);
    // In memory SQLite has nothing to force, and would only spend time on it.
    this.#isForcing = level === "FULL";
    return { changes: 0, lastInsertRowid: 0 };
  }

  override transaction<Args extends unknown[], Result>(inside: (...args: Args) => Result) {
    return super.transaction((...args: Args): Result => {
      const result = inside(...args);
      if (this.isFull) throw new Error("database or disk is full");
      this.transactions += 1;
      this.wasForced = this.#isForcing;
      return result;
    });
  }

  /** A process that had it open ends: the next one finds it unchanged. */
  override close(): void {}
}
