/**
 * The last reports of other members about themselves: free slots, line and visitors of each room, their lease, and what
 * is idle there.
 */

import type { NodeId, RoomId } from "../../mesh/core/ids.ts";
import type { Instant } from "../../mesh/core/instant.ts";
import type { Members } from "../../mesh/core/members/members.ts";
import type { GaugesMessage, IdleShare } from "../admission/mesh/room-messages.ts";
import type { Gauge, HeardGauges } from "../admission/mesh/room-node.ts";

/** An older report says nothing about the present. */
const GAUGES_MAX_MS = 20_000;
export type LeaseState = ReturnType<Members["lease"]>;

export class MemberGauges {
  readonly #heard = new Map<NodeId, HeardGauges & { readonly lease: LeaseState }>();

  get heard(): ReadonlyMap<NodeId, HeardGauges> {
    return this.#heard;
  }

  /** A member reports what it has, at `now`. */
  hear(from: NodeId, { lease, rooms: gauges, idle = [] }: GaugesMessage, now: Instant): void {
    const rooms = new Map<RoomId, Gauge>();
    for (const { room, ...gauge } of gauges) rooms.set(room, gauge);
    this.#heard.set(from, { rooms, idle, lease, untilMs: now.steadyMs + GAUGES_MAX_MS });
  }

  keepOnly(isMember: (node: NodeId) => boolean): void {
    for (const node of this.#heard.keys()) if (!isMember(node)) this.#heard.delete(node);
  }

  /** A member's last report about its lease. */
  leaseOf(node: NodeId): LeaseState | undefined {
    return this.#heard.get(node)?.lease;
  }

  /** What is idle at those members, as they report it. */
  get idle(): IdleShare[] {
    return [...this.#heard.values()].flatMap(({ idle }) => idle);
  }
}
