/**
 * Whether free slots that cannot be used now, because the other resource runs short, are spread about evenly: the loss
 * of the richest node strands its part of them.
 *
 * It is checked once the nodes that may act have heard each other for a while, no limit has changed, and the same
 * resource has run short: until then slots are on their way. When a line ends with a minute, arrivals are too many for
 * five seconds; then thousands of sessions end at once, and free slots are.
 *
 * A node that holds new visitors back counts arrivals by its own rate: some slots of the room are a fraction of one to
 * it, which goes to a node that can use it. So arrivals lie evenly over the nodes with the highest rate.
 */

import type { NodeId } from "../../mesh/core/ids.ts";
import { RESOURCES, type Resource } from "../../mesh/core/ledger/row.ts";
import type { SimNode } from "./sim-node.ts";
import type { SimRoom } from "./sim-room.ts";

/**
 * A node tells its gauge twice a second and spreads once a second: to another locality, and there to a sibling. Three
 * times of that, as frames get lost.
 */
const SETTLING_MS = 6_000;

/**
 * The most that the richest node may have: parts of the even part, and for what is on its way slots, or part of the
 * room's limit.
 */
const RICHEST = { evenParts: 2, slots: 4, ofLimit: 0.03 };

/** What a node has free. */
interface FreeAtNode extends Readonly<Record<Resource, number>> {
  readonly node: NodeId;
  /** Visitors a minute by which it counts its arrivals. */
  readonly rate: number;
}

export class RichestWatch {
  readonly #nodes: readonly SimNode[];
  readonly #room: Pick<SimRoom, "id" | "judge">;
  #scene = "";
  /** Since when a node has had too much, or slots are on their way. */
  #evenMs = 0;

  constructor(nodes: readonly SimNode[], room: Pick<SimRoom, "id" | "judge">) {
    this.#nodes = nodes;
    this.#room = room;
  }

  /** The problem as text; undefined if there is none. */
  look(atMs: number): string | undefined {
    const free = this.#freeAtNodes();
    const [worst] = this.#excess(free).sort((one, other) => other.part - one.part);
    const acting = free.map(({ node }) => node).join(" ");
    const scene = `${acting} ${JSON.stringify(this.#room.judge.limits)} ${worst?.resource}`;
    if (worst === undefined || scene !== this.#scene || worst.part <= 1) this.#evenMs = atMs;
    this.#scene = scene;
    if (worst === undefined || atMs - this.#evenMs <= SETTLING_MS) return undefined;
    return `strands little: ${worst.node} has ${worst.has} free ${worst.resource} slots of ${worst.all} that cannot be used, ${Math.floor(worst.bound)} allowed`;
  }

  /** What each node has free, where all that may act hear the same ones. */
  #freeAtNodes(): FreeAtNode[] {
    const { id } = this.#room;
    const acting = this.#nodes.flatMap(({ peer, isRunning, identity }) => {
      const room = isRunning ? peer?.rooms.get(id) : undefined;
      const gauge = peer && room?.gauge(peer.roomMs);
      return peer !== undefined && gauge?.mayAct === true
        ? [{ ...gauge, rate: room?.admission.arrivalsLimit(peer.roomMs) ?? 0, node: identity, roomNode: peer.roomNode }]
        : [];
    });
    const names = acting
      .map(({ node }) => node)
      .sort()
      .join(" ");
    const hears = ({ roomNode }: (typeof acting)[number]): boolean =>
      [...roomNode.alive().values()].flat().sort().join(" ") === names &&
      acting.every(({ node }) => !roomNode.isYoung(node));
    return acting.every(hears) ? acting : [];
  }

  #excess(free: readonly FreeAtNode[]) {
    const sum = (resource: Resource): number => free.reduce((all, one) => all + one[resource], 0);
    const { limits } = this.#room.judge;
    const rate = Math.max(...free.map((one) => one.rate));
    const holders = { active: free.length, arrivals: free.filter((one) => one.rate === rate).length };
    return RESOURCES.flatMap((resource) => {
      const other = resource === "active" ? "arrivals" : "active";
      const all = sum(resource) - sum(other);
      if (all <= 0) return [];
      const bound =
        (RICHEST.evenParts * all) / holders[resource] + Math.max(RICHEST.slots, RICHEST.ofLimit * limits[resource]);
      return free.map((one) => {
        const has = Math.min(all, one[resource] - one[other]);
        return { node: one.node, resource, has, all, bound, part: has / bound };
      });
    });
  }
}
