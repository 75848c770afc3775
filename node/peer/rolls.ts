/**
 * The rolls of one draw at this node, one for each line: on the disk before others hear of them, and the same at all
 * nodes that need them, within seconds.
 */

import type { NodeId } from "../../mesh/core/ids.ts";
import type { Outgoing } from "../../mesh/core/wire/outbox.ts";
import { type Entry, Roll } from "../admission/draw/roll.ts";
import { KEYS_PER_MS } from "../admission/queue-order.ts";
import { type DrawMessage, ROLL, ROLL_ENTRIES_MAX, SUMS_MAX } from "./draw-messages.ts";

/** Joins of the last seconds are on their way to the others: comparing them would send them twice. */
const SETTLED_MS = 15_000;

/** Entries that are sent to one node at once because it lacks them; the rest follows with the next comparison. */
const REPAIR_MAX = 50_000;

/** Lines of a draw, as many as there are localities in the largest mesh. */
const LINES_MAX = 1_000;

export interface RollsParts {
  readonly draw: string;
  /** This node's locality. */
  readonly line: string;
  readonly outbox: Outgoing<DrawMessage>;
  readonly restored: ReadonlyMap<string, unknown>;
}

export class Rolls {
  readonly #parts: RollsParts;
  readonly #lines = new Map<string, Roll>();
  /** Who became known only after the list was closed: they have places, and are not on the list. */
  readonly #late = new Map<string, Roll>();
  #isClosed = false;
  /** What is still to be taken over from the rolls of another draw. */
  #coming: Iterator<readonly [line: string, ...Entry]> | undefined;
  /** By line: what the others have not been told, and what is not on the disk. */
  readonly #untold = new Map<string, Entry[]>();
  readonly #unsaved = new Map<string, Entry[]>();
  /** Its entries on the disk: the line and the number of each. */
  readonly #stored: (readonly [line: string, number: string])[] = [];
  #number = 0;
  #comparedMs = Number.NEGATIVE_INFINITY;

  constructor(parts: RollsParts) {
    this.#parts = parts;
    for (const { names, value } of ROLL.all(parts.restored)) {
      const [draw, line = "", number = "0"] = names;
      if (draw !== parts.draw) continue;
      this.#stored.push([line, number]);
      this.#number = Math.max(this.#number, Number(number) + 1);
      for (const [at, key] of value.keys.entries()) this.#line(line)?.add(key, value.ids[at] ?? 0);
    }
  }

  /** Visitors in all of them. */
  get size(): number {
    return this.#lines.values().reduce((sum, { size }) => sum + size, 0);
  }

