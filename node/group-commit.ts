/**
 * Disk before telling, for many visitors at once: all admissions of one turn of the event loop share one commit.
 *
 * `afterCommit` marks a room as changed and calls back when its record is on disk. A commit that fails calls back with
 * `false`: the slot stays taken in memory (nobody gets it twice), and the visitor is kept out.
 */

import type { RoomId } from "../mesh/core/ids.ts";
import type { AdmissionRecord } from "./admission/admission.ts";

type Told = (isOnDisk: boolean) => void;

export class GroupCommit {
  readonly #commit: (records: readonly (readonly [RoomId, AdmissionRecord])[]) => void;
  readonly #onError: (error: unknown) => void;
  #changed = new Map<RoomId, () => AdmissionRecord>();
  #waiting: Told[] = [];

  constructor(
    commit: (records: readonly (readonly [RoomId, AdmissionRecord])[]) => void,
    onError: (error: unknown) => void,
  ) {
    this.#commit = commit;
    this.#onError = onError;
  }

  /** Calls `told` once the record of `room`, as it is at the end of this turn, is on disk. */
  afterCommit(room: RoomId, record: () => AdmissionRecord, told: Told): void {
    if (this.#waiting.length === 0) setImmediate(() => this.flush());
    this.#changed.set(room, record);
    this.#waiting.push(told);
  }

  /** Commits what is due now. */
  flush(): void {
    const changed = this.#changed;
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#changed = new Map();
    this.#waiting = [];
    let isOnDisk = true;
    try {
      this.#commit(Array.from(changed, ([room, record]) => [room, record()] as const));
    } catch (error) {
      // Saves the process; costs the admissions of this turn: each keeps its slot and is told to come again.
      isOnDisk = false;
      this.#onError(error);
    }
    for (const told of waiting) {
      try {
        told(isOnDisk);
      } catch (error) {
        // A fault of ours with one visitor; the others of this turn are told all the same.
        this.#onError(error);
      }
    }
  }
}
