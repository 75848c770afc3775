/**
 * The parts of one account and section that a replica holds: the newest of each room, and the version up to which
 * nothing is missing.
 *
 * The parts themselves prove that nothing is missing (see `signed-part.ts`), so no node has to be trusted for it.
 */

import type { RoomId } from "../ids.ts";
import { ROOMS_MAX } from "../wire/shapes.ts";
import type { Signed } from "../wire/signed.ts";
import type { Part } from "./signed-part.ts";

export interface HeldPart extends Part {
  readonly signed: Signed;
  /** False for a part that came from its writer itself: its signature is checked before the part is passed on. */
  readonly isVerified: boolean;
}

export class PartLog {
  readonly #parts = new Map<RoomId, HeldPart>();
  #sum = 0;
  #newest: HeldPart | undefined;
  #complete = 0;

  /** The highest version up to which nothing is missing; 0 if anything may be. Never falls. */
  get complete(): number {
    return this.#complete;
  }

  /** The highest version of a part held; 0 if there are none. */
  get newest(): number {
    return this.#newest?.version ?? 0;
  }

  /** Sum of the versions of all parts held. */
  get sum(): number {
    return this.#sum;
  }

  /** That sum if parts are held while earlier ones are missing; 0 if nothing is known to be missing. */
  get beyond(): number {
    return this.newest > this.#complete ? this.#sum : 0;
  }

  get(room: RoomId): HeldPart | undefined {
    return this.#parts.get(room);
  }

  /** Whether a part of this room can be held. */
  hasPlaceFor(room: RoomId): boolean {
    return this.#parts.has(room) || this.#parts.size < ROOMS_MAX;
  }

  /** Holds a part in place of the room's older one. Call `settle` afterwards. */
  hold(part: HeldPart): void {
    this.#sum += part.version - (this.#parts.get(part.room)?.version ?? 0);
    if (part.version >= this.newest) this.#newest = part;
    this.#parts.set(part.room, part);
  }

  /** Recomputes the version up to which nothing is missing, after parts have arrived. */
  settle(): void {
    if (this.newest === this.#complete) return;
    if (this.#newest?.sum === this.#sum) {
      this.#complete = this.newest;
      return;
    }
    let sum = 0;
    for (const part of this.after(0)) {
      sum += part.version;
      if (sum === part.sum) this.#complete = Math.max(this.#complete, part.version);
    }
  }

  /** Parts with a version above `version`, lowest first. */
  after(version: number): HeldPart[] {
    return [...this.#parts.values()].filter((part) => part.version > version).sort((a, b) => a.version - b.version);
  }
}
