/**
 * Sessions that the origin ended at this gate, until every member knows of it.
 *
 * The browser drops its cookie, but a copy of it may be shown at any gate. So each member is told, remembers the session on its disk and refuses
 * it, whoever its home is and whether that answers. Only when all know does the home free the slot before the cookie is over: else
 * a gate that is cut off would let the copy in beside the session that came on its slot. Who does not answer is told again. A node that was
 * removed cannot be told: nothing is free early while it may run on (`mayOthersRunOn`).
 *
 * Not told: nodes that join after the slot was freed. They refuse the session when they ask its home, as they must once a minute.
 */

import type { AccountId, NodeId, RoomId } from "../../../mesh/core/ids.ts";
import type { Message } from "../../../mesh/core/outbox.ts";
import type { RoomMesh } from "./room-mesh.ts";

export interface RevocationsParts {
  readonly id: RoomId;
  readonly mesh: RoomMesh;
  /** Frees the slot of a session whose home is this node. */
  readonly release: (id: string, home: AccountId, nowMs: number) => void;
}

interface Revocation {
  readonly home: AccountId;
  readonly told: Set<NodeId>;
  /** Members that have not answered, and those that were removed without an answer. */
  readonly untold: Set<NodeId>;
  /** Of these, those that are being asked. */
  readonly asked: Set<NodeId>;
  readonly untilMs: number;
}

/** How long a member may take to answer before it is told again. */
const ANSWER_MS = 1_500;
/** Sessions of which some member does not know yet. Beyond that the oldest is not told again, and its slot is free when its cookie is over. */
const UNTOLD_MAX = 10_000;

export class Revocations {
  readonly #parts: RevocationsParts;
  readonly #untold = new Map<string, Revocation>();

  constructor(parts: RevocationsParts) {
    this.#parts = parts;
  }

  /** The origin ended a session; this node refuses it already. */
  begin(id: string, home: AccountId, nowMs: number): void {
    const { mesh } = this.#parts;
    const untilMs = nowMs + mesh.refusedMinutes * mesh.minuteMs;
    const revocation = { home, told: new Set<NodeId>(), untold: new Set<NodeId>(), asked: new Set<NodeId>(), untilMs };
    if (this.#untold.size >= UNTOLD_MAX) this.#untold.delete(this.#untold.keys().next().value ?? "");
    this.#untold.set(id, revocation);
    this.#tell(id, revocation, nowMs);
  }

  /** To be called twice a second: tells those again that have not answered. */
  tick(nowMs: number): void {
    for (const [id, revocation] of this.#untold) {
      if (nowMs >= revocation.untilMs) this.#untold.delete(id);
      else this.#tell(id, revocation, nowMs);
    }
  }

  #tell(id: string, revocation: Revocation, nowMs: number): void {
    const { mesh, id: room } = this.#parts;
    const { told, untold, asked } = revocation;
    for (const node of mesh.others) if (!told.has(node)) untold.add(node);
    if (untold.size === 0) {
      this.#allKnow(id, revocation, nowMs);
      return;
    }
    for (const node of untold) {
      if (asked.has(node) || !mesh.isAlive(node)) continue;
      asked.add(node);
      mesh.ask(node, { kind: "revoke", room, id } as Message, ANSWER_MS, (answer, thenMs) => {
        asked.delete(node);
        if (answer === undefined) return;
        untold.delete(node);
        told.add(node);
        if (untold.size === 0) this.#tell(id, revocation, thenMs);
      });
    }
  }

  #allKnow(id: string, { home }: Revocation, nowMs: number): void {
    const { mesh, id: room, release } = this.#parts;
    if (mesh.mayOthersRunOn || !this.#untold.delete(id)) return;
    const writer = mesh.writerOf(home);
    if (writer === mesh.self) release(id, home, nowMs);
    else if (writer !== undefined) mesh.outbox.send(writer, { kind: "release", room, id, home } as Message);
  }
}
