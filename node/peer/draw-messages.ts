/** What nodes say to each other about draws, and what each keeps of them: see draws.ts. */

import { z } from "zod";
import { Entry } from "../../mesh/core/wire/entry.ts";
import { listOf, locality, nodeId, unixMs, whole, wholesOf } from "../../mesh/core/wire/shapes.ts";
import { LIST_SHAPE } from "../admission/draw/draw-document.ts";
import { DRAW_VALUE_MAX } from "../config/event-schema.ts";

/** Nodes that may take part in a draw: those that vote, and those that did before. */
const NODES_MAX = 64;

/** Characters of a node's state: two outcomes of some nodes, at 150 a secret. */
const STATE_CHARS_MAX = 40_000;

/** Characters of a signed commitment. */
const COMMITMENT_CHARS_MAX = 2_000;

/** Entries of a roll in one message, at 18 bytes: no frame delays a heartbeat for long. */
export const ROLL_ENTRIES_MAX = 5_000;

/** Buckets of ten seconds that are compared at once: four days. */
export const SUMS_MAX = 35_000;

const DRAW_ID_MAX = 2 ** 52 - 1;

/**
 * Parts in which a closed list is compared: 10 kB of sums, and of two million visitors 2,000 in each, so one part fits
 * a message.
 */
export const LIST_PARTS = 1_024;

const drawKey = z.string().regex(/^[0-9a-f]{24}$/);
const hash = z.string().regex(/^[0-9a-f]{64}$/);
const text = z.string().max(DRAW_VALUE_MAX);

const ballot = z.tuple([whole, whole, nodeId]).readonly();

const outcome = z.object({
  secrets: z
    .array(z.tuple([nodeId, hash]).readonly())
    .max(NODES_MAX)
    .readonly(),
  value: text,
  list: LIST_SHAPE,
});
/** What the nodes agree on: the secrets that count, the public value, and who was drawn. */
export type DrawOutcome = Readonly<z.output<typeof outcome>>;

/** What one node has done in a draw. Each field is set once, except the last three; nothing is ever taken back. */
export const STATE_SHAPE = z.object({
  anteroom: z.literal("draw state 1"),
  draw: drawKey,
  node: nodeId,
  /** Rises with each change. */
  version: whole,
  /** Its commitment, as it is published. */
  commitment: z.string().max(COMMITMENT_CHARS_MAX).optional(),
  /** From whom it had commitments at the start: only these secrets may count. */
  knew: z.array(nodeId).max(NODES_MAX).readonly().optional(),
  /** The list as it was when this node closed it, before any secret was revealed. */
  closed: LIST_SHAPE.optional(),
  /** Left out until the list is closed. */
  secret: hash.optional(),
  /** The public value, as an operator gave it here. */
  given: text.optional(),
  promised: ballot.optional(),
  accepted: z.object({ ballot, outcome }).optional(),
  decided: outcome.optional(),
});
export type DrawState = Readonly<z.output<typeof STATE_SHAPE>>;

export const DRAW_SHAPES = {
  draws: z.object({
    kind: z.literal("draws"),
    /** Each signed by its node. */
    states: listOf(z.string().max(STATE_CHARS_MAX), NODES_MAX),
  }),
  roll: z.object({
    kind: z.literal("roll"),
    draw: drawKey,
    /** The locality whose line it is. */
    line: locality,
    keys: wholesOf(ROLL_ENTRIES_MAX),
    ids: wholesOf(ROLL_ENTRIES_MAX, DRAW_ID_MAX),
  }),
  "roll-sums": z.object({
    kind: z.literal("roll-sums"),
    draw: drawKey,
    line: locality,
    /** The queue key up to which it compares: later visitors are on their way. */
    before: whole,
    sums: listOf(z.tuple([whole, whole, whole]).readonly(), SUMS_MAX),
  }),
  "list-sums": z.object({
    kind: z.literal("list-sums"),
    draw: drawKey,
    /** The digest of the list that was closed. */
    list: hash,
    /** Of each part of the ids at the sender: how many, and the exclusive or of their last 32 bits. */
    counts: wholesOf(LIST_PARTS),
    mixes: wholesOf(LIST_PARTS),
  }),
  "list-ids": z.object({
    kind: z.literal("list-ids"),
    draw: drawKey,
    list: hash,
    /** Whether the sender has the list. */
    isHere: z.boolean(),
    /** The parts that are here as a whole, and all ids in them. */
    parts: wholesOf(LIST_PARTS, LIST_PARTS - 1),
    ids: wholesOf(2 * ROLL_ENTRIES_MAX, DRAW_ID_MAX),
    /** Whether nothing else differs. */
    isLast: z.boolean(),
  }),
};
export type DrawMessage = z.output<(typeof DRAW_SHAPES)[keyof typeof DRAW_SHAPES]>;

const stored = z.object({
  plan: z.object({
    room: z.string().max(128),
    name: z.string().max(128),
    event: z.string().max(128),
    prequeueMs: unixMs,
    startMs: unixMs,
    endMs: unixMs,
    announced: text,
  }),
  /** Revealed only after the start. */
  secret: hash.optional(),
  /** This node's own state, without a signature. */
  state: STATE_SHAPE,
  /** The commitments of all nodes, as they signed them. */
  commitments: z.array(z.string().max(COMMITMENT_CHARS_MAX)).max(NODES_MAX).readonly(),
});
export type StoredDraw = Readonly<z.output<typeof stored>>;

export const DRAW = new Entry<StoredDraw>({
  key: "draw",
  names: ["draw"],
  shape: stored,
  writer: "node/peer/draws.ts",
  holds: "a draw: this node's secret, what it has promised and accepted, and the outcome",
  without: "the node cannot reveal its secret, and its vote could make two outcomes of one draw",
});

export const ROLL = new Entry({
  key: "roll",
  names: ["draw", "line", "number"],
  shape: z.object({ keys: z.array(whole).readonly(), ids: z.array(whole).readonly() }),
  writer: "node/peer/rolls.ts",
  holds: "visitors who joined before the start of a draw: their queue keys and their ids in the draw",
  without: "the list of a draw lacks those whom no other node knows; their places are the same",
});

export const CLOSED_LIST = new Entry({
  key: "draw-list",
  names: ["draw"],
  shape: z.object({ added: z.array(whole).readonly(), dropped: z.array(whole).readonly() }),
  writer: "node/peer/closed-list.ts",
  holds: "in what the list of a draw that was closed at another node differs from the rolls here: ids",
  without: "the node fetches the list from another node again, and cannot write it where no other node has it",
});

export const DRAW_ENTRIES = [DRAW, ROLL, CLOSED_LIST] as const;
