/**
 * Notices: what began, ended or changed in a mesh, as a node sees it.
 *
 * This file has the table of types. docs/webhooks.md prints it, and filters are checked against it.
 */

import { z } from "zod";
import type { NodeId } from "../../../mesh/core/ids.ts";
import type { Shape } from "../../config/document-fields.ts";
import { timeText } from "../../config/field-kinds.ts";
import { isoOf } from "../../iso-time.ts";

/** What a type means, and what its `data` has. */
interface NoticeKind {
  readonly help: string;
  /** Fields of `data`. */
  readonly data: readonly string[];
  /** Whether it is about a node, and not about a room. */
  readonly isOfMesh?: true;
}

export const NOTICE_TYPES = {
  "room.created": { help: "A room was created.", data: [] },
  "room.changed": { help: "A room's configuration or name was changed.", data: [] },
  "room.deleted": { help: "A room was deleted.", data: [] },
  "room.held": { help: "An operator ordered `hold`.", data: ["by_node"] },
  "room.opened": { help: "An operator ordered `open`.", data: ["by_node"] },
  "room.resumed": { help: "An operator's order was lifted.", data: [] },
  "room.queueing_started": { help: "Visitors wait in line.", data: ["waiting", "inside", "limit"] },
  "room.queueing_ended": { help: "Nobody waits any more.", data: ["waiting", "inside", "limit"] },
  "room.sold_out_started": {
    help: "New visitors are turned away: the room is closed as sold out, or its queueing method is `reject`.",
    data: ["inside", "limit"],
  },
  "room.sold_out_ended": { help: "New visitors are admitted or queued again.", data: ["inside", "limit"] },
  "room.share_idle_started": {
    help: "Slots of the room cannot be used, because their node is lost or holds them.",
    data: ["slots", "part"],
  },
  "room.share_idle_ended": { help: "All slots of the room can be used again.", data: ["slots", "part"] },
  "room.limit_paced_started": {
    help: "New visitors are held back below the limits, such as by errors of the origin.",
    data: ["reason", "words", "per_minute"],
  },
  "room.limit_paced_ended": { help: "Only the limits apply again.", data: [] },
  "origin.down": { help: "An origin of the room does not answer.", data: ["origin", "reason", "reachable"] },
  "origin.up": { help: "The origin answers again, or is no longer used.", data: ["origin", "reachable"] },
  "event.approaching": {
    help: "An event, or its pre-queue, begins in less than 15 minutes: make the origin ready.",
    data: ["event", "begins"],
  },
  "event.prequeue_started": { help: "The pre-queue of an event began.", data: ["event"] },
  "event.started": { help: "An event began.", data: ["event"] },
  "event.ended": { help: "An event ended, or was cancelled or put off after a notice of it.", data: ["event"] },
  "visitor.called": {
    help: "The turn of a visitor has come who left an address (`notify`): send word there. Only to webhooks that name this type.",
    data: ["by", "contact", "visitor", "until"],
  },
  "node.joined": { help: "A node joined the mesh.", data: ["node", "name", "locality", "lease"], isOfMesh: true },
  "node.lost": { help: "A member does not answer.", data: ["node", "name", "locality", "lease"], isOfMesh: true },
  "node.back": { help: "A lost member answers again.", data: ["node", "name", "locality", "lease"], isOfMesh: true },
  "node.removed": {
    help: "The others removed a lost member.",
    data: ["node", "name", "locality", "lease"],
    isOfMesh: true,
  },
  "node.left": { help: "A member left in order.", data: ["node", "name", "locality", "lease"], isOfMesh: true },
} as const satisfies Readonly<Record<string, NoticeKind>>;

export type NoticeType = keyof typeof NOTICE_TYPES;

/** Sent on an operator's order only, to try a webhook. No filter names it. */
export const TEST_TYPE = "webhook.test";

export function typeList(): string {
  return Object.keys(NOTICE_TYPES).join(", ");
}

/** One change, as one node saw it. */
export interface Notice {
  /** Of this change; nodes that see it at nearly the same time give it the same id. */
  readonly id: string;
  readonly type: NoticeType;
  /** When it was first seen, in Unix ms. */
  readonly atMs: number;
  /** The node that reported it. */
  readonly node: NodeId;
  /** The name of the room at that time; undefined for a notice about a node. */
  readonly room: string | undefined;
  readonly data: NoticeData;
  /** When it is no longer of use, in Unix ms. */
  readonly untilMs?: number;
}

const TYPES = Object.keys(NOTICE_TYPES) as NoticeType[];

/** A notice as receivers get it. */
export const NOTICE = z.object({
  id: z.string().describe("of this change; the same at each attempt"),
  type: z.enum([...TYPES, TEST_TYPE]).describe("what happened"),
  time: timeText.describe("when it was first seen"),
  mesh: z.string().describe("the mesh"),
  node: z.string().describe("the node that reported it"),
  room: z.string().nullable().describe("the room's name; null in a notice about a node"),
  namespace: z.string().nullable().describe("the room's namespace"),
  data: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
    .describe("figures and names, by type"),
});
export type NoticeDocument = Shape<typeof NOTICE>;
export type NoticeData = NoticeDocument["data"];

export function noticeDocument({ id, type, atMs, node, room, data }: Notice, mesh: string): NoticeDocument {
  return {
    id,
    type,
    time: isoOf(atMs),
    mesh,
    node,
    room: room ?? null,
    namespace: (room && namespaceIn(room)) ?? null,
    data,
  };
}

/** The namespace in the name of a room; undefined if it has none. */
function namespaceIn(room: string): string | undefined {
  const at = room.indexOf(":");
  return at < 0 ? undefined : room.slice(0, at);
}
