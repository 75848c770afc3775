/**
 * How far a webhook's notices are delivered: for each subject, the number of the last change that is done with all
 * before it.
 *
 * It lies in a register beside the webhook's, so that another node goes on where the sender was. What two nodes wrote
 * merges by maximum (a CRDT: grow-only counters). Subjects are named by a hash, which is short.
 */

import { z } from "zod";
import type { Register } from "../../../mesh/core/replica/registers.ts";
import { nodeId, unixMs, whole } from "../../../mesh/core/wire/shapes.ts";
import { sha256Hex } from "../../sha256.ts";

/** Counted by one node since the webhook was made. */
export interface Tally {
  readonly delivered: number;
  readonly dead: number;
}

export interface Trouble {
  readonly sinceMs: number;
  readonly error: string;
}

export interface Progress {
  /** By `subjectHash`. */
  readonly counts: ReadonlyMap<string, number>;
  readonly tallies: ReadonlyMap<string, Tally>;
  /** When a notice was given up last. */
  readonly deadMs: number;
  /** Since when the receiver does not take notices, as its sender says; undefined while it does. */
  readonly trouble: Trouble | undefined;
}

export const NO_PROGRESS: Progress = { counts: new Map(), tallies: new Map(), deadMs: 0, trouble: undefined };

/**
 * Subjects with a notice in the last day. Beyond, the oldest are left out: after the loss of a sender they are sent
 * twice.
 */
const COUNTS_MAX = 5_000;
const TALLIES_MAX = 1_000;

export function subjectHash(journal: string, subject: string): string {
  return sha256Hex(`${journal}\n${subject}`).slice(0, 12);
}

export function mergedProgress(one: Progress, other: Progress): Progress {
  const counts = new Map(one.counts);
  for (const [subject, count] of other.counts) counts.set(subject, Math.max(count, counts.get(subject) ?? 0));
  const tallies = new Map(one.tallies);
  for (const [node, { delivered, dead }] of other.tallies) {
    const known = tallies.get(node);
    tallies.set(node, {
      delivered: Math.max(delivered, known?.delivered ?? 0),
      dead: Math.max(dead, known?.dead ?? 0),
    });
  }
  return { counts, tallies, deadMs: Math.max(one.deadMs, other.deadMs), trouble: other.trouble };
}

export function totals({ tallies }: Progress): Tally {
  let sum: Tally = { delivered: 0, dead: 0 };
  for (const { delivered, dead } of tallies.values())
    sum = { delivered: sum.delivered + delivered, dead: sum.dead + dead };
  return sum;
}

const stored = z.object({
  webhook: z.string().max(100),
  counts: z.array(z.tuple([z.string().max(12), whole])).max(COUNTS_MAX),
  tallies: z.array(z.tuple([nodeId, whole, whole])).max(TALLIES_MAX),
  deadMs: unixMs,
  trouble: z.object({ sinceMs: unixMs, error: z.string().max(1_000) }).optional(),
});

/** The progress of `webhook` in a register; none if it is that of an earlier webhook in the same slot. */
export function progressIn(register: Register | undefined, webhook: string): Progress {
  if (register?.document === undefined) return NO_PROGRESS;
  try {
    const read = stored.safeParse(JSON.parse(register.document));
    if (!read.success || read.data.webhook !== webhook) return NO_PROGRESS;
    const { counts, tallies, deadMs, trouble } = read.data;
    return {
      ...{ counts: new Map(counts), deadMs, trouble },
      tallies: new Map(tallies.map(([node, delivered, dead]) => [node, { delivered, dead }])),
    };
  } catch {
    // From a member that writes what it should not: notices may be sent twice.
    return NO_PROGRESS;
  }
}

export function progressRegister(
  { counts, tallies, deadMs, trouble }: Progress,
  webhook: string,
  nowMs: number,
): Omit<Register, "stamp"> {
  const newest = [...counts].sort(([, one], [, other]) => other - one).slice(0, COUNTS_MAX);
  const document = JSON.stringify({
    ...{ webhook, counts: newest, deadMs, trouble },
    tallies: [...tallies].map(([node, { delivered, dead }]) => [node, delivered, dead]).slice(-TALLIES_MAX),
  });
  return { firstName: "", document, createdMs: nowMs };
}
