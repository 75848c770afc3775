/**
 * Remembers which rooms were changed at this node, and finds out when another node overwrites such a change so soon
 * that it may not have known it. The later change applies, as always, and the operator hears of it.
 */

import type { RoomId } from "../../mesh/core/ids.ts";
import type { Register } from "../../mesh/core/replica/registers.ts";
import type { Problem } from "../config/problem.ts";

/** Rooms reach the other nodes within a second or two. A change there that is later than that has known this one. */
const SPREAD_MS = 2_000;

export class OwnChanges {
  /** The stamps of rooms as they were last changed here; no more than there are rooms. */
  readonly #stamps = new Map<RoomId, Register["stamp"]>();

  made(id: RoomId, stamp: Register["stamp"]): void {
    this.#stamps.set(id, stamp);
  }

  /** What is lost by the change of another node, which `stamp` names; `name` is that of the room. */
  lostBy(id: RoomId, stamp: Register["stamp"], name: string): Problem[] {
    const own = this.#stamps.get(id);
    this.#stamps.delete(id);
    if (own === undefined || own.node === stamp.node) return [];
    const laterMs = stamp.wallMs - own.wallMs;
    if (laterMs > SPREAD_MS) return [];
    const problem = `was changed here, and ${laterMs} ms later at node ${stamp.node}: that change applies, and the one made here may be lost`;
    return [{ path: `room ${name}`, problem, repair: "read the room, and repeat what is missing" }];
  }
}
