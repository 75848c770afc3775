/**
 * What this node sends to others by itself, and how often: changed rows, gauges, digests.
 *
 * Changed rows and gauges are published. Anti-entropy brings a node what it missed: every few seconds it sends a digest
 * to one random peer, which answers with the rows that the digest lacks. In a mesh of two tiers this happens within the
 * locality, and the speaker informs the other localities, less often.
 */

import type { NodeId, RoomId } from "../../mesh/core/ids.ts";
import type { Instant } from "../../mesh/core/instant.ts";
import type { Members } from "../../mesh/core/members/members.ts";
import type { Replica } from "../../mesh/core/replica/replica.ts";
import type { Outgoing } from "../../mesh/core/wire/outbox.ts";
import type { MeshRoom } from "../admission/mesh/mesh-room.ts";
import type { IdleShares } from "./idle-shares.ts";
import type { Localities } from "./localities.ts";
import type { PeerMessage } from "./message-kinds.ts";
import type { NodeTime } from "./node-time.ts";
import { IN_STEP_MS, type OldDiskGuard } from "./old-disk-guard.ts";

/**
 * How often rooms do their housekeeping and changed rows are sent. Doubled, freed slots and news are late by as much.
 */
export const ROOMS_MS = 500;
/** Pause between two gossips of a node, per member: a delivered message costs each some part of a ms of CPU. */
const GOSSIP_MS_PER_MEMBER = 25;
/**
 * In a mesh of two tiers: pause between two times that a locality's changed rows are sent to the others, and that all
 * rows are compared with a peer, per member: five rows a second. Nothing waits for them, because a node that restarts
 * asks its neighbours. Four times as often they would be most of all bytes; half as often, a locality of one node that
 * starts from an old disk is noticed even later.
 */
const FAR_ROWS_MS_PER_MEMBER = 200;
/** How often a peer is asked for missed rows: a lost message is repaired after a few of them. */
const SYNC_MS = 2_000;
/** Unchanged gauges are sent again, for nodes that missed them. */
const GAUGES_AGAIN_MS = 5_000;
export interface DisseminationParts {
  readonly self: NodeId;
  readonly locality: string;
  readonly random: () => number;
  readonly members: Members;
  readonly replica: Replica;
  readonly localities: Localities;
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
  #syncedAllMs = Number.NEGATIVE_INFINITY;
  #toldFarMs = Number.NEGATIVE_INFINITY;
  #said = { atMs: Number.NEGATIVE_INFINITY, text: "" };

  constructor(parts: DisseminationParts) {
    this.#parts = parts;
  }

  /** Call it twice a second. */
  tick(now: Instant): void {
    this.#gossip(now);
    this.#tellFar(now);
    this.#sync(now);
  }

  /** A node has come up that has not heard the gauges of this node. */
  sayAgain(): void {
    this.#said.atMs = Number.NEGATIVE_INFINITY;
  }

  /** There are other members: they should hear the gauges, and all rows should be compared. */
  viewChanged(): void {
    this.sayAgain();
    this.#syncedAllMs = Number.NEGATIVE_INFINITY;
  }

  /** Members that hear what this node publishes, itself included. */
  get #hearers(): number {
    const { byLocality, reach, view } = this.#parts.members;
    return (reach.hasTwoTiers ? byLocality.get(this.#parts.locality)?.length : view?.members.length) ?? 0;
  }

  #gossip({ steadyMs }: Instant): void {
    const hearers = this.#hearers;
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

  /** In a large mesh: passes on what was heard about other localities, and informs them about this one. */
  #tellFar(now: Instant): void {
    if (!this.#parts.members.reach.hasTwoTiers) return;
    const heard = this.#parts.localities.takeHeard(now);
    if (heard !== undefined && this.#hearers > 1) this.#parts.publish(heard);
    if (!this.#parts.members.reach.isSpeaker(now)) {
      this.#parts.replica.forgetTold();
      return;
    }
    this.#parts.localities.tell(now, this.#parts.time.isTrusted ? this.#parts.time.roomMs : undefined);
    const members = this.#parts.members.view?.members.length ?? 0;
    const isDue = now.steadyMs - this.#toldFarMs >= Math.max(ROOMS_MS, members * FAR_ROWS_MS_PER_MEMBER) - 50;
    if (!isDue && !this.#parts.replica.hasNewRegisters) return;
    this.#toldFarMs = now.steadyMs;
    const news = this.#parts.replica.news();
    if (news.length === 0) return;
    for (const speaker of this.#parts.localities.otherSpeakers(now))
      for (const rows of news) this.#parts.outbox.send(speaker, rows);
  }

  /**
   * Asks a peer for what was missed; in a large mesh often for the rows of this locality, and for all rows more seldom
   * the more there are.
   */
  #sync(now: Instant): void {
    const { steadyMs } = now;
    if (steadyMs - this.#syncedMs < (this.#parts.guard.wasInStep ? SYNC_MS : IN_STEP_MS)) return;
    this.#syncedMs = steadyMs;
    const { members } = this.#parts;
    if (!members.reach.hasTwoTiers) {
      this.#ask(members.view === undefined ? [...this.#parts.up] : members.reach.alive(now), {
        wantsBack: !this.#parts.guard.wasInStep,
      });
      return;
    }
    const near = members.reach.near(now);
    this.#ask(near, { isNear: true });
    const count = members.view?.members.length ?? 0;
    const isAllDue = steadyMs - this.#syncedAllMs >= Math.max(SYNC_MS, count * FAR_ROWS_MS_PER_MEMBER) - 50;
    if (!isAllDue && this.#parts.guard.wasInStep) return;
    this.#syncedAllMs = steadyMs;
    const others = members.reach.isSpeaker(now) ? this.#parts.localities.otherSpeakers(now) : [];
    this.#ask([...near, ...others], { wantsBack: !this.#parts.guard.wasInStep });
  }

  /** Sends a digest to a random one of `nodes`. */
  #ask(nodes: readonly NodeId[], what: { readonly isNear?: boolean; readonly wantsBack?: boolean }): void {
    const others = nodes.filter((node) => node !== this.#parts.self);
    const other = others[Math.floor(this.#parts.random() * others.length)];
    if (other !== undefined) this.#parts.outbox.send(other, this.#parts.replica.digest(what));
  }
}
