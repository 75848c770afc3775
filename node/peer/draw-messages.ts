/** What nodes say to each other about who is drawn, and what each keeps of it: see draws.ts. */

import { z } from "zod";
import { Entry } from "../../mesh/core/wire/entry.ts";
import { listOf, locality, whole, wholesOf } from "../../mesh/core/wire/shapes.ts";
import { LIST_SHAPE } from "../admission/draw/draw-document.ts";

/** Entries of a roll in one message, at 18 bytes: no frame delays a heartbeat for long. */
export const ROLL_ENTRIES_MAX = 5_000;

/** Buckets of ten seconds that are compared at once: four days. */
export const SUMS_MAX = 35_000;

const DRAW_ID_MAX = 2 ** 52 - 1;

const drawKey = z.string().regex(/^[0-9a-f]{24}$/);

export const DRAW_SHAPES = {
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
};
export type DrawMessage = z.output<(typeof DRAW_SHAPES)[keyof typeof DRAW_SHAPES]>;

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
  shape: LIST_SHAPE,
  writer: "node/peer/draws.ts",
  holds: "how many were on the list of a draw when this node closed it, and its digest",
  without: "the node closes its list again, with those who became known since",
});

export const DRAW_ENTRIES = [ROLL, CLOSED_LIST] as const;
