/**
 * The fields of a room: for each its type, range and default, what it means, and what to write instead of a wrong value.
 * The type `Room`, help, problems, the API's description and docs/rooms.md follow from here.
 *
 * Names and meanings follow Cloudflare's Waiting Room API as far as it has the field; limits start at 1 here, at 200
 * there. Fields that are planned but not built are refused by name, so that nobody relies on a protection that does not
 * exist. Cloudflare's read-only fields are accepted and ignored, so that a room exported from there can be pasted.
 */

import { z } from "zod";
import { ROOM_BYTES_MAX } from "../../mesh/core/wire/shapes.ts";
import { normalHost } from "../http/request-head.ts";
import { DEFAULT_LANGUAGE, LANGUAGES } from "../languages/texts.ts";
import { cookieDomainComplaint, hostsComplaint } from "./cookie-domain.ts";
import { field, group, isEmpty, mapped, schemasOf, withoutEmpty } from "./document-fields.ts";
import { EVENT_SCHEMA, EVENTS, eventDocument, eventOf } from "./event-schema.ts";
import { LIMIT_MAX, limit, oneOf, queueingMethod, rampField, rampForm, sessionMinutes, toggle } from "./field-kinds.ts";
import { isObject } from "./is-object.ts";
import { LANES, lanesDocument, lanesOf } from "./lane-fields.ts";
import { NOTIFY } from "./notify-fields.ts";
import { HEALTH_CHECK, ORIGIN, ORIGIN_FORMS, ROLLOUT, rolloutDocument, rolloutOf } from "./origin-fields.ts";
import { PAGE, pageDocument, pageOf } from "./page-fields.ts";
import type { Complaint } from "./problem.ts";
import { QUEUE_IT, queueItComplaints } from "./queue-it-fields.ts";
import { ROOM_NAME, ROOM_NAME_REPAIR } from "./room-name.ts";
import { RULES } from "./rule-fields.ts";
import { templateComplaint } from "./template-check.ts";
import { hostComplaint, normalRange, originHostComplaint, pathComplaint, rangeComplaint } from "./text-checks.ts";
import { text } from "./text-field.ts";
import { WAVES, wavesDocument, wavesOf } from "./waves.ts";

/**
 * What happens to requests that call themselves a crawler. `wait`: they are treated like visitors. `bypass`: those
 * proven pass, others are treated like visitors. `refuse`: those proven pass, others are refused.
 */
export const CRAWLER_HANDLINGS = ["wait", "bypass", "refuse"] as const;

/**
 * What an origin may order in its answers. `revoke` and `complete` end the visitor's session; `extend` gives it a new
 * term, also where sessions are not renewed; `sold-out` closes the room.
 */
export const ORIGIN_COMMANDS = ["revoke", "extend", "complete", "sold-out"] as const;

/** A session's length in minutes if a room does not set it. */
export const SESSION_MINUTES = 5;

/** Bounds that keep one document from filling memory; each is far above what a site needs. */
const DESCRIPTION_MAX = 1_000;
const ROUTES_MAX = 100;
const RANGES_MAX = 1_000;
const THROTTLE_MAX = 100;

const PASS_GENERATION_MAX = 1_000_000;
const VISITOR_KEY_GENERATION_MAX = 1_000_000;

/** Half an hour, as long as the longest session. */
const ENTER_SECONDS_MAX = 1_800;

/** The ids of visitors who came in are remembered half as long again: at 10,000 a minute, about 4 million of them. */
const PLACE_KEPT_MINUTES_MAX = 240;

const host = text(hostComplaint).transform(normalHost);
const path = text(pathComplaint).default("/");
const route = z.strictObject({
  host: host.describe('a host name such as shop.example.com, or "*" for every host'),
  path: path.describe("a path prefix such as /tickets, or / for all"),
});
const cookieAttributes = z
  .strictObject({
    samesite: oneOf(["auto", "lax", "none", "strict"])
      .default("auto")
      .describe("auto (none over https, else lax), lax, none or strict"),
    secure: oneOf(["auto", "always", "never"]).default("auto").describe("auto, always or never"),
  })
  .refine(({ samesite, secure }) => samesite !== "none" || secure !== "never", {
    error: "combines samesite none with secure never: browsers drop such a cookie, and no visitor ever keeps a place",
  });

const throttle = z.strictObject({
  k: z
    .number()
    .max(THROTTLE_MAX)
    .refine(isFactor, "is neither 0 nor at least 1")
    .default(2)
    .describe("requests per accepted one, above which new visitors are held back; 0 for no bound"),
  latency: z
    .number()
    .max(THROTTLE_MAX)
    .refine(isFactor, "is neither 0 nor at least 1")
    .default(3)
    .describe("multiple of the usual time of an answer; 0 for no bound"),
});

