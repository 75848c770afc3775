/**
 * A simulated node's disk: entries as bytes, a copy of it, and what a loss of power takes away.
 *
 * It keeps the contract of `Store` (node/store.ts): a commit has all of its writes or throws and has none, votes are forced.
 */

import type { Batch } from "../../mesh/core/wire/outbox.ts";
import { packed, unpacked } from "../../mesh/core/wire/packed.ts";

/** So old at most are commits that a loss of power undoes: the host writes them to its disk by then. */
const UNFORCED_MS = 500;

/** Writes are remembered for so long: until all that was published of them is with the others. */
export const TOLD_MS = 900;

export type DiskCopy = ReadonlyMap<string, Uint8Array>;

export interface SimDiskParts {
  readonly nowMs: () => number;
  /** Whether commits are kept: nobody reads the disk of a node that never crashes. */
  readonly keeps: boolean;
}

export class SimDisk {
  readonly #parts: SimDiskParts;
  /** How often something was committed. */
  commits = 0;
  #entries = new Map<string, Uint8Array>();
  /** What was there from the start, as values. */
  readonly #values = new Map<string, unknown>();
  /** Writes that a loss of power may undo, in their order. */
  #unforced: { readonly atMs: number; readonly key: string; readonly before: Uint8Array | undefined }[] = [];

  constructor(parts: SimDiskParts) {
    this.#parts = parts;
  }

  /** Puts an entry on the disk, as an earlier run would have. */
  put(key: string, value: unknown): void {
    this.#values.set(key, value);
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** Everything that was put and not removed. */
  entries(): ReadonlyMap<string, unknown> {
    const entries = new Map(this.#values);
    for (const [key, bytes] of this.#entries) entries.set(key, unpacked(bytes)?.[0]);
    return entries;
  }

  commit({ writes, isVote }: Pick<Batch, "writes" | "isVote">): void {
    const atMs = this.#parts.nowMs();
    this.commits += 1;
    if (isVote) this.#unforced = [];
    else if ((this.#unforced[0]?.atMs ?? 0) < atMs - 2 * UNFORCED_MS)
      this.#unforced = this.#unforced.filter((one) => one.atMs >= atMs - TOLD_MS);
    for (const [key, value] of writes) {
      if (!isVote) this.#unforced.push({ atMs, key, before: this.#entries.get(key) });
      if (value === undefined) this.#entries.delete(key);
      else if (this.#parts.keeps) this.#entries.set(key, packed(value));
    }
  }

  /** Whether anything under `prefix` was committed since `sinceMs`, and not forced since. */
  hasUnforced(prefix: string, sinceMs: number): boolean {
    return this.#unforced.some(({ atMs, key }) => atMs > sinceMs && key.startsWith(prefix));
  }

  /** What was committed in the last `lostMs`, and not forced to the disk since, is lost. */
  losePower(lostMs: number): void {
    const nowMs = this.#parts.nowMs();
    for (const { atMs, key, before } of this.#unforced.reverse()) {
      if (nowMs - atMs > lostMs) break;
      if (before === undefined) this.#entries.delete(key);
      else this.#entries.set(key, before);
    }
    this.#unforced = [];
  }

  copy(): DiskCopy {
    return new Map(this.#entries);
  }

  /** Puts a copy in its place; an empty disk if there is none. */
  replace(copy: DiskCopy = new Map()): void {
    this.#entries = new Map(copy);
    this.#unforced = [];
  }
}
