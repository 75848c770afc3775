/**
 * What a node reports about itself and its mesh: the answer of `GET /v1/status`, which `anteroom status --json`, the
 * dashboard and the demo's table read too. The schema is the one declaration; the types and the OpenAPI document follow.
 *
 * Numbers of the mesh are what the answering node has heard: up to a second or two old, and those of a cut-off node are
 * its last ones. No admission depends on them. What a node says about itself (`…_here`, its own shares) is exact. With
 * one node both are the same.
 */

import { z } from "zod";
import { IDLE_REASONS } from "../../admission/mesh/room-messages.ts";
import type { Shape } from "../../config/document-fields.ts";
import { unixMs } from "../../config/field-kinds.ts";
import { EVENT_NOW, NEXT_EVENT, ROOM_ID } from "../../rooms/api-room.ts";
import { ROOMS_FILE_STATUS } from "../../rooms/declared-rooms.ts";
import { PASS_RESULTS, PROOFS } from "../../rooms/room-counts.ts";
import { OPERATOR_ORDER } from "../../rooms/room-order.ts";

const count = z.number().min(0);
const part = z.number().min(0).max(1);
const nodeId = z.string();

const SHARE_STATUS = z.object({
  account: z.string().describe("the account that owns it"),
  node: nodeId.nullable().describe("the node that writes the account's row; null when no member does"),
  active_slots: count.describe("slots for sessions, at the room's present limits"),
  arrivals_slots: count.describe("slots for new visitors of a minute"),
  state: z
    .enum(["own", "member", "pot", "lost", "held"])
    .describe("who may use the share: the answering node, another member, an heir later, or nobody for now"),
  idle_until_ms: unixMs
    .nullable()
    .describe("when all of it is usable again, at the latest; null if it is in use, or without a known end"),
  idle_reason: z
    .enum([...IDLE_REASONS, "silent"])
    .optional()
    .describe("why it is idle"),
  idle_since_ms: unixMs.optional().describe("when its node was removed"),
  removal_ms: unixMs
    .optional()
    .describe("when its silent node is removed, unless it is back; then only the slots that it may hold stay idle"),
  accounts: z.array(z.string()).optional().describe("all accounts of the share, where these are several"),
});

const TARGET_STATUS = z.object({
  url: z.string().describe("its base URL"),
  state: z.enum(["up", "down"]).describe("whether it answers"),
  since_ms: unixMs.describe("when it came up or went down, or became known here"),
  reason: z.string().nullable().describe("why it is down; null while it is up"),
  weight: z.number().describe("as declared; 0 for one that a rollout leaves"),
  part: part.describe("of new sessions, now"),
  sessions_here: count.describe("sessions seen at the answering node in the last minute"),
  share_here: part.nullable().describe("their part of all; null of none"),
  requests_here: count.describe("requests in the last minute"),
  failures_here: count.describe("those without an answer, or with a status of 500 and above"),
});

const ROLLOUT_STATUS = z
  .object({
    state: z.enum(["running", "stopped", "reversed"]).describe("stopped: it keeps the present percentage"),
    percent: z.number().min(0).max(100).describe("of new sessions that follow it, now"),
    started_ms: unixMs.describe("when it began"),
    words: z.string().describe("the whole rollout in one sentence"),
  })
  .nullable();

const PACE_STATUS = z
  .object({
    reason: z.enum(["ramp", "down", "failing", "slow", "paced"]).describe("what holds new visitors back"),
    words: z.string().describe("the reason and its figure, as a clause"),
    per_minute: count.describe("new visitors that all nodes together may admit per minute"),
    held_back: part.nullable().describe("part that is held back because of failed requests; null for other reasons"),
    ramp_started_ms: unixMs.nullable().describe("when the ramp last began; null without a ramp of its own"),
  })
  .nullable();

const IDLE_STATUS = z.object({
  active_slots: count.describe("slots for sessions"),
  arrivals_slots: count.describe("slots for new visitors of a minute"),
  part: part.describe("of all slots for sessions"),
  until_ms: unixMs
    .nullable()
    .describe("when the last of it is usable again, at the latest; null for nothing, or no known end"),
});

