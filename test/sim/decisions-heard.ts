/**
 * Decisions of rooms, recorded at each node: no cookie says in which minute its visitor was counted, or whether a
 * commit came before it.
 */

import type { Minute } from "../../mesh/core/ids.ts";
import type { MeshDecision, OnDecision } from "../../node/admission/mesh/entrance.ts";
import type { MeshRoom } from "../../node/admission/mesh/mesh-room.ts";
import type { SimNode } from "./sim-node.ts";
import type { World } from "./world.ts";

/** An admission that the visitor has not received yet. */
interface Untold {
  readonly node: SimNode;
  /** Commits of the node up to then: the next one has it. */
  readonly commits: number;
  /** The process that decided it, and since when it could have told the visitor. */
  readonly process: number;
  sinceMs: number;
}

/** Time in which an order to hold a room is with the ticket counters: until then one may still send somebody in. */
const HOLD_MS = 5_000;

type Admitted = Extract<MeshDecision, { kind: "admitted" }>;

/** A gate whose clock is behind may still tell of a session. */
const CLOCKS_MINUTES = 2;

/** An id that the world has drawn; tests ask rooms for others, past the gate. */
const OF_A_VISITOR = /^v\d+$/;

/** Longer than the slowest origin, with whose answer a visitor hears of it. */
const TELL_MS = 8_000;

export class DecisionsHeard {
  readonly #world: World;
  /** By the session's id. */
  readonly #untold = new Map<string, Untold>();
  /**
   * By the session's id: the minute that the admission counts in, and the last one it is good for. Kept until then: the
   * visitor may first hear of it from another gate, and later than the node that decided it was started again.
   */
  readonly #admitted = new Map<string, { readonly minute: Minute; readonly lastGood: Minute }>();
  #sweptTo = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** Listens to a room at a node. */
  listen(room: MeshRoom, node: SimNode): void {
    const { time, oracle } = this.#world;
    const arrive = room.arrive.bind(room);
    const poll = room.poll.bind(room);
    const note = (id: string, { lastGood }: Admitted, decidedMs: number): void => {
      this.#admitted.set(id, { minute: room.admission.minuteAt(decidedMs), lastGood });
      this.#untold.set(id, {
        node,
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
      this.#world.doors?.revokes(room.id, id);
      return revoke(id, home, nowMs);
    };
    /**
     * Checks a decision by what is known when it is asked for and when it comes: an operator's order that keeps everybody
     * out, and an event whose start this node waits for.
     */
    const heard = (id: string, onDecision: OnDecision): OnDecision => {
      const wasHeld = node.rooms.isHeld(room.id);
      const prequeue = node.rooms.prequeueOf(room.id);
      return (decision, decidedMs) => {
        if (isNew(decision)) {
          const isKnown = time.nowMs - this.#world.roomOf(room.id).heldMs > HOLD_MS;
          if (wasHeld && isKnown && node.rooms.isHeld(room.id))
            this.#world.broken(`never over: ${node.identity} let somebody into a held room`);
          if (prequeue !== undefined && node.rooms.prequeueOf(room.id) === prequeue)
            this.#world.broken(`never over: ${node.identity} let somebody in before the start of an event`);
          note(id, decision, decidedMs);
        }
        onDecision(decision, decidedMs);
      };
    };
    room.arrive = (id, nowMs, onDecision, coming) => {
      const askedMs = time.nowMs;
      const onAnswer = heard(id, onDecision);
      arrive(
        id,
        nowMs,
        (decision, decidedMs) => {
          oracle.decisions.push(time.nowMs - askedMs);
          onAnswer(decision, decidedMs);
        },
        coming,
      );
    };
    room.poll = (id, key, nowMs, onDecision, coming) => poll(id, key, nowMs, heard(id, onDecision), coming);
  }

  /** Every second or so: what is wrong, if a slot is held for a visitor who was turned away. */
  look(nowMs: number): string | undefined {
    this.#forget();
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
   * The minute of the admission that a visitor receives now; undefined if none is known here. Breaks the run if it is
   * not on disk.
   */
  received(id: string): Minute | undefined {
    const untold = this.#untold.get(id);
    this.#untold.delete(id);
    if (untold !== undefined && untold.node.commits === untold.commits)
      this.#world.broken(
        `disk before telling: ${id} was told of a session that is not on the disk of ${untold.node.identity}`,
      );
    return this.#admitted.get(id)?.minute;
  }

  /** Once a minute. */
  #forget(): void {
    const { minute } = this.#world;
    if (minute <= this.#sweptTo) return;
    this.#sweptTo = minute;
    for (const [id, { lastGood }] of this.#admitted) if (lastGood < minute - CLOCKS_MINUTES) this.#admitted.delete(id);
  }
}

function isNew(decision: MeshDecision): decision is Admitted {
  return decision.kind === "admitted" && decision.isKnown !== true;
}
