/**
 * Rooms before one origin: a site is a room, and its members are the rooms that name it. Each session of a member takes
 * a slot of the site too, and each admission one of the site's minute.
 *
 * The site's units are shared and moved like those of any room. Its used slots are its own and those of its members at
 * this node, added up whenever they are asked for, so no crash and no adoption can make its count differ from theirs.
 * What a room holds when it leaves, the site holds until that ends, as it would what a leaving node hands over.
 */

import type { Minute, NodeId, RoomId } from "../../mesh/core/ids.ts";
import type { Resource, RowData } from "../../mesh/core/ledger/row.ts";

type Slots = Readonly<Record<Resource, number>>;

/** Visitors in line by the minute they joined in, oldest first; by locality. */
export type Claims = ReadonlyMap<string, readonly (readonly [Minute, number])[]>;

/** A member, as its site counts it: all at this node. */
export interface Member {
  readonly id: RoomId;
  /** Slots held by sessions, not counting pots. */
  inside(nowMs: number): number;
  admittedInMinute(nowMs: number): number;
  readonly pending: number;
  /** Whether its visitors wait anywhere, as far as heard. */
  readonly hasLine: boolean;
  /** Whether no number bounds what is held. */
  readonly isUnbounded: boolean;
  /** Of each of its lines, those for whom the room itself has slots. */
  claims(nowMs: number): Claims;
}

/** Who waits for slots that are fetched. */
export interface Fetcher {
  readonly asked: () => void;
  readonly lent: (nowMs: number) => void;
}

/** Slots to have at this node, for visitors of whom the oldest joined in `joined`. */
export interface Fetch {
  readonly slots: number;
  readonly joined: Minute;
}

/** A site, as its members use it. */
export interface Site {
  readonly id: RoomId | undefined;
  /** The rooms that take its slots, itself among them. */
  readonly rooms: readonly Member[];
  /** Most sessions at once, and most new visitors per minute, as it works now. */
  readonly limits: Slots;
  /** New visitors who have a slot of it at this node. */
  free(nowMs: number): number;
  /** Whether one more session may be held on it at this node. */
  isFree(nowMs: number): boolean;
  /** Whether its ceiling allows one more session at this node. */
  mayHoldMore(nowMs: number): boolean;
  /** Free slots of each resource at this node. */
  freeHere(nowMs: number): Slots;
  /** The same on all nodes. */
  freeAnywhere(nowMs: number): Slots;
  /** New visitors for whom slots are here, or can be fetched. */
  reach(joined: Minute, nowMs: number): number;
  fetchFor(wanted: Fetch, nowMs: number, by: Fetcher): unknown;
  /** Gives slots to a node, beside a member's. */
  give(to: NodeId, slots: Slots, nowMs: number): RowData | undefined;
}

const NO_SLOTS: Slots = { active: 0, arrivals: 0 };

/** A site that this node does not know: its members admit nobody, because nothing bounds them together. */
export const UNKNOWN_SITE: Site = {
  id: undefined,
  rooms: [],
  limits: NO_SLOTS,
  free: () => 0,
  isFree: () => false,
  mayHoldMore: () => false,
  freeHere: () => NO_SLOTS,
  freeAnywhere: () => NO_SLOTS,
  reach: () => 0,
  fetchFor: () => {},
  give: () => undefined,
};
