/**
 * Moves free slots to where they should lie (placement.ts), once a second.
 *
 * A node that has clearly more than its part gives the rest away in one go, to those that have less. All nodes do the
 * same by the same gauges, so several rich ones share the gifts among them. Siblings get theirs one by one, another
 * locality as one.
 */

import type { NodeId } from "../../../mesh/core/ids.ts";
import type { RowData } from "../../../mesh/core/ledger/row.ts";
import { minutePlus } from "../../../mesh/core/minute.ts";
import { decidesAlone } from "../room-config.ts";
import { type Both, NOTHING, plus } from "./own-slots.ts";
import { giftsFrom, type Place } from "./placement.ts";
import { everyNode, type Gauge } from "./room-node.ts";
import type { RoomParts } from "./room-parts.ts";

/** How often slots are moved. */
const DRIFT_MS = 1_000;

/**
 * How long slots may be on their way: gauges are sent twice a second, slots move once a second, and a node gives only
 * what is clearly too much. With less, gates run dry before the next gift; with more, a busy node takes along slots that
 * it does not need.
 */
const ON_THEIR_WAY_MS = 5_000;

/** How long a sent gift is added to its receiver's last report; a lost gift is soon sent once more. */
const SENT_MS = 3_000;

/** Nodes that get slots as one, through `to`. */
interface Peer extends Place {
  readonly to: NodeId;
  /** From what that is known: another one when it is said again. */
  readonly heard: Gauge;
}

interface Sent extends Pick<Peer, "heard"> {
  readonly slots: Both;
  readonly untilMs: number;
}

export class Drift {
  readonly #parts: RoomParts;
  /** By receiver: what it has not said yet that it has. */
  readonly #sent = new Map<NodeId, Sent>();
  #driftedMs = Number.NEGATIVE_INFINITY;

  constructor(parts: RoomParts) {
    this.#parts = parts;
  }

  /** Call it twice a second. */
  tick(nowMs: number): void {
    if (nowMs - this.#driftedMs < DRIFT_MS && nowMs >= this.#driftedMs) return;
    this.#driftedMs = nowMs;
    const { id, roomNode, config, admission, slots, participants, counters, line, elsewhere } = this.#parts;
    if (!roomNode.mayAct(id)) return;
    const { root } = counters;
    if (root !== roomNode.self && participants.mayReceive(root)) this.#gift(root, slots.giveFractions(root, nowMs));
    for (const [node, { untilMs }] of this.#sent) if (untilMs <= nowMs) this.#sent.delete(node);
    const peers = this.#peers(nowMs);
    const own = this.#place(participants.takesPart(roomNode.self) ? [roomNode.self] : [], nowMs);
    const gifts = giftsFrom({ ...own, free: slots.free(nowMs) }, peers, {
      limits: { active: config.room.totalActiveUsers, arrivals: admission.arrivalsLimit(nowMs) },
      isLine: line.size > 0 || elsewhere.isLineElsewhere(),
      onTheirWay: Math.min(1, ON_THEIR_WAY_MS / roomNode.minuteMs),
    });
    for (const [index, { to, heard }] of peers.entries()) {
      const { [index]: sent = NOTHING } = gifts;
      if (sent.active + sent.arrivals === 0) continue;
      const row = slots.give(to, { slots: sent, units: NOTHING }, nowMs);
      if (row === undefined) continue;
      this.#sent.set(to, { heard, slots: sent, untilMs: nowMs + SENT_MS });
      this.#gift(to, row);
    }
  }

  /** Before a stop: everything free goes to a node that can use it. */
  giveAway(nowMs: number): void {
    const { roomNode, config, slots, counters } = this.#parts;
    const heir = [...counters.here(), ...everyNode(roomNode.alive())].find((node) => node !== roomNode.self);
    if (heir !== undefined && !decidesAlone(config.room)) this.#gift(heir, slots.giveAll(heir, nowMs));
  }

  #gift(to: NodeId, row: RowData | undefined): void {
    const { id, roomNode } = this.#parts;
    if (row !== undefined) roomNode.outbox.send(to, { kind: "gift", room: id, row });
  }

  /** The nodes that may be sent slots, with what they have. */
  #peers(nowMs: number): readonly Peer[] {
    const { roomNode, participants } = this.#parts;
    const { self, locality } = roomNode;
    const groups = Array.from(participants.nodes(), ([name, nodes]) =>
      name === locality ? nodes.filter((node) => node !== self).map((node) => [node]) : [nodes],
    );
    return groups.flat().flatMap((nodes) => this.#together(nodes, nowMs));
  }

  /** Nodes as one; none if no node among them has reported that it can use more. */
  #together(nodes: readonly NodeId[], nowMs: number): Peer[] {
    const { id, roomNode } = this.#parts;
    const acting = nodes.flatMap((node) => {
      const gauge = roomNode.gauge(node, id);
      return gauge?.mayAct === true ? [{ node, gauge }] : [];
    });
    const [first] = acting;
    if (first === undefined) return [];
    const { node: to, gauge: heard } = first;
    const sent = this.#sent.get(to);
    const onTheWay = sent?.heard === heard ? sent.slots : NOTHING;
    const free = acting.reduce((sum, { gauge }) => plus(sum, gauge), onTheWay);
    const place = this.#place(
      acting.map(({ node }) => node),
      nowMs,
    );
    return [{ ...place, free, to, heard }];
  }

  #place(nodes: readonly NodeId[], nowMs: number): Pick<Place, "nodes" | "seen"> {
    const { id, roomNode, admission } = this.#parts;
    const minute = minutePlus(admission.minuteAt(nowMs), -1);
    return { nodes: nodes.length, seen: nodes.reduce((sum, node) => sum + roomNode.seenAt(id, node, minute), 0) };
  }
}
