/**
 * Moves slots that are not needed here: to the ticket counter, from it to gates, from it to the counters of other
 * localities.
 *
 * placement.ts says how many a gate or a locality should have. What cannot be used now, because the other resource runs
 * short, is spread evenly (spread.ts).
 */

import type { NodeId, RoomId } from "../../../mesh/core/ids.ts";
import type { RowData } from "../../../mesh/core/ledger/row.ts";
import { minutePlus } from "../../../mesh/core/minute.ts";
import type { Admission } from "../admission.ts";
import { decidesAlone, type RoomConfig } from "../room-config.ts";
import type { Counters } from "./counters.ts";
import type { Elsewhere } from "./elsewhere.ts";
import type { LineKeeper } from "./line-keeper.ts";
import { type Both, NOTHING, type OwnSlots } from "./own-slots.ts";
import type { Participants } from "./participants.ts";
import { evenTarget, gateTarget, localityTarget, ON_THEIR_WAY_MS, type Place, type Scene } from "./placement.ts";
import { everyNode, type RoomNode } from "./room-node.ts";
import { Spread } from "./spread.ts";

/** How often slots are redistributed. */
const DRIFT_MS = 1_000;
/** Below its target times this a node is topped up: moving slots back and forth costs gossip and gains nothing. */
const SHORT_PART = 0.7;
/** Above its target times this a gate gives back. */
const OVER_PART = 1.3;
const KEEP_NOTHING = { pairs: 0, each: NOTHING };

export interface DriftParts {
  readonly id: RoomId;
  readonly roomNode: RoomNode;
  readonly config: RoomConfig;
  readonly admission: Admission;
  readonly slots: OwnSlots;
  readonly participants: Participants;
  readonly counters: Counters;
  readonly line: LineKeeper;
  readonly elsewhere: Elsewhere;
}

export class Drift {
  readonly #parts: DriftParts;
  readonly #spreading: Spread;
  #driftedMs = Number.NEGATIVE_INFINITY;

  constructor(parts: DriftParts) {
    this.#parts = parts;
    this.#spreading = new Spread(parts);
  }

  /** Call it twice a second. */
  tick(nowMs: number): void {
    if (nowMs - this.#driftedMs < DRIFT_MS && nowMs >= this.#driftedMs) return;
    this.#driftedMs = nowMs;
    const { id, roomNode, counters } = this.#parts;
    if (!roomNode.mayAct(id)) return;
    const kept = this.#spreadUnpaired(nowMs);
    if (counters.isSelf) this.#fromCounter(nowMs);
    else this.#toCounter(kept, nowMs);
  }

  /** Before a stop: everything free goes to a node that can use it. */
  giveAway(nowMs: number): void {
    const { roomNode, config, slots, counters } = this.#parts;
    const heir = [...counters.here(), ...everyNode(roomNode.alive())].find((node) => node !== roomNode.self);
    if (heir !== undefined && !decidesAlone(config.room))
      this.#gift(heir, slots.giveSurplus(heir, KEEP_NOTHING, nowMs));
  }

  /** A gate's surplus goes to the counter of its locality. */
  #toCounter(kept: Both, nowMs: number): void {
    const { roomNode, slots, counters, line, elsewhere } = this.#parts;
    const isLine = line.heardSize > 0 || elsewhere.isLineElsewhere();
    const scene = this.#scene(nowMs);
    const target = isLine ? 0 : gateTarget(scene, this.#seenAt(roomNode.self, nowMs));
    const isOver = slots.pairs(nowMs) > target * OVER_PART;
    const pairs = isOver ? Math.floor(target) : slots.pairs(nowMs);
    // A line is called by what its counter has: the scarce resource goes there, and it sends for the plentiful one.
    const even = isLine ? NOTHING : evenTarget(scene);
    const each = {
      active: Math.max(even.active, kept.active && pairs + kept.active),
      arrivals: Math.max(even.arrivals, kept.arrivals && pairs + kept.arrivals),
    };
    const counter = counters.first;
    this.#gift(counter, slots.giveSurplus(counter, { pairs, each }, nowMs));
  }

  /** The counter tops up gates to their targets, then other localities. */
  #fromCounter(nowMs: number): void {
    const { roomNode, participants, line, elsewhere } = this.#parts;
    this.#giveFraction(nowMs);
    if (line.size > 0) return;
    const scene = this.#scene(nowMs);
    for (const node of roomNode.alive().get(roomNode.locality) ?? [])
      if (node !== roomNode.self && participants.mayReceive(node)) this.#topUp(node, scene, nowMs);
    if (elsewhere.isLineElsewhere()) return;
    for (const locality of roomNode.alive().keys())
      if (locality !== roomNode.locality) this.#toLocality(scene, locality, nowMs);
  }

