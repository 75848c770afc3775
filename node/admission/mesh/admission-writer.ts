/** Puts on the disk what changes in a room's admission: its sessions as counts, and the sessions that were ended. */

import type { Minute, RoomId } from "../../../mesh/core/ids.ts";
import type { Admission } from "../admission.ts";
import type { Revoked } from "../sessions.ts";
import type { RoomNode } from "./room-node.ts";
import { ADMISSION, REVOKED } from "./stored-room.ts";

export class AdmissionWriter {
  readonly #id: RoomId;
  readonly #roomNode: Pick<RoomNode, "outbox" | "touched">;
  readonly #admission: Admission;

  constructor(id: RoomId, roomNode: Pick<RoomNode, "outbox" | "touched">, admission: Admission) {
    this.#id = id;
    this.#roomNode = roomNode;
    this.#admission = admission;
  }

  /** Slots were taken, extended or freed: the state at the end of the step goes to the disk. */
  changed(): void {
    this.#roomNode.touched(this.#id);
    this.#roomNode.outbox.putLater(ADMISSION.at(this.#id), () => this.#admission.sessions.record);
  }

  /** A session is refused from now on, for as long as a cookie of it could be good. */
  refused(session: string, lastGood: Minute): void {
    this.#roomNode.outbox.put(REVOKED.at(this.#id, session), lastGood);
  }

  /** What another node held was taken over. */
  tookOver(revoked: readonly Revoked[]): void {
    for (const { id, lastGood } of revoked) this.refused(id, lastGood);
    this.changed();
  }

  /** No cookie of an ended session is good any more. */
  forget(session: string): void {
    this.#roomNode.outbox.put(REVOKED.at(this.#id, session), undefined);
  }
}
