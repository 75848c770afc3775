/**
 * The fields of a room document: type, range and default of each, and what to write instead of a wrong value.
 *
 * Names and meanings follow Cloudflare's Waiting Room API as far as it has the field; limits start at 1 here, at 200
 * there. Fields that are planned but not built are refused by name, so that nobody relies on a protection that does not
 * exist. Cloudflare's read-only fields are accepted and ignored, so that a room exported from there can be pasted.
 */

import { z } from "zod";
import { ROOM_BYTES_MAX } from "../../mesh/core/wire/shapes.ts";
import { normalHost } from "../http/authority.ts";
import { DEFAULT_LANGUAGE, LANGUAGES } from "../languages/texts.ts";
import { cookieDomainComplaint, hostsComplaint } from "./cookie-domain.ts";
import { EVENTS } from "./event-schema.ts";
import { LIMIT_MAX, limit, oneOf, queueingMethod, rampField, sessionMinutes } from "./field-kinds.ts";
import { LANES, LANES_REPAIR } from "./lane-fields.ts";
import { HEALTH_CHECK, ORIGIN, ROLLOUT } from "./origin-fields.ts";
import { PAGE, PAGE_REPAIR } from "./page-fields.ts";
import type { Complaint } from "./problem.ts";
import { QUEUE_IT, QUEUE_IT_REPAIR, queueItComplaints } from "./queue-it-fields.ts";
import { CRAWLER_HANDLINGS, ORIGIN_COMMANDS } from "./room.ts";
import { ROOM_NAME, ROOM_NAME_REPAIR } from "./room-name.ts";
import { RULE_REPAIR, RULES } from "./rule-fields.ts";
import { templateComplaint } from "./template-check.ts";
import { hostComplaint, normalRange, originHostComplaint, pathComplaint, rangeComplaint } from "./text-checks.ts";
import { text } from "./text-field.ts";

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
  host: host.describe("a host name, or * for every host"),
  path: path.describe("path prefix"),
});
const cookieAttributes = z
  .strictObject({
    samesite: oneOf(["auto", "lax", "none", "strict"]).default("auto").describe("the attribute SameSite"),
    secure: oneOf(["auto", "always", "never"]).default("auto").describe("the attribute Secure"),
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

const fields = z.strictObject({
  name: z.string().regex(ROOM_NAME, "is not a room name"),
  description: z.string().max(DESCRIPTION_MAX).default(""),
  host,
  path,
  additional_routes: z.array(route).max(ROUTES_MAX).default([]),
  total_active_users: limit,
  new_users_per_minute: limit,
  session_duration: sessionMinutes.default(SESSION_MINUTES),
  disable_session_renewal: z.boolean().default(false),
  queueing_method: queueingMethod.default("fifo"),
  queue_all: z.boolean().default(false),
  suspended: z.boolean().default(false),
  queueing_status_code: z.literal([200, 202, 429], { error: "is not 200, 202 or 429" }).default(200),
  json_response_enabled: z.boolean().default(false),
  custom_page_html: text(templateComplaint, ROOM_BYTES_MAX).default(""),
  page: PAGE,
  default_template_language: z
    .enum(LANGUAGES, { error: "is not a language of the built-in page" })
    .default(DEFAULT_LANGUAGE),
  cookie_attributes: cookieAttributes.prefault({}),
  cookie_domain: text(cookieDomainComplaint)
    .transform((domain) => domain.toLowerCase())
    .default(""),
  cookie_suffix: z
    .string()
    .regex(/^[A-Za-z0-9_-]{0,64}$/, "is not a cookie suffix")
    .default(""),
  enabled_origin_commands: z
    .array(oneOf(ORIGIN_COMMANDS))
    .max(ORIGIN_COMMANDS.length)
    .refine((names) => new Set(names).size === names.length, "has a command twice")
    .default([]),
  visitor_header: z.boolean().default(false),
  visitor_key_generation: z.int().min(1).max(VISITOR_KEY_GENERATION_MAX).default(1),
  origin: ORIGIN,
  origin_host: text(originHostComplaint)
    .transform((host) => host.toLowerCase())
    .default(""),
  health_check: HEALTH_CHECK,
  slot_policy: oneOf(["counter", "even", "adaptive"]).default("counter"),
  refresh_interval_seconds: z.int().min(1).max(600).default(20),
  enter_within_seconds: z.int().min(0).max(ENTER_SECONDS_MAX).default(0),
  place_kept_minutes: z.int().min(1).max(PLACE_KEPT_MINUTES_MAX).default(10),
  queue_max: z.int().min(1).max(LIMIT_MAX).default(1_000_000),
  bypass_cidrs: z.array(text(rangeComplaint).transform(normalRange)).max(RANGES_MAX).default([]),
  rules: RULES,
  crawlers: oneOf(CRAWLER_HANDLINGS).default("wait"),
  ramp: rampField.default(""),
  pace: z.boolean().default(false),
  throttle: throttle.prefault({}),
  new_places_per_address_per_minute: z.int().min(0).max(LIMIT_MAX).default(0),
  invite_only: z.boolean().default(false),
  lanes: LANES,
  pass_generation: z.int().min(1).max(PASS_GENERATION_MAX).default(1),
  new_places_per_prefix_per_minute: z.int().min(0).max(LIMIT_MAX).default(0),
  proof_of_work_mode: oneOf(["off", "auto", "always"]).default("off"),
  proof_of_work_action: oneOf(["log", "infinite_queue"]).default("log"),
  rollout: ROLLOUT,
  queue_it: QUEUE_IT,
  events: EVENTS,
});

/** The document, field by field; unknown fields are refused. */
export const ROOM_SCHEMA = fields.superRefine((document, context) => {
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

export type FieldName = keyof typeof ROOM_SCHEMA.shape;

/** The names of all fields, in the order of the document. */
export const FIELD_NAMES = Object.keys(ROOM_SCHEMA.shape) as readonly FieldName[];

const WRITE_ROUTES = "write a list of routes, each as {host: shop.example.com, path: /tickets}";
const WRITE_SWITCH = "write true or false";
const WRITE_LIMIT = "1 to 10,000,000; limits start at 1; queue_all: true admits nobody";

/** What to write in each field. */
export const REPAIRS: Readonly<Record<FieldName, string>> = {
  name: ROOM_NAME_REPAIR,
  description: `write a text of at most ${DESCRIPTION_MAX} characters`,
  host: 'write a host name such as shop.example.com, or "*" for every host',
  path: "write a path such as /tickets, or / for all",
  additional_routes: WRITE_ROUTES,
  total_active_users: `write how many visitors may have a session at once: ${WRITE_LIMIT}`,
  new_users_per_minute: `write how many visitors may be admitted per minute: ${WRITE_LIMIT}`,
  session_duration: "write the minutes that a session lasts after its last request, 1 to 30",
  disable_session_renewal: WRITE_SWITCH,
  queueing_method: "write fifo, random, passthrough or reject",
  queue_all: WRITE_SWITCH,
  suspended: WRITE_SWITCH,
  queueing_status_code: "write 200, 202 or 429",
  json_response_enabled: WRITE_SWITCH,
  custom_page_html:
    "write a Mustache template, or leave it out for the built-in page; a room takes at most 256 KiB, its page included",
  page: PAGE_REPAIR,
  default_template_language: `write one of ${LANGUAGES.join(", ")}`,
  cookie_attributes: "write {samesite: auto|lax|none|strict, secure: auto|always|never}, and not none with never",
  cookie_domain: "write a domain that all hosts of the room are in, such as example.com; or leave it out",
  cookie_suffix: "write up to 64 letters, digits, hyphens and underscores",
  enabled_origin_commands: "write a list of revoke, extend and complete, such as [revoke, complete], or []",
  visitor_header: WRITE_SWITCH,
  visitor_key_generation: "write a number from 1 to 1,000,000, or run anteroom key ROOM --rotate",
  origin:
    "write a base URL such as http://127.0.0.1:3000, or a list of up to 32 such as " +
    "[{url: http://10.0.0.1:3000, weight: 2}, {url: http://10.0.0.2:3000, weight: 1}]; or leave it out for the node's --origin",
  origin_host: "write the origin's own host name, such as shop.hosted.example, or leave it out for that of the visitor",
  health_check:
    "write {path: /healthz, interval_seconds: 10, timeout_seconds: 5}: 1 to 300 s apart, each waiting no longer than that; or null",
  slot_policy: "write counter, even or adaptive",
  refresh_interval_seconds: "write the seconds between two polls, 1 to 600",
  enter_within_seconds: `write the seconds in which a visitor must enter, up to ${ENTER_SECONDS_MAX}, or 0 to enter at once`,
  place_kept_minutes: `write the minutes for which a place is kept beyond the estimated wait, 1 to ${PLACE_KEPT_MINUTES_MAX}`,
  queue_max: "write how many visitors may wait, 1 to 10,000,000",
  bypass_cidrs: "write a list of addresses and ranges, such as [10.0.0.0/8, 203.0.113.7]",
  rules: RULE_REPAIR,
  crawlers: "write wait, bypass or refuse",
  ramp: 'write new users per minute, percent and minutes, such as "500/50/5", or leave it out',
  pace: WRITE_SWITCH,
  throttle: "write {k: 2, latency: 3}: factors from 1 to 100, 0 for no bound",
  rollout: "write null, and leave it to anteroom room rollout NAME --to URL",
  queue_it: QUEUE_IT_REPAIR,
  invite_only: WRITE_SWITCH,
  lanes: LANES_REPAIR,
  pass_generation:
    "write a number from 1 to 1,000,000; a number that is not the present one withdraws all passes made so far",
  new_places_per_address_per_minute: "write how many new places one address may take per minute, or 0 for no limit",
  new_places_per_prefix_per_minute:
    "write how many new places the addresses of one IPv4 /24 or IPv6 /48 may take per minute, or 0 for no limit",
  proof_of_work_mode: "write off, auto or always",
  proof_of_work_action: "write log or infinite_queue",
  events:
    "write a list of up to 1,000 events, each as {name: sale, event_start_time: 2026-11-27T10:00:00Z, event_end_time: 2026-11-27T12:00:00Z}",
};

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
