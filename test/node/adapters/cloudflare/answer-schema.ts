/**
 * What answers in Cloudflare's form must look like, by route: the facts of the API's published schema, with every field
 * required and no other but `anteroom`.
 */

import { Ajv } from "ajv";
import formats from "ajv-formats";
import type { Recorded } from "./cloudflare-world.ts";

const text = { type: "string" };
const flag = { type: "boolean" };
const moment = { type: "string", format: "date-time" };
const id = { type: "string", minLength: 1, maxLength: 32 };
const whole = (minimum: number, maximum = 2_147_483_647) => ({ type: "integer", minimum, maximum });
const oneOf = (...values: readonly (string | number)[]) => ({ enum: values });
const nullable = (schema: object) => ({ anyOf: [schema, { type: "null" }] });
const list = (items: object) => ({ type: "array", items });
const exactly = (properties: Record<string, object>, optional: Record<string, object> = {}) => ({
  type: "object",
  properties: { ...properties, ...optional },
  required: Object.keys(properties),
  additionalProperties: false,
});
const anteroom = { anteroom: { type: "object" } };

const METHOD = oneOf("fifo", "random", "passthrough", "reject");
const LANGUAGES =
  "en-US es-ES de-DE fr-FR it-IT ja-JP ko-KR pt-BR zh-CN zh-TW nl-NL pl-PL id-ID tr-TR ar-EG ru-RU fa-IR bg-BG hr-HR cs-CZ da-DK fi-FI lt-LT lv-LV ms-MY nb-NO ro-RO el-GR he-IL hi-IN hu-HU sr-BA sk-SK sl-SI sv-SE tl-PH th-TH uk-UA vi-VN";

/** The languages that a room may have there. */
export const LANGUAGES_THERE = LANGUAGES.split(" ");

const room = exactly(
  {
    ...{ id, name: text, description: text, host: text, path: text, custom_page_html: text, cookie_suffix: text },
    additional_routes: list(exactly({ host: text, path: text })),
    // From 200 on there, from 1 on here.
    ...{ total_active_users: whole(1), new_users_per_minute: whole(1), session_duration: whole(1, 30) },
    ...{ disable_session_renewal: flag, queue_all: flag, suspended: flag, json_response_enabled: flag },
    ...{ queueing_method: METHOD, queueing_status_code: oneOf(200, 202, 429) },
    default_template_language: oneOf(...LANGUAGES_THERE),
    cookie_attributes: exactly({
      samesite: oneOf("auto", "lax", "none", "strict"),
      secure: oneOf("auto", "always", "never"),
    }),
    enabled_origin_commands: { ...list(oneOf("revoke")), uniqueItems: true },
    turnstile_mode: oneOf("off", "invisible", "visible_non_interactive", "visible_managed"),
    turnstile_action: oneOf("log", "infinite_queue"),
    ...{ next_event_prequeue_start_time: nullable(moment), next_event_start_time: nullable(moment) },
    ...{ created_on: moment, modified_on: moment },
  },
  anteroom,
);

const eventBase = {
  ...{ id, name: text, description: text, suspended: flag, shuffle_at_event_start: flag },
  ...{ event_start_time: moment, event_end_time: moment, prequeue_start_time: nullable(moment) },
  ...{ created_on: moment, modified_on: moment },
};
const event = exactly(
  {
    ...eventBase,
    ...{ total_active_users: nullable(whole(1)), new_users_per_minute: nullable(whole(1)) },
    ...{ session_duration: nullable(whole(1, 30)), disable_session_renewal: nullable(flag) },
    ...{ queueing_method: nullable(METHOD), custom_page_html: nullable(text) },
    ...{ turnstile_mode: nullable(text), turnstile_action: nullable(text) },
  },
  anteroom,
);
const details = exactly(
  {
    ...eventBase,
    ...{ total_active_users: whole(1), new_users_per_minute: whole(1), session_duration: whole(1, 30) },
    ...{ disable_session_renewal: flag, queueing_method: METHOD, custom_page_html: text },
  },
  anteroom,
);
const rule = exactly(
  {
    ...{ id, version: text, last_updated: moment, description: text, expression: text, enabled: flag },
    action: oneOf("bypass_waiting_room"),
  },
  anteroom,
);
const status = exactly({
  status: oneOf("event_prequeueing", "not_queueing", "queueing", "suspended"),
  event_id: text,
  ...{ estimated_queued_users: whole(0), estimated_total_active_users: whole(0), max_estimated_time_minutes: whole(0) },
});

/** What each route answers; the first whose path is that of the request. */
const RESULTS: readonly (readonly [path: RegExp, methods: string, result: object])[] = [
  [/^\/(zones|accounts)\/[^/]+\/waiting_rooms$/, "GET", list(room)],
  [/^\/zones\/[^/]+\/waiting_rooms$/, "POST", room],
  [/\/waiting_rooms\/settings$/, "GET PUT PATCH", exactly({ search_engine_crawler_bypass: flag })],
  [/\/waiting_rooms\/preview$/, "POST", exactly({ preview_url: { type: "string", format: "uri" } })],
  [/\/waiting_rooms\/[^/]+$/, "GET PUT PATCH", room],
  [/\/waiting_rooms\/[^/]+$/, "DELETE", exactly({ id })],
  [/\/status$/, "GET", status],
  [/\/events$/, "GET", list(event)],
  [/\/events$/, "POST", event],
  [/\/events\/[^/]+$/, "GET PUT PATCH", event],
  [/\/events\/[^/]+$/, "DELETE", exactly({ id })],
  [/\/details$/, "GET", details],
  [/\/rules$/, "GET POST PUT", list(rule)],
  [/\/rules\/[^/]+$/, "PATCH DELETE", list(rule)],
];

const fault = exactly(
  { code: whole(1_000), message: { type: "string", minLength: 1 } },
  { source: exactly({ pointer: { type: "string", pattern: "^/" } }) },
);
const info = exactly({
  ...{ count: whole(0), page: whole(1), per_page: whole(1), total_count: whole(0), total_pages: whole(0) },
});
const common = { errors: list(fault), messages: list(fault) };
const failed = exactly({
  ...common,
  errors: { ...list(fault), minItems: 1 },
  success: { const: false },
  result: { type: "null" },
});

const ajv = new Ajv({ allErrors: true, strict: true });
formats.default(ajv);

const checkFailed = ajv.compile(failed);
const CHECKS = RESULTS.map(([path, methods, result]) => {
  const isList = "type" in result && result.type === "array";
  const envelope = { ...common, errors: { ...list(fault), maxItems: 0 }, success: { const: true }, result };
  return {
    path,
    methods: methods.split(" "),
    check: ajv.compile(exactly(envelope, isList ? { result_info: info } : {})),
  };
});

/** What is wrong with an answer, in words. */
export function faultsOfAnswer({ method, path, status: code, body }: Recorded): readonly string[] {
  const plain = path.replace(/\?.*/, "");
  const route = CHECKS.find((each) => each.path.test(plain) && each.methods.includes(method));
  if (code < 400 && route === undefined) return [`${method} ${path}: answered with ${code}, where no route is`];
  const check = code < 400 ? route?.check : checkFailed;
  if (check === undefined || check(body)) return [];
  return (check.errors ?? []).map(
    ({ instancePath, message }) => `${method} ${path} ${code} ${instancePath}: ${message}`,
  );
}
