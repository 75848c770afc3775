/**
 * What each field of a room means, in one phrase with its legal values: for `--help` and docs/rooms.md.
 *
 * Defaults are not written here: they are read from the schema, so that they cannot differ from it.
 */

import { parseRoom, roomDocument } from "./room-document.ts";
import { FIELD_NAMES, type FieldName } from "./room-schema.ts";

export interface FieldHelp {
  readonly field: FieldName;
  readonly help: string;
  /** Text of the default; absent where the field is required, or empty by default. */
  readonly fallback?: string;
}

const HELP: Readonly<Record<FieldName, string>> = {
  name: "required; 1 to 64 letters, digits, - and _, after a namespace and a colon if it is in one: team:shop",
  description: "for people",
  host: "required; a host name, or * for every host",
  path: "path prefix; paths below it are covered too",
  additional_routes: "more routes: [{host: …, path: …}]",
  total_active_users: "required; most sessions at once, 1 to 10,000,000",
  new_users_per_minute: "required; most visitors admitted per minute, 1 to 10,000,000",
  session_duration: "minutes that a session lasts after its last request, 1 to 30",
  disable_session_renewal: "true: a session ends that long after it began, even while the visitor is active",
  queueing_method:
    "fifo (a line), random (a line in a drawn order), passthrough (no limits) or reject (no new visitor is admitted)",
  queue_all: "true: hold all new visitors in line",
  suspended: "true: the room does nothing, every visitor goes to the origin",
  queueing_status_code: "status of waiting answers: 200, 202 or 429",
  json_response_enabled: "true: requests that accept JSON get the waiting answer as JSON",
  custom_page_html:
    "Mustache template of the waiting page; empty for the built-in page; with it a room takes at most 256 KiB",
  page: "the built-in page as a brand's own: {title, logo, accent, background, message, message_until, support_url, theme: auto, light or dark}",
  default_template_language: "language of the built-in page for visitors whose browser asks for none of its 39",
  cookie_attributes: "samesite: auto (none over https, else lax), lax, none or strict; secure: auto, always or never",
  cookie_domain: "a parent domain of all hosts of the room, so that a visitor of several counts once",
  cookie_suffix: "added to the name of the cookie",
  enabled_origin_commands: "[revoke, extend, complete]: what the origin may order about a session by a response header",
  visitor_header: "true: the origin gets a signed header about each visitor inside, Anteroom-Visitor",
  visitor_key_generation: "which key signs that header; the next number is the next key",
  origin: "base URL of the origin, or a list: [{url: …, weight: …}]; empty for the node's --origin",
  origin_host: "name that the origin gets as Host and as TLS server name; empty for the visitor's Host",
  health_check: "how each origin is probed: {path: /healthz, interval_seconds: 10, timeout_seconds: 5}",
  slot_policy: "counter, even or adaptive",
  refresh_interval_seconds: "seconds between two polls of a visitor far from the front, 1 to 600",
  enter_within_seconds:
    "seconds in which a visitor whose turn it is must enter, by a button of the page, 0 to 1,800; 0: at once",
  place_kept_minutes:
    "minutes for which a place is kept for a visitor who has closed the page, beyond the estimated wait, 1 to 240",
  queue_max: "most visitors in line, 1 to 10,000,000; the next one sees that the queue is full",
  bypass_cidrs: "addresses and ranges that pass without being counted: [10.0.0.0/8, …]",
  rules: "which requests bypass the room, in order: [{expression: …, action: bypass_waiting_room or queue}]",
  crawlers:
    "crawlers by user agent: wait (like visitors), bypass (proven by DNS they pass, others wait) or refuse (others get 503)",
  ramp: "start/percent/minutes, such as 500/50/5: 500 new users a minute from cold, and 50 % more every 5 minutes",
  pace: "true: a minute's slots are released evenly over it",
  throttle:
    "k: requests per accepted one, latency: multiple of the usual time, above which new visitors are held back; 0 for no bound",
  new_places_per_address_per_minute: "most new places for one client address in a minute; 0 for no such limit",
  invite_only: "true: only visitors with a pass join the line or enter; see anteroom pass --help",
  lanes:
    "part of the slots in percent for each lane of a pass, 1 to 9: {1: 50, 2: 20}; visitors without a lane have the rest",
  pass_generation: "raise it to withdraw all passes that were made before",
  new_places_per_prefix_per_minute: "the same for one network, an IPv4 /24 or an IPv6 /48",
  proof_of_work_mode: "off, auto (new visitors of a busy network prove some work) or always",
  proof_of_work_action: "without the proof: log (only counted) or infinite_queue (in line until it comes)",
  rollout: "a move to a new origin; made by anteroom room rollout",
  queue_it:
    "visitors come from sites behind Queue-it's connectors, and go back there: {event_id: …, protects: [https://www.example.com/]}",
  events: "sales and the like, each with a start, an end and values of its own; see anteroom event create --help",
};

/** One entry for each field, in the order of the document. */
export function fieldHelp(): FieldHelp[] {
  const smallest = parseRoom({ name: "-", host: "*", total_active_users: 1, new_users_per_minute: 1 });
  const defaults = new Map<string, unknown>(smallest.ok ? Object.entries(roomDocument(smallest.value)) : []);
  return FIELD_NAMES.map((field) => {
    const value = HELP[field].startsWith("required") ? undefined : defaults.get(field);
    return { field, help: HELP[field], ...(value !== undefined && { fallback: inBrackets(value) }) };
  });
}

function inBrackets(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  const entries = Object.entries(value).map(([key, inner]) => `${key}: ${inner}`);
  return `{${entries.join(", ")}}`;
}
