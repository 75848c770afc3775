/**
 * The entries of a room's public log: up to which place a line was called, and who was let in from it.
 *
 * Each entry is signed by the node that kept the line, and names the one before by its digest: an entry that is
 * changed, left out or put in between shows. An entry covers the time from `from` to `to`. It begins where the one
 * before ends; where it does not, `gap` says why, and what was called in between is not in the log.
 */

import { z } from "zod";
import { locality, nodeId, whole } from "../../mesh/core/wire/shapes.ts";
import { moment, text } from "./receipt.ts";

/** Characters of an entry with its signature. */
export const ENTRY_CHARS_MAX = 2_000;

/** Nodes in the list of a log: more than a mesh has. */
const NODES_MAX = 2_000;

/**
 * `start`: the first entry of a log. `restart`: the node that kept the line was started again, or the log was switched
 * on again. `takeover`: another node keeps the line from now on.
 */
const gap = z.enum(["start", "restart", "takeover"]);
export type Gap = z.output<typeof gap>;

export const LOG_ENTRY_SHAPE = z.object({
  anteroom: z.literal("log 1"),
  mesh: text,
  room: text,
  /** The locality whose line it is. */
  line: locality,
  /** When the first entry of this log was made. A log that began again, because all nodes had lost it, has another. */
  began: moment,
  number: whole,
  from: moment,
  to: moment,
  gap: gap.optional(),
  /**
   * An entry of another node that is not in this log: two nodes kept the line at once, each for its part of the mesh.
   */
  other: z.object({ node: nodeId, number: whole, digest: text }).optional(),
  order: text,
  /** The furthest place that was called in that time; 0 if none was. */
  called_up_to: whole,
  /** Visitors who were let in from the line in that time, and the furthest place among them. */
  let_in: whole,
  let_in_up_to: whole,
  /** In line at the end of that time: all, and those of them who were called. */
  waiting: whole,
  called: whole,
  /** The room let everybody in, whatever their place. */
  open: z.literal(true).optional(),
  /** The digest of the entry before; empty in the first. */
  previous: text,
  node: nodeId,
});
export type LogEntry = z.output<typeof LOG_ENTRY_SHAPE>;

/** The first line of a served log: whose signatures count. */
export const LOG_NODES_SHAPE = z.object({
  anteroom: z.literal("log nodes 1"),
  mesh: text,
  room: text,
  name: text,
  line: locality,
  at: moment,
  /** Numbers of the oldest entry that is kept and of the newest one; 0 if there is none. */
  first: whole,
  last: whole,
  /** The members of the mesh, and those who signed an entry that is kept. */
  nodes: z.array(nodeId).max(NODES_MAX),
  node: nodeId,
});
export type LogNodes = z.output<typeof LOG_NODES_SHAPE>;
