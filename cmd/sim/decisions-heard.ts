/**
 * Decisions of rooms, recorded at each node: no cookie says in which minute its visitor was counted, or whether a
 * commit came before it.
 */

import type { Minute } from "../../mesh/core/ids.ts";
import type { MeshDecision } from "../../node/admission/mesh/entrance.ts";
import type { MeshRoom } from "../../node/admission/mesh/mesh-room.ts";
import type { SimNode } from "./sim-node.ts";
import type { VisitedWorld } from "./visited-world.ts";

/** An admission that the visitor has not received yet. */
interface Untold {
  readonly node: SimNode;
  /** The minute that the admission counts in. */
  readonly minute: Minute;
  /** Commits of the node up to then: the next one has it. */
  readonly commits: number;
  /** The process that decided it, and since when it could have told the visitor. */
  readonly process: number;
  sinceMs: number;
}

/** In which an order to hold a room is with the ticket counters: until then one may still send somebody in. */
const HOLD_MS = 5_000;

/** An id that the world has drawn; tests ask rooms for others, past the gate. */
const OF_A_VISITOR = /^v\d+$/;

/** Longer than the slowest origin, with whose answer a visitor hears of it. */
const TELL_MS = 8_000;

export class DecisionsHeard {
  readonly #world: VisitedWorld;
  /** By the session's id. */
  readonly #untold = new Map<string, Untold>();

  constructor(world: VisitedWorld) {
    this.#world = world;
  }

  /** Listens to a room at a node. */
  listen(room: MeshRoom, node: SimNode): void {
    const { time, oracle } = this.#world;
    const arrive = room.arrive.bind(room);
    const poll = room.poll.bind(room);
    const note = (id: string, decidedMs: number): void => {
      this.#untold.set(id, {
        node,
        minute: room.admission.minuteAt(decidedMs),
        commits: node.commits,
        process: node.process,
        sinceMs: time.nowMs,
      });
    };
    const withdraw = room.withdraw.bind(room);
    room.withdraw = (id) => {
      this.#untold.delete(id);
      withdraw(id);
    };
    const revoke = room.revoke.bind(room);
    room.revoke = (id, home, nowMs) => {
      this.#untold.delete(id);
      return revoke(id, home, nowMs);
    };
    const isNew = ({ kind, ...decision }: MeshDecision): boolean =>
      kind === "admitted" && !("isKnown" in decision && decision.isKnown === true);
    /** Whether an operator's order kept everybody out when it was asked, and does now. */
    const check = (wasHeld: boolean): void => {
      const isKnown = time.nowMs - this.#world.roomOf(room.id).heldMs > HOLD_MS;
      if (wasHeld && isKnown && node.isHeld(room.id))
        this.#world.broken(`never over: ${node.identity} let somebody into a held room`);
    };
    /** An event whose start this node has waited for, then and now. */
    const checkOpening = (before: string | undefined): void => {
      if (before !== undefined && node.prequeueOf(room.id) === before)
        this.#world.broken(`never over: ${node.identity} let somebody in before the start of an event`);
    };
    room.arrive = (id, nowMs, onDecision) => {
      const askedMs = time.nowMs;
      const wasHeld = node.isHeld(room.id);
      const prequeue = node.prequeueOf(room.id);
      arrive(id, nowMs, (decision, decidedMs) => {
        oracle.decisions.push(time.nowMs - askedMs);
        if (isNew(decision)) {
          check(wasHeld);
          checkOpening(prequeue);
        }
        if (decision.kind === "admitted") note(id, decidedMs);
        onDecision(decision, decidedMs);
      });
    };
    room.poll = (id, key, nowMs, onDecision) => {
      const wasHeld = node.isHeld(room.id);
      const prequeue = node.prequeueOf(room.id);
      poll(id, key, nowMs, (decision, decidedMs) => {
        if (isNew(decision)) {
          check(wasHeld);
          checkOpening(prequeue);
          note(id, decidedMs);
        }
        onDecision(decision, decidedMs);
      });
    };
  }

  /** Every second or so: what is wrong, if a slot is held for a visitor who was turned away. */
  look(nowMs: number): string | undefined {
    for (const [id, untold] of this.#untold) {
      const { node, process, sinceMs } = untold;
      if (node.process !== process || !OF_A_VISITOR.test(id)) this.#untold.delete(id);
      else if (!node.isRunning) untold.sinceMs = nowMs;
      else if (nowMs - sinceMs > TELL_MS)
        return `never early: ${node.identity} holds a slot for ${id}, who was not told of it`;
    }
    return undefined;
  }

  /**
   * The minute of the admission that a visitor receives now; undefined for an earlier one. Breaks the run if it is not
   * on disk.
   */
  told(id: string): Minute | undefined {
    const untold = this.#untold.get(id);
    if (untold === undefined) return undefined;
    this.#untold.delete(id);
    const { node, commits, minute } = untold;
    if (node.commits === commits)
      this.#world.broken(
        `disk before telling: ${id} was told of a session that is not on the disk of ${node.identity}`,
      );
    return minute;
  }
}
