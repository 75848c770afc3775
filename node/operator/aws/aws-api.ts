/**
 * The seven public routes of AWS's Virtual Waiting Room, which is retired: its clients go on with a room in place of an
 * event.
 *
 * The name of the room is the event id. A request id is a place in the room's line, and a token is a JWT that
 * ends before the session's slot may be free. It is a function from Request to Response (hono). The gate decides who
 * joins the line and who is admitted (`inner-visit.ts`).
 */

import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { PROBE_NAME } from "../../cookie/cookie-header.ts";
import type { CookieSeal, InsideCookie, VisitorCookie } from "../../cookie/seal.ts";
import { PerSecond } from "../../gate/per-second.ts";
import type { Exchange } from "../../http/message.ts";
import { Recent } from "../../recent.ts";
import type { LiveRoom } from "../../rooms/live-room.ts";
import type { Rooms } from "../../rooms/rooms.ts";
import { InnerVisit } from "./inner-visit.ts";
import { numberAt, numberOf, tokenSpan } from "./request-id.ts";
import type { SigningKey } from "./signing-key.ts";

export interface AwsApiOptions {
  readonly rooms: Rooms;
  readonly seal: CookieSeal;
  readonly gate: { handle(exchange: Exchange): void };
  readonly key: SigningKey;
  /** What tokens have as `iss`. */
  readonly issuer: string;
  readonly clock: () => number;
  readonly steadyMs: () => number;
  readonly minuteMs: number;
  /** Visitors in all lines of a room, as far as known here. */
  readonly waiting: (room: string) => number;
}

interface Env {
  readonly Bindings: { readonly from: string };
}

const BODY_BYTES_MAX = 8 * 1024;

/** A sealed cookie has some 300 characters, and more with a pass. */
const REQUEST_ID_CHARS_MAX = 4_096;

/** Sets of tokens that a node signs in a second: each takes some 3 ms, so that is at most a third of one core. */
export const TOKENS_PER_SECOND = 100;

/**
 * Sessions remembered by request id, so that each asking for a token gets the same one: 10 MB. Of others the slot is
 * found by the gate, and the token has another time of issue.
 */
const SESSIONS_MAX = 20_000;

/** A token needs more time than a minute of leeway. */
const SESSION_MINUTES_MIN = 3;

const MICROS_PER_MS = 1_000;

const RETRY_SECONDS = 2;

/** Of a visitor whose address may take no more places now. */
const ADDRESS_LIMITED = "address_limited";

/** What the gate counted for visitors who stay in line, or could not join because it is full or closed. */
const WAITS = ["joined", "polled", "full", "rejected", "unproved"];

export function awsApi(options: AwsApiOptions): Hono<Env> {
  const api = new AwsQueue(options);
  const app = new Hono<Env>();
  app.use(async (context, next) => {
    await next();
    context.header("Access-Control-Allow-Origin", "*");
    context.header("Cache-Control", "no-store");
  });
  app.use(bodyLimit({ maxSize: BODY_BYTES_MAX, onError: (c) => c.json({ message: "Request body too large" }, 413) }));
  app.options("*", (c) => {
    c.header("Access-Control-Allow-Methods", "GET,POST,OPTIONS");
    c.header("Access-Control-Allow-Headers", "Content-Type,X-Amz-Date,Authorization,X-Api-Key,X-Amz-Security-Token");
    return c.body(null, 200);
  });
  app.post("/assign_queue_num", (c) => api.assign(c));
  app.post("/generate_token", (c) => api.generate(c));
  app.get("/queue_num", (c) => api.queueNum(c));
  app.get("/queue_pos_expiry", (c) => api.expiry(c));
  app.get("/serving_num", (c) => api.servingNum(c));
  app.get("/waiting_num", (c) => api.waitingNum(c));
  app.get("/public_key", (c) => api.publicKey(c));
  app.notFound((c) => c.json({ message: "Not found" }, 404));
  app.onError((_, c) => c.json({ message: "Internal server error" }, 500));
  return app;
}

class AwsQueue {
  readonly #options: AwsApiOptions;
  readonly #tokens = new PerSecond(TOKENS_PER_SECOND);
  readonly #sessions = new Recent<string, InsideCookie>({ max: SESSIONS_MAX, forMs: Number.POSITIVE_INFINITY });
  /** The highest number served so far, by room. */
  readonly #served = new Map<string, number>();

  constructor(options: AwsApiOptions) {
    this.#options = options;
  }

