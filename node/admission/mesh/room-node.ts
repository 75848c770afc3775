/**
 * What a room needs from its node, and nothing more: which nodes are up, what its accounts own, and how to reach the
 * others.
 *
 * Everything is as of the step in progress: the node updates clock and view before each one.
 */

import type { AccountId, Minute, NodeId, RoomId } from "../../../mesh/core/ids.ts";
import type { CountKind, Resource, RowData } from "../../../mesh/core/ledger/row.ts";
import type { Outgoing } from "../../../mesh/core/wire/outbox.ts";
import type { Notary } from "../../notary.ts";
import type { RoomDraws } from "../draw/room-draws.ts";
import type { LinePlaces } from "./line-places.ts";
import type { AskRoom, IdleShare, RoomMessage } from "./room-messages.ts";

/** Visitors waiting, by the minute they joined in, oldest first. */
export type Waiting = readonly (readonly [Minute, number])[];

/**
 * What a node has free in a room, as it last reported: slots of each resource, and the line it keeps if it is the
 * ticket counter.
 */
export interface Gauge {
  readonly active: number;
  readonly arrivals: number;
  /** Whether it may admit and give at all. */
  readonly mayAct: boolean;
  /** Visitors waiting in its line by place, one by one at the front, in longer ranges behind; empty without a line. */
  readonly places: LinePlaces;
  /** Slots held by sessions. */
  readonly inside: number;
  /** Admissions in `minute`. */
  readonly admitted: number;
  readonly minute: Minute;
  /** When the room's ramp last began, in Unix ms; 0 if never. */
  readonly rampStartMs: number;
}

/** What a node last reported about its rooms, and until when on the steady clock it counts. */
export interface HeardGauges {
  readonly rooms: ReadonlyMap<RoomId, Gauge>;
  /** What is idle at it. */
  readonly idle: readonly IdleShare[];
  readonly untilMs: number;
}

export interface Transfer {
  readonly room: RoomId;
  readonly resource: Resource;
  readonly minute: Minute;
  readonly to: NodeId;
  readonly units: number;
}

/** What a group of pots has in a room, and the most slots that its sessions hold; undefined where that is all slots. */
export interface PotUnits {
  readonly units: number;
  readonly ceiling: number | undefined;
}

export interface RoomNode {
  readonly self: NodeId;
  readonly locality: string;
  readonly minuteMs: number;
  readonly meshId: string;
  /** Signs what visitors can check, as this node. */
  readonly notary: Notary;
  /** The draws of the mesh; left out where there are none. */
  readonly draws?: RoomDraws;
  readonly outbox: Outgoing<RoomMessage>;
  readonly ask: AskRoom;
  /** Whether this node may admit, adopt and give in a room. */
  mayAct(room: RoomId): boolean;
  /**
   * Whether slots may be given to a node: not to itself, nor to one that has left or is fenced because it is being
   * removed.
   */
  mayGiveTo(node: NodeId): boolean;
  /** All other members, whether they answer or not. */
  readonly others: readonly NodeId[];
  /** Whether a former member may still run, cut off: it is told nothing, and serves sessions whose cookies are good. */
  readonly mayOthersRunOn: boolean;
  /**
   * The last minute to which a cookie may be good that this node still believes when no node answers for the session: a
   * later one may be of an ended session, about which only members are told.
   */
  readonly believedTo: number;
  /**
   * The last minute in which anything may be good that any node gave up to now, or gives a session while it is cut off.
   * By the members' clocks where the own one is behind them: what is forgotten too early is believed again.
   */
  readonly refusedTo: Minute;
  /** Whether it may acknowledge check-ins of its own sessions. */
  mayExtend(): boolean;
  /** Most minutes that a session given or extended here now may last, whatever its room allows. */
  readonly sessionMinutesMost: number;
  /** Members that answer, self included, by locality. A new map whenever that changes. */
  alive(): ReadonlyMap<string, readonly NodeId[]>;
  localityOf(node: NodeId): string | undefined;
  /** Whether a member answers, self included. */
  isAlive(node: NodeId): boolean;
  /** Which start of another node runs, as far as known: another number after each start; 0 if none was heard. */
  runOf(node: NodeId): number;
  /** Whether a node has been a member for less than a minute. */
  isYoung(node: NodeId): boolean;
  /** Round trip to a member in ms, as last measured; 0 if never. */
  roundTripMs(node: NodeId): number;
  /** The node that writes an account; undefined for one that no view knows. */
  writerOf(account: AccountId): NodeId | undefined;
  /**
   * The group of pots that contains an account written by this node: its sessions may rest only on slots of that group.
   */
  potOf(account: AccountId): string | undefined;
  /**
   * Whether a removed node of a group of pots may still hold a lease: then it gives slots of sessions that end there to
   * new visitors.
   */
  mayHoldLease(group: string): boolean;
  /** Units of this node's own accounts, and those in pots on which no session can rest. */
  units(room: RoomId, resource: Resource, minute: Minute): number;
  /** Units of the resource `active` in a group of pots: inherited accounts whose sessions may still exist. */
  potUnits(room: RoomId, group: string, minute: Minute): PotUnits;
  /**
   * Most sessions of a room that may rest on slots here, not counting pots: as this node has pledged. Infinity if
   * nothing binds it.
   */
  mayHold(room: RoomId): number;
  /** Slots of a room were taken, or are waited for: call it for each. */
  touched(room: RoomId): void;
  /** Sessions on all nodes, as far as published: for policies and views, never for admission. */
  activeUsers(room: RoomId, minute: Minute, sessionDuration: number): number;
  /** What all nodes have counted in `minute`, as far as published: for the same. */
  counted(room: RoomId, kind: CountKind, minute: Minute): number;
  /** Publishes one more of `kind` in `minute`. */
  count(room: RoomId, kind: CountKind, minute: Minute): void;
  /** Gives units away; send the result to the receiver. Asserts that they exist. */
  give(transfer: Transfer): RowData;
  /** Takes in what another node says that it gave. */
  receive(from: NodeId, row: RowData): void;
  /** New visitors that each locality's nodes saw in `minute`. */
  seen(room: RoomId, minute: Minute): ReadonlyMap<string, number>;
  /** New visitors that one node saw in `minute`. */
  seenAt(room: RoomId, node: NodeId, minute: Minute): number;
  gauge(node: NodeId, room: RoomId): Gauge | undefined;
}

/** All nodes of `alive`. */
export function everyNode(alive: ReadonlyMap<string, readonly NodeId[]>): NodeId[] {
  return [...alive.values()].flat();
}
