/**
 * A durable entry: under which keys it lies in the store, its shape, and the one part of the node that writes it.
 *
 * Parts put and read entries by these alone: a value of another type does not compile, and what comes from the disk is
 * checked before it is used. A damaged one is thrown, with its key and with what is lost without it.
 * `node/process/stored-entries.ts` has all of them, and `npm run docs` makes a page of that.
 */

import type { z } from "zod";

declare const VALUE: unique symbol;

/** A key in the store under which a `Value` lies. */
export type Place<Value> = string & { readonly [VALUE]?: (value: Value) => Value };

/** All that is in the store, as it was read. */
export type Stored = ReadonlyMap<string, unknown>;

export interface EntryParts<Value> {
  /** The key, or what keys begin with: a slash and the names follow. */
  readonly key: string;
  readonly names?: readonly string[];
  readonly shape: z.ZodType<Value>;
  /**
   * Raised when the shape changes so that an earlier release cannot read it. Shapes read all versions up to this one.
   */
  readonly version?: number;
  /** The file that alone writes it. */
  readonly writer: string;
  readonly holds: string;
  /** What is lost, or happens, without it. */
  readonly without: string;
}

/** An entry on the disk that is not as its shape says. */
export class DamagedEntry extends Error {
  constructor(key: string, problem: string, { holds, without }: Pick<EntryParts<unknown>, "holds" | "without">) {
    super(`its entry ${JSON.stringify(key)} is damaged: ${problem}. It holds ${holds}; without it ${without}`);
    this.name = "DamagedEntry";
  }
}

export class Entry<Value> {
  readonly key: string;
  readonly names: readonly string[];
  readonly shape: z.ZodType<Value>;
  readonly version: number;
  readonly writer: string;
  readonly holds: string;
  readonly without: string;
  /** What was checked already: a model reads the same values many times. */
  readonly #sound = new WeakSet<object>();

  constructor({ key, names = [], shape, version = 1, writer, holds, without }: EntryParts<Value>) {
    this.key = key;
    this.names = names;
    this.shape = shape;
    this.version = version;
    this.writer = writer;
    this.holds = holds;
    this.without = without;
  }

  /** The key of the entry of these names. */
  at(...names: readonly string[]): Place<Value> {
    return (names.length === 0 ? this.key : `${this.key}/${names.join("/")}`) as Place<Value>;
  }

  /** What is stored, checked; undefined if nothing is. Throws `DamagedEntry`. */
  read(stored: Stored, ...names: readonly string[]): Value | undefined {
    const key = this.at(...names);
    return stored.has(key) ? this.checked(key, stored.get(key)) : undefined;
  }

  /** All entries under the key, with their names. Throws `DamagedEntry`. */
  all(stored: Stored): { readonly names: readonly string[]; readonly value: Value }[] {
    const found: { names: readonly string[]; value: Value }[] = [];
    for (const [key, value] of stored) {
      const names = this.namesIn(key);
      if (names !== undefined) found.push({ names, value: this.checked(key, value) });
    }
    return found;
  }

  /** The names in a key of this entry; undefined for a key of another one. */
  namesIn(key: string): readonly string[] | undefined {
    if (!key.startsWith(this.key)) return undefined;
    if (key.length === this.key.length) return this.names.length === 0 ? [] : undefined;
    const names = key[this.key.length] === "/" ? key.slice(this.key.length + 1).split("/") : [];
    return names.length > 0 && names.length === this.names.length && !names.includes("") ? names : undefined;
  }

  /** `value` if it is as the shape says. Throws `DamagedEntry`. */
  checked(key: string, value: unknown): Value {
    const isKnown = typeof value === "object" && value !== null && this.#sound.has(value);
    if (isKnown) return value as Value;
    const read = this.shape.safeParse(value);
    if (!read.success) {
      const [issue] = read.error.issues;
      throw new DamagedEntry(key, issue === undefined ? "unknown" : [...issue.path, issue.message].join(" "), this);
    }
    if (typeof value === "object" && value !== null) this.#sound.add(value);
    return value as Value;
  }
}
