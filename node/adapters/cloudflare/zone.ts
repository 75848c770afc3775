/**
 * A zone: the rooms of one namespace, as one principal sees them.
 *
 * A zone needs no creation. Where it has no rooms, its list is empty and every room in it is unknown. What a principal
 * must not see is answered like what does not exist.
 */

import type { Context } from "hono";
import { ROOM_BYTES_MAX } from "../../../mesh/core/wire/shapes.ts";
import type { Problem } from "../../config/problem.ts";
import { isNamespace, namespaceOf } from "../../config/room-name.ts";
import { withoutOthers } from "../../operator/access/other-rooms.ts";
import { isLimited, maySee, type Principal } from "../../operator/access/principal.ts";
import { isJson, jsonBody } from "../../operator/calls/json-body.ts";
import type { AdminEnv } from "../../operator/logs/audit.ts";
import type { Refusal } from "../../rooms/changed.ts";
import type { LiveRoom } from "../../rooms/live-room.ts";
import type { Rooms } from "../../rooms/rooms.ts";
import { CODES, invalidBody, refusedFor } from "./envelope.ts";
import { TAKEN } from "./room-clashes.ts";

export type Asked = Context<AdminEnv>;

/** Where the routes of a zone are. */
export const ZONE_PATH = "/client/v4/zones/:zone/waiting_rooms";
export const ROOM_PATH = `${ZONE_PATH}/:room`;

/** Ways to change what is there, and what each body is: all of it, or what differs. */
export const CHANGES = [
  ["PUT", "whole"],
  ["PATCH", "part"],
] as const;

/** A room of the largest size, with every character escaped as JSON may. */
export const BODY_BYTES_MAX = 6 * ROOM_BYTES_MAX;

/** Why a zone or an account cannot be named so by this principal; undefined where it can. */
export function noSuchZone(id: string, { namespace }: Principal): Response | undefined {
  if (isNamespace(id) && (namespace === undefined || namespace === id)) return undefined;
  const why = isNamespace(id)
    ? "this token has no such zone"
    : "an id is 1 to 32 letters, digits, hyphens and underscores";
  return refusedFor(404, CODES.noRoute, `Cannot route to zone ${shown(id)}: ${why}`);
}

/** The rooms of a zone, the oldest first. */
export function roomsOf(rooms: Rooms, zone: string, principal: Principal): LiveRoom[] {
  return seen(rooms, principal).filter(({ declared }) => namespaceOf(declared.name) === zone);
}

/** The rooms of all zones that the principal sees. A room without a namespace is in no zone. */
export function seen(rooms: Rooms, principal: Principal): LiveRoom[] {
  return rooms
    .all()
    .filter(({ declared: { name } }) => namespaceOf(name) !== undefined && maySee(principal, name))
    .sort((one, other) => one.createdMs - other.createdMs || (one.id < other.id ? -1 : 1));
}

/** The room that the path names by its id. */
export function roomIn(c: Asked, rooms: Rooms): LiveRoom | Response {
  const [zone, id] = [c.req.param("zone") ?? "", c.req.param("room") ?? ""];
  const live = roomsOf(rooms, zone, c.var.principal).find((each) => each.id === id);
  return live ?? notFound("waiting room", id, "list the zone's waiting rooms to see their ids");
}

export function notFound(what: string, id: string, repair: string): Response {
  return refusedFor(404, CODES.notFound, `Cannot find ${what} ${shown(id)}: ${repair}`);
}

/** The body as data, or the answer to one that cannot be read. */
export async function bodyOf(c: Asked): Promise<{ readonly body: unknown } | Response> {
  const type = c.req.header("Content-Type") ?? "";
  if (!isJson(type)) {
    const message = `Cannot read a body of type ${shown(type)}: send JSON with Content-Type: application/json`;
    return refusedFor(415, CODES.contentType, message);
  }
  const read = await jsonBody(c.req, BODY_BYTES_MAX);
  if (read.ok) return { body: read.value };
  if (read.code === "too-slow") return refusedFor(408, CODES.tooSlow, read.message);
  if (read.code === "too-large") return refusedFor(413, CODES.tooLarge, read.message);
  return refusedFor(400, CODES.badJson, read.message);
}

/** How problems of our documents are worded in an answer about a zone. */
export interface Wording {
  readonly zone: string;
  /** Names of rooms that the answer must not contain. */
  readonly others: readonly string[];
  /** A place in our document as one in a body of theirs. */
  readonly placeThere: (path: string) => string;
  /** Problems that were found before; they win over others at the same place. */
  readonly before?: readonly Problem[];
}

/** The wording for the zone in the path. */
export function wordingFor(c: Asked, placeThere: Wording["placeThere"], before: readonly Problem[] = []): Wording {
  const others = isLimited(c.var.principal) ? c.var.otherRooms() : [];
  return { zone: c.req.param("zone") ?? "", others, placeThere, before };
}

/** The answer to a change that was refused. */
export function refusedChange(refusal: Refusal, wording: Wording): Response {
  const { code, message, problems } = withoutOthers(refusal, wording.others);
  if (problems.length > 0) return invalidBody(problemsThere(problems, wording));
  if (code === "exists") return invalidBody([{ path: "name", ...TAKEN }]);
  return refusedFor(code === "not-found" ? 404 : 400, CODES.invalid, inZone(message, wording));
}

/** Problems of our documents as those of a body of theirs. */
export function problemsThere(problems: readonly Problem[], wording: Wording): Problem[] {
  const { before = [], others } = wording;
  const known = new Set(before.map(({ path }) => path));
  const allowed = withoutOthers({ code: "invalid", message: "", problems }, others).problems;
  const there = allowed.map((problem): Problem => {
    // A problem of a room's first route is one of the whole room.
    const path = problem.path.replace(/^room (?:[\w-]+:)?[\w-]+$/, "host").replace(/^room (?:[\w-]+:)?[\w-]+\./, "");
    const [wrong, repair] = [inZone(problem.problem, wording), inZone(problem.repair, wording)];
    const value = path === "name" && problem.value !== undefined ? { value: inZone(problem.value, wording) } : {};
    return { ...problem, ...value, path: wording.placeThere(path), problem: wrong, repair };
  });
  return [...before, ...there.filter(({ path }) => !known.has(path))];
}

/** A text with rooms named as in the zone, each once. */
function inZone(text: string, { zone }: Wording): string {
  const own = new RegExp(`(?<![\\w-])${zone}:(?=[\\w-])`, "g");
  return text.replaceAll(/([\w:-]+) \(room \1\)/g, "$1").replaceAll(own, "");
}

const SHOWN_MAX = 64;

function shown(text: string): string {
  return JSON.stringify(text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text);
}
