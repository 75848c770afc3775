/**
 * Sessions that the origin ended at this gate, for as long as a cookie of theirs could be good.
 *
 * The browser drops its cookie, but a copy of it may be shown at any gate. So each member is told, remembers the
 * session on disk and refuses it, whatever its home is and whether that answers. Only when all know does the home free
 * the slot before the cookie is over: otherwise a gate that is cut off would admit the copy beside the session that now
 * has its slot. A member that does not answer is told again. A removed node cannot be told: no slot is freed early
 * while it may run on (`mayOthersRunOn`).
 *
 * Nodes that join later are told too, and so is each one that starts again: its disk may be an old one, or have lost its
 * last commits. Before that they refuse the session when they ask its home, as they must once a minute.
 */

import type { AccountId, NodeId, RoomId } from "../../../mesh/core/ids.ts";
import type { RoomNode } from "./room-node.ts";

export interface RevocationsParts {
  readonly id: RoomId;
  readonly roomNode: RoomNode;
  /** Frees the slot of a session whose home is this node. */
  readonly release: (id: string, home: AccountId, nowMs: number) => void;
}

interface Revocation {
  readonly home: AccountId;
  /** Members that have answered, and in which run. */
  readonly told: Map<NodeId, number>;
  /** Members that have not answered, and those removed without an answer. */
  readonly untold: Set<NodeId>;
  /** Of these, those that are being asked. */
  readonly asked: Set<NodeId>;
  readonly untilMs: number;
  /** Whether its slot is free, or its home was told so. */
  isReleased: boolean;
}

/** How long a member may take to answer before it is told again. */
const ANSWER_MS = 1_500;
/**
 * Sessions that are remembered here. Above that, members are no longer told about the oldest, and its slot, if held,
 * stays held until its cookie is over.
 */
const KNOWN_MAX = 10_000;

export class Revocations {
  readonly #parts: RevocationsParts;
  readonly #known = new Map<string, Revocation>();
  /** The members with which all of them were compared, and their runs, as one text. */
  #others = "";

  constructor(parts: RevocationsParts) {
    this.#parts = parts;
  }

  /** The origin ended a session; this node refuses it already. */
  begin(id: string, home: AccountId, nowMs: number): void {
    const { roomNode } = this.#parts;
    const untilMs = nowMs + roomNode.refusedMinutes * roomNode.minuteMs;
    const [untold, asked] = [new Set<NodeId>(), new Set<NodeId>()];
    const revocation = { home, told: new Map<NodeId, number>(), untold, asked, untilMs, isReleased: false };
    if (this.#known.size >= KNOWN_MAX) this.#known.delete(this.#known.keys().next().value ?? "");
    this.#known.set(id, revocation);
    this.#tell(id, revocation, nowMs);
  }

  /** Call it twice a second: tells members again that have not answered. */
  tick(nowMs: number): void {
    if (this.#known.size === 0) return;
    const { roomNode } = this.#parts;
    const others = roomNode.others.map((node) => `${node} ${roomNode.runOf(node)}`).join(" ");
    const areSame = others === this.#others;
    this.#others = others;
    for (const [id, revocation] of this.#known) {
      const { untilMs, untold, isReleased } = revocation;
      if (nowMs >= untilMs) this.#known.delete(id);
      else if (!areSame || untold.size > 0 || !isReleased) this.#tell(id, revocation, nowMs);
    }
  }

  #tell(id: string, revocation: Revocation, nowMs: number): void {
    const { roomNode, id: room } = this.#parts;
    const { told, untold, asked } = revocation;
    for (const node of roomNode.others) if (told.get(node) !== roomNode.runOf(node)) untold.add(node);
    if (untold.size === 0) {
      this.#allKnow(id, revocation, nowMs);
      return;
    }
    for (const node of untold) {
      if (asked.has(node) || !roomNode.isAlive(node)) continue;
      asked.add(node);
      const run = roomNode.runOf(node);
      roomNode.ask(node, { kind: "revoke", room, id }, ANSWER_MS, (answer, thenMs) => {
        asked.delete(node);
        if (answer === undefined) return;
        untold.delete(node);
        told.set(node, run);
        if (untold.size === 0) this.#tell(id, revocation, thenMs);
      });
    }
  }

  #allKnow(id: string, revocation: Revocation, nowMs: number): void {
    const { roomNode, id: room, release } = this.#parts;
    const { home, isReleased } = revocation;
    if (roomNode.mayOthersRunOn || isReleased) return;
    revocation.isReleased = true;
    const writer = roomNode.writerOf(home);
    if (writer === roomNode.self) release(id, home, nowMs);
    else if (writer !== undefined) roomNode.outbox.send(writer, { kind: "release", room, id, home });
  }
}
