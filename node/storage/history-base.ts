/**
 * The history's file behind reads and writes that never throw: only analytics depend on it, so it never stops a node.
 *
 * A damaged file is set aside under another name, and a new one is begun. A write that fails is made not at all, and
 * its caller tries again.
 */

import type { Database } from "bun:sqlite";
import { messageOf } from "../message-of.ts";
import { type HistoryPlace, isDamage, opened, queriesOf, startedAgain } from "./history-file.ts";

const NOT_WRITTEN = "Cannot write the history of rooms to";

export class HistoryBase {
  readonly #place: HistoryPlace;
  /** What is in memory of the file must be read again. */
  readonly #onChanged: () => void;
  #database: Database;
  #queries: ReturnType<typeof queriesOf>;
  #trouble: string | undefined;
  #begun = 1;
  #failures = 0;

  constructor(place: HistoryPlace, onChanged: () => void) {
    this.#place = place;
    this.#onChanged = onChanged;
    const { database, problem } = opened(place);
    this.#database = database;
    this.#queries = queriesOf(database);
    if (problem !== undefined) this.#tell(problem);
  }

  get queries(): ReturnType<typeof queriesOf> {
    return this.#queries;
  }

  get trouble(): string | undefined {
    return this.#trouble;
  }

  get begun(): number {
    return this.#begun;
  }

  get failures(): number {
    return this.#failures;
  }

  /** Does it whole or not at all; false if it could not be done. */
  write(act: () => void): boolean {
    try {
      this.#database.transaction(act)();
      if (this.#trouble?.startsWith(NOT_WRITTEN)) this.#trouble = undefined;
      return true;
    } catch (error) {
      this.#failures += 1;
      this.#failed(error);
      if (!isDamage(error)) this.#onChanged();
      return false;
    }
  }

  read<Value>(act: () => Value, otherwise: Value): Value {
    try {
      return act();
    } catch (error) {
      this.#failed(error);
      return otherwise;
    }
  }

  close(): void {
    this.#database.close();
  }

  #failed(error: unknown): void {
    if (!isDamage(error)) {
      this.#tell(`${NOT_WRITTEN} ${this.#place.path}: ${messageOf(error)}`);
      return;
    }
    try {
      this.#database.close();
    } catch {
      // It is given up anyway.
    }
    const { database, problem } = startedAgain(this.#place, messageOf(error));
    this.#database = database;
    this.#queries = queriesOf(database);
    this.#begun += 1;
    this.#onChanged();
    this.#tell(problem);
  }

  #tell(problem: string): void {
    if (this.#trouble === problem) return;
    this.#trouble = problem;
    this.#place.onTrouble(problem);
  }
}
