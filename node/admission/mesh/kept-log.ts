/**
 * The entries of a room's public log that this node has: in memory and on its disk, each under its number.
 *
 * The node that keeps the line makes them; the others of its locality have copies, so that the next keeper continues
 * from there. Only the newest are kept.
 */

import type { RoomId } from "../../../mesh/core/ids.ts";
import type { Puts } from "../../../mesh/core/wire/outbox.ts";
import type { Checker } from "../../notary.ts";
import { LOG_ENTRY_SHAPE, type LogEntry } from "../call-log.ts";
import { isSignedBy, readStatement } from "../statement.ts";
import { CALL_LOG } from "./stored-room.ts";

/**
 * Entries that are kept: at one in ten seconds, those of almost three hours in which the line never stood still; 600 kB
 * of each. Doubled, a node with a thousand such rooms needs more than a gigabyte for them.
 */
export const ENTRIES_MAX = 1_000;

export interface KeptEntry {
  readonly entry: LogEntry;
  readonly text: string;
  readonly digest: string;
}

export interface KeptLogParts {
  readonly id: RoomId;
  readonly outbox: Pick<Puts, "put">;
  readonly notary: Checker;
  /** What was on the disk, in any order. */
  readonly restored: readonly string[];
}

export class KeptLog {
  readonly #parts: KeptLogParts;
  #entries: readonly KeptEntry[] = [];

  constructor(parts: KeptLogParts) {
    this.#parts = parts;
    const all = parts.restored
      .flatMap((text) => this.read(text) ?? [])
      .sort((one, other) => one.entry.number - other.entry.number);
    // An end of the process between two commits leaves no hole; a restored disk may.
    const from = all.findLastIndex((one, at) => at > 0 && !follows(one, all[at - 1]));
    this.#entries = from < 0 ? all : all.slice(from);
  }

  /** All entries, in order. */
  get entries(): readonly KeptEntry[] {
    return this.#entries;
  }

  get last(): KeptEntry | undefined {
    return this.#entries.at(-1);
  }

  /** The entry in a text; undefined for a text that is none. */
  read(text: string): KeptEntry | undefined {
    const reading = readStatement(text, LOG_ENTRY_SHAPE);
    if (!("statement" in reading)) return undefined;
    const { statement } = reading;
    return { entry: statement.fields, text: statement.text, digest: this.#parts.notary.digest(statement.text) };
  }

  /** Whether the node that the entry names has signed it. */
  isSigned({ text, entry: { node } }: KeptEntry): boolean {
    const reading = readStatement(text, LOG_ENTRY_SHAPE);
    return "statement" in reading && isSignedBy(reading.statement, node, this.#parts.notary);
  }

  /** Whether the entry is here, or so old that it would be kept no more. */
  knows({ entry: { number }, digest }: KeptEntry): boolean {
    const [first] = this.#entries;
    return (first !== undefined && number < first.entry.number) || this.#at(number)?.digest === digest;
  }

  /** Whether the entry comes next. */
  isNext(one: KeptEntry): boolean {
    return this.last === undefined ? one.entry.number === 1 : follows(one, this.last);
  }

  append(one: KeptEntry): void {
    const { id, outbox } = this.#parts;
    this.#entries = [...this.#entries, one];
    outbox.put(CALL_LOG.at(id, String(one.entry.number)), one.text);
    this.#forget(this.#entries.length - ENTRIES_MAX);
  }

  /** Takes entries that another node has in place of the own ones that do not fit to them. */
  adopt(entries: readonly KeptEntry[]): void {
    const [first] = entries;
    if (first === undefined) return;
    const fits = this.#entries.findLastIndex((one) => follows(first, one));
    this.#drop(fits + 1, this.#entries.length);
    for (const one of entries) this.append(one);
  }

  /**
   * At most `max` entries after the one with this number and digest; from the oldest one on, if that is not known here.
   */
  after(number: number, digest: string, max: number): readonly string[] {
    const isKnown = this.#at(number)?.digest === digest;
    const at = isKnown ? this.#indexOf(number) + 1 : 0;
    return this.#entries.slice(at, at + max).map(({ text }) => text);
  }

  /** Keeps only the last one, from which a log continues that is switched on again. */
  shrink(): void {
    this.#forget(this.#entries.length - 1);
  }

  #forget(count: number): void {
    if (count <= 0) return;
    this.#drop(0, count);
  }

  /** Removes the entries from one index to before another. */
  #drop(from: number, to: number): void {
    const { id, outbox } = this.#parts;
    for (const { entry } of this.#entries.slice(from, to)) outbox.put(CALL_LOG.at(id, String(entry.number)), undefined);
    this.#entries = [...this.#entries.slice(0, from), ...this.#entries.slice(to)];
  }

  #at(number: number): KeptEntry | undefined {
    return this.#entries[this.#indexOf(number)];
  }

  #indexOf(number: number): number {
    const [first] = this.#entries;
    return first === undefined ? -1 : number - first.entry.number;
  }
}

function follows({ entry }: KeptEntry, before: KeptEntry | undefined): boolean {
  return before !== undefined && entry.number === before.entry.number + 1 && entry.previous === before.digest;
}
