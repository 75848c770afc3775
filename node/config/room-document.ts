/**
 * Rooms as documents and back: the snake_case form of YAML, JSON and the admin API, and the `Room` that the code uses.
 *
 * A document is checked whole: every problem comes back with its place, its value and its repair. `roomDocument` writes
 * every field, defaults included, but leaves out what is empty; it parses back to the same room.
 */

import { z } from "zod";
import { isoOf } from "../iso-time.ts";
import { messageOf } from "../message-of.ts";
import type { RoomClaim } from "./check-rooms.ts";
import { eventProblems } from "./event-rules.ts";
import { eventDocument, eventOf } from "./event-schema.ts";
import { isObject } from "./is-object.ts";
import { lanesDocument, lanesOf } from "./lane-fields.ts";
import { momentOf } from "./moment.ts";
import { type Checked, checked } from "./problem.ts";
import { queueItDocument, queueItOf } from "./queue-it-fields.ts";
import { rampOf, rampText } from "./ramp.ts";
import type { BrandPage, HealthCheck, Rollout, Room } from "./room.ts";
import { problemsOfIssue } from "./room-problems.ts";
import { READ_ONLY, ROOM_SCHEMA } from "./room-schema.ts";
import { documentSizeProblems } from "./room-size.ts";

/** A room in snake_case, as in files and on the API. */
export type RoomDocument = Partial<z.output<typeof ROOM_SCHEMA>>;

type Whole = z.output<typeof ROOM_SCHEMA>;

const ROUTE_SCHEMA = z.object({ host: ROOM_SCHEMA.shape.host, path: ROOM_SCHEMA.shape.path });

/** Reads a document; `path` is put before the places of its problems, for instance `rooms[0]`. */
export function parseRoom(document: unknown, path = ""): Checked<Room> {
  const result = ROOM_SCHEMA.safeParse(withoutReadOnly(document));
  const events = isObject(document) ? eventProblems(document.events, path === "" ? "events" : `${path}.events`) : [];
  if (!result.success) {
    const problems = result.error.issues.flatMap((issue) => problemsOfIssue(issue, document, path));
    return { ok: false, problems: [...problems, ...events] };
  }
  const room = toRoom(result.data);
  return checked(room, [...events, ...documentSizeProblems(roomDocument(room), path)]);
}

/**
 * Reads a document that some release of anteroom has stored as JSON. Fields that a newer release has written are left
 * out.
 */
export function parseStoredRoom(text: string, path: string): Checked<Room> {
  try {
    return parseRoom(withoutUnknown(JSON.parse(text)), path);
  } catch (error) {
    // The other rooms are unaffected: whatever a member has stored, only its own room is lost.
    const repair = "delete the room, or apply it again from its file";
    return { ok: false, problems: [{ path, problem: `cannot be read: ${messageOf(error)}`, repair }] };
  }
}

function withoutUnknown(document: unknown): unknown {
  const read = ROOM_SCHEMA.safeParse(withoutReadOnly(document));
  for (const issue of read.error?.issues ?? []) {
    if (issue.code !== "unrecognized_keys") continue;
    let place = document;
    for (const step of issue.path)
      place = isObject(place) || Array.isArray(place) ? Reflect.get(place, step) : undefined;
    if (isObject(place)) for (const key of issue.keys) Reflect.deleteProperty(place, key);
  }
  return document;
}

/**
 * The room with the fields of `patch` in place of its own. A given field replaces the old one whole, except that
 * `cookie_attributes`, `throttle` and `page` keep what the patch does not name.
 */
export function patchRoom(room: Room, patch: unknown, path = ""): Checked<Room> {
  if (!isObject(patch)) return parseRoom(patch, path);
  const old = roomDocument(room);
  const groups = (["cookie_attributes", "throttle", "page"] as const).flatMap((group) => {
    const given = patch[group];
    return isObject(given) ? [[group, { ...old[group], ...given }] as const] : [];
  });
  return parseRoom({ ...old, ...patch, ...Object.fromEntries(groups) }, path);
}

/** The room's document: all fields except empty ones. */
export function roomDocument(room: Room): RoomDocument {
  const document: Whole = {
    name: room.name,
    description: room.description,
    host: room.host,
    path: room.path,
    additional_routes: room.additionalRoutes.map((route) => ({ ...route })),
    total_active_users: room.totalActiveUsers,
    new_users_per_minute: room.newUsersPerMinute,
    session_duration: room.sessionDuration,
    disable_session_renewal: room.disableSessionRenewal,
    queueing_method: room.queueingMethod,
    queue_all: room.queueAll,
    suspended: room.suspended,
    queueing_status_code: room.queueingStatusCode,
    json_response_enabled: room.jsonResponseEnabled,
    custom_page_html: room.customPageHtml,
    page: pageDocument(room.page),
    default_template_language: room.defaultTemplateLanguage,
    cookie_attributes: { ...room.cookieAttributes },
    cookie_domain: room.cookieDomain,
    cookie_suffix: room.cookieSuffix,
    enabled_origin_commands: [...room.enabledOriginCommands],
    visitor_header: room.visitorHeader,
    visitor_key_generation: room.visitorKeyGeneration,
    origin: typeof room.origin === "object" ? room.origin.map((share) => ({ ...share })) : (room.origin ?? ""),
    origin_host: room.originHost,
    health_check: room.healthCheck === undefined ? null : healthCheckDocument(room.healthCheck),
    slot_policy: room.slotPolicy,
    refresh_interval_seconds: room.refreshIntervalSeconds,
    enter_within_seconds: room.enterWithinSeconds,
    place_kept_minutes: room.placeKeptMinutes,
    queue_max: room.queueMax,
    bypass_cidrs: [...room.bypassCidrs],
    rules: room.rules.map((rule) => ({ ...rule })),
    crawlers: room.crawlers,
    ramp: room.ramp === undefined ? "" : rampText(room.ramp),
    pace: room.pace,
    throttle: { ...room.throttle },
    new_places_per_address_per_minute: room.newPlacesPerAddressPerMinute,
    invite_only: room.inviteOnly,
    lanes: lanesDocument(room.lanes),
    pass_generation: room.passGeneration,
    new_places_per_prefix_per_minute: room.newPlacesPerPrefixPerMinute,
    proof_of_work_mode: room.proofOfWorkMode,
    proof_of_work_action: room.proofOfWorkAction,
    rollout: room.rollout === undefined ? null : rolloutDocument(room.rollout),
    queue_it: queueItDocument(room.queueIt),
    events: room.events?.map(eventDocument),
  };
  return withoutEmpty({ ...document, page: withoutEmpty(document.page) });
}

