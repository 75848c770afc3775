/**
 * What an operator wants of a new token, or of another secret for one, checked. All problems are named at once.
 */

import { DAY_MS, expiryOf, spanMs } from "../../config/expiry.ts";
import { isObject } from "../../config/is-object.ts";
import { type Checked, type Complaint, checked, problemAt } from "../../config/problem.ts";
import { isNamespace, namespaceOf, ROOM_NAME } from "../../config/room-name.ts";
import { unknownFields } from "../../config/unknown-keys.ts";
import { SCOPES, type Scope } from "../access/principal.ts";
import { GRACE } from "./grace.ts";
import { TOKEN_NAME, TOKEN_ROOMS_MAX } from "./token.ts";
import { isMeshLimited } from "./token-rights.ts";
import type { TokenPlan } from "./tokens.ts";

const GRACE_DAYS_MAX = 30;

/** A token may also have no end; ten years are meant to be none. */
const DAYS_MAX = 3_650;

const TOKEN_FIELDS = ["name", "scopes", "namespace", "rooms", "expires"] as const;
const ROTATE_FIELDS = ["grace", "expires"] as const;

const SCOPES_REPAIR = `write a list of ${SCOPES.join(", ")}`;
const EXAMPLE = "90d";

/** Reads `{name, scopes, namespace?, rooms?, expires?}`. */
export function parseTokenOrder(document: unknown, nowMs: number): Checked<TokenPlan> {
  if (!isObject(document)) return noFields('write {name: "ci", scopes: ["read"]}');
  const { problems, complain } = complaints(document, TOKEN_FIELDS);
  const { name, scopes, namespace, rooms, expires } = document;
  complain("name", nameComplaint(name));
  complain("scopes", scopesComplaint(scopes));
  if (namespace !== undefined && namespace !== null && !(typeof namespace === "string" && isNamespace(namespace)))
    complain("namespace", {
      problem: "is not a namespace",
      repair: "write 1 to 32 letters, digits, hyphens and underscores, without the colon; or leave it out",
    });
  complain("rooms", roomsComplaint(rooms, namespace));
  const expiresMs = endOf(expires, nowMs);
  if (isComplaint(expiresMs)) complain("expires", expiresMs);
  if (problems.length > 0) return { ok: false, problems };
  const plan: TokenPlan = {
    ...{ name: String(name), scopes: SCOPES.filter((scope) => (scopes as Scope[]).includes(scope)) },
    namespace: typeof namespace === "string" ? namespace : undefined,
    rooms: Array.isArray(rooms) ? [...new Set(rooms as string[])] : undefined,
    expiresMs: isComplaint(expiresMs) ? undefined : expiresMs,
  };
  const meshLimited = {
    problem: "has mesh beside a namespace or rooms",
    repair: "leave mesh out: it is about all rooms",
  };
  return checked(plan, isMeshLimited(plan) ? [problemAt("scopes", scopes, meshLimited)] : []);
}

export interface RotateOrder {
  readonly graceMs: number;
  /** Undefined to leave it as it is. */
  readonly expiresMs: number | undefined;
}

/** Reads `{grace?, expires?}`. */
export function parseRotateOrder(document: unknown, nowMs: number): Checked<RotateOrder> {
  if (!isObject(document)) return noFields(`write {grace: "${GRACE}"}, or {}`);
  const { problems, complain } = complaints(document, ROTATE_FIELDS);
  const { grace = GRACE, expires } = document;
  const graceMs = typeof grace === "string" ? spanMs(grace) : undefined;
  if (graceMs === undefined || graceMs > GRACE_DAYS_MAX * DAY_MS)
    complain("grace", {
      problem: `is no span of at most ${GRACE_DAYS_MAX} days`,
      repair: `write for how long the secret before still counts, such as ${GRACE}, or 0m to end it at once`,
    });
  const expiresMs = endOf(expires, nowMs);
  if (isComplaint(expiresMs)) complain("expires", expiresMs);
  if (graceMs === undefined || isComplaint(expiresMs)) return { ok: false, problems };
  return checked({ graceMs, expiresMs }, problems);
}

function complaints(document: Readonly<Record<string, unknown>>, fields: readonly string[]) {
  const problems = unknownFields(document, { known: fields });
  const complain = (field: string, complaint: Complaint): void => {
    if (complaint !== undefined) problems.push(problemAt(field, document[field], complaint));
  };
  return { problems, complain };
}

function nameComplaint(name: unknown): Complaint {
  const repair = "write 1 to 64 letters, digits, hyphens and underscores";
  if (name === undefined) return { problem: "is missing", repair };
  return typeof name === "string" && TOKEN_NAME.test(name) ? undefined : { problem: "is not a token's name", repair };
}

function scopesComplaint(scopes: unknown): Complaint {
  if (scopes === undefined) return { problem: "is missing", repair: SCOPES_REPAIR };
  if (!Array.isArray(scopes)) return { problem: "is not a list", repair: SCOPES_REPAIR };
  if (scopes.length === 0) return { problem: "is empty: such a token may do nothing", repair: SCOPES_REPAIR };
  const wrong = scopes.find((scope) => !SCOPES.some((known) => known === scope));
  if (wrong === undefined) return undefined;
  return { problem: `has ${JSON.stringify(wrong)?.slice(0, 80)}, which is no scope`, repair: SCOPES_REPAIR };
}

function roomsComplaint(rooms: unknown, namespace: unknown): Complaint {
  const repair = `write a list of 1 to ${TOKEN_ROOMS_MAX} names of rooms, or leave it out for all`;
  if (rooms === undefined || rooms === null) return undefined;
  if (!Array.isArray(rooms)) return { problem: "is not a list", repair };
  if (rooms.length === 0 || rooms.length > TOKEN_ROOMS_MAX) return { problem: `has ${rooms.length} entries`, repair };
  const wrong = rooms.find((room) => typeof room !== "string" || !ROOM_NAME.test(room));
  if (wrong !== undefined)
    return { problem: `has ${JSON.stringify(wrong)?.slice(0, 80)}, which is not a room name`, repair };
  if (typeof namespace !== "string") return undefined;
  const outside = (rooms as string[]).find((room) => namespaceOf(room) !== namespace);
  if (outside === undefined) return undefined;
  return { problem: `has ${outside}, which is not in namespace ${namespace}`, repair: `write ${namespace}:NAME` };
}

function endOf(expires: unknown, nowMs: number): number | undefined | NonNullable<Complaint> {
  if (expires === undefined || expires === null) return undefined;
  return expiryOf(expires, { nowMs, daysMax: DAYS_MAX, example: EXAMPLE });
}

function isComplaint(value: number | undefined | NonNullable<Complaint>): value is NonNullable<Complaint> {
  return typeof value === "object";
}

function noFields(repair: string): Checked<never> {
  return { ok: false, problems: [{ path: "", problem: "is no group of fields", repair }] };
}
