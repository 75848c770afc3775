/**
 * All messages between nodes: one row for each kind, with its shape, the part of a node that it belongs to, who sends
 * it, and how it travels.
 *
 * The types of messages follow from the shapes, and the code that sends or answers messages is generic over them: a
 * wrong field does not compile. `npm run docs` makes a page from this table. A kind that is not in it is ignored on
 * arrival, as one of a newer release.
 */

import { z } from "zod";
import { memberShapes } from "../../mesh/core/members/member-messages.ts";
import { replicaShapes } from "../../mesh/core/replica/replica-messages.ts";
import { pieceShape } from "../../mesh/core/wire/pieces.ts";
import { listOf, nodeId, nodeName, whole } from "../../mesh/core/wire/shapes.ts";
import { GAUGES_SHAPE, ROOM_SHAPES } from "../admission/mesh/room-messages.ts";
import { HISTORY_SHAPES } from "../history/history-messages.ts";
import { DRAW_SHAPES } from "./draw-messages.ts";
import { POWER_LOSS_SHAPES } from "./power-loss-messages.ts";

/** Addresses kept for a node, and nodes kept. */
export const ADDRESSES_PER_NODE_MAX = 16;
export const ADDRESSES_MAX = 1_000;

/** Names kept: those of ten times as many nodes as a mesh is made for, former ones included. */
export const NAMES_MAX = 1_000;

/** The view in which a frame's messages were written: first in each frame. */
const STAMP_SHAPE = z.object({ kind: z.literal("stamp"), view: whole });

/** The addresses at which nodes can be dialled, as they reported, and what operators call nodes. */
const ADDRESSES_SHAPE = z.object({
  kind: z.literal("addresses"),
  nodes: listOf(z.tuple([nodeId, listOf(z.string().max(200), ADDRESSES_PER_NODE_MAX)]), ADDRESSES_MAX),
  /** Former members included; left out where an address alone is news. */
  names: listOf(z.tuple([nodeId, nodeName]), NAMES_MAX).optional(),
});

/**
 * `urgent`, `bulk`: to one node, on the stream for small messages, or on the one for whole rows and tables, which must
 * not delay a heartbeat (head-of-line blocking). `published`: by gossip, to all.
 */
export type Delivery = "urgent" | "bulk" | "published";

/** `member`: in the receiver's view. `node`: also one that is not a member, not yet, or no longer. */
export type Sender = "member" | "node";

const [URGENT, BULK, PUBLISHED] = ["urgent", "bulk", "published"] as const;

/** The row of a kind: its delivery comes last, because a kind may travel in several ways. */
function row<Shape extends z.ZodType, Part extends string>(
  part: Part,
  shape: Shape,
  sender: Sender,
  ...delivery: readonly [Delivery, ...Delivery[]]
) {
  return { part, shape, sender, delivery };
}

