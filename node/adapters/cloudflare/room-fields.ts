/**
 * A room in Cloudflare's form, and back to a document of ours.
 *
 * Most fields have one name and one meaning. `turnstile_mode` and `turnstile_action` stand for the proof of work, which
 * is the check without a third party. Fields that only we have travel in `anteroom`. Rules and events have routes of
 * their own, and are no part of a room there.
 */

import { isObject } from "../../config/is-object.ts";
import { type Problem, problemAt } from "../../config/problem.ts";
import { FIELD_NAMES, type FieldName } from "../../config/room-schema.ts";
import { unknownFields } from "../../config/unknown-keys.ts";
import { type ApiRoom, apiDocument } from "../../rooms/api-room.ts";
import type { LiveRoom } from "../../rooms/live-room.ts";
import { commandFields, commandProblems, commandsThere } from "./command-fields.ts";
import { proofFields, turnstileAnswer, turnstileProblems } from "./turnstile-fields.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Fields with one name and one meaning. */
const SAME = [
  ...([
    "name",
    "description",
    "host",
    "path",
    "additional_routes",
    "total_active_users",
    "new_users_per_minute",
  ] as const),
  ...(["session_duration", "disable_session_renewal", "queueing_method", "queue_all", "suspended"] as const),
  ...(["queueing_status_code", "json_response_enabled", "custom_page_html", "default_template_language"] as const),
  ...(["cookie_attributes", "cookie_suffix"] as const),
] satisfies readonly FieldName[];

/** Fields of theirs that a client may repeat from an answer; they are ignored. */
const READ_ONLY: readonly string[] = [
  ...["id", "created_on", "modified_on", "next_event_prequeue_start_time", "next_event_start_time"],
];

const THEIRS: readonly string[] = [...SAME, "enabled_origin_commands", "turnstile_mode", "turnstile_action"];

/** Fields in `anteroom` that are not theirs too. */
const OURS: readonly FieldName[] = FIELD_NAMES.filter(
  (name) => !THEIRS.includes(name) && !["rules", "events", "proof_of_work_action"].includes(name),
);

/** Fields in `anteroom` that an answer has and a change may repeat. */
const OURS_READ_ONLY: readonly string[] = ["current_event", "operator_order", "zone_id"];

/** Of an answer: empty fields, which our documents leave out. */
const EMPTY = { description: "", cookie_suffix: "", custom_page_html: "", additional_routes: [] };

/** The room `zone:name` as the zone shows it. */
export function roomAnswer(live: LiveRoom, zone: string): Fields {
  const ours: ApiRoom = apiDocument(live);
  const document: Fields = { ...EMPTY, ...ours };
  const commands = commandsThere(ours);
  const pick = (names: readonly string[]): Fields =>
    Object.fromEntries(names.filter((name) => name in document).map((name) => [name, document[name]]));
  return {
    id: live.id,
    ...pick(SAME),
    name: live.declared.name.slice(zone.length + 1),
    enabled_origin_commands: commands.theirs,
    ...turnstileAnswer(ours),
    ...pick(READ_ONLY),
    anteroom: {
      ...pick([...OURS, "current_event", "operator_order"]),
      enabled_origin_commands: commands.ours,
      zone_id: zone,
    },
  };
}

/** What a body asks for, as fields of our document, and what is wrong with it as a body of theirs. */
export interface ReadRoom {
  readonly document: Fields;
  readonly problems: readonly Problem[];
}

export interface Reading {
  readonly zone: string;
  /** Of the zone: whether crawlers bypass rooms that do not say otherwise. */
  readonly doCrawlersBypass: boolean;
  /** The room as it is; undefined for a new one. */
  readonly now: ApiRoom | undefined;
  /** `part` changes the named fields; `whole` sets the others to their defaults. */
  readonly kind: "whole" | "part";
}

/**
 * Reads a body. Without `anteroom`, a whole room keeps the fields that only we have: a program written for
 * Cloudflare knows nothing of them.
 */
export function readRoom(body: unknown, { zone, doCrawlersBypass, now, kind }: Reading): ReadRoom {
  if (!isObject(body)) {
    const repair = "send the fields of a waiting room as a JSON object";
    return { document: {}, problems: [problemAt("", body, { problem: "is not an object", repair })] };
  }
  const { anteroom } = body;
  const ours = isObject(anteroom) ? anteroom : {};
  const isWhole = kind === "whole";
  const problems = [
    ...[...unknownTheirs(body), ...oursProblems(anteroom)],
    ...[...nameProblems(body, isWhole), ...turnstileProblems(body), ...commandProblems(body, ours)],
  ];
  const defaults = [...(isWhole ? SAME : []), ...(isWhole && "anteroom" in body ? OURS : [])];
  // A rollout is an order's, not a document's: it is never taken back by what a document leaves out.
  const unset = Object.fromEntries(defaults.filter((name) => name !== "rollout").map((name) => [name, undefined]));
  const isNew = now === undefined || (isWhole && "anteroom" in body);
  const document = {
    ...unset,
    ...(isNew && { crawlers: doCrawlersBypass ? "bypass" : "wait" }),
    ...Object.fromEntries(SAME.filter((name) => name in body).map((name) => [name, body[name]])),
    ...Object.fromEntries(Object.entries(ours).filter(([name]) => isOurs(name))),
    ...(typeof body.name === "string" && NAME.test(body.name) && { name: `${zone}:${body.name}` }),
    ...(isWhole &&
      isObject(body.cookie_attributes) && { cookie_attributes: { ...WHOLE_COOKIE, ...body.cookie_attributes } }),
    ...proofFields(body, ours, { now, isWhole }),
    ...commandFields(body, ours, { now, isWhole }),
  };
  return { document, problems };
}

const WHOLE_COOKIE = { samesite: "auto", secure: "auto" };

/** A name within its zone. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

function nameProblems(body: Fields, isWhole: boolean): Problem[] {
  const { name } = body;
  if (!isWhole && !("name" in body)) return [];
  if (typeof name === "string" && NAME.test(name)) return [];
  const repair = "write 1 to 64 letters, digits, hyphens and underscores";
  return [problemAt("name", name, { problem: name === undefined ? "is missing" : "is not a room's name", repair })];
}

function unknownTheirs(body: Fields): Problem[] {
  const repairOf = (key: string): string | undefined => {
    if (isOurs(key)) return `write it as anteroom: {${key}: …}`;
    return ["rules", "events"].includes(key) ? `remove it, and send it to the room's /${key}` : undefined;
  };
  return unknownFields(body, { known: [...THEIRS, "anteroom"], ignored: READ_ONLY, repairOf });
}

function oursProblems(anteroom: unknown): Problem[] {
  if (anteroom === undefined) return [];
  if (!isObject(anteroom)) {
    const repair = `write an object with fields such as ${OURS.slice(0, 3).join(", ")}, or leave it out`;
    return [problemAt("anteroom", anteroom, { problem: "is not an object", repair })];
  }
  return unknownFields(anteroom, {
    known: OURS,
    ignored: [...OURS_READ_ONLY, "enabled_origin_commands"],
    place: "anteroom",
    repairOf: (key) => (THEIRS.includes(key) ? "write it beside anteroom, not in it" : undefined),
  });
}

function isOurs(name: string): boolean {
  return OURS.some((each) => each === name) || name === "operator_order";
}

/** A place in our document as the place in a body of theirs: `queue_max` is `anteroom.queue_max`. */
export function placeThere(path: string): string {
  const [field = ""] = path.split(/[.[]/);
  if (field === "proof_of_work_action") return "turnstile_action";
  return isOurs(field) ? `anteroom.${path}` : path;
}
