/**
 * The inputs of one node's part in the mesh, and its callbacks to the shell.
 */

import type { AccountId, NodeId, RoomId } from "../../mesh/core/ids.ts";
import type { Instant } from "../../mesh/core/instant.ts";
import type { View } from "../../mesh/core/members/view.ts";
import type { Register } from "../../mesh/core/replica/registers.ts";
import type { Hello } from "../../mesh/core/wire/hello.ts";
import type { Batch } from "../../mesh/core/wire/outbox.ts";
import type { Signatures } from "../../mesh/core/wire/signed.ts";
import type { WireRange } from "../../mesh/core/wire/wire-range.ts";
import type { HistoryOptions } from "./history-sync.ts";
import type { PeerMessage } from "./message-kinds.ts";
import type { PeerCodec } from "./peer-codec.ts";
import type { Frame } from "./peer-frames.ts";

export interface PeerOptions {
  readonly self: NodeId;
  readonly locality: string;
  /** What the operator calls this node; none in a simulation. */
  readonly name?: string;
  /** Unix ms of this start, above that of earlier ones. */
  readonly incarnation: number;
  /** Whether this process made the identity: no earlier one was this node. */
  readonly isFirstRun?: boolean;
  readonly meshId: string;
  readonly founder: AccountId;
  /** Whether this node creates the mesh now. */
  readonly founds: boolean;
  /** Whether there are addresses of other nodes to join by. */
  readonly hasSeeds: boolean;
  readonly minuteMs: number;
  readonly leaseMs: number;
  /** Everything that was put and not removed. */
  readonly restored: ReadonlyMap<string, unknown>;
  readonly signatures: Signatures;
  readonly random: () => number;
  readonly now: Instant;
  readonly events: PeerEvents;
  /** The boot of the host, if commits are not forced to disk and a power loss may lose them. */
  readonly bootId?: string;
  /** Where the disk is; unknown if left out. */
  readonly diskPlace?: string;
  /** Whether all commits are forced to the disk. */
  readonly isForced?: boolean;
  /** Where the minutes of all nodes are kept; left out, it neither keeps nor tells any. */
  readonly history?: HistoryOptions;
  /** Replaces its own packing of messages: a simulation shares one among all nodes. */
  readonly codec?: PeerCodec;
  /** The wire versions that this release understands; a test may claim others. */
  readonly understands?: WireRange;
}

/** The used part of a hello. */
export type PeerHello = Pick<Hello, "locality" | "incarnation" | "addresses"> &
  Partial<Pick<Hello, "understands" | "name">>;

export interface PeerEvents {
  /** Another node changed a room's configuration. */
  readonly roomChanged: (id: RoomId, register: Register) => void;
  /** Another node gave an order about a room, or took it back. */
  readonly orderChanged?: (id: RoomId, register: Register) => void;
  /** A public value for a draw of a room was given. */
  readonly drawValueGiven?: (id: RoomId) => void;
  /** Another node blocked visitors of a room, or lifted that. */
  readonly visitorsBlocked?: (id: RoomId, register: Register) => void;
  readonly viewChanged: (view: View) => void;
  /** This identity is over: the process must stop, or continue as a new node. */
  readonly over: (kind: "left" | "new-identity" | "replaced", reason: string) => void;
  readonly log: (fields: Readonly<Record<string, unknown>>, message: string) => void;
  /** Something failed that does not mend itself. */
  readonly failed: (fields: Readonly<Record<string, unknown>>, message: string) => void;
}

/** What a step has left to do, in this order: commit, send, publish, disconnect. */
export interface Ready {
  readonly batch: Batch<PeerMessage>;
  readonly frames: readonly Frame[];
  readonly published: readonly Uint8Array[];
  readonly punished: readonly NodeId[];
  /** Nodes to dial for ever, at these addresses. */
  readonly known: readonly (readonly [NodeId, readonly string[]])[];
  /** Nodes that are no longer members. */
  readonly forgotten: readonly NodeId[];
}