export const MESSAGE_KINDS = {
  stamp: row("frame", STAMP_SHAPE, "node", URGENT, BULK),
  piece: row("frame", pieceShape, "node", URGENT, BULK),
  addresses: row("addresses", ADDRESSES_SHAPE, "node", BULK, PUBLISHED),

  ping: row("members", memberShapes.ping, "member", URGENT),
  pong: row("members", memberShapes.pong, "member", URGENT),
  "view-wanted": row("members", memberShapes["view-wanted"], "node", URGENT),
  decided: row("members", memberShapes.decided, "member", BULK),
  join: row("members", memberShapes.join, "node", URGENT),
  over: row("members", memberShapes.over, "node", URGENT),
  fence: row("members", memberShapes.fence, "member", URGENT),
  fenced: row("members", memberShapes.fenced, "member", BULK),
  heard: row("members", memberShapes.heard, "member", URGENT),
  prepare: row("members", memberShapes.prepare, "member", URGENT),
  promise: row("members", memberShapes.promise, "member", BULK),
  accept: row("members", memberShapes.accept, "member", BULK),
  accepted: row("members", memberShapes.accepted, "member", URGENT),
  refusal: row("members", memberShapes.refusal, "member", URGENT),
  relay: row("members", memberShapes.relay, "member", BULK),
  "took-over": row("members", memberShapes["took-over"], "member", BULK),
  offer: row("members", memberShapes.offer, "member", BULK),
  "heir-wanted": row("members", memberShapes["heir-wanted"], "member", URGENT),
  "heir-found": row("members", memberShapes["heir-found"], "member", URGENT),
  "offer-taken": row("members", memberShapes["offer-taken"], "member", URGENT),
  "offer-refused": row("members", memberShapes["offer-refused"], "member", URGENT),
  returned: row("members", memberShapes.returned, "node", URGENT),
  "testimony-wanted": row("members", memberShapes["testimony-wanted"], "node", URGENT),
  testimony: row("members", memberShapes.testimony, "node", BULK),
  "testimony-done": row("members", memberShapes["testimony-done"], "node", URGENT),

  rows: row("replica", replicaShapes.rows, "node", BULK, PUBLISHED),
  digest: row("replica", replicaShapes.digest, "node", BULK),
  want: row("replica", replicaShapes.want, "node", BULK),
  stamps: row("replica", replicaShapes.stamps, "node", BULK),

  ask: row("rooms", ROOM_SHAPES.ask, "member", URGENT),
  told: row("answers", ROOM_SHAPES.told, "member", URGENT),
  recall: row("rooms", ROOM_SHAPES.recall, "member", URGENT),
  lent: row("answers", ROOM_SHAPES.lent, "member", URGENT),
  "check-in": row("rooms", ROOM_SHAPES["check-in"], "member", URGENT),
  extend: row("rooms", ROOM_SHAPES.extend, "member", URGENT),
  checked: row("answers", ROOM_SHAPES.checked, "member", URGENT),
  claim: row("rooms", ROOM_SHAPES.claim, "member", URGENT),
  claimed: row("answers", ROOM_SHAPES.claimed, "member", URGENT),
  gift: row("rooms", ROOM_SHAPES.gift, "member", URGENT),
  line: row("rooms", ROOM_SHAPES.line, "member", URGENT),
  polls: row("rooms", ROOM_SHAPES.polls, "member", URGENT),
  left: row("rooms", ROOM_SHAPES.left, "member", URGENT),
  revoke: row("rooms", ROOM_SHAPES.revoke, "member", URGENT),
  noted: row("answers", ROOM_SHAPES.noted, "member", URGENT),
  look: row("rooms", ROOM_SHAPES.look, "member", URGENT),
  sighted: row("answers", ROOM_SHAPES.sighted, "member", URGENT),
  contacts: row("rooms", ROOM_SHAPES.contacts, "member", URGENT),
  release: row("rooms", ROOM_SHAPES.release, "member", URGENT),
  gauges: row("gauges", GAUGES_SHAPE, "member", PUBLISHED),

  roll: row("draws", DRAW_SHAPES.roll, "member", BULK),
  "roll-sums": row("draws", DRAW_SHAPES["roll-sums"], "member", BULK),

  history: row("history", HISTORY_SHAPES.history, "member", BULK, PUBLISHED),
  "history-wanted": row("history", HISTORY_SHAPES["history-wanted"], "member", BULK),

  "gifts-wanted": row("power-loss", POWER_LOSS_SHAPES["gifts-wanted"], "member", BULK),
  gifts: row("power-loss", POWER_LOSS_SHAPES.gifts, "member", BULK),
} as const;

type Kinds = typeof MESSAGE_KINDS;
export type MessageKind = keyof Kinds;
export type MessageOf<Kind extends MessageKind> = z.output<Kinds[Kind]["shape"]>;
/** Any message between nodes. */
export type PeerMessage = MessageOf<MessageKind>;

type KindsOf<Part extends string> = {
  [Kind in MessageKind]: Kinds[Kind]["part"] extends Part ? Kind : never;
}[MessageKind];
export type MessagePart = Kinds[MessageKind]["part"];
export type MessageOfPart<Part extends MessagePart> = MessageOf<KindsOf<Part>>;

/** Whether a message belongs to a part of a node. */
export function isOf<Part extends MessagePart>(message: PeerMessage, part: Part): message is MessageOfPart<Part> {
  return MESSAGE_KINDS[message.kind].part === part;
}

/** Kinds that nodes exchange which nobody uses. */
export const AT_REST_KINDS: ReadonlySet<string> = new Set<MessageKind>([
  "stamp",
  "ping",
  "pong",
  "digest",
  "history-wanted",
]);

/** Kinds that travel on the stream for whole rows and tables. */
export const BULK_KINDS: ReadonlySet<string> = new Set(
  Object.entries(MESSAGE_KINDS).flatMap(([kind, { delivery }]) => (delivery.includes("bulk") ? kind : [])),
);

/** The shapes by kind, for the codec. */
export const MESSAGE_SHAPES = Object.fromEntries(
  Object.entries(MESSAGE_KINDS).map(([kind, { shape }]) => [kind, shape]),
) as { readonly [Kind in MessageKind]: Kinds[Kind]["shape"] };