const WRITE_LIMIT = "1 to 10,000,000; limits start at 1; queue_all: true admits nobody";

/** All fields of a room, in the order of its document. */
export const ROOM_FIELDS = {
  name: field(z.string().regex(ROOM_NAME, "is not a room name"), {
    help: "required; 1 to 64 letters, digits, - and _, after a namespace and a colon if it is in one: team:shop",
    repair: ROOM_NAME_REPAIR,
  }),
  description: field(z.string().max(DESCRIPTION_MAX).default(""), {
    help: "for people",
    repair: `write a text of at most ${DESCRIPTION_MAX} characters`,
  }),
  host: field(host, {
    help: "required; a host name, or * for every host",
    repair: 'write a host name such as shop.example.com, or "*" for every host',
  }),
  path: field(path, {
    help: "path prefix; paths below it are covered too",
    repair: "write a path such as /tickets, or / for all",
  }),
  additional_routes: field(z.array(route).max(ROUTES_MAX).default([]), "more routes: [{host: …, path: …}]"),
  total_active_users: field(limit, {
    help: "required; most sessions at once, 1 to 10,000,000",
    repair: `write how many visitors may have a session at once: ${WRITE_LIMIT}`,
  }),
  new_users_per_minute: field(limit, {
    help: "required; most visitors admitted per minute, 1 to 10,000,000",
    repair: `write how many visitors may be admitted per minute: ${WRITE_LIMIT}`,
  }),
  session_duration: field(
    sessionMinutes.default(SESSION_MINUTES),
    "minutes that a session lasts after its last request, 1 to 30",
  ),
  disable_session_renewal: toggle("true: a session ends that long after it began, even while the visitor is active"),
  queueing_method: field(
    queueingMethod.default("fifo"),
    "fifo (a line), random (a line in a drawn order), passthrough (no limits) or reject (no new visitor is admitted)",
  ),
  queue_all: toggle("true: hold all new visitors in line"),
  suspended: toggle("true: the room does nothing, every visitor goes to the origin"),
  queueing_status_code: field(
    z.literal([200, 202, 429], { error: "is not 200, 202 or 429" }).default(200),
    "status of waiting answers: 200, 202 or 429",
  ),
  json_response_enabled: toggle("true: requests that accept JSON get the waiting answer as JSON"),
  custom_page_html: field(
    text(templateComplaint, ROOM_BYTES_MAX).default(""),
    "Mustache template of the waiting page; empty for the built-in page; with it a room takes at most 256 KiB",
  ),
  page: mapped(PAGE, {
    help: "the built-in page as a brand's own: {title, logo, hero, font, accent, background, message, message_until, texts, support_url, theme: auto, light or dark}",
    read: pageOf,
    write: pageDocument,
  }),
  default_template_language: field(
    z.enum(LANGUAGES, { error: "is not a language of the built-in page" }).default(DEFAULT_LANGUAGE),
    {
      help: "language of the built-in page for visitors whose browser asks for none of its 39",
      repair: `write one of ${LANGUAGES.join(", ")}`,
    },
  ),
  cookie_attributes: field(
    cookieAttributes.prefault({}),
    "samesite: auto (none over https, else lax), lax, none or strict; secure: auto, always or never",
  ),
  cookie_domain: field(
    text(cookieDomainComplaint)
      .transform((domain) => domain.toLowerCase())
      .default(""),
    {
      help: "a parent domain of all hosts of the room, so that a visitor of several counts once",
      repair: "write a domain that all hosts of the room are in, such as example.com; or leave it out",
    },
  ),
  cookie_suffix: field(
    z
      .string()
      .regex(/^[A-Za-z0-9_-]{0,64}$/, "is not a cookie suffix")
      .default(""),
    {
      help: "added to the name of the cookie",
      repair: "write up to 64 letters, digits, hyphens and underscores",
    },
  ),
  enabled_origin_commands: field(
    z
      .array(oneOf(ORIGIN_COMMANDS))
      .max(ORIGIN_COMMANDS.length)
      .refine((names) => new Set(names).size === names.length, "has a command twice")
      .default([]),
    "[revoke, extend, complete, sold-out]: what the origin may order by a response header",
  ),
  visitor_header: toggle("true: the origin gets a signed header about each visitor inside, Anteroom-Visitor"),
  visitor_key_generation: field(z.int().min(1).max(VISITOR_KEY_GENERATION_MAX).default(1), {
    help: "which key signs that header; the next number is the next key",
    repair: "write a number from 1 to 1,000,000, or run anteroom key ROOM --rotate",
  }),
  origin: mapped(ORIGIN, {
    help: "base URL of the origin, or a list: [{url: …, weight: …}]; empty for the node's --origin",
    repair:
      "write a base URL such as http://127.0.0.1:3000, or a list of up to 32 such as " +
      "[{url: http://10.0.0.1:3000, weight: 2}, {url: http://10.0.0.2:3000, weight: 1}]; or leave it out for the node's --origin",
    read: (origin) => (origin === "" ? undefined : origin),
    write: (origin) => origin ?? "",
  }),
  origin_host: field(
    text(originHostComplaint)
      .transform((host) => host.toLowerCase())
      .default(""),
    {
      help: "name that the origin gets as Host and as TLS server name; empty for the visitor's Host",
      repair: "write the origin's own host name, such as shop.hosted.example, or leave it out for that of the visitor",
    },
  ),
  health_check: group(
    HEALTH_CHECK,
    "how each origin is probed: {path: /healthz, interval_seconds: 10, timeout_seconds: 5}",
  ),
  slot_policy: field(oneOf(["counter", "even", "adaptive"]).default("counter"), "counter, even or adaptive"),
  refresh_interval_seconds: field(
    z.int().min(1).max(600).default(20),
    "seconds between two polls of a visitor far from the front, 1 to 600",
  ),
  enter_within_seconds: field(
    z.int().min(0).max(ENTER_SECONDS_MAX).default(0),
    "seconds in which a visitor whose turn it is must enter, by a button of the page, 0 to 1,800; 0: at once",
  ),
  place_kept_minutes: field(
    z.int().min(1).max(PLACE_KEPT_MINUTES_MAX).default(10),
    "minutes for which a place is kept for a visitor who has closed the page, beyond the estimated wait, 1 to 240",
  ),
  notify: group(
    NOTIFY,
    "visitors may leave an address, and are told when it is their turn: {by: [email, phone, push], grace_minutes: 5}",
  ),
  queue_max: field(
    z.int().min(1).max(LIMIT_MAX).default(1_000_000),
    "most visitors in line, 1 to 10,000,000; the next one sees that the queue is full",
  ),
  bypass_cidrs: field(
    z.array(text(rangeComplaint).transform(normalRange)).max(RANGES_MAX).default([]),
    "addresses and ranges that pass without being counted: [10.0.0.0/8, …]",
  ),
  rules: field(
    RULES,
    "what happens to which requests, in order: [{expression: …, action: bypass_waiting_room, queue, challenge or block}]",
  ),
  crawlers: field(
    oneOf(CRAWLER_HANDLINGS).default("wait"),
    "crawlers by user agent: wait (like visitors), bypass (proven ones pass, others wait) or refuse (others get 503)",
  ),
  ramp: mapped(rampField.default(""), {
    help: "start/percent/minutes, such as 500/s/50/5: 500 new users a second from cold (500/min: a minute), and 50 % more every 5 minutes",
    ...rampForm,
  }),
  pace: toggle("true: a minute's slots are released evenly over it"),
  throttle: field(throttle.prefault({}), {
    help: "k: requests per accepted one, latency: multiple of the usual time, above which new visitors are held back; 0 for no bound",
    repair: "write {k: 2, latency: 3}: factors from 1 to 100, 0 for no bound",
  }),
  new_places_per_address_per_minute: field(
    z.int().min(0).max(LIMIT_MAX).default(0),
    "most new places for one client address in a minute; 0 for no such limit",
  ),
  invite_only: toggle("true: only visitors with a pass join the line or enter; see anteroom pass --help"),
  lanes: mapped(LANES, {
    help: "part of the slots in percent for each lane of a pass, 1 to 9: {1: 50, 2: 20}; at most 95 in all, visitors without a lane have the rest",
    read: lanesOf,
    write: lanesDocument,
  }),
  pass_generation: field(z.int().min(1).max(PASS_GENERATION_MAX).default(1), {
    help: "raise it to withdraw all passes that were made before",
    repair: "write a number from 1 to 1,000,000; a number that is not the present one withdraws all passes made so far",
  }),
  waves: mapped(WAVES, {
    help: "waves of passes, as {spring: {rate: 500/10m, start: …}}; made by anteroom pass --wave",
    read: wavesOf,
    write: wavesDocument,
  }),
  new_places_per_prefix_per_minute: field(z.int().min(0).max(LIMIT_MAX).default(0), {
    help: "the same for one network, an IPv4 /24 or an IPv6 /48",
    repair:
      "write how many new places the addresses of one IPv4 /24 or IPv6 /48 may take per minute, or 0 for no limit",
  }),
  proof_of_work_mode: field(
    oneOf(["off", "auto", "always"]).default("off"),
    "off, auto (new visitors of a busy network prove some work) or always",
  ),
  proof_of_work_action: field(
    oneOf(["log", "infinite_queue"]).default("log"),
    "without the proof: log (only counted) or infinite_queue (in line until it comes)",
  ),
  rollout: mapped(ROLLOUT, {
    help: "how the weights of origin move to what is declared; nodes write it",
    repair: "write null: a change of origin starts one",
    read: rolloutOf,
    write: rolloutDocument,
  }),
  queue_it: group(
    QUEUE_IT,
    "visitors come from sites behind Queue-it's connectors, and go back there: {event_id: …, protects: [https://www.example.com/]}",
  ),
  site: field(z.union([z.literal(""), z.string().regex(ROOM_NAME, "is not a room name")]).default(""), {
    help: "a room before the same origin: this room's visitors take slots of that one too",
    repair: "write the name of a room, or leave it out",
  }),
  events: mapped(EVENTS, {
    help: "sales and the like, each with a start, an end and values of its own; see anteroom event create --help",
    repair:
      "write a list of up to 1,000 events, each as {name: sale, event_start_time: 2026-11-27T10:00:00Z, event_end_time: 2026-11-27T12:00:00Z}",
    read: (events) => events?.map(eventOf),
    write: (events) => events?.map(eventDocument),
  }),
};

