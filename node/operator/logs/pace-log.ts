/**
 * Logs changes of what holds new visitors back: a new reason soon, a new figure now and then.
 */

import type { RoomId } from "../../../mesh/core/ids.ts";
import type { Holding, Reason } from "../../admission/pace/pace.ts";
import type { Log } from "../../log.ts";
import type { LiveRoom } from "../../rooms/live-room.ts";
import { holdingIn, paceWords } from "../status/pace-words.ts";

/** A changed figure is logged this long after the last line about the room: it moves with each look. */
const AGAIN_MS = 30_000;
/**
 * A changed reason, too, unless it is the first in a while: an origin on the edge crosses it several times a second.
 */
const CHANGE_MS = 10_000;

interface Logged {
  readonly reason: Reason | undefined;
  readonly words: string;
  readonly atMs: number;
}

export class PaceLog {
  readonly #logged = new Map<RoomId, Logged>();
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Call it about twice a second. */
  tick(rooms: readonly LiveRoom[], nowMs: number): void {
    for (const live of rooms) {
      const { id, room } = live;
      const holding = holdingIn(live);
      const logged = this.#logged.get(id);
      const words = holding === undefined ? "" : paceWords(room, holding);
      if (words === (logged?.words ?? "")) continue;
      const isNew = holding?.reason !== logged?.reason;
      if (nowMs - (logged?.atMs ?? 0) < (isNew ? CHANGE_MS : AGAIN_MS)) continue;
      this.#logged.set(id, { reason: holding?.reason, words, atMs: nowMs });
      if (holding === undefined) this.#log.info({ room: room.name }, "new visitors are no longer held back");
      else this.#log[isTrouble(holding) ? "warn" : "info"]({ room: room.name }, words);
    }
  }
}

/** Whether an operator should look: a ramp and a pace are as configured. */
function isTrouble({ reason }: Holding): boolean {
  return reason !== "ramp" && reason !== "paced";
}
