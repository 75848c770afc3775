/**
 * The shape of a view as it arrives from other nodes.
 *
 * Bounds are far above what a healthy mesh has; the size of a frame bounds all of it as well.
 */

import { z } from "zod";
import type { Opening } from "../ledger/openings.ts";
import {
  ACCOUNTS_MAX,
  accountId,
  ceilings,
  listOf,
  locality,
  minute,
  named,
  nodeId,
  ROOMS_MAX,
  roomId,
  unixMs,
  whole,
} from "../wire/shapes.ts";
import type { KeptPledge } from "./ceilings.ts";
import type { Run } from "./known-runs.ts";
import type { View } from "./view.ts";
import { VOTERS_MAX } from "./voters.ts";

/** Nodes in a view. Every node pings every other one, which limits the growth of a mesh first. */
export const MEMBERS_MAX = 1_000;

/** A node, and one of its starts. */
export const run: z.ZodType<Run> = named(z.tuple([nodeId, whole]), "[node id, start in unix ms]");

export const ceilingsOfOne = { version: whole, isWhole: z.boolean(), rooms: ceilings };
/** What a node has pledged. */
export const keptPledge: z.ZodType<KeptPledge> = named(z.strictObject({ node: nodeId, ...ceilingsOfOne }), "pledge");

/** Units of one account in one room: a sum of gifts, which stays below 2^53. */
const units = z.int();
const opening: z.ZodType<Opening> = named(z.tuple([roomId, units, units, units]), "[room, active, arrivals, later]");

/**
 * A field that this release does not know is a fault: all nodes must know the same view, and one without a field would
 * be another view. Only a newer wire version adds fields to views.
 */
const view = z.strictObject({
  number: whole.min(1),
  members: listOf(z.strictObject({ node: nodeId, locality, sinceMs: unixMs }), MEMBERS_MAX),
  voters: listOf(nodeId, VOTERS_MAX),
  heirs: listOf(z.tuple([accountId, nodeId, unixMs]), ACCOUNTS_MAX),
  openings: listOf(z.tuple([accountId, listOf(opening, ROOMS_MAX)]), ACCOUNTS_MAX),
  root: accountId,
  from: minute.optional(),
  sessionMinutes: whole.optional(),
  earlierMinutes: whole.optional(),
  pledges: listOf(keptPledge, MEMBERS_MAX).optional(),
  ceilings: z.strictObject({ accounts: listOf(accountId, ACCOUNTS_MAX), rooms: ceilings }).optional(),
  returning: listOf(run, MEMBERS_MAX).optional(),
  wire: whole.optional(),
});
export const viewShape: z.ZodType<View> = named(view, "view");