  /** Spreads evenly what cannot be used now. Returns how much of each resource this node keeps beyond its pairs. */
  #spreadUnpaired(nowMs: number): Both {
    const { config, admission, slots } = this.#parts;
    const limits = { active: config.room.totalActiveUsers, arrivals: admission.arrivalsLimit(nowMs) };
    const { sendings, kept } = this.#spreading.look(slots.free(nowMs), limits, nowMs);
    for (const { to, slots: sent } of sendings) this.#gift(to, slots.give(to, { slots: sent, units: NOTHING }, nowMs));
    return kept;
  }

  /**
   * Fractions of a slot, which no locality can use, are collected at one counter of the room. At a gate they would not
   * stay: it gives them to its counter.
   */
  #giveFraction(nowMs: number): void {
    const { roomNode, slots, participants, counters } = this.#parts;
    const { root } = counters;
    if (root !== roomNode.self && participants.mayReceive(root)) this.#gift(root, slots.giveFractions(root, nowMs));
  }

  /** Tops up a gate that is short of its target. */
  #topUp(node: NodeId, scene: Scene, nowMs: number): void {
    const free = this.#parts.elsewhere.freeAt(node, nowMs);
    const target = gateTarget(scene, this.#seenAt(node, nowMs));
    if (Math.min(free.active, free.arrivals) >= target * SHORT_PART) return;
    const pairs = Math.floor(target);
    this.#giveUpTo(node, { free, target: { active: pairs, arrivals: pairs } }, nowMs);
  }

  /** Tops up another locality that is short of its target, from what this one can spare. */
  #toLocality(scene: Scene, locality: string, nowMs: number): void {
    const { roomNode, participants, elsewhere } = this.#parts;
    const free = elsewhere.freeIn(locality, nowMs);
    const target = localityTarget(scene, this.#placeOf(locality, nowMs));
    const nodes = (participants.nodes().get(locality) ?? []).filter((node) => participants.mayReceive(node));
    const [first] = nodes;
    if (first === undefined) return;
    if (Math.min(free.active, free.arrivals) >= target * SHORT_PART) return;
    // What this locality should have itself is not given away.
    const here = localityTarget(scene, this.#placeOf(roomNode.locality, nowMs));
    const own = elsewhere.freeIn(roomNode.locality, nowMs);
    const spare = Math.floor(Math.min(own.active, own.arrivals) - here);
    const needed = Math.floor(target) - Math.min(free.active, free.arrivals);
    if (spare <= 0 || needed <= 0) return;
    const pairs = Math.min(free.active, free.arrivals) + Math.min(spare, needed);
    this.#giveUpTo(first, { free, target: { active: pairs, arrivals: pairs } }, nowMs);
  }

  #giveUpTo(node: NodeId, { free, target }: { free: Both; target: Both }, nowMs: number): void {
    const slots = {
      active: Math.max(0, target.active - free.active),
      arrivals: Math.max(0, target.arrivals - free.arrivals),
    };
    if (slots.active + slots.arrivals === 0) return;
    const row = this.#parts.slots.give(node, { slots, units: { active: 0, arrivals: 0 } }, nowMs);
    this.#gift(node, row);
  }

  #gift(to: NodeId, row: RowData | undefined): void {
    const { id, roomNode } = this.#parts;
    if (row !== undefined) roomNode.outbox.send(to, { kind: "gift", room: id, row });
  }

  #scene(nowMs: number): Scene {
    const { roomNode, config, participants, elsewhere } = this.#parts;
    const free = elsewhere.free(nowMs);
    const freePairs = Math.min(free.active, free.arrivals);
    const { totalActiveUsers } = config.room;
    let seen = 0;
    for (const locality of roomNode.alive().keys()) seen += this.#placeOf(locality, nowMs).seen;
    const utilization = 1 - Math.min(1, freePairs / totalActiveUsers);
    const needed = seen * Math.min(1, ON_THEIR_WAY_MS / roomNode.minuteMs);
    return { freePairs, free, utilization, nodes: participants.count, seen, needed };
  }

  /** The nodes of a locality that take part, and the new visitors they saw last minute. */
  #placeOf(locality: string, nowMs: number): Place {
    const { id, roomNode, admission, participants } = this.#parts;
    const minute = minutePlus(admission.minuteAt(nowMs), -1);
    const nodes = participants.nodes().get(locality) ?? [];
    const seen = nodes.reduce((sum, node) => sum + roomNode.seenAt(id, node, minute), 0);
    return { nodes: nodes.length, seen };
  }

  /** New visitors that a node of this locality saw last minute; none if it takes no part yet. */
  #seenAt(node: NodeId, nowMs: number): number {
    const { id, roomNode, admission, participants } = this.#parts;
    if (participants.nodes().get(roomNode.locality)?.includes(node) !== true) return 0;
    return roomNode.seenAt(id, node, minutePlus(admission.minuteAt(nowMs), -1));
  }
}
