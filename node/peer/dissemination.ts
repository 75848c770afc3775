/**
 * What this node sends to others by itself, and how often: changed rows, gauges, digests.
 *
 * Changed rows and gauges are published. Anti-entropy brings a node what it missed: every few seconds it sends a digest
 * to one random peer, which answers with the rows that the digest lacks.
 */

import type { NodeId, RoomId } from "../../mesh/core/ids.ts";
import type { Instant } from "../../mesh/core/instant.ts";
import type { Members } from "../../mesh/core/members/members.ts";
import type { Replica } from "../../mesh/core/replica/replica.ts";
import type { Outgoing } from "../../mesh/core/wire/outbox.ts";
import type { MeshRoom } from "../admission/mesh/mesh-room.ts";
import type { IdleShares } from "./idle-shares.ts";
import type { PeerMessage } from "./message-kinds.ts";
import type { NodeTime } from "./node-time.ts";
import { IN_STEP_MS, type OldDiskGuard } from "./old-disk-guard.ts";

/**
 * How often rooms do their housekeeping and changed rows are sent. Doubled, freed slots and news are late by as much.
 */
export const ROOMS_MS = 500;
/** Pause between two gossips of a node, per member: a delivered message costs each some part of a ms of CPU. */
const GOSSIP_MS_PER_MEMBER = 25;
/** How often a peer is asked for missed rows: a lost message is repaired after a few of them. */
const SYNC_MS = 2_000;
const REST_SYNC_MS = 10_000;
/** Unchanged gauges are sent again, for nodes that missed them: twice while a report counts. */
const GAUGES_AGAIN_MS = 9_000;

export interface DisseminationParts {
  readonly self: NodeId;
  readonly random: () => number;
  readonly members: Members;
  readonly replica: Replica;
  readonly rooms: ReadonlyMap<RoomId, MeshRoom>;
  readonly outbox: Outgoing<PeerMessage>;
  readonly guard: OldDiskGuard;
  readonly time: NodeTime;
  readonly idle: IdleShares;
  /** Peers that are connected. */
  readonly up: ReadonlySet<NodeId>;
  /** Publishes a message. */
  readonly publish: (message: PeerMessage) => void;
}

export class Dissemination {
  readonly #parts: DisseminationParts;
  #gossipedMs = Number.NEGATIVE_INFINITY;
  #syncedMs = Number.NEGATIVE_INFINITY;
  #said = { atMs: Number.NEGATIVE_INFINITY, text: "" };

  constructor(parts: DisseminationParts) {
    this.#parts = parts;
  }

  /** Call it twice a second. */
  tick(now: Instant, isAtRest: boolean): void {
    this.#gossip(now);
    this.#sync(now, isAtRest ? REST_SYNC_MS : SYNC_MS);
  }

  /** There is a node that has not heard the gauges of this node. */
  sayAgain(): void {
    this.#said.atMs = Number.NEGATIVE_INFINITY;
  }

  #gossip({ steadyMs }: Instant): void {
    const hearers = this.#parts.members.view?.members.length ?? 0;
    if (steadyMs - this.#gossipedMs < Math.max(ROOMS_MS, hearers * GOSSIP_MS_PER_MEMBER) - 50) return;
    this.#gossipedMs = steadyMs;
    // A node alone publishes to no one; its changes are on its disk all the same.
    for (
      let rows = this.#parts.replica.publish(this.#parts.time.newsMs);
      rows !== undefined;
      rows = this.#parts.replica.publish(this.#parts.time.newsMs)
    )
      if (hearers > 1) this.#parts.publish(rows);
    if (hearers < 2) return;
    const known = this.#parts.time.isTrusted ? [...this.#parts.rooms.values()] : [];
    const rooms = known.map((room) => ({ room: room.id, ...room.gauge(this.#parts.time.roomMs) }));
    const lease = this.#parts.members.lease(this.#parts.time.now);
    const idle = this.#parts.idle.forOthers;
    const text = JSON.stringify([lease, rooms, idle]);
    if (text === this.#said.text && steadyMs - this.#said.atMs < GAUGES_AGAIN_MS) return;
    this.#said = { atMs: steadyMs, text };
    this.#parts.publish({ kind: "gauges", lease, rooms, ...(idle.length > 0 && { idle }) });
  }

  /** Asks a random peer for what was missed. */
  #sync(now: Instant, everyMs: number): void {
    const { self, members, guard, up, outbox, replica, random } = this.#parts;
    if (now.steadyMs - this.#syncedMs < (guard.wasInStep ? everyMs : IN_STEP_MS)) return;
    this.#syncedMs = now.steadyMs;
    const others = (members.view === undefined ? [...up] : members.reach.alive(now)).filter((node) => node !== self);
    const other = others[Math.floor(random() * others.length)];
    if (other !== undefined) outbox.send(other, replica.digest({ wantsBack: !guard.wasInStep }));
  }
}
