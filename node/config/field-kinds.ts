/** Kinds of fields that several documents and answers share. */

import { z } from "zod";
import { field } from "./document-fields.ts";
import { type Ramp, rampOf, rampText } from "./ramp.ts";
import { rampComplaint } from "./text-checks.ts";
import { text } from "./text-field.ts";

/** Highest limit: up to it the units of a room divide into slots without rounding errors. */
export const LIMIT_MAX = 10_000_000;

/** A limit of a room. */
export const limit = z.int().min(1).max(LIMIT_MAX);

/** Minutes that a session lasts. */
export const sessionMinutes = z.int().min(1).max(30);

/** A ramp as text. */
export const rampField = text(rampComplaint);

/** How a ramp is read and written; empty for none. */
export const rampForm = {
  read: (text: string) => (text === "" ? undefined : rampOf(text)),
  write: (ramp: Ramp | undefined) => (ramp === undefined ? "" : rampText(ramp)),
};

/** A switch that is off unless it is set. */
export function toggle(help: string) {
  return field(z.boolean().default(false), { help, repair: "write true or false" });
}

/** One of `values`. */
export function oneOf<const Value extends string>(values: readonly Value[]) {
  return z.enum(values, { error: `is not ${values.join(", ").replace(/, ([^,]*)$/, " or $1")}` });
}

export const queueingMethod = oneOf(["fifo", "random", "passthrough", "reject"]);

/** A moment as text. */
export const timeText = z.iso.datetime({ offset: true }).meta({ description: "ISO 8601" });

/** Milliseconds since 1970. */
export const unixMs = z.number().describe("Unix ms");