export type FieldName = keyof typeof ROOM_FIELDS;

/** The fields of the groups within a room, and of the entries of its lists. */
export const ROOM_GROUPS = {
  additional_routes: route.shape,
  page: PAGE.out.shape,
  cookie_attributes: cookieAttributes.shape,
  origin: ORIGIN_FORMS[1].element.shape,
  health_check: HEALTH_CHECK.unwrap().unwrap().in.shape,
  notify: NOTIFY.unwrap().unwrap().shape,
  throttle: throttle.shape,
  rollout: ROLLOUT.unwrap().unwrap().shape,
  queue_it: QUEUE_IT.unwrap().unwrap().shape,
  events: EVENT_SCHEMA.shape,
} satisfies Readonly<Partial<Record<FieldName, Readonly<Record<string, z.ZodType>>>>>;

/** The names of all fields, in the order of the document. */
export const FIELD_NAMES = Object.keys(ROOM_FIELDS) as readonly FieldName[];

/** The document, field by field; unknown fields are refused. */
export const ROOM_SCHEMA = z.strictObject(schemasOf(ROOM_FIELDS)).superRefine((document, context) => {
  const { cookie_domain, host, additional_routes } = document;
  const complain = (field: string, complaint: Complaint): void => {
    if (complaint === undefined) return;
    const { problem: message, repair } = complaint;
    context.addIssue({ code: "custom", path: [field], message, params: { repair } });
  };
  complain("cookie_domain", hostsComplaint(cookie_domain, [host, ...additional_routes.map((route) => route.host)]));
  complain("enter_within_seconds", enterComplaint(document));
  for (const [field, complaint] of queueItComplaints(document)) complain(field, complaint);
});