  async assign(context: Context<Env>): Promise<Response> {
    const body = await bodyOf(context);
    if (body === undefined) return context.json({ message: "Invalid request body" }, 400);
    const live = this.#room(body.event_id);
    if (live === undefined) return wrong(context, 400, "Invalid event ID");
    const { cookies, mayPass, outcome } = await this.#visit(context, live, `${PROBE_NAME}=1`);
    const shown = cookieIn(cookies, live);
    if (shown === undefined) return this.#notNow(context, live, outcome, mayPass);
    const opened = this.#open(shown, live);
    if (opened?.kind === "inside") this.#serve(live, numberOf(opened, live.createdMs).queueNumber);
    return context.json({ api_request_id: shown });
  }

  async generate(context: Context<Env>): Promise<Response> {
    const body = await bodyOf(context);
    if (body === undefined) return context.json({ message: "Invalid request body" }, 400);
    const named = this.#named(body.event_id, body.request_id);
    if (named === undefined) return wrong(context, 400, "Invalid event or request ID");
    const { live, requestId, cookie } = named;
    const { clock, minuteMs } = this.#options;
    const nowMs = clock();
    if (!this.#tokens.take(nowMs)) return later(context, 503, "Too many tokens at once");
    const before = cookie.kind === "inside" ? cookie : this.#sessions.use(requestId, nowMs);
    const isUsed = before === undefined && live.admission.sessions.knownAs(cookie.id, nowMs)?.kind === "used";
    if (isUsed || live.admission.sessions.isRevoked(cookie.id)) return wrong(context, 410, GONE);
    const session = before ?? (await this.#ask(context, live, cookie));
    if (session instanceof Response) return session;
    this.#sessions.set(requestId, session, nowMs);
    const { issuedSeconds, expiresSeconds } = tokenSpan(session, minuteMs);
    const expiresIn = expiresSeconds - Math.floor(clock() / 1_000);
    if (expiresIn <= 0) return wrong(context, 410, GONE);
    const { key, issuer } = this.#options;
    const { queueNumber } = numberOf(cookie, live.createdMs);
    this.#serve(live, queueNumber);
    const token = (use: string): string =>
      key.token({
        ...{ aud: live.room.name, sub: requestId, queue_position: queueNumber, token_use: use },
        ...{ iat: issuedSeconds, nbf: issuedSeconds, exp: expiresSeconds, iss: issuer },
      });
    return context.json({
      ...{ access_token: token("access"), refresh_token: token("refresh"), id_token: token("id") },
      ...{ token_type: "Bearer", expires_in: expiresIn },
    });
  }

  queueNum(context: Context<Env>): Response {
    const named = this.#named(context.req.query("event_id"), context.req.query("request_id"));
    if (named === undefined) return wrong(context, 400, "Invalid event or request ID");
    const { queueNumber, entrySeconds } = numberOf(named.cookie, named.live.createdMs);
    const event = named.live.room.name;
    return context.json({ queue_number: queueNumber, entry_time: entrySeconds, event_id: event, status: 1 });
  }

  /** A place is kept for as long as its id can be read. */
  expiry(context: Context<Env>): Response {
    const named = this.#named(context.req.query("event_id"), context.req.query("request_id"));
    if (named === undefined) return wrong(context, 400, "Invalid event or request ID");
    return wrong(context, 202, "Queue position expiration not enabled");
  }

  servingNum(context: Context<Env>): Response {
    const live = this.#room(context.req.query("event_id"));
    if (live === undefined) return wrong(context, 400, "Invalid event ID");
    const { clock } = this.#options;
    const front = live.meshRoom.lineFront ?? clock() * MICROS_PER_MS;
    return context.json({ serving_counter: this.#serve(live, numberAt(front, live.createdMs)) });
  }

  waitingNum(context: Context<Env>): Response {
    const live = this.#room(context.req.query("event_id"));
    if (live === undefined) return wrong(context, 400, "Invalid event ID");
    return context.json({ waiting_num: this.#options.waiting(live.room.name) });
  }

  publicKey(context: Context<Env>): Response {
    if (this.#room(context.req.query("event_id")) === undefined) return wrong(context, 400, "Invalid event ID");
    return context.json(this.#options.key.jwk);
  }

  /** The session of a place whose turn it is, or the answer for one that goes on waiting. */
  async #ask(context: Context<Env>, live: LiveRoom, cookie: VisitorCookie): Promise<InsideCookie | Response> {
    const { seal, clock } = this.#options;
    // Asked for here, it is as fresh as a poll: the id that the client keeps is never written again.
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    seal.seal({ ...cookie, lastCheckInTime: clock() }, clock(), resolve);
    const value = await promise;
    if (value === undefined) return later(context, 503, "Not available now");
    const { cookies, mayPass, outcome } = await this.#visit(context, live, `${live.cookieName}=${value}`);
    const shown = cookieIn(cookies, live);
    const opened = shown === undefined ? undefined : this.#open(shown, live);
    if (mayPass && opened?.kind === "inside" && opened.id === cookie.id) return opened;
    if (!mayPass && WAITS.includes(outcome)) return wrong(context, 202, "Request ID not being served yet");
    return this.#notNow(context, live, outcome, mayPass);
  }

  async #visit(context: Context<Env>, live: LiveRoom, cookie: string) {
    const { gate, steadyMs } = this.#options;
    const { room } = live;
    const host = room.host === "*" ? "localhost" : room.host;
    const forwarded = ["X-Forwarded-For", "Forwarded"].flatMap((name) => {
      const value = context.req.header(name);
      return value === undefined ? [] : [name, value];
    });
    const visit = new InnerVisit({
      ...{ host, target: encodeURI(room.path), remoteAddress: context.env.from, steadyMs: steadyMs() },
      headers: [...forwarded, "Cookie", cookie, "User-Agent", context.req.header("User-Agent") ?? ""],
    });
    gate.handle(visit);
    return visit.outcome;
  }

  #notNow(context: Context<Env>, { room }: LiveRoom, outcome: string, mayPass: boolean): Response {
    if (mayPass) return later(context, 503, "The waiting room is off: no queue number is needed");
    if (outcome === ADDRESS_LIMITED) return later(context, 429, "Too many requests");
    const isFull = outcome === "full" || outcome === "rejected";
    return later(context, 503, isFull ? "The queue is full" : "Not available now", room.refreshIntervalSeconds);
  }

  /** The room of an event, if its clients can be served: they show no pass, solve no proof, and keep one number. */
  #room(event: unknown): LiveRoom | undefined {
    if (typeof event !== "string") return undefined;
    const { rooms, clock } = this.#options;
    rooms.turn(clock());
    const live = rooms.byName(event);
    if (live === undefined) return undefined;
    const { room } = live;
    const isServed =
      room.queueIt === undefined &&
      !room.inviteOnly &&
      room.queueingMethod !== "random" &&
      room.proofOfWorkMode === "off" &&
      room.enterWithinSeconds === 0 &&
      room.sessionDuration >= SESSION_MINUTES_MIN;
    return isServed ? live : undefined;
  }

  #named(event: unknown, requestId: unknown) {
    const live = this.#room(event);
    if (live === undefined || typeof requestId !== "string" || requestId.length > REQUEST_ID_CHARS_MAX)
      return undefined;
    const cookie = this.#open(requestId, live);
    return cookie && { live, requestId, cookie };
  }

  #open(value: string, live: LiveRoom): VisitorCookie | undefined {
    const opened = this.#options.seal.open(value, live.id, this.#options.clock());
    return opened.kind === "good" ? opened.cookie : undefined;
  }

  /** The serving number, which never goes back at a node. */
  #serve({ id }: LiveRoom, number: number): number {
    const most = Math.max(number, this.#served.get(id) ?? 0);
    this.#served.set(id, most);
    return most;
  }
}

const GONE = "Token corresponding to request id has expired";

async function bodyOf(context: Context<Env>): Promise<Readonly<Record<string, unknown>> | undefined> {
  const body: unknown = await context.req.json().catch(() => undefined);
  return typeof body === "object" && body !== null && !Array.isArray(body) ? { ...body } : undefined;
}

/** The value of the room's cookie among Set-Cookie values. */
function cookieIn(cookies: readonly string[], { cookieName }: LiveRoom): string | undefined {
  const found = cookies.find((cookie) => cookie.startsWith(`${cookieName}=`));
  const value = found?.slice(cookieName.length + 1).split(";")[0];
  return value === "" ? undefined : value;
}

function wrong(context: Context<Env>, status: ContentfulStatusCode, error: string): Response {
  return context.json({ error }, status);
}

function later(context: Context<Env>, status: 429 | 503, error: string, seconds = RETRY_SECONDS): Response {
  context.header("Retry-After", String(seconds));
  return context.json({ error }, status);
}
