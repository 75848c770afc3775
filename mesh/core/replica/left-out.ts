/**
 * Counts of own rows that their published parts leave out: of minutes to come, and of those before the window.
 *
 * Others refuse minutes to come, so a part has only what lies in the window by this node's clock. The disk has the
 * parts as published. A clock that was wrong would make it forget minutes that were published before, and others refuse
 * a part that takes them back. So what is left out goes to the disk beside the part, and is published once the window
 * has it.
 */

import type { AccountId, RoomId } from "../ids.ts";
import type { CountData } from "../ledger/row.ts";
import { during, type Minutes } from "./signed-part.ts";

/** Of one account in one room; without counts, nothing is left out. */
export interface LeftOutCounts {
  readonly account: AccountId;
  readonly room: RoomId;
  readonly counts: readonly CountData[];
}

export class LeftOut {
  readonly #store: (leftOut: LeftOutCounts) => void;
  readonly #held = new Map<string, LeftOutCounts>();
  #window: Minutes | undefined;

  constructor(store: (leftOut: LeftOutCounts) => void) {
    this.#store = store;
  }

  /** Takes in what the disk has. */
  restore(leftOut: LeftOutCounts): void {
    this.#held.set(keyOf(leftOut), leftOut);
  }

  /** A part was published that leaves this out. */
  note(leftOut: LeftOutCounts): void {
    const key = keyOf(leftOut);
    const before = this.#held.get(key)?.counts ?? [];
    if (JSON.stringify(before) === JSON.stringify(leftOut.counts)) return;
    if (leftOut.counts.length === 0) this.#held.delete(key);
    else this.#held.set(key, leftOut);
    this.#store(leftOut);
  }

  /** Rooms of which the window now has what was left out; only when it has moved. */
  due(window: Minutes): readonly LeftOutCounts[] {
    const isSame = window.first === this.#window?.first && window.last === this.#window.last;
    this.#window = window;
    return isSame ? [] : [...this.#held.values()].filter(({ counts }) => during(counts, window).length > 0);
  }
}

function keyOf({ account, room }: LeftOutCounts): string {
  return `${account} ${room}`;
}
