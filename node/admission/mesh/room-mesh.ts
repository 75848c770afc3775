/**
 * What a room needs of the mesh, and nothing more: who is there, what its accounts own, and how to reach the others.
 *
 * Everything is as of the step that is being taken: the node puts its clock and its view behind this before each one.
 */

import type { AccountId, Minute, NodeId, RoomId } from "../../../mesh/core/ids.ts";
import type { CountKind, Resource, RowData } from "../../../mesh/core/ledger/row.ts";
import type { Outgoing } from "../../../mesh/core/wire/outbox.ts";
import type { AskRoom, IdleShare, RoomMessage } from "./room-messages.ts";
import type { Sites, Waiting } from "./sites.ts";

/** What a node has free in a room, as it last said: slots of each resource, and the line it keeps if it is the ticket counter. */
export interface Gauge {
  readonly active: number;
  readonly arrivals: number;
  /** Whether it may admit and give at all. */
  readonly mayAct: boolean;
  /** Visitors waiting in its line by the minute they joined in, oldest first; empty for a node without a line. */
  readonly waiting: Waiting;
  /** Slots held by sessions. */
  readonly inside: number;
  /** Admissions in `minute`. */
  readonly admitted: number;
  readonly minute: Minute;
  /** When the room's ramp last began, in unix ms; 0 if never. */
  readonly rampStartMs: number;
}

/** What a node last said of its rooms, and until when on the steady clock it counts. */
export interface HeardGauges {
  readonly rooms: ReadonlyMap<RoomId, Gauge>;
  /** What lies idle at it. */
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

/** What a group of pots has in a room, and the most slots that its sessions hold; undefined where that is all that there are. */
export interface PotUnits {
  readonly units: number;
  readonly ceiling: number | undefined;
}

export interface RoomMesh {
  readonly self: NodeId;
  readonly locality: string;
  readonly minuteMs: number;
  readonly outbox: Outgoing<RoomMessage>;
  readonly ask: AskRoom;
  /** Whether this node may admit, adopt and give in a room. */
  mayAct(room: RoomId): boolean;
  /** Whether slots may be given to a node: not to itself, nor to one that has left or is fenced as it is to be removed. */
  mayGiveTo(node: NodeId): boolean;
  /** All other members, whether they answer or not. */
  readonly others: readonly NodeId[];
  /** Whether a node that is a member no more may run on, cut off: it is told of nothing, and serves sessions by cookies that are good. */
  readonly mayOthersRunOn: boolean;
  /** The last minute that a cookie may be good for which this node believes where nobody speaks for the session: later it may be of an ended session, of which only members are told. */
  readonly believedTo: number;
  /** Minutes after which nothing is good any more that any node gave up to now, or gives a session while it is cut off. */
  readonly refusedMinutes: number;
  /** Whether it may acknowledge check-ins of its own sessions. */
  mayExtend(): boolean;
  /** Most minutes that a session may last that is given or extended here now, whatever its room allows. */
  readonly sessionMinutesMost: number;
  /** Members that answer, self included, by locality. The map is another one whenever that changes. */
  alive(): ReadonlyMap<string, readonly NodeId[]>;
  localityOf(node: NodeId): string | undefined;
  /** Whether a member answers, self included. */
  isAlive(node: NodeId): boolean;
  /** Whether a node has been a member for less than a minute. */
  isYoung(node: NodeId): boolean;
  /** Round trip to a member in ms, as last measured; 0 if never. */
  roundTripMs(node: NodeId): number;
  /** The node that writes an account; undefined for one that no member's view knows. */
  writerOf(account: AccountId): NodeId | undefined;
  /** The group of pots that an account is in which this node writes: its sessions may rest on slots of those only. */
  potOf(account: AccountId): string | undefined;
  /** Units of this node's own accounts, and those in pots on which no session can rest. */
  units(room: RoomId, resource: Resource, minute: Minute): number;
  /** Units of the resource `active` in a group of pots: of inherited accounts whose sessions may still be about. */
  potUnits(room: RoomId, group: string, minute: Minute): PotUnits;
  /** Most sessions of a room that may rest on slots here, those in pots apart: as this node has pledged. Infinity where nothing binds it. */
  mayHold(room: RoomId): number;
  /** Slots of a room were taken, or are waited for: to be called with each. */
  touched(room: RoomId): void;
  /** Sessions inside on all nodes, as far as published: for policies and views, never for admission. */
  activeUsers(room: RoomId, minute: Minute, sessionDuration: number): number;
  /** Publishes one more of `kind` in `minute`. */
  count(room: RoomId, kind: CountKind, minute: Minute): void;
  /** Gives units away; what is returned is told to the receiver. Asserts that they are there. */
  give(transfer: Transfer): RowData;
  /** Takes in what another node says it gave. */
  receive(from: NodeId, row: RowData): void;
  /** New visitors that each locality's nodes saw in `minute`. */
  seen(room: RoomId, minute: Minute): ReadonlyMap<string, number>;
  /** New visitors that one node saw in `minute`. */
  seenAt(room: RoomId, node: NodeId, minute: Minute): number;
  gauge(node: NodeId, room: RoomId): Gauge | undefined;
  /** What was last said of a room in other localities; undefined where all nodes are heard themselves. */
  sites(room: RoomId): Sites | undefined;
  /** Another number whenever a node of another locality began or ceased to hold back; undefined where all nodes are heard themselves. */
  readonly heldVersion: number | undefined;
  /** Whether slots pass between localities by way of one node, the room's bank, as there are many of them. */
  readonly hasBanks: boolean;
}

/** All nodes of `alive`. */
export function everyNode(alive: ReadonlyMap<string, readonly NodeId[]>): NodeId[] {
  return [...alive.values()].flat();
}