/** A session that must be entered begins as one of that length, and is extended when it is. */
function enterComplaint(document: {
  readonly enter_within_seconds: number;
  readonly session_duration: number;
  readonly disable_session_renewal: boolean;
}): Complaint {
  const { enter_within_seconds: seconds, session_duration: minutes, disable_session_renewal: isFixed } = document;
  if (seconds === 0) return undefined;
  if (isFixed)
    return {
      problem: "stands beside disable_session_renewal: the session could not be extended when it is entered",
      repair: "write 0, or leave disable_session_renewal out",
    };
  if (seconds <= minutes * 60) return undefined;
  return { problem: `is longer than a session of ${minutes} min`, repair: `write at most ${minutes * 60}` };
}

/** One entry for each field, in the order of the document. */
export function fieldHelp(): { readonly field: FieldName; readonly help: string; readonly fallback?: string }[] {
  return FIELD_NAMES.map((name) => {
    const fallback = defaultOf(name);
    const { help } = ROOM_FIELDS[name];
    return { field: name, help, ...(!isEmpty(fallback) && { fallback: inBrackets(fallback) }) };
  });
}

/** What a document has in a field that it does not name; undefined for a field that it must name. */
export function defaultOf(name: FieldName): unknown {
  return ROOM_FIELDS[name].schema.safeParse(undefined).data;
}

function inBrackets(value: unknown): string {
  if (!isObject(value)) return String(value);
  const entries = Object.entries(withoutEmpty(value)).map(([key, inner]) => `${key}: ${inner}`);
  return `{${entries.join(", ")}}`;
}

/** Fields of a service of Cloudflare that nothing here asks, and what to write in their place. */
export const INSTEAD: ReadonlyMap<string, FieldName> = new Map([
  ["turnstile_mode", "proof_of_work_mode"],
  ["turnstile_action", "proof_of_work_action"],
]);

/** Fields that Cloudflare and the admin API add to a room; they are ignored. */
export const READ_ONLY: readonly string[] = [
  ...["id", "created_on", "modified_on", "next_event_prequeue_start_time", "next_event_start_time"],
  ...["operator_order", "current_event"],
];

function isFactor(value: number): boolean {
  return value === 0 || value >= 1;
}
