/**
 * Sessions that the origin ended at this gate, for as long as a cookie of theirs could be good.
 *
 * The browser drops its cookie, but a copy of it may be shown at any gate. So each member is told, remembers the
 * session on disk and refuses it, whatever its home is and whether that answers. Only when all know does the home free
 * the slot before the cookie is over: otherwise a gate that is cut off would admit the copy beside the session that now
 * has its slot. A member that does not answer is told again. A removed node cannot be told: no slot is freed early
 * while it may run on (`mayOthersRunOn`).
 *
 * Nodes that join later are told too, and so is each one that starts again: its disk may be an old one, or have lost
 * its last commits. Before that they refuse the session when they ask its home, as they must once a minute. A gate goes
 * on with that after a restart, and for a gate that is gone its heir does: they have the session on disk, like all
 * members. They tell all members once more, and the slot is held until its cookie is over.
 */

import { type AccountId, accountOf, type Minute, type NodeId, type RoomId } from "../../../mesh/core/ids.ts";
import { minutePlus, startOfMinuteMs } from "../../../mesh/core/minute.ts";
import type { Revoked } from "../sessions.ts";
import type { RoomNode } from "./room-node.ts";

export interface RevocationsParts {
  readonly id: RoomId;
  readonly roomNode: RoomNode;
  /** Frees the slot of a session whose home is this node. */
  readonly release: (id: string, home: AccountId, nowMs: number) => void;
  /** All sessions that this node refuses. */
  readonly refused: () => readonly Revoked[];
}

interface Revocation {
  /** Whose slot is held until all members know; undefined where it is free, or held until the cookie is over. */
  home: AccountId | undefined;
  /** Members that have answered, and in which run. */
  readonly told: Runs;
  /** Members that are being asked. */
  readonly asked: Set<NodeId>;
  /** Whether all members had answered at the last look. */
  isTold: boolean;
  /** The last minute in which a cookie of the session may be good. */
  readonly lastGood: Minute;
}

/** Nodes, and which start of each runs: 0 before that was heard. */
type Runs = Map<NodeId, number>;

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
  /** The other members at the last tick; undefined before the first one. */
  #others: Runs | undefined;

  constructor(parts: RevocationsParts) {
    this.#parts = parts;
  }

  /** The origin ended a session; this node refuses it already. */
  begin(id: string, home: AccountId, nowMs: number): void {
    const { roomNode } = this.#parts;
    if (this.#known.size >= KNOWN_MAX) this.#known.delete(this.#known.keys().next().value ?? "");
    const revocation = revocationOf(home, roomNode.refusedTo);
    this.#known.set(id, revocation);
    this.#tell(id, revocation, nowMs);
  }

  /** Call it twice a second: tells members that have not answered, or are new. */
  tick(nowMs: number): void {
    const before = this.#others;
    if (before !== undefined && this.#known.size === 0 && this.#parts.refused().length === 0) return;
    const others = this.#runs();
    this.#others = others;
    const areSame =
      before?.size === others.size && others.keys().every((node) => before.get(node) === others.get(node));
    if (before === undefined || (!areSame && before.keys().some((node) => this.#inherits(node)))) this.#takeOn();
    for (const [id, revocation] of this.#known) {
      const { lastGood, isTold, home } = revocation;
      if (nowMs >= startOfMinuteMs(minutePlus(lastGood, 1), this.#parts.roomNode.minuteMs)) this.#known.delete(id);
      else if (!areSame || !isTold || home !== undefined) this.#tell(id, revocation, nowMs);
    }
  }

  #runs(): Runs {
    const { roomNode } = this.#parts;
    return new Map(roomNode.others.map((node) => [node, roomNode.runOf(node)]));
  }

  /** Whether a node is no longer a member, and this one is its heir. */
  #inherits(node: NodeId): boolean {
    const { roomNode } = this.#parts;
    return this.#others?.has(node) !== true && roomNode.writerOf(accountOf(node)) === roomNode.self;
  }

  /** Goes on telling members of the sessions that are refused here. */
  #takeOn(): void {
    for (const { id, lastGood } of this.#parts.refused()) {
      if (this.#known.has(id) || this.#known.size >= KNOWN_MAX) continue;
      this.#known.set(id, revocationOf(undefined, lastGood));
    }
  }

  #tell(id: string, revocation: Revocation, nowMs: number): void {
    const { roomNode, id: room } = this.#parts;
    const { told, asked, lastGood } = revocation;
    const untold = roomNode.others.filter((node) => told.get(node) !== roomNode.runOf(node));
    revocation.isTold = untold.length === 0;
    if (revocation.isTold) {
      this.#allKnow(id, revocation, nowMs);
      return;
    }
    for (const node of untold) {
      if (asked.has(node) || !roomNode.isAlive(node)) continue;
      asked.add(node);
      const run = roomNode.runOf(node);
      roomNode.ask(node, { kind: "revoke", room, id, lastGood }, ANSWER_MS, (answer, thenMs) => {
        asked.delete(node);
        if (answer === undefined) return;
        told.set(node, run);
        if (asked.size === 0 && this.#known.get(id) === revocation) this.#tell(id, revocation, thenMs);
      });
    }
  }

  #allKnow(id: string, revocation: Revocation, nowMs: number): void {
    const { roomNode, id: room, release } = this.#parts;
    const { home } = revocation;
    if (home === undefined || roomNode.mayOthersRunOn) return;
    revocation.home = undefined;
    const writer = roomNode.writerOf(home);
    if (writer === roomNode.self) release(id, home, nowMs);
    else if (writer !== undefined) roomNode.outbox.send(writer, { kind: "release", room, id, home });
  }
}

function revocationOf(home: AccountId | undefined, lastGood: Minute): Revocation {
  return { home, lastGood, told: new Map(), asked: new Set(), isTold: false };
}
