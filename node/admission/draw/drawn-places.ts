/**
 * What a draw changes in one room: where visitors stand who joined before the start.
 *
 * The cookie of such a visitor keeps the queue key of joining. Once the seed is known, each gate computes the key that
 * was drawn from the visitor's id, and the line knows the visitor by that one.
 */

import type { DrawNow } from "../../config/room.ts";
import type { Moves } from "../line-moves.ts";
import type { MeshDecision, OnDecision } from "../mesh/entrance.ts";
import { type Draws, KEYS_PER_MS } from "../queue-order.ts";
import type { RoomConfig } from "../room-config.ts";
import { closeOf } from "./draw-close.ts";
import { drawIdOf, drawnKeyOf } from "./draw-seed.ts";
import type { RoomDraws } from "./room-draws.ts";

interface Poll {
  readonly id: string;
  /** In the cookie. */
  readonly key: number;
  /** In the line. */
  readonly lineKey: number;
}

export class DrawnPlaces {
  readonly #config: RoomConfig;
  readonly #draws: RoomDraws | undefined;
  /** The draw in whose order the line is: its rolls say who stands where. */
  #last: DrawNow | undefined;

  constructor(config: RoomConfig, draws: RoomDraws | undefined) {
    this.#config = config;
    this.#draws = draws;
    this.#last = config.room.draw;
  }

  get #draw(): DrawNow | undefined {
    return this.#config.room.draw;
  }

  /** The queue key by which the line knows a visitor. */
  keyOf(id: string, key: number): number {
    const draw = this.#draw;
    const isDrawn = draw?.seed !== undefined && isBefore(draw.startMs, key);
    return isDrawn ? drawnKeyOf(draw.seed, drawIdOf(id)) : key;
  }

  /**
   * A visitor with a place joins or asks: if it was taken before the start, and the close is near or over, the visitor
   * takes part in the draw.
   */
  note(id: string, key: number, nowMs: number): void {
    const draw = this.#draw;
    if (draw === undefined || !isBefore(draw.startMs, key)) return;
    const { fromMs = 0 } = closeOf(this.#config.room) ?? {};
    if (nowMs >= fromMs) this.#draws?.note(draw.key, key, id);
  }

  /** The same for a new one, once the place is known. */
  joining(id: string, onDecision: OnDecision): OnDecision {
    return (decision, nowMs) => {
      if (decision.kind === "waiting") this.note(id, decision.place.key, nowMs);
      onDecision(decision, nowMs);
    };
  }

  /** The decision on a poll, with the key of the cookie: that one never changes. */
  polling({ key, lineKey }: Poll, onDecision: OnDecision): OnDecision {
    if (key === lineKey) return onDecision;
    return (decision, nowMs) => onDecision(withKey(decision, lineKey, key), nowMs);
  }

  /** Who goes where when the order changes. */
  moves(before: Draws, after: Draws): ReturnType<Moves> {
    const [from, to] = [seedIn(before), seedIn(after)];
    const draw = from === undefined || this.#last?.seed !== from ? this.#draw : this.#last;
    if (to !== undefined) this.#last = this.#draw;
    if (draw === undefined || from === to) return undefined;
    return this.#drawnMoves(draw.key, [from, before.shuffleMs], [to, after.shuffleMs]);
  }

  *#drawnMoves(draw: string, from: Side, to: Side): Generator<readonly [number, number]> {
    for (const [key, id] of this.#draws?.entries(draw) ?? []) yield [sideKey(from, key, id), sideKey(to, key, id)];
  }
}

/** An order's draw, if it has one whose seed is known. */
type Side = readonly [seed: string | undefined, startMs: number];

function seedIn({ seed, isDrawn }: Draws): string | undefined {
  return isDrawn === true && seed !== "" ? seed : undefined;
}

function sideKey([seed, startMs]: Side, key: number, id: number): number {
  return seed === undefined || !isBefore(startMs, key) ? key : drawnKeyOf(seed, id);
}

function isBefore(startMs: number, key: number): boolean {
  return key < startMs * KEYS_PER_MS;
}

function withKey(decision: MeshDecision, lineKey: number, key: number): MeshDecision {
  if (decision.kind !== "waiting" || decision.place.key !== lineKey) return decision;
  return { ...decision, place: { ...decision.place, key } };
}
