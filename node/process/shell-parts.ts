/** What the shell of a node gets from outside: disk, link, time, and where it says what it did. */

import type { Instant } from "../../mesh/core/instant.ts";
import type { Batch } from "../../mesh/core/wire/outbox.ts";
import type { Transport } from "../../mesh/transport.ts";
import type { MeshRoom } from "../admission/mesh/mesh-room.ts";
import type { Room } from "../config/room.ts";
import type { GateOptions } from "../gate/gate.ts";
import type { Log } from "../log.ts";
import type { OnFault } from "../operator/logs/faults.ts";
import type { HistoryShelf } from "../peer/history-sync.ts";
import type { Peer } from "../peer/peer.ts";
import type { PeerOptions, Ready } from "../peer/peer-options.ts";
import type { RoomsPlace } from "../rooms/rooms.ts";
import type { Source } from "../storage/group-commit.ts";
import type { NodeEnd } from "./node-end.ts";

/** Carries frames to other nodes. */
export type Link = Pick<Transport, "send" | "publish" | "know" | "forget" | "punish">;

/** What survives the process: all writes of a commit are on it, or it throws and has none. */
export interface ShellDisk {
  commit(batch: Pick<Batch, "writes" | "isVote">): void;
  /** Whether its files are those that were opened. */
  readonly isThere: boolean;
}

export interface Scheduler {
  /** Does something again and again; what is returned ends it. */
  every(ms: number, act: () => void): () => void;
  /** Does something once at the end of this turn. */
  readonly atTurnEnd: (act: () => void) => void;
}

type FromShell =
  | "rooms"
  | "commit"
  | "isReady"
  | "isHealthy"
  | "clock"
  | "minuteMs"
  | "log"
  | "pressure"
  | "lastAliveMs";

export interface ShellParts {
  readonly peer: Omit<PeerOptions, "incarnation" | "now" | "events" | "history">;
  /** Where the minutes of all nodes are kept; left out, there is no history. */
  readonly history?: HistoryShelf | undefined;
  readonly gate: Omit<GateOptions, FromShell>;
  /** Rooms of a file, and whether this start may apply them. */
  readonly declared: { readonly rooms: readonly Room[]; readonly mayApply: boolean };
  readonly defaultOrigin: RoomsPlace["defaultOrigin"];
  readonly newRoomKey?: RoomsPlace["newRoomKey"];
  readonly disk: ShellDisk;
  /** The data directory, for people. */
  readonly diskName: string;
  readonly now: () => Instant;
  readonly scheduler: Scheduler;
  readonly log: Log;
  /** Told of what nobody foresaw, and what it cost. */
  readonly onFault: OnFault;
  /** Told when the gate may open, and when this node is to end by itself. */
  readonly events: { readonly up: () => void; readonly end: (end: NodeEnd) => void };
  /** A room takes part in the mesh. */
  readonly attached?: (room: MeshRoom) => void;
  /** Stands between the commits and what fills them. */
  readonly sourceOf?: (peer: Peer) => Source<Ready>;
}

/** Carries what is ready to the others. */
export function carry({ frames, published, punished, known, forgotten }: Ready, link: Link): void {
  for (const { to, isBulk, frame } of frames) link.send(to, isBulk ? "sync" : "protocol", frame);
  for (const frame of published) link.publish(frame);
  for (const [node, addresses] of known) link.know(node, addresses);
  for (const node of forgotten) link.forget(node);
  for (const node of punished) link.punish(node);
}
