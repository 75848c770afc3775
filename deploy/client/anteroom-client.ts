/**
 * A client of anteroom's admin API in one file without dependencies: copy it into your program.
 *
 *   const anteroom = new AnteroomClient({ url: "http://127.0.0.1:8081", token });
 *   const read = await anteroom.call("getRoom", { params: { name: "shop" } });
 *   if (!read.ok) throw new Error(read.problem.detail);
 *   await anteroom.call("updateRoom", { params: { name: "shop" }, body: { queue_all: true }, ifMatch: read.etag });
 *
 * What cannot be done is a value with its problems, and never a throw. A busy node is asked again; a lost answer
 * only of a call that may be repeated: after another one read what became of it. It needs `fetch`: browsers, Node.js,
 * Bun and Deno have it.
 */

export interface ClientOptions {
  /** The admin address of a node. */
  readonly url: string;
  readonly token: string;
  /** How often a request is sent at most: 3 if left out. */
  readonly tries?: number;
  /** How long each waits for its answer: 10,000 ms if left out. */
  readonly timeoutMs?: number;
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** Problem details (RFC 9457); `unreachable` is this client's own: no node has answered. */
export type ApiProblem = Omit<Problem, "code"> & { readonly code: Problem["code"] | "unreachable" };

export type Answer<Value> =
  | { readonly ok: true; readonly status: number; readonly value: Value; readonly etag: string | undefined }
  | { readonly ok: false; readonly status: number; readonly problem: ApiProblem; readonly etag: string | undefined };

export type CallName = keyof Calls;

type Conditions = {
  /** Changes only the state with this ETag. */
  readonly ifMatch?: string | undefined;
  /** `*` only creates. */
  readonly ifNoneMatch?: string | undefined;
};

/** What a call takes: `params`, `query` and `body` as far as it has them. */
export type CallOptions<Name extends CallName> = Omit<Calls[Name], "answer"> & Conditions;

const TRIES = 3;
const TIMEOUT_MS = 10_000;
const FIRST_WAIT_MS = 200;
const WAIT_MS_MAX = 5_000;

/** Answers of a node that has done nothing, after which the same request may succeed. */
const AGAIN: readonly string[] = ["too-many", "no-worker", "too-slow"];

/** Done twice they do no more than once, so they are repeated also where the answer was lost. */
const REPEATABLE: readonly string[] = ["GET", "PUT", "PATCH"];

export class AnteroomClient {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  async call<Name extends CallName>(name: Name, options: CallOptions<Name>): Promise<Answer<Calls[Name]["answer"]>> {
    const [method, path] = ROUTES[name];
    const { params, query, body, ifMatch, ifNoneMatch } = options as Conditions & Loose;
    const headers: Record<string, string> = { Authorization: `Bearer ${this.#options.token}` };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (ifMatch !== undefined) headers["If-Match"] = ifMatch;
    if (ifNoneMatch !== undefined) headers["If-None-Match"] = ifNoneMatch;
    const filled = path.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(params?.[key] ?? ""));
    const search = new URLSearchParams(Object.entries(query ?? {}).filter(([, value]) => value !== undefined));
    const url = `${this.#options.url.replace(/\/+$/, "")}${filled}${search.size > 0 ? `?${search}` : ""}`;
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    return (await this.#send(url, init)) as Answer<Calls[Name]["answer"]>;
  }

  async #send(url: string, init: RequestInit & { readonly method: string }): Promise<Answer<unknown>> {
    const { tries = TRIES } = this.#options;
    const after = REPEATABLE.includes(init.method) ? [...AGAIN, "unreachable"] : AGAIN;
    for (let at = 1; ; at++) {
      const { answer, waitMs } = await this.#sendOnce(url, init);
      if (answer.ok || at >= tries || !after.includes(answer.problem.code)) return answer;
      await new Promise((resolve) => setTimeout(resolve, Math.min(waitMs ?? FIRST_WAIT_MS * 2 ** (at - 1), WAIT_MS_MAX)));
    }
  }

  async #sendOnce(url: string, init: RequestInit): Promise<{ answer: Answer<unknown>; waitMs?: number }> {
    const { fetch: send = fetch, timeoutMs = TIMEOUT_MS } = this.#options;
    try {
      const response = await send(url, { ...init, redirect: "manual", signal: AbortSignal.timeout(timeoutMs) });
      const text = await response.text();
      const etag = response.headers.get("ETag") ?? undefined;
      const { status } = response;
      const type = (response.headers.get("Content-Type") ?? "").split(";")[0];
      if (response.ok) {
        const value = type === "application/json" ? (JSON.parse(text) as unknown) : text;
        return { answer: { ok: true, status, value, etag } };
      }
      const seconds = Number(response.headers.get("Retry-After") ?? Number.NaN);
      const problem =
        type === "application/problem+json"
          ? (JSON.parse(text) as Problem)
          : unreadable(status, `Cannot read the answer as it is not from an anteroom node: status ${status}`);
      const answer = { ok: false, status, problem, etag } as const;
      return Number.isNaN(seconds) ? { answer } : { answer, waitMs: seconds * 1_000 };
    } catch (error) {
      const problem = unreadable(0, `Cannot reach the node: ${error instanceof Error ? error.message : String(error)}`);
      return { answer: { ok: false, status: 0, problem, etag: undefined } };
    }
  }
}