const SITE_STATUS = z.object({
  name: z.string().describe("the room of which its visitors take slots, too"),
  words: z.string().describe("what that means now, as a sentence"),
});

const LOCALITY_STATUS = z.object({
  locality: z.string().describe("its name"),
  ticket_counter: nodeId.nullable().describe("the node that hands out tickets and keeps the line; null for none alive"),
  nodes: count.describe("nodes that are alive"),
  free: count.describe("slots for sessions that these nodes have free"),
  waiting: count.describe("visitors in line"),
  admitted_this_minute: count.describe("admitted in the running minute"),
});

const ORIGIN_STATUS = z.object({
  reachable: z.boolean().describe("whether any target that takes new sessions is up; while none is, nobody enters"),
  targets: z.array(TARGET_STATUS).describe("each origin, as the answering node has it"),
  rollout: ROLLOUT_STATUS.describe("null for none, and no recent one to report"),
});

const WAVE_STATUS = z.object({
  name: z.string().describe("its name"),
  good: count.describe("the passes up to this number are good"),
  count: count.nullable().describe("how many passes it has; null for not known"),
  paused: z.boolean().describe("whether no more passes begin to be good"),
  next_ms: unixMs.nullable().describe("when more passes begin to be good; null for never as it is"),
  next: count.nullable().describe("the last number that is good then; null for never as it is"),
});

const ROOM_STATUS = z.object({
  id: ROOM_ID,
  name: z.string().describe("the room's name"),
  state: z
    .enum(["free", "queueing", "prequeue", "held", "passthrough", "rejecting", "suspended"])
    .describe("what it does with a new visitor now; free: nobody has to wait"),
  operator_order: OPERATOR_ORDER,
  event: EVENT_NOW,
  next_event: NEXT_EVENT,
  site: SITE_STATUS.optional().describe("left out where it has none"),
  inside: count.describe("slots held by sessions now, on all nodes; those of rooms whose site it is count, too"),
  inside_here: count.describe("the same on the answering node"),
  total_active_users: count.describe("the limit of sessions, as it applies now"),
  waiting: count.describe("visitors in line, in all localities"),
  waiting_here: count.describe("those in the line that the answering node keeps"),
  admitted_this_minute: count.describe("admitted in the running minute, by all nodes"),
  admitted_here_this_minute: count.describe("the same by the answering node"),
  new_users_per_minute: count.describe("the limit of new visitors per minute, as it applies now"),
  wait_seconds: count.nullable().describe("estimated wait of a visitor who joins now; null if unknown"),
  passes_here: z.record(z.enum(PASS_RESULTS), count).optional().describe("passes seen since the start, by result"),
  waves: z.array(WAVE_STATUS).optional().describe("its waves of passes; left out for none"),
  proofs_here: z.record(z.enum(PROOFS), count).optional().describe("proofs of work since the start, by result"),
  pace: PACE_STATUS.describe("what holds new visitors back besides the limits; null for nothing"),
  localities: z.array(LOCALITY_STATUS).describe("by name"),
  shares: z.array(SHARE_STATUS).describe("who owns how much of the room; the answering node's first"),
  idle: IDLE_STATUS.optional().describe("how much is idle on all nodes; left out under pressure"),
  origin: ORIGIN_STATUS.optional().describe("where its visitors go"),
});

const LEASE = z.enum(["held", "none"]).describe("held: it may admit and extend sessions");

const MEMBER_STATUS = z.object({
  node: nodeId.describe("its whole id"),
  name: z.string().optional().describe("what its operator calls it"),
  locality: z.string().describe("its locality"),
  state: z.enum(["alive", "unreachable", "left", "removed"]).describe("as the answering node sees it"),
  self: z.boolean().describe("whether it is the node that answers"),
  removal_ms: unixMs.nullable().optional().describe("when the others remove it, if it stays silent; null for never"),
  round_trip_ms: z.number().nullable().describe("of the last heartbeat"),
  clock_offset_ms: z.number().nullable().describe("how far its clock is ahead of the answering node's"),
  lease: LEASE.nullable().describe("null if unknown: a node reports it only about itself"),
  lease_seconds_left: z.number().nullable().describe("null for one that does not run out"),
  version: z.string().optional().describe("the release that runs there"),
  addresses: z.array(z.string()).optional().describe("where it is dialled, as multiaddr text"),
  newest_wire: z.number().nullable().optional().describe("the newest wire version that it understands"),
  voter: z.boolean().describe("whether it votes on the next list of members"),
});

