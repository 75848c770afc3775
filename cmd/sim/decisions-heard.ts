/**
 * Decisions of rooms, recorded at each node: no cookie says in which minute its visitor was counted, or whether a
 * commit came before it.
 */

import type { Minute } from "../../mesh/core/ids.ts";
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
}

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
      this.#untold.set(id, { node, minute: room.admission.minuteAt(decidedMs), commits: node.disk.commits });
    };
    room.arrive = (id, nowMs, onDecision) => {
      const askedMs = time.nowMs;
      arrive(id, nowMs, (decision, decidedMs) => {
        oracle.decisions.push(time.nowMs - askedMs);
        if (decision.kind === "admitted") note(id, decidedMs);
        onDecision(decision, decidedMs);
      });
    };
    room.poll = (id, key, nowMs, onDecision) =>
      poll(id, key, nowMs, (decision, decidedMs) => {
        if (decision.kind === "admitted" && decision.isKnown !== true) note(id, decidedMs);
        onDecision(decision, decidedMs);
      });
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
    if (node.disk.commits === commits)
      this.#world.broken(
        `disk before telling: ${id} was told of a session that is not on the disk of ${node.identity}`,
      );
    return minute;
  }
}
