/**
 * The gate's answer at its own address, `/.anteroom/draw` below any path of a room: the draws of the room's events, for
 * everybody.
 *
 * Only this one way of writing the address counts. Any other goes the way of all requests, so nothing gets past the
 * line by it. The answer takes no place and no slot. Answers are bounded per second, for each address and for the node,
 * so that a flood of them costs visitors nothing.
 */

import { signedStatement } from "../admission/statement.ts";
import { routesOf } from "../config/check-rooms.ts";
import type { Room, Route } from "../config/room.ts";
import { addressGroup } from "../http/client.ts";
import { NO_STORE } from "../http/fields.ts";
import type { Exchange, HeaderList, RequestHead } from "../http/message.ts";
import { isoOf } from "../iso-time.ts";
import type { LiveRoom } from "../rooms/live-room.ts";
import { GATE_ERRORS } from "./error-page.ts";
import { PerSecond } from "./per-second.ts";
import { LEVELS } from "./pressure.ts";
import type { Refusals } from "./refusals.ts";
import type { Visit } from "./steps.ts";

/** Draws that a node sends in a second, at up to 6 kB each: 6 MB in the minute in which all look. */
export const DRAWS_PER_SECOND = 1_000;

/** How long caches may keep a draw: as a moment passes, more of it is known. */
const DRAW_SECONDS = 1;

const RETRY_SECONDS = 2;

export class DrawAnswers {
  readonly #refusals: Refusals;
  readonly #draws = new PerSecond(DRAWS_PER_SECOND);
  /** What is the same for all who ask within a second. */
  readonly #made = new WeakMap<LiveRoom, Made>();

  constructor(refusals: Refusals) {
    this.#refusals = refusals;
  }

  answer(
    exchange: Exchange,
    live: LiveRoom,
    { client, nowMs, pressure }: Pick<Visit, "client" | "nowMs" | "pressure">,
  ): void {
    const { method } = exchange.request;
    const { room } = live;
    const about = { room, fields: { room: room.name } };
    const later = { ...about, retryAfterSeconds: RETRY_SECONDS };
    live.counts.requests.draw += 1;
    if (exchange.trail !== undefined) exchange.trail.outcome = "draw";
    if (method !== "GET" && method !== "HEAD") exchange.answer(405, NOT_ALLOWED_HEADERS, "");
    else if (pressure >= LEVELS.closed) this.#refusals.answer(exchange, GATE_ERRORS.shed, later);
    else if (!this.#draws.take(nowMs, addressGroup(client.address)))
      this.#refusals.answer(exchange, GATE_ERRORS.busy, later);
    else {
      const body = this.#body(live, nowMs);
      if (body === undefined) this.#refusals.answer(exchange, GATE_ERRORS.notFound, about);
      else exchange.answer(200, DRAW_HEADERS, body);
    }
  }

  #body(live: LiveRoom, nowMs: number): string | undefined {
    const second = Math.floor(nowMs / SECOND_MS);
    const known = this.#made.get(live);
    if (known?.second === second) return known.body;
    const body = bodyOf(live, nowMs);
    this.#made.set(live, { second, body });
    return body;
  }
}

const NOT_ALLOWED_HEADERS: HeaderList = ["Allow", "GET, HEAD", ...NO_STORE];

/** Pages of other sites may read it: it is public, and checking it there is the point. */
const DRAW_HEADERS: HeaderList = [
  ...["Content-Type", "application/json", "X-Content-Type-Options", "nosniff"],
  ...["Cache-Control", `public, max-age=${DRAW_SECONDS}`, "Access-Control-Allow-Origin", "*"],
];

const DRAW = "/.anteroom/draw";

/** Whether a request of the room asks for it. */
export function isDrawPath(target: string, room: Room): boolean {
  if (!target.includes(DRAW)) return false;
  const [path = ""] = target.split("?");
  if (!path.endsWith(DRAW)) return false;
  const prefix = path.slice(0, -DRAW.length);
  return routesOf(room).some((route) => prefixesOf(route).includes(prefix));
}

/** The address for a visitor of the room, as a reference that stays on the same host. */
export function drawAddress(room: Room, request: Pick<RequestHead, "host" | "target">): string {
  return prefixOf(room, request) + DRAW;
}

/** How the addresses of the gate begin for a visitor of the room: as those of the longest route. */
export function prefixOf(room: Room, { host, target }: Pick<RequestHead, "host" | "target">): string {
  const isHere = (route: Route): boolean =>
    (route.host === host || route.host === "*") && prefixesOf(route).some((prefix) => target.startsWith(prefix));
  const routes = routesOf(room).toSorted((one, other) => other.path.length - one.path.length);
  const [, inUri] = prefixesOf(routes.find(isHere) ?? room);
  return inUri;
}

/** How an address of a route begins: as it is configured, and as browsers write it. */
function prefixesOf({ path }: Pick<Route, "path">): readonly [configured: string, inUri: string] {
  const prefix = path.endsWith("/") ? path.slice(0, -1) : path;
  return [prefix, prefix.isWellFormed() ? encodeURI(prefix) : prefix];
}

const SECOND_MS = 1_000;

/** The last draw that is over, and those that come next: 6 kB. */
const SHOWN_MAX = 16;

interface Made {
  readonly second: number;
  readonly body: string | undefined;
}

/**
 * The draws of a room's events as anybody may read them: the hash of the secret from the declaration on, the list once
 * it is closed, and the secret from the start on; undefined where there is no draw. A node signs it with its time, so
 * that who saved it before the start can prove what was public then.
 */
function bodyOf({ room, roomNode, draws }: LiveRoom, nowMs: number): string | undefined {
  const [first] = draws;
  if (first === undefined) return undefined;
  const ended = draws.findLastIndex(({ endMs }) => endMs <= nowMs);
  const shown = draws.slice(Math.max(0, ended)).slice(0, SHOWN_MAX);
  const { mesh, room: id } = first.terms;
  const fields = {
    anteroom: "draws 1",
    mesh,
    room: id,
    name: room.name,
    at: isoOf(nowMs),
    draws: shown.map(({ key, terms: { event, startMs, announced }, hash, value, opened }) => ({
      event,
      start: isoOf(startMs),
      announced,
      hash,
      visitors: roomNode.draws?.countOf(key) ?? 0,
      list: roomNode.draws?.listOf(key),
      value,
      ...opened,
    })),
    node: roomNode.self,
  };
  return `${signedStatement(fields, roomNode.notary)}\n`;
}