export const STATUS = z.object({
  version: z.string().describe("the release that answers"),
  node: nodeId.describe("the whole id of the answering node"),
  name: z.string().optional().describe("what its operator calls it"),
  names: z.record(z.string(), z.string()).optional().describe("names of nodes, by id"),
  locality: z.string().describe("its locality"),
  mesh: z.string().describe("the mesh's name"),
  uptime_seconds: count.describe("since its start"),
  minute_ms: count.describe("the length of a minute; below 60,000 only in tests"),
  now_ms: unixMs.describe("its clock"),
  warnings: z.array(z.string()).describe("for operators, the most serious first; empty when all is well"),
  rooms_file: ROOMS_FILE_STATUS.optional().describe("left out by a node without a rooms file"),
  wire: z
    .object({
      speaks: z.number().describe("the version that the mesh speaks"),
      newest: z.number().describe("the newest that this release understands"),
    })
    .describe("versions of the wire format"),
  view: z
    .object({
      number: z.number().describe("its number"),
      members: z.number().describe("nodes in it"),
      voters: z.number().describe("those that vote"),
    })
    .nullable()
    .describe("the agreed list of members; null for a node that has not joined yet"),
  lease: LEASE,
  clock: z
    .object({
      offset_ms: z.number().nullable().describe("how far it is ahead of the median of its peers; null without peers"),
      holds_back: z.boolean().describe("whether the node admits nobody because its clock is too far off"),
    })
    .describe("of the answering node"),
  cut_off: z
    .object({
      browses_ms: z.number().describe("how long an active visitor of a cut-off gate can browse"),
      idle_ms: z.number().describe("how long the share of a lost node is idle at most"),
    })
    .optional()
    .describe("what the loss of a node costs"),
  gossip: z
    .object({
      frames_sent: count.describe("frames sent"),
      frames_received: count.describe("frames received"),
      bytes_sent: count.describe("bytes sent"),
      bytes_received: count.describe("bytes received"),
      dropped: z.record(z.string(), count).describe("frames that were not used, by reason"),
      peers_punished: count.describe("peers cut off for what they sent"),
    })
    .optional()
    .describe("counted since the start"),
  metrics_read_ms: unixMs
    .nullable()
    .optional()
    .describe("when somebody last read the metrics of the answering node; null for never"),
  pressure: z
    .object({
      level: z.int().min(0).max(3).describe("0 is none; from 1 on, details of this status are left out"),
      since_ms: unixMs.describe("since when"),
      lag_ms: z.number().describe("how late its timers come"),
      memory: z.number().describe("part of its memory in use"),
    })
    .optional()
    .describe("pressure on the answering node"),
  rooms: z.array(ROOM_STATUS).describe("all rooms"),
  members: z.array(MEMBER_STATUS).describe("members, those that join or leave, and removed ones with idle shares"),
});

export type NodeStatus = Shape<typeof STATUS>;
export type RoomStatus = Shape<typeof ROOM_STATUS>;
export type RoomState = RoomStatus["state"];
export type RoomLocality = Shape<typeof LOCALITY_STATUS>;
export type ShareStatus = Shape<typeof SHARE_STATUS>;
export type IdleStatus = Shape<typeof IDLE_STATUS>;
export type PaceStatus = NonNullable<Shape<typeof PACE_STATUS>>;
export type OriginStatus = Shape<typeof ORIGIN_STATUS>;
export type WaveStatus = Shape<typeof WAVE_STATUS>;
export type MemberStatus = Shape<typeof MEMBER_STATUS>;
export type LeaseState = Shape<typeof LEASE>;
