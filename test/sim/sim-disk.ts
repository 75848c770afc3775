/**
 * A simulated node's disk: the product's `Store` on a database in memory (sim-database.ts), with a backup copy, a full
 * disk, and the effects of a power loss.
 *
 * Commits are recorded here as well. A start that finds anything else breaks the run, as does a commit that a full disk
 * accepts, or that takes more or less than one transaction.
 */

import type { Batch } from "../../mesh/core/wire/outbox.ts";
import { packed, unpacked } from "../../mesh/core/wire/packed.ts";
import { Store } from "../../node/storage/store.ts";
import { SimDatabase } from "./sim-database.ts";

/** A power loss undoes commits up to this age: the host writes older ones to its disk. */
const UNFORCED_MS = 500;

/** Writes are remembered this long: until all their publications have reached the others. */
const TOLD_MS = 900;

interface Write {
  readonly atMs: number;
  readonly key: string;
  readonly before: Uint8Array | undefined;
  /** Whether no power loss undoes it. */
  isForced: boolean;
}

export type DiskCopy = ReadonlyMap<string, Uint8Array>;

export interface SimDiskParts {
  readonly nowMs: () => number;
  readonly broken: (text: string) => never;
}

export class SimDisk {
  readonly #parts: SimDiskParts;
  #database = new SimDatabase();
  #store: Store | undefined;
  /** What must be on it. */
  #entries = new Map<string, Uint8Array>();
  /** The last writes, in order: a power loss or an old copy may undo them. */
  #recent: Write[] = [];

  constructor(parts: SimDiskParts) {
    this.#parts = parts;
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** Whether it takes nothing more. */
  get isFull(): boolean {
    return this.#database.isFull;
  }

  set isFull(isFull: boolean) {
    this.#database.isFull = isFull;
  }

  /** A process begins on it, and reads everything that was put and not removed. */
  open(): ReadonlyMap<string, unknown> {
    const store = new Store(":memory:", "process", () => this.#database);
    this.#store = store;
    const entries = store.entries();
    this.#check(entries);
    return entries;
  }

  /** Writes all of them, or throws and writes none. */
  commit({ writes, isVote }: Pick<Batch, "writes" | "isVote">): void {
    if (writes.size === 0) return;
    const { transactions } = this.#database;
    this.#store?.commit({ writes, isVote });
    if (this.#database.isFull) this.#parts.broken("a full disk took what was to be stored");
    if (this.#database.transactions !== transactions + 1)
      this.#parts.broken("what was to be stored at once took more than one transaction, or none");
    if (isVote && !this.#database.wasForced) this.#parts.broken("a vote was not forced to the disk");
    this.#note(writes, this.#database.wasForced);
  }

  /** Whether anything under `prefix` was committed in the last moment, so that it may not be published. */
  hasNews(prefix: string): boolean {
    const sinceMs = this.#parts.nowMs() - TOLD_MS;
    return this.#recent.some(({ atMs, key }) => atMs > sinceMs && key.startsWith(prefix));
  }

  /** What was committed in the last `lostMs`, and not forced to the disk since, is lost. */
  losePower(lostMs: number): void {
    const nowMs = this.#parts.nowMs();
    const entries = new Map(this.#entries);
    for (const { atMs, key, before, isForced } of this.#recent.reverse()) {
      if (isForced || nowMs - atMs > lostMs) break;
      if (before === undefined) entries.delete(key);
      else entries.set(key, before);
    }
    this.replace(entries);
  }

  copy(): DiskCopy {
    return new Map(this.#entries);
  }

  /** Puts a copy in its place; an empty disk if there is none. */
  replace(copy: DiskCopy = new Map()): void {
    this.#entries = new Map(copy);
    this.#recent = [];
    const { isFull } = this;
    this.#database = new SimDatabase();
    const store = new Store(":memory:", "process", () => this.#database);
    const writes = new Map([...copy].map(([key, bytes]) => [key, unpacked(bytes)?.[0]]));
    store.commit({ writes, isVote: false });
    this.isFull = isFull;
  }

  #note(writes: Batch["writes"], isForced: boolean): void {
    const atMs = this.#parts.nowMs();
    if ((this.#recent[0]?.atMs ?? 0) < atMs - 2 * UNFORCED_MS)
      this.#recent = this.#recent.filter((one) => one.atMs >= atMs - TOLD_MS);
    for (const [key, value] of writes) {
      this.#recent.push({ atMs, key, before: this.#entries.get(key), isForced });
      if (value === undefined) this.#entries.delete(key);
      else this.#entries.set(key, packed(value));
    }
    // What was written before is forced with it.
    if (isForced) for (const one of this.#recent) one.isForced = true;
  }

  #check(found: ReadonlyMap<string, unknown>): void {
    const { broken } = this.#parts;
    for (const key of found.keys())
      if (!this.#entries.has(key)) broken(`the disk gives back ${key}, which was removed or never put`);
    for (const [key, bytes] of this.#entries)
      if (!Bun.deepEquals(found.get(key), unpacked(bytes)?.[0]))
        broken(`the disk gives back ${key} otherwise than it was put`);
  }
}
