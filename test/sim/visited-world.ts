/**
 * What visitors, and their judges, know about their world.
 */

import type { Minute, RoomId } from "../../mesh/core/ids.ts";
import type { DoorWatch } from "./door-watch.ts";
import type { Network } from "./network.ts";
import type { Oracle } from "./oracle.ts";
import type { SimCipher } from "./sim-cipher.ts";
import type { SimNode } from "./sim-node.ts";
import type { SimRoom } from "./sim-room.ts";
import type { VirtualTime } from "./virtual-time.ts";

export interface VisitedWorld {
  readonly options: {
    readonly localities: readonly string[];
    readonly minuteMs: number;
    readonly skew?: number;
    readonly sprays?: boolean;
    readonly hasOnlyPatient?: boolean;
  };
  readonly time: VirtualTime;
  readonly elapsedMs: number;
  readonly minute: Minute;
  readonly random: () => number;
  readonly cipher: SimCipher;
  readonly oracle: Oracle;
  readonly doors: DoorWatch | undefined;
  readonly badOrigin: { readonly slowMs: number; readonly failing: number } | undefined;
  readonly nodes: readonly SimNode[];
  readonly network: Network;
  readonly rooms: readonly SimRoom[];
  nodesIn(locality: string): readonly SimNode[];
  roomOf(id: RoomId): SimRoom;
  broken(text: string): never;
}
