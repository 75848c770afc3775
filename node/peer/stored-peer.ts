/** What a node's part in the mesh keeps on the disk, beside members and ledger. */

import { z } from "zod";
import { Entry } from "../../mesh/core/wire/entry.ts";
import { minute, nodeId, nodeName, roomId } from "../../mesh/core/wire/shapes.ts";
import { admissionRecord } from "../admission/mesh/stored-room.ts";
import { ADDRESSES_MAX, ADDRESSES_PER_NODE_MAX, NAMES_MAX } from "./message-kinds.ts";

const ms = z.number().min(0);

export const INCARNATION = new Entry({
  key: "incarnation",
  shape: ms,
  writer: "node/peer/peer-parts.ts",
  holds: "the moment of the last start, in unix ms: of two processes of one node the later one counts",
  without: "a clock that was set back would make the new process the older one",
});

export const ADDRESSES = new Entry({
  key: "addresses",
  shape: z
    .array(z.tuple([nodeId, z.array(z.string().max(200)).max(ADDRESSES_PER_NODE_MAX)]).readonly())
    .max(ADDRESSES_MAX) as unknown as z.ZodType<readonly (readonly [z.output<typeof nodeId>, readonly string[]])[]>,
  writer: "node/peer/known-addresses.ts",
  holds: "where other nodes can be dialled",
  without: "the node finds the others by --join alone",
});

export const NAMES = new Entry({
  key: "names",
  shape: z.array(z.tuple([nodeId, nodeName]).readonly()).max(NAMES_MAX) as unknown as z.ZodType<
    readonly (readonly [z.output<typeof nodeId>, string])[]
  >,
  writer: "node/peer/node-names.ts",
  holds: "what operators call other nodes, former members included",
  without: "a lost node is named by its id",
});

export const BOOT = new Entry({
  key: "boot",
  shape: z.string().max(200),
  writer: "node/peer/power-loss.ts",
  holds: "the boot of the host in which commits were not forced to the disk; none after an ordered end",
  without: "a loss of power is not noticed, and slots of lost commits could be used twice",
});

export const POWER_LOSS = new Entry({
  key: "power-loss",
  shape: z.object({ asked: z.array(nodeId).readonly(), isOneRemoved: z.boolean() }),
  writer: "node/peer/power-loss.ts",
  holds: "which members have not said yet what they were given before a loss of power",
  without: "the node would use slots that it had given away",
});

export const HANDED = new Entry({
  key: "handed",
  names: ["room"],
  shape: z.array(
    z.object({
      room: roomId,
      record: admissionRecord,
      revoked: z.array(z.object({ id: z.string().max(100), lastGood: minute })).readonly(),
    }),
  ),
  writer: "node/peer/peer-tables.ts",
  holds: "sessions that a leaving node handed over, of a room that is not known here yet",
  without: "their slots would be given away again",
});

export const HELD_ROOMS = new Entry({
  key: "held-rooms",
  shape: z.array(z.tuple([roomId, ms])),
  writer: "node/peer/room-holds.ts",
  holds: "rooms of which all slots here count as used, and for how long",
  without: "slots would be used on which there may be sessions that this disk does not know",
});

export const EXTENDED_IN = new Entry({
  key: "extended-in",
  shape: minute,
  writer: "node/peer/cut-off.ts",
  holds: "the last minute in which this node could extend sessions",
  without: "a node that is cut off would serve sessions by cookies that it cannot judge",
});

export const DISK_PROOF = new Entry({
  key: "disk-proof",
  shape: z.object({
    boot: z.string().optional(),
    place: z.string().optional(),
    isForced: z.boolean(),
    hasEnded: z.boolean(),
    isDoubted: z.boolean(),
  }),
  writer: "node/peer/disk-proof.ts",
  holds: "in which boot, and on which disk, the last process ran, and whether it ended in order",
  without: "a removed node is not believed when it reports what it held",
});

export const PEER_ENTRIES = [
  INCARNATION,
  ADDRESSES,
  NAMES,
  BOOT,
  POWER_LOSS,
  HANDED,
  HELD_ROOMS,
  EXTENDED_IN,
  DISK_PROOF,
] as const;