/** What a document with problems claims, as far as it can be read. */
export function claimOf(document: unknown): RoomClaim {
  if (!isObject(document)) return { name: undefined, routes: [] };
  const others = Array.isArray(document.additional_routes) ? document.additional_routes : [];
  return {
    name: ROOM_SCHEMA.shape.name.safeParse(document.name).data,
    routes: [document, ...others].map((route) => ROUTE_SCHEMA.safeParse(route).data),
  };
}

function toRoom(document: Whole): Room {
  return {
    name: document.name,
    description: document.description,
    host: document.host,
    path: document.path,
    additionalRoutes: document.additional_routes,
    totalActiveUsers: document.total_active_users,
    newUsersPerMinute: document.new_users_per_minute,
    sessionDuration: document.session_duration,
    disableSessionRenewal: document.disable_session_renewal,
    queueingMethod: document.queueing_method,
    queueAll: document.queue_all,
    suspended: document.suspended,
    queueingStatusCode: document.queueing_status_code,
    jsonResponseEnabled: document.json_response_enabled,
    customPageHtml: document.custom_page_html,
    page: pageOf(document.page),
    defaultTemplateLanguage: document.default_template_language,
    cookieAttributes: document.cookie_attributes,
    cookieDomain: document.cookie_domain,
    cookieSuffix: document.cookie_suffix,
    enabledOriginCommands: document.enabled_origin_commands,
    visitorHeader: document.visitor_header,
    visitorKeyGeneration: document.visitor_key_generation,
    origin: document.origin === "" ? undefined : document.origin,
    originHost: document.origin_host,
    healthCheck: document.health_check === null ? undefined : healthCheckOf(document.health_check),
    rollout: document.rollout === null ? undefined : rolloutOf(document.rollout),
    queueIt: queueItOf(document.queue_it),
    slotPolicy: document.slot_policy,
    refreshIntervalSeconds: document.refresh_interval_seconds,
    enterWithinSeconds: document.enter_within_seconds,
    placeKeptMinutes: document.place_kept_minutes,
    queueMax: document.queue_max,
    bypassCidrs: document.bypass_cidrs,
    rules: document.rules,
    crawlers: document.crawlers,
    ramp: document.ramp === "" ? undefined : rampOf(document.ramp),
    pace: document.pace,
    throttle: document.throttle,
    newPlacesPerAddressPerMinute: document.new_places_per_address_per_minute,
    inviteOnly: document.invite_only,
    lanes: lanesOf(document.lanes),
    passGeneration: document.pass_generation,
    newPlacesPerPrefixPerMinute: document.new_places_per_prefix_per_minute,
    proofOfWorkMode: document.proof_of_work_mode,
    proofOfWorkAction: document.proof_of_work_action,
    events: document.events?.map(eventOf),
  };
}

function healthCheckOf(document: NonNullable<Whole["health_check"]>): HealthCheck {
  const { path, interval_seconds: intervalSeconds, timeout_seconds: timeoutSeconds } = document;
  return { path, intervalSeconds, timeoutSeconds };
}

function healthCheckDocument({ path, intervalSeconds, timeoutSeconds }: HealthCheck): Whole["health_check"] {
  return { path, interval_seconds: intervalSeconds, timeout_seconds: timeoutSeconds };
}

function pageOf({ message_until: until, support_url: supportUrl, ...rest }: Whole["page"]): BrandPage {
  return { ...rest, supportUrl, messageUntilMs: momentOf(until) };
}

function pageDocument({ messageUntilMs, supportUrl, ...rest }: BrandPage): Whole["page"] {
  const until = messageUntilMs === undefined ? "" : isoOf(messageUntilMs);
  return { ...rest, support_url: supportUrl, message_until: until };
}

function rolloutOf({ started_at: startedAt, ...rest }: NonNullable<Whole["rollout"]>): Rollout {
  return { ...rest, startedMs: Date.parse(startedAt) };
}

function rolloutDocument({ to, startedMs, state, percent, reason }: Rollout): Whole["rollout"] {
  return { to, started_at: isoOf(startedMs), state, percent, reason };
}

function withoutReadOnly(document: unknown): unknown {
  if (!isObject(document)) return document;
  return Object.fromEntries(Object.entries(document).filter(([key]) => !READ_ONLY.includes(key)));
}

function withoutEmpty(fields: object) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
  return value === "" || value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}
