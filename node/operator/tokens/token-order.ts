/**
 * What an operator wants of a new token, or of another secret for one. The shapes check each field; the functions, what
 * depends on the time and on other fields.
 */

import { z } from "zod";
import { DAY_MS, expiryOf, GRACE, spanMs } from "../../config/expiry.ts";
import { type Checked, checked, problemAt } from "../../config/problem.ts";
import { NAMESPACE, namespaceOf, ROOM_NAME } from "../../config/room-name.ts";
import { SCOPES } from "../access/principal.ts";
import { TOKEN_NAME, TOKEN_ROOMS_MAX } from "./token.ts";
import { isMeshLimited } from "./token-rights.ts";
import type { TokenPlan } from "./tokens.ts";

const GRACE_DAYS_MAX = 30;

/** A token may also have no end; ten years are meant to be none. */
const DAYS_MAX = 3_650;

const EXAMPLE = "90d";

export const TOKEN_SCOPES = z
  .array(z.enum(SCOPES, "is no scope"))
  .min(1)
  .describe("what it is allowed to do: [tokens.md](tokens.md) says which call takes which");

const END = z.string().nullable().optional().describe("a span such as 90d, or a time; left out for none");

export const TOKEN_ORDER = z.strictObject({
  name: z
    .string()
    .regex(TOKEN_NAME, "is not a token's name")
    .describe("1 to 64 letters, digits, hyphens and underscores"),
  scopes: TOKEN_SCOPES,
  namespace: z
    .string()
    .regex(NAMESPACE, "is not a namespace")
    .nullable()
    .optional()
    .describe("for rooms called NAMESPACE:NAME alone"),
  rooms: z
    .array(z.string().regex(ROOM_NAME, "is not a room name"))
    .min(1)
    .max(TOKEN_ROOMS_MAX)
    .nullable()
    .optional()
    .describe("for these rooms alone"),
  expires: END,
});

export const ROTATE_ORDER = z.strictObject({
  grace: z.string().default(GRACE).describe("how long the secret before counts, 0m to 30d"),
  expires: END.describe("another end; left out to keep it"),
});

/** What to write in the fields of both. */
export const TOKEN_REPAIRS: Readonly<Record<string, string>> = {
  "": 'write {name: "ci", scopes: ["read"]}',
  name: "write 1 to 64 letters, digits, hyphens and underscores",
  scopes: `write a list of ${SCOPES.join(", ")}`,
  namespace: "write 1 to 32 letters, digits, hyphens and underscores, without the colon; or leave it out",
  rooms: `write a list of 1 to ${TOKEN_ROOMS_MAX} names of rooms, or leave it out for all`,
  grace: `write for how long the secret before still counts, such as ${GRACE}, or 0m to end it at once`,
  expires: `write a span such as 12h or ${EXAMPLE}, or leave it out`,
};

export function tokenPlan(order: z.output<typeof TOKEN_ORDER>, nowMs: number): Checked<TokenPlan> {
  const { name, namespace, rooms, expires } = order;
  const end = endOf(expires, nowMs);
  const plan: TokenPlan = {
    name,
    scopes: SCOPES.filter((scope) => order.scopes.includes(scope)),
    namespace: namespace ?? undefined,
    rooms: rooms ? [...new Set(rooms)] : undefined,
    expiresMs: end.ok ? end.value : undefined,
  };
  const outside = namespace ? rooms?.find((room) => namespaceOf(room) !== namespace) : undefined;
  const problem = `has ${outside}, which is not in namespace ${namespace}`;
  const meshLimited = {
    problem: "has mesh beside a namespace or rooms",
    repair: "leave mesh out: it is about all rooms",
  };
  return checked(plan, [
    ...(end.ok ? [] : end.problems),
    ...(outside === undefined ? [] : [problemAt("rooms", rooms, { problem, repair: `write ${namespace}:NAME` })]),
    ...(isMeshLimited(plan) ? [problemAt("scopes", order.scopes, meshLimited)] : []),
  ]);
}

export interface Rotation {
  readonly graceMs: number;
  /** Undefined to leave it as it is. */
  readonly expiresMs: number | undefined;
}

export function rotationOf({ grace, expires }: z.output<typeof ROTATE_ORDER>, nowMs: number): Checked<Rotation> {
  const end = endOf(expires, nowMs);
  const graceMs = spanMs(grace) ?? Number.POSITIVE_INFINITY;
  const tooLong = { problem: `is no span of at most ${GRACE_DAYS_MAX} days`, repair: TOKEN_REPAIRS.grace ?? "" };
  return checked({ graceMs, expiresMs: end.ok ? end.value : undefined }, [
    ...(graceMs > GRACE_DAYS_MAX * DAY_MS ? [problemAt("grace", grace, tooLong)] : []),
    ...(end.ok ? [] : end.problems),
  ]);
}

function endOf(expires: string | null | undefined, nowMs: number): Checked<number | undefined> {
  if (expires === undefined || expires === null) return { ok: true, value: undefined };
  const end = expiryOf(expires, { nowMs, daysMax: DAYS_MAX, example: EXAMPLE });
  return typeof end === "number"
    ? { ok: true, value: end }
    : { ok: false, problems: [problemAt("expires", expires, end)] };
}
