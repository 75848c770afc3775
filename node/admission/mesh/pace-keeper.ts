/**
 * Keeps the pace of a room from the reports of all nodes: a rate, a ramp and throttling apply to the room, not to a
 * node.
 */

import type { Minute } from "../../../mesh/core/ids.ts";
import { minutePlus } from "../../../mesh/core/minute.ts";
import type { Pace } from "../pace/pace.ts";
import { everyNode, type Gauge } from "./room-node.ts";
import type { RoomParts } from "./room-parts.ts";
import { RAMP } from "./stored-room.ts";

export interface PaceKeeperParts extends RoomParts {
  readonly pace: Pace;
  /** The start of the ramp that is on disk, in Unix ms; 0 if none. */
  readonly storedMs: number;
}

export class PaceKeeper {
  readonly #parts: PaceKeeperParts;
  #storedMs: number;

  constructor(parts: PaceKeeperParts) {
    this.#parts = parts;
    this.#storedMs = parts.storedMs;
  }

  /** Call it twice a second. */
  tick(nowMs: number): void {
    const { id, roomNode, admission, pace, line, elsewhere } = this.#parts;
    if (!pace.isInUse) return;
    const minute = admission.minuteAt(nowMs);
    let inside = admission.inside(nowMs) + admission.insidePots(nowMs);
    let admitted = admission.admittedInMinute(nowMs);
    for (const said of this.#saidByOthers()) {
      inside += said.inside;
      if (said.minute === minute) admitted += said.admitted;
      pace.hear(said.rampStartMs, nowMs);
    }
    const isLine = line.size > 0 || elsewhere.isLineElsewhere();
    const seen = Math.max(this.#seen(minute), this.#seen(minutePlus(minute, -1)));
    pace.tick({ inside, admitted, seen, isLine }, nowMs);
    if (pace.startMs === this.#storedMs) return;
    this.#storedMs = pace.startMs;
    roomNode.outbox.put(RAMP.at(id), pace.startMs);
  }

  /** What the other answering nodes report about this room. */
  #saidByOthers(): Gauge[] {
    const { id, roomNode } = this.#parts;
    const nodes = everyNode(roomNode.alive()).filter((node) => node !== roomNode.self);
    return nodes.flatMap((node) => roomNode.gauge(node, id) ?? []);
  }

  /** New visitors that all nodes saw in a minute. */
  #seen(minute: Minute): number {
    const { id, roomNode } = this.#parts;
    return [...roomNode.seen(id, minute).values()].reduce((sum, seen) => sum + seen, 0);
  }
}