  /** A visitor of this locality's line was answered here. */
  note(line: string, key: number, id: number): void {
    if (this.#add(line, key, id)) this.#collect(this.#untold, line, [key, id]);
  }

  /** Takes over who joined before a queue key, as the same visitors are drawn. `work` does it. */
  takeOver(other: Rolls, before: number): void {
    this.#coming = other.#joinedBefore(before);
  }

  /** Whether there is something left to take over. */
  get isBusy(): boolean {
    return this.#coming !== undefined;
  }

  /** Takes over `max` visitors. */
  work(max: number): void {
    for (let left = max; left > 0 && this.#coming !== undefined; left--) {
      const { value, done } = this.#coming.next();
      if (done === true) this.#coming = undefined;
      else this.#add(...value);
    }
  }

  *#joinedBefore(before: number): Generator<readonly [line: string, ...Entry]> {
    for (const lines of [this.#lines, this.#late])
      for (const [line, roll] of lines) for (const [key, id] of roll.entries()) if (key < before) yield [line, key, id];
  }

  /** The list is closed: nobody is added to it any more, and all of it goes to the disk. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#save();
  }

  hear(from: NodeId, message: DrawMessage): void {
    const { line } = message;
    if (message.kind === "roll")
      for (const [at, key] of message.keys.entries()) this.#add(line, key, message.ids[at] ?? 0);
    else this.#repair(from, message);
  }

  /** All visitors of a line, late ones too. */
  *entries(line: string): Generator<Entry> {
    yield* this.#lines.get(line)?.entries() ?? [];
    yield* this.#late.get(line)?.entries() ?? [];
  }

  /** The ids on the list. */
  *ids(): Generator<number> {
    for (const roll of this.#lines.values()) for (const [, id] of roll.entries()) yield id;
  }

  /** Puts news on the disk, tells them to the others, and compares every `compareMs`; `isOver`: nobody joins any more. */
  tick(
    others: readonly NodeId[],
    now: { readonly steadyMs: number; readonly roomMs: number; readonly isOver: boolean; readonly compareMs: number },
  ): void {
    this.#save();
    for (const [line, entries] of this.#untold) for (const node of others) this.#tell(node, line, entries);
    this.#untold.clear();
    if (now.steadyMs - this.#comparedMs < now.compareMs) return;
    this.#comparedMs = now.steadyMs;
    const before = now.isOver
      ? Number.MAX_SAFE_INTEGER
      : Math.max(0, Math.floor((now.roomMs - SETTLED_MS) * KEYS_PER_MS));
    this.#line(this.#parts.line);
    for (const [line, roll] of this.#lines) {
      const sums = roll.sumsBefore(before).slice(-SUMS_MAX);
      const message: DrawMessage = { kind: "roll-sums", draw: this.#parts.draw, line, before, sums };
      for (const node of others) this.#parts.outbox.send(node, message);
    }
  }

  /** Takes all of it off the disk. */
  drop(): void {
    for (const [line, number] of this.#stored)
      this.#parts.outbox.put(ROLL.at(this.#parts.draw, line, number), undefined);
  }

  #line(line: string): Roll | undefined {
    const known = this.#lines.get(line);
    if (known !== undefined || this.#lines.size >= LINES_MAX) return known;
    const roll = new Roll();
    this.#lines.set(line, roll);
    return roll;
  }

  #addLate(line: string, key: number, id: number): void {
    if (this.#lines.get(line)?.has(key, id) === true) return;
    const roll = this.#late.get(line) ?? new Roll();
    if (this.#late.has(line) || this.#late.size < LINES_MAX) this.#late.set(line, roll);
    roll.add(key, id);
  }

  #add(line: string, key: number, id: number): boolean {
    if (this.#isClosed) {
      this.#addLate(line, key, id);
      return false;
    }
    if (this.#line(line)?.add(key, id) !== true) return false;
    this.#collect(this.#unsaved, line, [key, id]);
    return true;
  }

  #collect(into: Map<string, Entry[]>, line: string, entry: Entry): void {
    const entries = into.get(line);
    if (entries === undefined) into.set(line, [entry]);
    else entries.push(entry);
  }

  #save(): void {
    for (const [line, entries] of this.#unsaved) {
      const number = String(this.#number++);
      this.#stored.push([line, number]);
      this.#parts.outbox.put(ROLL.at(this.#parts.draw, line, number), {
        keys: entries.map(([key]) => key),
        ids: entries.map(([, id]) => id),
      });
    }
    this.#unsaved.clear();
  }

  /**
   * The node that sent sums gets what it does not have. A line of which this node has nobody is compared from now on.
   */
  #repair(to: NodeId, { line, sums, before }: Extract<DrawMessage, { kind: "roll-sums" }>): void {
    const lacking: Entry[] = [];
    for (const at of this.#line(line)?.differing(sums, before) ?? []) {
      if (lacking.length >= REPAIR_MAX) break;
      for (const entry of this.#line(line)?.entriesOf(at) ?? []) lacking.push(entry);
    }
    this.#tell(to, line, lacking);
  }

  #tell(to: NodeId, line: string, entries: readonly Entry[]): void {
    for (let from = 0; from < entries.length; from += ROLL_ENTRIES_MAX) {
      const part = entries.slice(from, from + ROLL_ENTRIES_MAX);
      const [keys, ids] = [part.map(([key]) => key), part.map(([, id]) => id)];
      this.#parts.outbox.send(to, { kind: "roll", draw: this.#parts.draw, line, keys, ids });
    }
  }
}

/** Takes the rolls of draws that are gone off the disk. */
export function dropStaleRolls(
  restored: ReadonlyMap<string, unknown>,
  outbox: Outgoing<DrawMessage>,
  isRunning: (draw: string) => boolean,
): void {
  for (const { names } of ROLL.all(restored)) {
    const [draw = "", line = "", number = ""] = names;
    if (!isRunning(draw)) outbox.put(ROLL.at(draw, line, number), undefined);
  }
}
