/**
 * The fields of a room that say where its visitors go: one origin or several with weights, their health checks, and a
 * rollout in progress.
 *
 * Several targets are for a handful of servers or a new release beside the old; spreading over dozens is a load
 * balancer's job.
 */

import { z } from "zod";
import { isoOf } from "../iso-time.ts";
import { originComplaint } from "./text-checks.ts";
import { text } from "./text-field.ts";

/** More than this is a load balancer's job; every node probes each of them. */
const TARGETS_MAX = 32;

/** Far beyond any useful ratio; sums stay exact. */
const WEIGHT_MAX = 1_000_000;

/** Longest pause between two probes: beyond five minutes visitors notice an outage long before a check does. */
const INTERVAL_SECONDS_MAX = 300;

const url = text((value) => (value === "" ? undefined : originComplaint(value)));
const target = z.strictObject({
  url: text(originComplaint).describe("base URL"),
  weight: z.number().min(0).max(WEIGHT_MAX).default(1).describe("its part of new sessions, next to the others'"),
});

const targets = z
  .array(target)
  .max(TARGETS_MAX)
  .superRefine((list, context) => {
    const complain = (path: PropertyKey[], problem: string, repair: string): void =>
      context.addIssue({ code: "custom", path, message: problem, params: { repair } });
    const seen = new Map<string, number>();
    for (const [index, { url: address }] of list.entries()) {
      const earlier = seen.get(originKey(address));
      if (earlier !== undefined)
        complain([index, "url"], `is origin[${earlier}] too`, "name each target once, with the weight of both");
      else seen.set(originKey(address), index);
    }
    if (list.length === 0)
      complain([], "names no target", "write at least one, or leave the field out for the node's own --origin");
    else if (list.every(({ weight }) => weight === 0))
      complain(
        [],
        "has weights that sum to 0: no visitor would have anywhere to go",
        "give one target a weight above 0",
      );
  });

/** What the field may be; ORIGIN reports the problems of the one that was meant. */
export const ORIGIN_FORMS = [url, targets] as const;

/** One base URL, or a list of targets; empty for the node's own. */
export const ORIGIN = z
  .unknown()
  .transform((value, context): z.output<typeof url> | z.output<typeof targets> => {
    const read = Array.isArray(value) ? targets.safeParse(value) : url.safeParse(value);
    if (read.success) return read.data;
    for (const issue of read.error.issues) context.addIssue({ ...issue });
    return z.NEVER;
  })
  .default("");

/** How targets are probed; null for not at all. */
export const HEALTH_CHECK = z
  .strictObject({
    path: text(checkPathComplaint).describe("the path that is requested, such as /healthz"),
    interval_seconds: z
      .int()
      .min(1)
      .max(INTERVAL_SECONDS_MAX)
      .default(10)
      .describe("seconds between two probes, 1 to 300"),
    timeout_seconds: z
      .int()
      .min(1)
      .max(INTERVAL_SECONDS_MAX)
      .optional()
      .describe("how long a probe waits; left out: 5, and no longer than the interval"),
  })
  .transform((check) => ({ ...check, timeout_seconds: check.timeout_seconds ?? Math.min(5, check.interval_seconds) }))
  .refine(({ interval_seconds: interval, timeout_seconds: timeout }) => timeout <= interval, {
    path: ["timeout_seconds"],
    error: "is longer than interval_seconds: one probe would still be open when the next is due",
  })
  .nullable()
  .default(null);

/** A rollout in the room's document: what the weights were, and since when they move. Nodes write it. */
export const ROLLOUT = z
  .strictObject({
    from: targets.describe("the weights before"),
    started_at: z
      .string()
      .refine((time) => !Number.isNaN(Date.parse(time)), "is not a time such as 2026-09-11T11:45:00Z")
      .describe("when it began"),
    state: z
      .enum(["running", "stopped", "reversed"], { error: "is not running, stopped or reversed" })
      .default("running")
      .describe("stopped: it keeps the percentage; reversed: the weights are the old ones, and from those it led to"),
    percent: z.number().min(0).max(100).default(0).describe("where it began, was stopped or reversed"),
    reason: z.string().max(500).default("").describe("why it was stopped or reversed"),
  })
  .nullable()
  .default(null);

type Moved = z.output<typeof ROLLOUT>;

export function rolloutOf(rollout: Moved) {
  if (rollout === null) return undefined;
  const { started_at: startedAt, ...rest } = rollout;
  return { ...rest, startedMs: Date.parse(startedAt) };
}

export function rolloutDocument(rollout: ReturnType<typeof rolloutOf>): Moved {
  if (rollout === undefined) return null;
  const { from, startedMs, ...rest } = rollout;
  return { from, started_at: isoOf(startedMs), ...rest };
}

/** The normal form of a base URL: equal for two URLs of the same origin. */
export function originKey(address: string): string {
  const parsed = URL.parse(address);
  return parsed === null ? address : `${parsed.protocol}//${parsed.host}${parsed.pathname.replace(/\/+$/, "")}`;
}

function checkPathComplaint(path: string) {
  if (/^\/[!-~]*$/.test(path) && !path.includes("#")) return undefined;
  return {
    problem: "is not a path to request",
    repair: "write a path such as /healthz, percent-encoded where needed",
  };
}
