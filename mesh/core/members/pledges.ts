/**
 * A node's pledges: per room a ceiling, the most slots that it will hold until the voters have acknowledged a higher
 * one.
 *
 * When the node is removed, only the sum of ceilings stays held for its sessions; the rest of its share is usable at
 * once. So a pledge binds from the moment it is sent. A higher one may be used only when a majority of the voters has
 * acknowledged it, as leases are granted (see lease.ts): then the members that decide on the removal know it, or a
 * later one. The effective ceiling is the lowest of the last acknowledged pledge and the one sent since. A new view
 * forgets pledges, and so does a start: no slot may be taken before the first one is acknowledged.
 *
 * A room that a pledge does not name has ceiling 0. This file does not know what a node holds or wants.
 */

import type { NodeId, RoomId } from "../ids.ts";
import { majorityOf } from "./voters.ts";

/** Slots by room; `whole`: all that the node's accounts own, in every room. */
export type Pledged = ReadonlyMap<RoomId, number> | "whole";

/** A pledge as a ping carries it. */
export interface PledgeWord {
  /**
   * The voter's process for which it is meant: a late copy must not tell its next process, which knows nothing, about a
   * pledge that is over.
   */
  readonly to: number;
  readonly version: number;
  /** The version since which `rooms` are all the changes; 0 if they are all rooms. */
  readonly since: number;
  readonly isWhole: boolean;
  readonly rooms: readonly (readonly [RoomId, number])[];
}

interface Bound {
  readonly version: number;
  readonly isWhole: boolean;
  readonly slots: Map<RoomId, number>;
}

export class Pledges {
  #version: number;
  /** The last one that a majority has acknowledged, and the one sent since: the node keeps to both. */
  #acked: Bound | undefined;
  #open: Bound | undefined;
  /** The newest as it was sent, and the version in which each room last changed. */
  #sent: Pledged = new Map();
  readonly #changed = new Map<RoomId, number>();
  /** The version before which a voter knows nothing that could be extended. */
  #fullFrom = 0;
  /** By voter: the newest version that it has acknowledged. */
  readonly #heard = new Map<NodeId, number>();

  /** `first`: above the versions of all earlier starts. */
  constructor(first: number) {
    this.#version = first;
  }

  /** The version of the newest pledge in this view; 0 for none. */
  get newest(): number {
    return (this.#open ?? this.#acked)?.version ?? 0;
  }

  /** Whether the newest pledge waits to be acknowledged. */
  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Slots of a room that may be held now; Infinity without a bound. */
  ceiling(room: RoomId): number {
    return Math.min(
      slotsIn(this.#acked, room),
      this.#open === undefined ? Number.POSITIVE_INFINITY : slotsIn(this.#open, room),
    );
  }

  /** Slots of a room that may be held as soon as the newest pledge is acknowledged. */
  pledged(room: RoomId): number {
    return slotsIn(this.#open ?? this.#acked, room);
  }

  /** Rooms that the newest pledge names. */
  get rooms(): Iterable<RoomId> {
    return this.#sent === "whole" ? [] : this.#sent.keys();
  }

  /** A new view: nothing is pledged in it. */
  begin(): void {
    this.#acked = undefined;
    this.#open = undefined;
    this.#sent = new Map();
    this.#changed.clear();
    this.#heard.clear();
  }

  /**
   * Pledges something else from now on. Only while no pledge is open; what is held already must be within the new one.
   */
  pledge(pledged: Pledged): void {
    this.#version += 1;
    const before = this.#sent;
    if (pledged === "whole" || before === "whole" || this.newest === 0) {
      this.#fullFrom = this.#version;
      this.#changed.clear();
    } else for (const room of before.keys()) if (!pledged.has(room)) this.#changed.set(room, this.#version);
    if (pledged !== "whole")
      for (const [room, slots] of pledged)
        if (before === "whole" || before.get(room) !== slots) this.#changed.set(room, this.#version);
    this.#sent = pledged === "whole" ? pledged : new Map(pledged);
    this.#open = {
      version: this.#version,
      isWhole: pledged === "whole",
      slots: new Map(pledged === "whole" ? [] : pledged),
    };
  }

  /** What a ping to `voter` must carry; undefined if it has acknowledged everything. `to`: its incarnation. */
  wordFor(voter: NodeId, to: number): PledgeWord | undefined {
    const known = this.#heard.get(voter) ?? 0;
    if (this.newest === 0 || known >= this.newest) return undefined;
    const since = known < this.#fullFrom ? 0 : known;
    const sent = this.#sent;
    const rooms =
      sent === "whole"
        ? []
        : since === 0
          ? [...sent]
          : [...this.#changed].flatMap(([room, version]) =>
              version > since ? [[room, sent.get(room) ?? 0] as const] : [],
            );
    return { to, version: this.newest, since, isWhole: sent === "whole", rooms };
  }

  /**
   * `voter` keeps this node's pledge of `version`, 0 for none: it has forgotten them if that is less than it has
   * acknowledged.
   */
  answered(voter: NodeId, version: number): void {
    this.#heard.set(voter, version);
  }

  /**
   * Whether a majority of `voters` has just acknowledged the newest pledge. `self` counts if it is one: it is not among
   * the nodes that remove it. Members that left to it do not: if it is lost, they may be members again, and know
   * nothing about it.
   */
  settle(voters: readonly NodeId[], self: NodeId): boolean {
    const open = this.#open;
    if (open === undefined) return false;
    const acknowledged = voters.filter((voter) => voter === self || (this.#heard.get(voter) ?? 0) >= open.version);
    if (acknowledged.length < majorityOf(voters)) return false;
    this.#acked = open;
    this.#open = undefined;
    return true;
  }
}

function slotsIn(bound: Bound | undefined, room: RoomId): number {
  if (bound?.isWhole === true) return Number.POSITIVE_INFINITY;
  return bound?.slots.get(room) ?? 0;
}
