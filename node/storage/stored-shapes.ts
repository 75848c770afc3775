/**
 * The shapes of entries that are used as they lie on the disk: one of another shape is damaged, and named before anything is built on it.
 *
 * Entries that are missing here are checked where they are read, and a node does not start on one that cannot be.
 */

import { z } from "zod";
import { LINE_KEY } from "../admission/mesh/line-keeper.ts";
import { ADMISSION_KEY, REVOKED_KEY } from "../admission/mesh/mesh-room.ts";
import { RAMP_KEY } from "../admission/mesh/pace-keeper.ts";

const count = z.int().min(0);
const ms = z.number().min(0);
const slots = z.array(z.tuple([z.int(), count]));

const admission = z.looseObject({
  slots,
  pots: z.array(z.tuple([z.string(), slots])).optional(),
  // As an earlier version had it: one table for all pots.
  pot: slots.optional(),
  minute: z.int(),
  admittedInMinute: count,
});

/** By the first part of the key. */
const SHAPES: Readonly<Record<string, z.ZodType>> = {
  alive: ms,
  "extended-in": z.int(),
  incarnation: ms,
  "held-rooms": z.array(z.tuple([z.string(), ms])),
  "disk-proof": z.looseObject({ isForced: z.boolean(), hasEnded: z.boolean(), isDoubted: z.boolean() }),
  handed: z.array(z.looseObject({ room: z.string(), record: admission, revoked: z.array(z.unknown()) })),
  "longest-session": z.looseObject({ most: count, earlier: z.array(z.tuple([count, ms])) }),
  [RAMP_KEY]: ms,
  [REVOKED_KEY]: z.int(),
  [ADMISSION_KEY]: admission,
  [LINE_KEY]: z.looseObject({ horizon: ms, lastKey: ms, ranges: z.array(z.tuple([ms, ms, count])) }),
};

/** What is wrong with the first entry that has not the shape it must have; undefined if all are well. */
export function misshapen(entries: ReadonlyMap<string, unknown>): string | undefined {
  for (const [key, value] of entries) {
    const checked = SHAPES[key.split("/")[0] ?? ""]?.safeParse(value);
    if (checked?.success !== false) continue;
    const [issue] = checked.error.issues;
    return `its entry ${JSON.stringify(key)} is damaged${issue === undefined ? "" : `: ${[...issue.path, issue.message].join(" ")}`}`;
  }
  return undefined;
}