interface Loose {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

function unreadable(status: number, detail: string): ApiProblem {
  const type = "urn:anteroom:problem:unreachable";
  return { type, title: "No node has answered", status, detail, instance: "", code: "unreachable" };
}

// What follows is made from the OpenAPI document, by: bun deploy/client/make-client.ts

export type Analytics = {
  /** the room's name */ readonly room: string;
  /** where the first step begins */ readonly from: string;
  /** where the last step ends */ readonly to: string;
  /** the length of a step */ readonly step_seconds: number;
  /** nothing before it changes any more */ readonly complete_until: string;
  /** minutes of nodes that are not in the answer, those lost for good too */ readonly missing: readonly ({
  /** the node's id */ readonly node: string;
  /** what its operator calls it */ readonly name?: string;
  /** the first minute that is missing */ readonly from: string;
  /** the end of the last one */ readonly to: string;
})[];
  /** every step of the span */ readonly points: readonly (AnalyticsPoint)[];
  /** the whole span */ readonly totals: AnalyticsTotals;
};

export type AnalyticsPoint = {
  /** where the step begins */ readonly at: string;
  /** visitors inside, on average */ readonly inside: number;
  /** the same in the highest minute */ readonly inside_max: number;
  /** the highest limit; null where it is not known */ readonly limit: number | null;
  /** minutes in which more visitors were inside than the limit of that minute */ readonly minutes_over_limit: number;
  /** how many more at most */ readonly over_limit_max: number;
  /** sessions that began */ readonly admitted: number;
  /** visitors in line, on average */ readonly waiting: number;
  /** the same in the highest minute */ readonly waiting_max: number;
  /** places that were taken in line */ readonly joined: number;
  /** waits of visitors admitted from the line; null if nobody was */ readonly waited_seconds: {
  /** a quarter waited no longer */ readonly p25: number;
  /** half of them waited no longer */ readonly p50: number;
  /** three quarters waited no longer */ readonly p75: number;
  /** 19 of 20 waited no longer */ readonly p95: number;
} | null;
  /** visitors who left the line, or stopped asking before they were called */ readonly abandoned: number;
  /** visitors who were called and did not come */ readonly no_shows: number;
  /** visitors who asked for a place that the line had given up */ readonly returned: number;
  /** sessions that the origin ended by revoke */ readonly revoked: number;
  /** sessions that the origin ended by complete */ readonly completed: number;
  /** requests that passed by a rule, an address or a staff pass, or of proven crawlers */ readonly bypassed: number;
  /** requests of visitors who got neither a slot nor a place */ readonly rejected: number;
  /** seconds in which visitors in line were held back, by reason */ readonly held_back: { readonly [key: string]: number };
  /** by locality */ readonly localities: { readonly [key: string]: LocalityFigures };
};

export type AnalyticsTotals = {
  /** visitors inside, on average */ readonly inside: number;
  /** the same in the highest minute */ readonly inside_max: number;
  /** the highest limit; null where it is not known */ readonly limit: number | null;
  /** minutes in which more visitors were inside than the limit of that minute */ readonly minutes_over_limit: number;
  /** how many more at most */ readonly over_limit_max: number;
  /** sessions that began */ readonly admitted: number;
  /** visitors in line, on average */ readonly waiting: number;
  /** the same in the highest minute */ readonly waiting_max: number;
  /** places that were taken in line */ readonly joined: number;
  /** waits of visitors admitted from the line; null if nobody was */ readonly waited_seconds: {
  /** a quarter waited no longer */ readonly p25: number;
  /** half of them waited no longer */ readonly p50: number;
  /** three quarters waited no longer */ readonly p75: number;
  /** 19 of 20 waited no longer */ readonly p95: number;
} | null;
  /** visitors who left the line, or stopped asking before they were called */ readonly abandoned: number;
  /** visitors who were called and did not come */ readonly no_shows: number;
  /** visitors who asked for a place that the line had given up */ readonly returned: number;
  /** sessions that the origin ended by revoke */ readonly revoked: number;
  /** sessions that the origin ended by complete */ readonly completed: number;
  /** requests that passed by a rule, an address or a staff pass, or of proven crawlers */ readonly bypassed: number;
  /** requests of visitors who got neither a slot nor a place */ readonly rejected: number;
  /** seconds in which visitors in line were held back, by reason */ readonly held_back: { readonly [key: string]: number };
  /** by locality */ readonly localities: { readonly [key: string]: LocalityFigures };
};

export type ApplyAnswer = {
  /** there if nothing was changed */ readonly dry_run?: true;
  /** one for each room of the body */ readonly results: readonly ({
  /** the room's name */ readonly name: string;
  /** what became of it */ readonly outcome: "created" | "updated" | "unchanged";
  /** of a room that was updated */ readonly changes?: readonly ({
  /** the field */ readonly field: string;
  /** the old value, shortened */ readonly from: string;
  /** the new value, shortened */ readonly to: string;
})[];
})[];
};

export type Draw = {
  /** the room's name */ readonly room: string;
  /** the event's name */ readonly event: string;
  /** when the draw is held */ readonly event_start_time: string;
  /** committing: before the start; waiting: for the public value, or for nodes; cancelled: not made, as its event was changed or deleted before */ readonly state: "committing" | "waiting" | "decided" | "cancelled";
  /** which public value was announced, in words; empty for none */ readonly draw_public_value: string;
  /** the public value; null until it is given */ readonly value: string | null;
  /** nodes that the draw waits for */ readonly waits_for: readonly (string)[];
  /** visitors who are drawn; until it is decided, those known here */ readonly count: number;
  /** null until it is decided */ readonly seed: string | null;
};

export type DrawAnswer = {
  readonly draw: Draw;
};

export type DrawList = {
  /** in no order */ readonly draws: readonly (Draw)[];
};

export type DrawValue = {
  /** the public value, in one line */ readonly value: string;
  /** the event, where the room had several draws */ readonly event?: string;
};

export type Event = {
  /** required; 1 to 64 letters, digits, - and _; each event of a room has its own */ readonly name: string;
  /** for people */ readonly description?: string;
  /** true: the room takes no notice of the event */ readonly suspended?: boolean;
  /** required; when the event's values begin to apply, such as 2026-11-27T10:00:00+01:00 */ readonly event_start_time: string;
  /** required; when the room's own values apply again */ readonly event_end_time: string;
  /** from when on new visitors are held in line, and see a countdown; empty for no pre-queue */ readonly prequeue_start_time?: string | null;
  /** true: the places of all who joined before the start are drawn at the start */ readonly shuffle_at_event_start?: boolean;
  /** true: that is a draw that anybody can check afterwards; it needs shuffle_at_event_start */ readonly draw?: boolean;
  /** which public value goes into the draw, in words; the draw waits until it is given */ readonly draw_public_value?: string;
  /** most sessions at once; empty for the room's; both limits or none */ readonly total_active_users?: number | null;
  /** most visitors admitted per minute; empty for the room's; both limits or none */ readonly new_users_per_minute?: number | null;
  /** minutes that a session lasts after its last request, 1 to 30; empty for the room's */ readonly session_duration?: number | null;
  /** true: a session ends that long after it began; empty for the room's */ readonly disable_session_renewal?: boolean | null;
  /** fifo, random, passthrough or reject; empty for the room's */ readonly queueing_method?: "fifo" | "random" | "passthrough" | "reject" | null;
  /** Mustache template of the waiting page, from the pre-queue on; empty for the room's */ readonly custom_page_html?: string | null;
  /** start/percent/minutes; the start of an event is a cold start; empty for the room's */ readonly ramp?: string;
  /** where the event is: switched off, to come, holding visitors in line, in effect, or over */ readonly phase: "suspended" | "upcoming" | "prequeue" | "active" | "ended";
};

export type EventAnswer = {
  readonly event: Event;
};

export type EventList = {
  /** by their start */ readonly events: readonly (Event)[];
};

export type EventPatch = {
  /** required; 1 to 64 letters, digits, - and _; each event of a room has its own */ readonly name?: string;
  /** for people */ readonly description?: string;
  /** true: the room takes no notice of the event */ readonly suspended?: boolean;
  /** required; when the event's values begin to apply, such as 2026-11-27T10:00:00+01:00 */ readonly event_start_time?: string;
  /** required; when the room's own values apply again */ readonly event_end_time?: string;
  /** from when on new visitors are held in line, and see a countdown; empty for no pre-queue */ readonly prequeue_start_time?: string | null;
  /** true: the places of all who joined before the start are drawn at the start */ readonly shuffle_at_event_start?: boolean;
  /** true: that is a draw that anybody can check afterwards; it needs shuffle_at_event_start */ readonly draw?: boolean;
  /** which public value goes into the draw, in words; the draw waits until it is given */ readonly draw_public_value?: string;
  /** most sessions at once; empty for the room's; both limits or none */ readonly total_active_users?: number | null;
  /** most visitors admitted per minute; empty for the room's; both limits or none */ readonly new_users_per_minute?: number | null;
  /** minutes that a session lasts after its last request, 1 to 30; empty for the room's */ readonly session_duration?: number | null;
  /** true: a session ends that long after it began; empty for the room's */ readonly disable_session_renewal?: boolean | null;
  /** fifo, random, passthrough or reject; empty for the room's */ readonly queueing_method?: "fifo" | "random" | "passthrough" | "reject" | null;
  /** Mustache template of the waiting page, from the pre-queue on; empty for the room's */ readonly custom_page_html?: string | null;
  /** start/percent/minutes; the start of an event is a cold start; empty for the room's */ readonly ramp?: string;
  /** where the event is: switched off, to come, holding visitors in line, in effect, or over */ readonly phase?: "suspended" | "upcoming" | "prequeue" | "active" | "ended";
};

export type ForgetAnswer = {
  /** all of them, by whole id */ readonly nodes: readonly (string)[];
  /** those that this order removed */ readonly forgotten: readonly (string)[];
  /** those that were not members any more */ readonly already: readonly (string)[];
  /** what they are called, by whole id, as far as known */ readonly names: { readonly [key: string]: string };
};

export type ForgetOrder = {
  /** ids, beginnings of ids, or names of nodes */ readonly nodes: readonly (string)[];
  /** for how long the order is valid, so that other members may answer later; left out: they must now */ readonly timeout_seconds?: number;
};

export type LaneAnswer = {
  /** all that a snippet is made of; its keys can let visitors in */ readonly lane: {
  /** the release */ readonly version: string;
  /** where the gate listens, as host:port */ readonly gate: string;
  /** whether the gate speaks TLS */ readonly isTls: boolean;
  /** base URL of the origin of rooms that name none */ readonly origin?: string;
  /** whether requests to the origin carry a secret */ readonly hasOriginSecret: boolean;
  /** changes when the routes or rooms of the snippet do */ readonly pin: string;
  /** what a proxy with this snippet sends to the gates in Anteroom-Lane */ readonly snippet: string;
  /** of the keys */ readonly generation: number;
  /** the routes of all rooms */ readonly hosts: readonly ({
  /** a host name, or * for all others */ readonly host: string;
  /** whether every path is in the one room, however it is written */ readonly isUniform: boolean;
  /** the first that covers a path determines its room */ readonly routes: readonly ({
  /** what a path of the room begins with in lower case, and a slash; empty for all */ readonly read: string;
  /** the same as it must be written; left out if the lane takes none */ readonly written?: string;
  /** kept for life, also when the room is renamed */ readonly room: string;
})[];
})[];
  /** all rooms */ readonly rooms: readonly ({
  /** kept for life, also when the room is renamed */ readonly id: string;
  /** the room's name */ readonly name: string;
  /** the cookie with its tokens */ readonly cookie: string;
  /** cookies that the gate itself sets: session or place, and pass */ readonly gateCookies: readonly (string)[];
  /** base URL of its origin; left out for none */ readonly origin?: string;
  /** why the lane takes none of its visitors */ readonly obstacle?: string;
  /** whether the gate slows new visitors by what it sees of the origin */ readonly isThrottled: boolean;
  /** the key with which gates sign, and the next one */ readonly keys: readonly ({
  /** of the keys */ readonly generation: number;
  /** the beginning of its tokens */ readonly header: string;
  /** secret: it lets visitors in */ readonly key: string;
})[];
})[];
};
};

export type LaneRotated = {
  /** of the keys */ readonly generation: number;
};

export type LaneRotation = {
  /** true: a snippet is known to others; neither of its keys is used */ readonly leaked?: boolean;
};

export type LeaveAnswer = {
  /** false: it was only stopped, as no other node could take over */ readonly left: boolean;
  /** the node that has its share now; null for none */ readonly heir: string | null;
  /** the same in one sentence */ readonly message: string;
};

export type LocalityFigures = {
  /** sessions that began there */ readonly admitted: number;
  /** visitors inside, on average */ readonly inside: number;
  /** visitors in line, on average */ readonly waiting: number;
};

export type MadeToken = {
  readonly token: Token;
  /** the token itself, for Authorization: Bearer; it is shown this once */ readonly secret: string;
};

export type NewEvent = {
  /** required; 1 to 64 letters, digits, - and _; each event of a room has its own */ readonly name: string;
  /** for people */ readonly description?: string;
  /** true: the room takes no notice of the event */ readonly suspended?: boolean;
  /** required; when the event's values begin to apply, such as 2026-11-27T10:00:00+01:00 */ readonly event_start_time: string;
  /** required; when the room's own values apply again */ readonly event_end_time: string;
  /** from when on new visitors are held in line, and see a countdown; empty for no pre-queue */ readonly prequeue_start_time?: string | null;
  /** true: the places of all who joined before the start are drawn at the start */ readonly shuffle_at_event_start?: boolean;
  /** true: that is a draw that anybody can check afterwards; it needs shuffle_at_event_start */ readonly draw?: boolean;
  /** which public value goes into the draw, in words; the draw waits until it is given */ readonly draw_public_value?: string;
  /** most sessions at once; empty for the room's; both limits or none */ readonly total_active_users?: number | null;
  /** most visitors admitted per minute; empty for the room's; both limits or none */ readonly new_users_per_minute?: number | null;
  /** minutes that a session lasts after its last request, 1 to 30; empty for the room's */ readonly session_duration?: number | null;
  /** true: a session ends that long after it began; empty for the room's */ readonly disable_session_renewal?: boolean | null;
  /** fifo, random, passthrough or reject; empty for the room's */ readonly queueing_method?: "fifo" | "random" | "passthrough" | "reject" | null;
  /** Mustache template of the waiting page, from the pre-queue on; empty for the room's */ readonly custom_page_html?: string | null;
  /** start/percent/minutes; the start of an event is a cold start; empty for the room's */ readonly ramp?: string;
  /** where the event is: switched off, to come, holding visitors in line, in effect, or over */ readonly phase?: "suspended" | "upcoming" | "prequeue" | "active" | "ended";
};

export type NewRoom = {
  /** required; 1 to 64 letters, digits, - and _, after a namespace and a colon if it is in one: team:shop */ readonly name: string;
  /** for people */ readonly description?: string;
  /** required; a host name, or * for every host */ readonly host: string;
  /** path prefix; paths below it are covered too */ readonly path?: string;
  /** more routes: [{host: …, path: …}] */ readonly additional_routes?: readonly ({
  /** a host name, or * for every host */ readonly host: string;
  /** path prefix */ readonly path?: string;
})[];
  /** required; most sessions at once, 1 to 10,000,000 */ readonly total_active_users: number;
  /** required; most visitors admitted per minute, 1 to 10,000,000 */ readonly new_users_per_minute: number;
  /** minutes that a session lasts after its last request, 1 to 30 */ readonly session_duration?: number;
  /** true: a session ends that long after it began, even while the visitor is active */ readonly disable_session_renewal?: boolean;
  /** fifo (a line), random (a line in a drawn order), passthrough (no limits) or reject (no new visitor is admitted) */ readonly queueing_method?: "fifo" | "random" | "passthrough" | "reject";
  /** true: hold all new visitors in line */ readonly queue_all?: boolean;
  /** true: the room does nothing, every visitor goes to the origin */ readonly suspended?: boolean;
  /** status of waiting answers: 200, 202 or 429 */ readonly queueing_status_code?: 200 | 202 | 429;
  /** true: requests that accept JSON get the waiting answer as JSON */ readonly json_response_enabled?: boolean;
  /** Mustache template of the waiting page; empty for the built-in page; with it a room takes at most 256 KiB */ readonly custom_page_html?: string;
  /** the built-in page as a brand's own: {title, logo, accent, background, message, message_until, support_url, theme: auto, light or dark} */ readonly page?: {
  /** the brand's name */ readonly title?: string;
  /** an image: its https address, or data: */ readonly logo?: string;
  /** a colour such as #0a7d4f */ readonly accent?: string;
  /** a colour */ readonly background?: string;
  /** plain text for waiting visitors */ readonly message?: string;
  /** when the message is no longer shown; empty for never */ readonly message_until?: string;
  /** where visitors get help: https:// or mailto: */ readonly support_url?: string;
  /** auto: as the visitor's device is set */ readonly theme?: "auto" | "light" | "dark";
};
  /** language of the built-in page for visitors whose browser asks for none of its 39 */ readonly default_template_language?: "en-US" | "es-ES" | "de-DE" | "fr-FR" | "it-IT" | "ja-JP" | "ko-KR" | "pt-BR" | "zh-CN" | "zh-TW" | "nl-NL" | "pl-PL" | "id-ID" | "tr-TR" | "ar-EG" | "ru-RU" | "fa-IR" | "bg-BG" | "hr-HR" | "cs-CZ" | "da-DK" | "fi-FI" | "lt-LT" | "lv-LV" | "ms-MY" | "nb-NO" | "ro-RO" | "el-GR" | "he-IL" | "hi-IN" | "hu-HU" | "sr-BA" | "sk-SK" | "sl-SI" | "sv-SE" | "tl-PH" | "th-TH" | "uk-UA" | "vi-VN";
  /** samesite: auto, lax, none or strict; secure: auto, always or never */ readonly cookie_attributes?: {
  /** the attribute SameSite */ readonly samesite?: "auto" | "lax" | "none" | "strict";
  /** the attribute Secure */ readonly secure?: "auto" | "always" | "never";
};
  /** a parent domain of all hosts of the room, so that a visitor of several counts once */ readonly cookie_domain?: string;
  /** added to the name of the cookie */ readonly cookie_suffix?: string;
  /** [revoke, extend, complete]: what the origin may order about a session by a response header */ readonly enabled_origin_commands?: readonly ("revoke" | "extend" | "complete")[];
  /** true: the origin gets a signed header about each visitor inside, Anteroom-Visitor */ readonly visitor_header?: boolean;
  /** which key signs that header; the next number is the next key */ readonly visitor_key_generation?: number;
  /** base URL of the origin, or a list: [{url: …, weight: …}]; empty for the node's --origin */ readonly origin?: string | readonly ({
  /** base URL */ readonly url: string;
  /** its part of new sessions, next to the others' */ readonly weight?: number;
})[];
  /** how each origin is probed: {path: /healthz, interval_seconds: 10, timeout_seconds: 5} */ readonly health_check?: {
  /** the path that is requested */ readonly path: string;
  /** seconds between two probes */ readonly interval_seconds?: number;
  /** how long a probe waits; left out: 5, and no longer than the interval */ readonly timeout_seconds?: number;
} | null;
  /** counter, even or adaptive */ readonly slot_policy?: "counter" | "even" | "adaptive";
  /** exponent of the adaptive policy's curve, above 0 to 10 */ readonly curve_factor?: number;
  /** seconds between two polls of a visitor far from the front, 1 to 600 */ readonly refresh_interval_seconds?: number;
  /** seconds in which a visitor whose turn it is must enter, by a button of the page, 0 to 1,800; 0: at once */ readonly enter_within_seconds?: number;
  /** minutes for which a place is kept for a visitor who has closed the page, beyond the estimated wait, 1 to 240 */ readonly place_kept_minutes?: number;
  /** most visitors in line, 1 to 10,000,000; the next one sees that the queue is full */ readonly queue_max?: number;
  /** addresses and ranges that pass without being counted: [10.0.0.0/8, …] */ readonly bypass_cidrs?: readonly (string)[];
  /** which requests bypass the room, in order: [{expression: …, action: bypass_waiting_room or queue}] */ readonly rules?: readonly ({
  /** which requests it is about */ readonly expression: string;
  /** what the first rule that fits does */ readonly action?: "bypass_waiting_room" | "queue";
  /** for people */ readonly description?: string;
  /** false: the rule is skipped */ readonly enabled?: boolean;
})[];
  /** crawlers by user agent: wait (like visitors), bypass (proven by DNS they pass, others wait) or refuse (others get 503) */ readonly crawlers?: "wait" | "bypass" | "refuse";
  /** start/percent/minutes, such as 500/50/5: 500 new users a minute from cold, and 50 % more every 5 minutes */ readonly ramp?: string;
  /** true: a minute's slots are released evenly over it */ readonly pace?: boolean;
  /** k: requests per accepted one, latency: multiple of the usual time, above which new visitors are held back; 0 for no bound */ readonly throttle?: {
  /** requests per accepted one, above which new visitors are held back; 0 for no bound */ readonly k?: number;
  /** multiple of the usual time of an answer; 0 for no bound */ readonly latency?: number;
};
  /** most new places for one client address in a minute; 0 for no such limit */ readonly new_places_per_address_per_minute?: number;
  /** true: only visitors with a pass join the line or enter; see anteroom pass --help */ readonly invite_only?: boolean;
  /** part of the slots in percent for each lane of a pass, 1 to 9: {1: 50, 2: 20}; visitors without a lane have the rest */ readonly lanes?: { readonly [key: string]: number } | null;
  /** raise it to withdraw all passes that were made before */ readonly pass_generation?: number;
  /** the same for one network, an IPv4 /24 or an IPv6 /48 */ readonly new_places_per_prefix_per_minute?: number;
  /** off, auto (new visitors of a busy network prove some work) or always */ readonly proof_of_work_mode?: "off" | "auto" | "always";
  /** without the proof: log (only counted) or infinite_queue (in line until it comes) */ readonly proof_of_work_action?: "log" | "infinite_queue";
  /** hashes that the least work takes on average, 16 to 1,000,000 */ readonly proof_of_work_tries?: number;
  /** a move to a new origin; made by anteroom room rollout */ readonly rollout?: {
  /** the new origin */ readonly to: string;
  /** when it began */ readonly started_at: string;
  /** stopped: it keeps the percentage; reversed: new sessions go to the old origin again */ readonly state?: "running" | "stopped" | "reversed";
  /** where it began, or was stopped */ readonly percent?: number;
  /** why it was stopped or reversed */ readonly reason?: string;
} | null;
  /** visitors come from sites behind Queue-it's connectors, and go back there: {event_id: …, protects: [https://www.example.com/]} */ readonly queue_it?: {
  /** the event id in the connectors' configuration */ readonly event_id: string;
  /** the sites whose connectors send visitors here */ readonly protects: readonly (string)[];
} | null;
  /** sales and the like, each with a start, an end and values of its own; see anteroom event create --help */ readonly events?: readonly (NewEvent)[];
  /** kept for life, also when the room is renamed */ readonly id?: string;
  /** an operator's order about the room; null while it works as its document says */ readonly operator_order?: {
  /** hold: all new visitors wait; open: every visitor is admitted */ readonly order: "hold" | "open";
  /** when it was given */ readonly since: string;
  /** the node at which it was given */ readonly node: string;
} | null;
  /** the event of now; null for none */ readonly current_event?: {
  /** the event's name */ readonly name: string;
  /** prequeue: visitors are held in line; active: its values apply */ readonly phase: "prequeue" | "active";
  /** when its values begin to apply */ readonly event_start_time: string;
  /** when the room's own values apply again */ readonly event_end_time: string;
} | null;
  /** null if no event comes, or if it has no pre-queue */ readonly next_event_prequeue_start_time?: string | null;
  /** null if no event comes */ readonly next_event_start_time?: string | null;
  /** when the room was created */ readonly created_on?: string;
  /** when its document was last changed */ readonly modified_on?: string;
};

export type NewToken = {
  /** 1 to 64 letters, digits, hyphens and underscores */ readonly name: string;
  /** what it is allowed to do: [tokens.md](tokens.md) says which call takes which */ readonly scopes: readonly ("read" | "operate" | "configure" | "mesh")[];
  /** for rooms called NAMESPACE:NAME alone */ readonly namespace?: string | null;
  /** for these rooms alone */ readonly rooms?: readonly (string)[] | null;
  /** a span such as 90d, or a time; left out for none */ readonly expires?: string | null;
};

export type NewWebhook = {
  /** for people, in logs and metrics */ readonly name: string;
  /** where notices go: http or https, without user and password */ readonly url: string;
  /** types of notices; empty for all */ readonly types?: readonly ("room.created" | "room.changed" | "room.deleted" | "room.held" | "room.opened" | "room.resumed" | "room.queueing_started" | "room.queueing_ended" | "room.sold_out_started" | "room.sold_out_ended" | "room.share_idle_started" | "room.share_idle_ended" | "room.limit_paced_started" | "room.limit_paced_ended" | "origin.down" | "origin.up" | "event.prequeue_started" | "event.started" | "event.ended" | "node.joined" | "node.lost" | "node.back" | "node.removed" | "node.left")[];
  /** names of rooms; empty for all */ readonly rooms?: readonly (string)[];
  /** rooms of this namespace only; null for all */ readonly namespace?: string | null;
  /** false switches it off; notices of that time are not sent later */ readonly enabled?: boolean;
};

export type Notice = {
  /** the same at every node, and of this change only */ readonly id: string;
  /** what happened */ readonly type: "room.created" | "room.changed" | "room.deleted" | "room.held" | "room.opened" | "room.resumed" | "room.queueing_started" | "room.queueing_ended" | "room.sold_out_started" | "room.sold_out_ended" | "room.share_idle_started" | "room.share_idle_ended" | "room.limit_paced_started" | "room.limit_paced_ended" | "origin.down" | "origin.up" | "event.prequeue_started" | "event.started" | "event.ended" | "node.joined" | "node.lost" | "node.back" | "node.removed" | "node.left" | "webhook.test";
  /** when it was first seen */ readonly time: string;
  /** the mesh */ readonly mesh: string;
  /** the node that reported it */ readonly node: string;
  /** the room's name; null in a notice about a node */ readonly room: string | null;
  /** the room's namespace */ readonly namespace: string | null;
  /** figures and names, by type */ readonly data: { readonly [key: string]: string | number | boolean | null };
};

export type PagePreview = {
  /** a Mustache template */ readonly custom_page_html: string;
};

export type PassList = {
  /** in the order of the request */ readonly passes: readonly ({
  /** as it was sent */ readonly key?: string;
  /** as it was sent */ readonly lane?: number;
  /** there if it is a pass for staff */ readonly staff?: true;
  /** until when it is good */ readonly expires: string;
  /** the pass itself: anybody who has it can use it */ readonly pass: string;
})[];
};

export type PassOrder = {
  /** several at once, in place of the fields */ readonly passes?: readonly ({
  /** what the pass is for, such as the number of an order: visitors with the same key have one place */ readonly key?: string;
  /** a lane to which the room gives a share; left out for none */ readonly lane?: number;
  /** a span such as 12h or 30d, or a time such as 2027-01-31T18:00:00Z */ readonly expires?: string;
  /** true: it admits at once and is not counted */ readonly staff?: boolean;
})[];
  /** what the pass is for, such as the number of an order: visitors with the same key have one place */ readonly key?: string;
  /** a lane to which the room gives a share; left out for none */ readonly lane?: number;
  /** a span such as 12h or 30d, or a time such as 2027-01-31T18:00:00Z */ readonly expires?: string;
  /** true: it admits at once and is not counted */ readonly staff?: boolean;
};

export type Problem = {
  /** urn:anteroom:problem: and the code */ readonly type: string;
  /** the same for all problems of this code */ readonly title: string;
  /** the status of the answer */ readonly status: number;
  /** what cannot be done, and why */ readonly detail: string;
  /** the path of the request */ readonly instance: string;
  /** for programs */ readonly code: "bad-json" | "bad-request" | "unauthorized" | "forbidden" | "not-found" | "method-not-allowed" | "too-slow" | "exists" | "conflict" | "refused" | "changed" | "too-large" | "not-json" | "misdirected" | "invalid" | "too-many" | "internal" | "no-room" | "no-worker" | "not-ready" | "not-stored";
  /** more exactly than the code, where there are several reasons */ readonly reason?: string;
  /** what to do about it */ readonly hint?: string;
  /** all problems of the request */ readonly problems?: readonly ({
  /** the place: rooms[0].total_active_users; empty for the body itself */ readonly path: string;
  /** the value found there as JSON, shortened */ readonly value?: string;
  /** the line of a file */ readonly line?: number;
  /** the name of the room */ readonly room?: string;
  /** what is wrong, to be read after "the value" */ readonly problem: string;
  /** what to do about it */ readonly repair: string;
})[];
};

export type RemovedRoom = {
  /** as it was; only its name if this release could not read it */ readonly room: Room | {
  /** required; 1 to 64 letters, digits, - and _, after a namespace and a colon if it is in one: team:shop */ readonly name: string;
};
};

export type RemovedToken = {
  readonly token: Token;
  /** nodes that do not answer: they go by what was before, until they do */ readonly silent_nodes: readonly (string)[];
};

export type RolloutOrder = {
  /** starts one to the origin with this base URL, or continues a stopped one */ readonly to?: string;
  /** keeps the present percentage */ readonly stop?: true;
  /** sends new sessions to the old origin again */ readonly back?: true;
};

export type Room = {
  /** required; 1 to 64 letters, digits, - and _, after a namespace and a colon if it is in one: team:shop */ readonly name: string;
  /** for people */ readonly description?: string;
  /** required; a host name, or * for every host */ readonly host: string;
  /** path prefix; paths below it are covered too */ readonly path?: string;
  /** more routes: [{host: …, path: …}] */ readonly additional_routes?: readonly ({
  /** a host name, or * for every host */ readonly host: string;
  /** path prefix */ readonly path?: string;
})[];
  /** required; most sessions at once, 1 to 10,000,000 */ readonly total_active_users: number;
  /** required; most visitors admitted per minute, 1 to 10,000,000 */ readonly new_users_per_minute: number;
  /** minutes that a session lasts after its last request, 1 to 30 */ readonly session_duration?: number;
  /** true: a session ends that long after it began, even while the visitor is active */ readonly disable_session_renewal?: boolean;
  /** fifo (a line), random (a line in a drawn order), passthrough (no limits) or reject (no new visitor is admitted) */ readonly queueing_method?: "fifo" | "random" | "passthrough" | "reject";
  /** true: hold all new visitors in line */ readonly queue_all?: boolean;
  /** true: the room does nothing, every visitor goes to the origin */ readonly suspended?: boolean;
  /** status of waiting answers: 200, 202 or 429 */ readonly queueing_status_code?: 200 | 202 | 429;
  /** true: requests that accept JSON get the waiting answer as JSON */ readonly json_response_enabled?: boolean;
  /** Mustache template of the waiting page; empty for the built-in page; with it a room takes at most 256 KiB */ readonly custom_page_html?: string;
  /** the built-in page as a brand's own: {title, logo, accent, background, message, message_until, support_url, theme: auto, light or dark} */ readonly page?: {
  /** the brand's name */ readonly title?: string;
  /** an image: its https address, or data: */ readonly logo?: string;
  /** a colour such as #0a7d4f */ readonly accent?: string;
  /** a colour */ readonly background?: string;
  /** plain text for waiting visitors */ readonly message?: string;
  /** when the message is no longer shown; empty for never */ readonly message_until?: string;
  /** where visitors get help: https:// or mailto: */ readonly support_url?: string;
  /** auto: as the visitor's device is set */ readonly theme?: "auto" | "light" | "dark";
};
  /** language of the built-in page for visitors whose browser asks for none of its 39 */ readonly default_template_language?: "en-US" | "es-ES" | "de-DE" | "fr-FR" | "it-IT" | "ja-JP" | "ko-KR" | "pt-BR" | "zh-CN" | "zh-TW" | "nl-NL" | "pl-PL" | "id-ID" | "tr-TR" | "ar-EG" | "ru-RU" | "fa-IR" | "bg-BG" | "hr-HR" | "cs-CZ" | "da-DK" | "fi-FI" | "lt-LT" | "lv-LV" | "ms-MY" | "nb-NO" | "ro-RO" | "el-GR" | "he-IL" | "hi-IN" | "hu-HU" | "sr-BA" | "sk-SK" | "sl-SI" | "sv-SE" | "tl-PH" | "th-TH" | "uk-UA" | "vi-VN";
  /** samesite: auto, lax, none or strict; secure: auto, always or never */ readonly cookie_attributes?: {
  /** the attribute SameSite */ readonly samesite?: "auto" | "lax" | "none" | "strict";
  /** the attribute Secure */ readonly secure?: "auto" | "always" | "never";
};
  /** a parent domain of all hosts of the room, so that a visitor of several counts once */ readonly cookie_domain?: string;
  /** added to the name of the cookie */ readonly cookie_suffix?: string;
  /** [revoke, extend, complete]: what the origin may order about a session by a response header */ readonly enabled_origin_commands?: readonly ("revoke" | "extend" | "complete")[];
  /** true: the origin gets a signed header about each visitor inside, Anteroom-Visitor */ readonly visitor_header?: boolean;
  /** which key signs that header; the next number is the next key */ readonly visitor_key_generation?: number;
  /** base URL of the origin, or a list: [{url: …, weight: …}]; empty for the node's --origin */ readonly origin?: string | readonly ({
  /** base URL */ readonly url: string;
  /** its part of new sessions, next to the others' */ readonly weight?: number;
})[];
  /** how each origin is probed: {path: /healthz, interval_seconds: 10, timeout_seconds: 5} */ readonly health_check?: {
  /** the path that is requested */ readonly path: string;
  /** seconds between two probes */ readonly interval_seconds?: number;
  /** how long a probe waits; left out: 5, and no longer than the interval */ readonly timeout_seconds?: number;
} | null;
  /** counter, even or adaptive */ readonly slot_policy?: "counter" | "even" | "adaptive";
  /** exponent of the adaptive policy's curve, above 0 to 10 */ readonly curve_factor?: number;
  /** seconds between two polls of a visitor far from the front, 1 to 600 */ readonly refresh_interval_seconds?: number;
  /** seconds in which a visitor whose turn it is must enter, by a button of the page, 0 to 1,800; 0: at once */ readonly enter_within_seconds?: number;
  /** minutes for which a place is kept for a visitor who has closed the page, beyond the estimated wait, 1 to 240 */ readonly place_kept_minutes?: number;
  /** most visitors in line, 1 to 10,000,000; the next one sees that the queue is full */ readonly queue_max?: number;
  /** addresses and ranges that pass without being counted: [10.0.0.0/8, …] */ readonly bypass_cidrs?: readonly (string)[];
  /** which requests bypass the room, in order: [{expression: …, action: bypass_waiting_room or queue}] */ readonly rules?: readonly ({
  /** which requests it is about */ readonly expression: string;
  /** what the first rule that fits does */ readonly action?: "bypass_waiting_room" | "queue";
  /** for people */ readonly description?: string;
  /** false: the rule is skipped */ readonly enabled?: boolean;
})[];
  /** crawlers by user agent: wait (like visitors), bypass (proven by DNS they pass, others wait) or refuse (others get 503) */ readonly crawlers?: "wait" | "bypass" | "refuse";
  /** start/percent/minutes, such as 500/50/5: 500 new users a minute from cold, and 50 % more every 5 minutes */ readonly ramp?: string;
  /** true: a minute's slots are released evenly over it */ readonly pace?: boolean;
  /** k: requests per accepted one, latency: multiple of the usual time, above which new visitors are held back; 0 for no bound */ readonly throttle?: {
  /** requests per accepted one, above which new visitors are held back; 0 for no bound */ readonly k?: number;
  /** multiple of the usual time of an answer; 0 for no bound */ readonly latency?: number;
};
  /** most new places for one client address in a minute; 0 for no such limit */ readonly new_places_per_address_per_minute?: number;
  /** true: only visitors with a pass join the line or enter; see anteroom pass --help */ readonly invite_only?: boolean;
  /** part of the slots in percent for each lane of a pass, 1 to 9: {1: 50, 2: 20}; visitors without a lane have the rest */ readonly lanes?: { readonly [key: string]: number } | null;
  /** raise it to withdraw all passes that were made before */ readonly pass_generation?: number;
  /** the same for one network, an IPv4 /24 or an IPv6 /48 */ readonly new_places_per_prefix_per_minute?: number;
  /** off, auto (new visitors of a busy network prove some work) or always */ readonly proof_of_work_mode?: "off" | "auto" | "always";
  /** without the proof: log (only counted) or infinite_queue (in line until it comes) */ readonly proof_of_work_action?: "log" | "infinite_queue";
  /** hashes that the least work takes on average, 16 to 1,000,000 */ readonly proof_of_work_tries?: number;
  /** a move to a new origin; made by anteroom room rollout */ readonly rollout?: {
  /** the new origin */ readonly to: string;
  /** when it began */ readonly started_at: string;
  /** stopped: it keeps the percentage; reversed: new sessions go to the old origin again */ readonly state?: "running" | "stopped" | "reversed";
  /** where it began, or was stopped */ readonly percent?: number;
  /** why it was stopped or reversed */ readonly reason?: string;
} | null;
  /** visitors come from sites behind Queue-it's connectors, and go back there: {event_id: …, protects: [https://www.example.com/]} */ readonly queue_it?: {
  /** the event id in the connectors' configuration */ readonly event_id: string;
  /** the sites whose connectors send visitors here */ readonly protects: readonly (string)[];
} | null;
  /** sales and the like, each with a start, an end and values of its own; see anteroom event create --help */ readonly events?: readonly (NewEvent)[];
  /** kept for life, also when the room is renamed */ readonly id: string;
  /** an operator's order about the room; null while it works as its document says */ readonly operator_order: {
  /** hold: all new visitors wait; open: every visitor is admitted */ readonly order: "hold" | "open";
  /** when it was given */ readonly since: string;
  /** the node at which it was given */ readonly node: string;
} | null;
  /** the event of now; null for none */ readonly current_event: {
  /** the event's name */ readonly name: string;
  /** prequeue: visitors are held in line; active: its values apply */ readonly phase: "prequeue" | "active";
  /** when its values begin to apply */ readonly event_start_time: string;
  /** when the room's own values apply again */ readonly event_end_time: string;
} | null;
  /** null if no event comes, or if it has no pre-queue */ readonly next_event_prequeue_start_time: string | null;
  /** null if no event comes */ readonly next_event_start_time: string | null;
  /** when the room was created */ readonly created_on: string;
  /** when its document was last changed */ readonly modified_on: string;
};

export type RoomAnswer = {
  readonly room: Room;
};

export type RoomList = {
  /** in no order */ readonly rooms: readonly (Room)[];
  /** names of rooms that this release cannot read */ readonly unreadable?: readonly (string)[];
};

export type RoomPatch = {
  /** required; 1 to 64 letters, digits, - and _, after a namespace and a colon if it is in one: team:shop */ readonly name?: string;
  /** for people */ readonly description?: string;
  /** required; a host name, or * for every host */ readonly host?: string;
  /** path prefix; paths below it are covered too */ readonly path?: string;
  /** more routes: [{host: …, path: …}] */ readonly additional_routes?: readonly ({
  /** a host name, or * for every host */ readonly host: string;
  /** path prefix */ readonly path?: string;
})[];
  /** required; most sessions at once, 1 to 10,000,000 */ readonly total_active_users?: number;
  /** required; most visitors admitted per minute, 1 to 10,000,000 */ readonly new_users_per_minute?: number;
  /** minutes that a session lasts after its last request, 1 to 30 */ readonly session_duration?: number;
  /** true: a session ends that long after it began, even while the visitor is active */ readonly disable_session_renewal?: boolean;
  /** fifo (a line), random (a line in a drawn order), passthrough (no limits) or reject (no new visitor is admitted) */ readonly queueing_method?: "fifo" | "random" | "passthrough" | "reject";
  /** true: hold all new visitors in line */ readonly queue_all?: boolean;
  /** true: the room does nothing, every visitor goes to the origin */ readonly suspended?: boolean;
  /** status of waiting answers: 200, 202 or 429 */ readonly queueing_status_code?: 200 | 202 | 429;
  /** true: requests that accept JSON get the waiting answer as JSON */ readonly json_response_enabled?: boolean;
  /** Mustache template of the waiting page; empty for the built-in page; with it a room takes at most 256 KiB */ readonly custom_page_html?: string;
  /** the built-in page as a brand's own: {title, logo, accent, background, message, message_until, support_url, theme: auto, light or dark} */ readonly page?: {
  /** the brand's name */ readonly title?: string;
  /** an image: its https address, or data: */ readonly logo?: string;
  /** a colour such as #0a7d4f */ readonly accent?: string;
  /** a colour */ readonly background?: string;
  /** plain text for waiting visitors */ readonly message?: string;
  /** when the message is no longer shown; empty for never */ readonly message_until?: string;
  /** where visitors get help: https:// or mailto: */ readonly support_url?: string;
  /** auto: as the visitor's device is set */ readonly theme?: "auto" | "light" | "dark";
};
  /** language of the built-in page for visitors whose browser asks for none of its 39 */ readonly default_template_language?: "en-US" | "es-ES" | "de-DE" | "fr-FR" | "it-IT" | "ja-JP" | "ko-KR" | "pt-BR" | "zh-CN" | "zh-TW" | "nl-NL" | "pl-PL" | "id-ID" | "tr-TR" | "ar-EG" | "ru-RU" | "fa-IR" | "bg-BG" | "hr-HR" | "cs-CZ" | "da-DK" | "fi-FI" | "lt-LT" | "lv-LV" | "ms-MY" | "nb-NO" | "ro-RO" | "el-GR" | "he-IL" | "hi-IN" | "hu-HU" | "sr-BA" | "sk-SK" | "sl-SI" | "sv-SE" | "tl-PH" | "th-TH" | "uk-UA" | "vi-VN";
  /** samesite: auto, lax, none or strict; secure: auto, always or never */ readonly cookie_attributes?: {
  /** the attribute SameSite */ readonly samesite?: "auto" | "lax" | "none" | "strict";
  /** the attribute Secure */ readonly secure?: "auto" | "always" | "never";
};
  /** a parent domain of all hosts of the room, so that a visitor of several counts once */ readonly cookie_domain?: string;
  /** added to the name of the cookie */ readonly cookie_suffix?: string;
  /** [revoke, extend, complete]: what the origin may order about a session by a response header */ readonly enabled_origin_commands?: readonly ("revoke" | "extend" | "complete")[];
  /** true: the origin gets a signed header about each visitor inside, Anteroom-Visitor */ readonly visitor_header?: boolean;
  /** which key signs that header; the next number is the next key */ readonly visitor_key_generation?: number;
  /** base URL of the origin, or a list: [{url: …, weight: …}]; empty for the node's --origin */ readonly origin?: string | readonly ({
  /** base URL */ readonly url: string;
  /** its part of new sessions, next to the others' */ readonly weight?: number;
})[];
  /** how each origin is probed: {path: /healthz, interval_seconds: 10, timeout_seconds: 5} */ readonly health_check?: {
  /** the path that is requested */ readonly path: string;
  /** seconds between two probes */ readonly interval_seconds?: number;
  /** how long a probe waits; left out: 5, and no longer than the interval */ readonly timeout_seconds?: number;
} | null;
  /** counter, even or adaptive */ readonly slot_policy?: "counter" | "even" | "adaptive";
  /** exponent of the adaptive policy's curve, above 0 to 10 */ readonly curve_factor?: number;
  /** seconds between two polls of a visitor far from the front, 1 to 600 */ readonly refresh_interval_seconds?: number;
  /** seconds in which a visitor whose turn it is must enter, by a button of the page, 0 to 1,800; 0: at once */ readonly enter_within_seconds?: number;
  /** minutes for which a place is kept for a visitor who has closed the page, beyond the estimated wait, 1 to 240 */ readonly place_kept_minutes?: number;
  /** most visitors in line, 1 to 10,000,000; the next one sees that the queue is full */ readonly queue_max?: number;
  /** addresses and ranges that pass without being counted: [10.0.0.0/8, …] */ readonly bypass_cidrs?: readonly (string)[];
  /** which requests bypass the room, in order: [{expression: …, action: bypass_waiting_room or queue}] */ readonly rules?: readonly ({
  /** which requests it is about */ readonly expression: string;
  /** what the first rule that fits does */ readonly action?: "bypass_waiting_room" | "queue";
  /** for people */ readonly description?: string;
  /** false: the rule is skipped */ readonly enabled?: boolean;
})[];
  /** crawlers by user agent: wait (like visitors), bypass (proven by DNS they pass, others wait) or refuse (others get 503) */ readonly crawlers?: "wait" | "bypass" | "refuse";
  /** start/percent/minutes, such as 500/50/5: 500 new users a minute from cold, and 50 % more every 5 minutes */ readonly ramp?: string;
  /** true: a minute's slots are released evenly over it */ readonly pace?: boolean;
  /** k: requests per accepted one, latency: multiple of the usual time, above which new visitors are held back; 0 for no bound */ readonly throttle?: {
  /** requests per accepted one, above which new visitors are held back; 0 for no bound */ readonly k?: number;
  /** multiple of the usual time of an answer; 0 for no bound */ readonly latency?: number;
};
  /** most new places for one client address in a minute; 0 for no such limit */ readonly new_places_per_address_per_minute?: number;
  /** true: only visitors with a pass join the line or enter; see anteroom pass --help */ readonly invite_only?: boolean;
  /** part of the slots in percent for each lane of a pass, 1 to 9: {1: 50, 2: 20}; visitors without a lane have the rest */ readonly lanes?: { readonly [key: string]: number } | null;
  /** raise it to withdraw all passes that were made before */ readonly pass_generation?: number;
  /** the same for one network, an IPv4 /24 or an IPv6 /48 */ readonly new_places_per_prefix_per_minute?: number;
  /** off, auto (new visitors of a busy network prove some work) or always */ readonly proof_of_work_mode?: "off" | "auto" | "always";
  /** without the proof: log (only counted) or infinite_queue (in line until it comes) */ readonly proof_of_work_action?: "log" | "infinite_queue";
  /** hashes that the least work takes on average, 16 to 1,000,000 */ readonly proof_of_work_tries?: number;
  /** a move to a new origin; made by anteroom room rollout */ readonly rollout?: {
  /** the new origin */ readonly to: string;
  /** when it began */ readonly started_at: string;
  /** stopped: it keeps the percentage; reversed: new sessions go to the old origin again */ readonly state?: "running" | "stopped" | "reversed";
  /** where it began, or was stopped */ readonly percent?: number;
  /** why it was stopped or reversed */ readonly reason?: string;
} | null;
  /** visitors come from sites behind Queue-it's connectors, and go back there: {event_id: …, protects: [https://www.example.com/]} */ readonly queue_it?: {
  /** the event id in the connectors' configuration */ readonly event_id: string;
  /** the sites whose connectors send visitors here */ readonly protects: readonly (string)[];
} | null;
  /** sales and the like, each with a start, an end and values of its own; see anteroom event create --help */ readonly events?: readonly (NewEvent)[];
  /** kept for life, also when the room is renamed */ readonly id?: string;
  /** an operator's order about the room; null while it works as its document says */ readonly operator_order?: {
  /** hold: all new visitors wait; open: every visitor is admitted */ readonly order: "hold" | "open";
  /** when it was given */ readonly since: string;
  /** the node at which it was given */ readonly node: string;
} | null;
  /** the event of now; null for none */ readonly current_event?: {
  /** the event's name */ readonly name: string;
  /** prequeue: visitors are held in line; active: its values apply */ readonly phase: "prequeue" | "active";
  /** when its values begin to apply */ readonly event_start_time: string;
  /** when the room's own values apply again */ readonly event_end_time: string;
} | null;
  /** null if no event comes, or if it has no pre-queue */ readonly next_event_prequeue_start_time?: string | null;
  /** null if no event comes */ readonly next_event_start_time?: string | null;
  /** when the room was created */ readonly created_on?: string;
  /** when its document was last changed */ readonly modified_on?: string;
};

export type RoomsFile = {
  /** the documents of the rooms */ readonly rooms: readonly (NewRoom)[];
};

export type RotateOrder = {
  /** how long the secret before counts, 0m to 30d */ readonly grace?: string;
  /** another end; left out to keep it */ readonly expires?: string | null;
};

export type RotatedToken = {
  readonly token: Token;
  /** the token itself, for Authorization: Bearer; it is shown this once */ readonly secret: string;
  /** nodes that do not answer: they go by what was before, until they do */ readonly silent_nodes: readonly (string)[];
};

export type SettingList = {
  /** one for each setting */ readonly settings: readonly ({
  /** the key of the config file */ readonly setting: string;
  /** as text; (set) for secrets, (none) for none */ readonly value: string;
  /** a flag, a variable, the path of the config file, or default */ readonly source: string;
})[];
};

export type Status = {
  /** the release that answers */ readonly version: string;
  /** the whole id of the answering node */ readonly node: string;
  /** what its operator calls it */ readonly name?: string;
  /** names of nodes, by id */ readonly names?: { readonly [key: string]: string };
  /** its locality */ readonly locality: string;
  /** the mesh's name */ readonly mesh: string;
  /** since its start */ readonly uptime_seconds: number;
  /** the length of a minute; below 60,000 only in tests */ readonly minute_ms: number;
  /** its clock */ readonly now_ms: number;
  /** for operators, the most serious first; empty when all is well */ readonly warnings: readonly (string)[];
  /** left out by a node without a rooms file */ readonly rooms_file?: {
  /** what became of it */ readonly state: "waiting" | "applied" | "unchanged" | "superseded" | "refused";
  /** since when */ readonly since: string;
  /** the same in one sentence */ readonly words: string;
  /** fields of existing rooms that changed */ readonly changes: readonly ({
  /** its name */ readonly room: string;
  /** the field */ readonly field: string;
  /** the old value, shortened */ readonly from: string;
  /** the new value, shortened */ readonly to: string;
})[];
};
  /** versions of the wire format */ readonly wire?: {
  /** the version that the mesh speaks */ readonly speaks: number;
  /** the newest that this release understands */ readonly newest: number;
};
  /** the agreed list of members; null for a node that has not joined yet */ readonly view: {
  /** its number */ readonly number: number;
  /** nodes in it */ readonly members: number;
  /** those that vote */ readonly voters: number;
} | null;
  /** held: it may admit and extend sessions */ readonly lease: "held" | "none";
  /** of the answering node */ readonly clock: {
  /** how far it is ahead of the median of its peers; null without peers */ readonly offset_ms: number | null;
  /** whether the node admits nobody because its clock is too far off */ readonly holds_back: boolean;
};
  /** what the loss of a node costs */ readonly cut_off?: {
  /** how long an active visitor of a cut-off gate can browse */ readonly browses_ms: number;
  /** how long the share of a lost node is idle at most */ readonly idle_ms: number;
};
  /** counted since the start */ readonly gossip?: {
  /** frames sent */ readonly frames_sent: number;
  /** frames received */ readonly frames_received: number;
  /** bytes sent */ readonly bytes_sent: number;
  /** bytes received */ readonly bytes_received: number;
  /** frames that were not used, by reason */ readonly dropped: { readonly [key: string]: number };
  /** peers cut off for what they sent */ readonly peers_punished: number;
};
  /** pressure on the answering node */ readonly pressure?: {
  /** 0 is none; from 1 on, details of this status are left out */ readonly level: number;
  /** since when */ readonly since_ms: number;
  /** how late its timers come */ readonly lag_ms: number;
  /** part of its memory in use */ readonly memory: number;
};
  /** all rooms */ readonly rooms: readonly ({
  /** kept for life, also when the room is renamed */ readonly id: string;
  /** the room's name */ readonly name: string;
  /** what it does with a new visitor now */ readonly state: "open" | "queueing" | "prequeue" | "held" | "passthrough" | "rejecting" | "suspended";
  /** an operator's order about the room; null while it works as its document says */ readonly operator_order: {
  /** hold: all new visitors wait; open: every visitor is admitted */ readonly order: "hold" | "open";
  /** when it was given */ readonly since: string;
  /** the node at which it was given */ readonly node: string;
} | null;
  /** the event of now; null for none */ readonly event?: {
  /** the event's name */ readonly name: string;
  /** prequeue: visitors are held in line; active: its values apply */ readonly phase: "prequeue" | "active";
  /** when its values begin to apply */ readonly event_start_time: string;
  /** when the room's own values apply again */ readonly event_end_time: string;
} | null;
  /** slots held by sessions now, on all nodes */ readonly inside: number;
  /** the same on the answering node */ readonly inside_here: number;
  /** the limit of sessions, as it applies now */ readonly total_active_users: number;
  /** visitors in line, in all localities */ readonly waiting: number;
  /** those in the line that the answering node keeps */ readonly waiting_here: number;
  /** admitted in the running minute, by all nodes */ readonly admitted_this_minute: number;
  /** the same by the answering node */ readonly admitted_here_this_minute: number;
  /** the limit of new visitors per minute, as it applies now */ readonly new_users_per_minute: number;
  /** estimated wait of a visitor who joins now; null if unknown */ readonly wait_seconds: number | null;
  /** passes seen since the start, by result */ readonly passes_here?: { readonly [key: string]: number };
  /** proofs of work since the start, by result */ readonly proofs_here?: { readonly [key: string]: number };
  /** what holds new visitors back besides the limits; null for nothing */ readonly pace: {
  /** what holds new visitors back */ readonly reason: "ramp" | "down" | "failing" | "slow" | "paced";
  /** the reason and its figure, as a clause */ readonly words: string;
  /** new visitors that all nodes together may admit per minute */ readonly per_minute: number;
  /** part that is held back because of failed requests; null for other reasons */ readonly held_back: number | null;
  /** when the ramp last began; null without a ramp */ readonly ramp_started_ms: number | null;
} | null;
  /** by name */ readonly localities: readonly ({
  /** its name */ readonly locality: string;
  /** the node that hands out tickets and keeps the line; null for none alive */ readonly ticket_counter: string | null;
  /** nodes that are alive */ readonly nodes: number;
  /** slots for sessions that these nodes have free */ readonly free: number;
  /** visitors in line */ readonly waiting: number;
  /** admitted in the running minute */ readonly admitted_this_minute: number;
})[];
  /** who owns how much of the room; the answering node's first */ readonly shares: readonly ({
  /** the account that owns it */ readonly account: string;
  /** the node that writes the account's row; null when no member does */ readonly node: string | null;
  /** slots for sessions, at the room's present limits */ readonly active_slots: number;
  /** slots for new visitors of a minute */ readonly arrivals_slots: number;
  /** who may use the share: the answering node, another member, an heir later, or nobody for now */ readonly state: "own" | "member" | "pot" | "lost" | "held";
  /** when all of it is usable again, at the latest; null if it is in use, or without a known end */ readonly idle_until_ms: number | null;
  /** why it is idle */ readonly idle_reason?: "removed" | "forgotten" | "held" | "silent";
  /** when its node was removed */ readonly idle_since_ms?: number;
  /** when its silent node is removed, unless it is back; then only the slots that it may hold stay idle */ readonly removal_ms?: number;
  /** all accounts of the share, where these are several */ readonly accounts?: readonly (string)[];
})[];
  /** how much is idle on all nodes; left out under pressure */ readonly idle?: {
  /** slots for sessions */ readonly active_slots: number;
  /** slots for new visitors of a minute */ readonly arrivals_slots: number;
  /** of all slots for sessions */ readonly part: number;
  /** when the last of it is usable again, at the latest; null for nothing, or no known end */ readonly until_ms: number | null;
};
  /** where its visitors go */ readonly origin?: {
  /** whether any target that takes new sessions is up; while none is, nobody enters */ readonly reachable: boolean;
  /** each origin, as the answering node has it */ readonly targets: readonly ({
  /** its base URL */ readonly url: string;
  /** whether it answers */ readonly state: "up" | "down";
  /** when it came up or went down, or became known here */ readonly since_ms: number;
  /** why it is down; null while it is up */ readonly reason: string | null;
  /** null for the origin of a rollout */ readonly weight: number | null;
  /** sessions seen at the answering node in the last minute */ readonly sessions_here: number;
  /** their part of all; null of none */ readonly share_here: number | null;
  /** requests in the last minute */ readonly requests_here: number;
  /** those without an answer, or with a status of 500 and above */ readonly failures_here: number;
})[];
  /** null for none, and no recent one to report */ readonly rollout: {
  /** the new origin */ readonly to: string;
  /** stopped: it keeps the present percentage */ readonly state: "running" | "stopped" | "reversed";
  /** of new sessions, now */ readonly percent: number;
  /** when it began */ readonly started_ms: number;
  /** the whole rollout in one sentence */ readonly words: string;
} | null;
};
})[];
  /** members, those that join or leave, and removed ones with idle shares */ readonly members: readonly ({
  /** its whole id */ readonly node: string;
  /** what its operator calls it */ readonly name?: string;
  /** its locality */ readonly locality: string;
  /** as the answering node sees it */ readonly state: "alive" | "unreachable" | "left" | "removed";
  /** whether it is the node that answers */ readonly self: boolean;
  /** when the others remove it, if it stays silent; null for never */ readonly removal_ms?: number | null;
  /** of the last heartbeat */ readonly round_trip_ms: number | null;
  /** how far its clock is ahead of the answering node's */ readonly clock_offset_ms: number | null;
  /** null if unknown: a node reports it only about itself */ readonly lease: "held" | "none" | null;
  /** null for one that does not run out */ readonly lease_seconds_left: number | null;
  /** the release that runs there */ readonly version?: string;
  /** where it is dialled, as multiaddr text */ readonly addresses?: readonly (string)[];
  /** the newest wire version that it understands */ readonly newest_wire?: number | null;
  /** whether it votes on the next list of members */ readonly voter: boolean;
})[];
};

export type Token = {
  /** unique in the mesh; in the audit log it says who did something */ readonly name: string;
  /** what it is allowed to do: [tokens.md](tokens.md) says which call takes which */ readonly scopes: readonly ("read" | "operate" | "configure" | "mesh")[];
  /** it sees rooms of this namespace alone; null for all */ readonly namespace: string | null;
  /** it sees rooms of these names alone; null for all */ readonly rooms: readonly (string)[] | null;
  /** ISO 8601 */ readonly created_on: string;
  /** the token with which it was made */ readonly created_by: string;
  /** null for one without an end */ readonly expires_on: string | null;
  /** whether it has ended */ readonly expired: boolean;
  /** at the node that answers, since its start */ readonly last_used_here: string | null;
  /** the secret before the last rotation, while it counts */ readonly previous_secret: {
  /** when it ends */ readonly until: string;
  /** at the node that answers, since its start */ readonly last_used_here: string | null;
} | null;
};

export type TokenAnswer = {
  readonly token: Token;
};

export type TokenList = {
  /** by name */ readonly tokens: readonly (Token)[];
};

export type VisitorKeysAnswer = {
  /** what verifies the header */ readonly visitor_keys: {
  /** the room's name */ readonly room: string;
  /** whether the gates send the header */ readonly is_on: boolean;
  /** the claim iss */ readonly issuer: string;
  /** the claim aud */ readonly audience: string;
  /** of the signature */ readonly algorithm: "HS256";
  /** the key with which gates sign, and the next one */ readonly keys: readonly ({
  /** names the key in the head of the token */ readonly kid: string;
  /** secret: a reader of it can write the header for that origin */ readonly key: string;
})[];
};
};

export type Webhook = {
  /** the webhook's id */ readonly id: string;
  /** for people, in logs and metrics */ readonly name: string;
  /** where notices go: http or https, without user and password */ readonly url: string;
  /** types of notices; empty for all */ readonly types: readonly ("room.created" | "room.changed" | "room.deleted" | "room.held" | "room.opened" | "room.resumed" | "room.queueing_started" | "room.queueing_ended" | "room.sold_out_started" | "room.sold_out_ended" | "room.share_idle_started" | "room.share_idle_ended" | "room.limit_paced_started" | "room.limit_paced_ended" | "origin.down" | "origin.up" | "event.prequeue_started" | "event.started" | "event.ended" | "node.joined" | "node.lost" | "node.back" | "node.removed" | "node.left")[];
  /** names of rooms; empty for all */ readonly rooms: readonly (string)[];
  /** rooms of this namespace only; null for all */ readonly namespace: string | null;
  /** false switches it off; notices of that time are not sent later */ readonly enabled: boolean;
  /** when it was made */ readonly created: string;
  /** until when the secret before the last rotation signs as well */ readonly previous_secret_until: string | null;
  /** the node that sends for it now */ readonly sender: string;
  /** notices that the receiver took */ readonly delivered: number;
  /** notices that were given up */ readonly dead_letters: number;
  /** notices that wait for delivery */ readonly waiting: number;
  /** since when the receiver takes none; null while it does */ readonly failing_since: string | null;
  /** what the receiver answered then */ readonly last_error: string | null;
};

export type WebhookAnswer = {
  readonly webhook: Webhook;
};

export type WebhookList = {
  /** in the order in which they were made */ readonly webhooks: readonly (Webhook)[];
};

export type WebhookPatch = {
  /** for people, in logs and metrics */ readonly name?: string;
  /** where notices go: http or https, without user and password */ readonly url?: string;
  /** types of notices; empty for all */ readonly types?: readonly ("room.created" | "room.changed" | "room.deleted" | "room.held" | "room.opened" | "room.resumed" | "room.queueing_started" | "room.queueing_ended" | "room.sold_out_started" | "room.sold_out_ended" | "room.share_idle_started" | "room.share_idle_ended" | "room.limit_paced_started" | "room.limit_paced_ended" | "origin.down" | "origin.up" | "event.prequeue_started" | "event.started" | "event.ended" | "node.joined" | "node.lost" | "node.back" | "node.removed" | "node.left")[];
  /** names of rooms; empty for all */ readonly rooms?: readonly (string)[];
  /** rooms of this namespace only; null for all */ readonly namespace?: string | null;
  /** false switches it off; notices of that time are not sent later */ readonly enabled?: boolean;
};

export type WebhookTested = {
  /** whether the receiver took it */ readonly delivered: boolean;
  /** of its answer; null without one */ readonly status: number | null;
  /** why it was not delivered */ readonly error: string | null;
  /** until the answer */ readonly milliseconds: number;
  readonly notice: Notice;
};

export type WebhookWithSecret = {
  readonly webhook: Webhook;
  /** signs notices; it is shown this once */ readonly secret: string;
};

export interface Calls {
  getHealth: { answer: string };
  getReadiness: { answer: string };
  getMetrics: { answer: string };
  getDescription: { answer: { readonly [key: string]: unknown } };
  getStatus: { answer: Status };
  getSettings: { answer: SettingList };
  listRooms: { answer: RoomList };
  createRoom: { body: NewRoom; answer: RoomAnswer };
  getRoom: { params: { name: string }; answer: RoomAnswer };
  updateRoom: { params: { name: string }; body: RoomPatch; answer: RoomAnswer };
  replaceRoom: { params: { name: string }; body: NewRoom; answer: RoomAnswer };
  deleteRoom: { params: { name: string }; answer: RemovedRoom };
  applyRooms: { query?: { dry_run?: string }; body: RoomsFile; answer: ApplyAnswer };
  getAnalytics: { params: { name: string }; query?: { from?: string; to?: string; step?: string; format?: string }; answer: Analytics };
  listEvents: { params: { name: string }; answer: EventList };
  getEvent: { params: { name: string; event: string }; answer: EventAnswer };
  createEvent: { params: { name: string }; body: NewEvent; answer: EventAnswer };
  updateEvent: { params: { name: string; event: string }; body: EventPatch; answer: EventAnswer };
  deleteEvent: { params: { name: string; event: string }; answer: EventAnswer };
  holdRoom: { params: { name: string }; answer: RoomAnswer };
  openRoom: { params: { name: string }; answer: RoomAnswer };
  resumeRoom: { params: { name: string }; answer: RoomAnswer };
  rollOut: { params: { name: string }; body: RolloutOrder; answer: RoomAnswer };
  listDraws: { answer: DrawList };
  getDraw: { params: { draw: string }; query?: { event?: string }; answer: DrawAnswer };
  getDrawFile: { params: { draw: string }; query?: { event?: string }; answer: string };
  giveDrawValue: { params: { draw: string }; body: DrawValue; answer: DrawAnswer };
  getLane: { answer: LaneAnswer };
  rotateLaneKeys: { body: LaneRotation; answer: LaneRotated };
  makePasses: { params: { name: string }; body: PassOrder; answer: PassList };
  getVisitorKeys: { params: { name: string }; answer: VisitorKeysAnswer };
  watch: { query?: { room?: string; type?: string }; answer: string };
  listWebhooks: { answer: WebhookList };
  getWebhook: { params: { webhook: string }; answer: WebhookAnswer };
  createWebhook: { body: NewWebhook; answer: WebhookWithSecret };
  updateWebhook: { params: { webhook: string }; body: WebhookPatch; answer: WebhookAnswer };
  deleteWebhook: { params: { webhook: string }; answer: WebhookAnswer };
  rotateWebhookSecret: { params: { webhook: string }; answer: WebhookWithSecret };
  testWebhook: { params: { webhook: string }; answer: WebhookTested };
  listTokens: { answer: TokenList };
  getToken: { params: { token: string }; answer: TokenAnswer };
  createToken: { body: NewToken; answer: MadeToken };
  rotateToken: { params: { token: string }; body: RotateOrder; answer: RotatedToken };
  deleteToken: { params: { token: string }; answer: RemovedToken };
  previewPage: { body: PagePreview; answer: string };
  leaveMesh: { answer: LeaveAnswer };
  forgetNodes: { body: ForgetOrder; answer: ForgetAnswer };
}

const ROUTES = {
  getHealth: ["GET", "/healthz"],
  getReadiness: ["GET", "/readyz"],
  getMetrics: ["GET", "/metrics"],
  getDescription: ["GET", "/v1/openapi.json"],
  getStatus: ["GET", "/v1/status"],
  getSettings: ["GET", "/v1/settings"],
  listRooms: ["GET", "/v1/rooms"],
  createRoom: ["POST", "/v1/rooms"],
  getRoom: ["GET", "/v1/rooms/{name}"],
  updateRoom: ["PATCH", "/v1/rooms/{name}"],
  replaceRoom: ["PUT", "/v1/rooms/{name}"],
  deleteRoom: ["DELETE", "/v1/rooms/{name}"],
  applyRooms: ["POST", "/v1/rooms/apply"],
  getAnalytics: ["GET", "/v1/rooms/{name}/analytics"],
  listEvents: ["GET", "/v1/rooms/{name}/events"],
  getEvent: ["GET", "/v1/rooms/{name}/events/{event}"],
  createEvent: ["POST", "/v1/rooms/{name}/events"],
  updateEvent: ["PATCH", "/v1/rooms/{name}/events/{event}"],
  deleteEvent: ["DELETE", "/v1/rooms/{name}/events/{event}"],
  holdRoom: ["POST", "/v1/rooms/{name}/hold"],
  openRoom: ["POST", "/v1/rooms/{name}/open"],
  resumeRoom: ["POST", "/v1/rooms/{name}/resume"],
  rollOut: ["POST", "/v1/rooms/{name}/rollout"],
  listDraws: ["GET", "/v1/draws"],
  getDraw: ["GET", "/v1/draws/{draw}"],
  getDrawFile: ["GET", "/v1/draws/{draw}/file"],
  giveDrawValue: ["POST", "/v1/draws/{draw}/value"],
  getLane: ["GET", "/v1/lane"],
  rotateLaneKeys: ["POST", "/v1/lane/rotate"],
  makePasses: ["POST", "/v1/rooms/{name}/passes"],
  getVisitorKeys: ["GET", "/v1/rooms/{name}/visitor-keys"],
  watch: ["GET", "/v1/events"],
  listWebhooks: ["GET", "/v1/webhooks"],
  getWebhook: ["GET", "/v1/webhooks/{webhook}"],
  createWebhook: ["POST", "/v1/webhooks"],
  updateWebhook: ["PATCH", "/v1/webhooks/{webhook}"],
  deleteWebhook: ["DELETE", "/v1/webhooks/{webhook}"],
  rotateWebhookSecret: ["POST", "/v1/webhooks/{webhook}/rotate"],
  testWebhook: ["POST", "/v1/webhooks/{webhook}/test"],
  listTokens: ["GET", "/v1/tokens"],
  getToken: ["GET", "/v1/tokens/{token}"],
  createToken: ["POST", "/v1/tokens"],
  rotateToken: ["POST", "/v1/tokens/{token}/rotate"],
  deleteToken: ["DELETE", "/v1/tokens/{token}"],
  previewPage: ["POST", "/v1/preview"],
  leaveMesh: ["POST", "/v1/leave"],
  forgetNodes: ["POST", "/v1/forget"],
} as const satisfies Record<CallName, readonly [string, string]>;
