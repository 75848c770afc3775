/**
 * The gate's answer at its own address: the draws of a room's events, for everybody.
 *
 * It takes no place and no slot. Answers are bounded per second, for each address and for the node, so that a flood of
 * them costs visitors nothing.
 */

import { addressGroup } from "../http/client.ts";
import { NO_STORE } from "../http/fields.ts";
import type { Exchange, HeaderList } from "../http/message.ts";
import type { LiveRoom } from "../rooms/live-room.ts";
import { DrawPages } from "./draw-pages.ts";
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
  readonly #pages = new DrawPages();

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
      const body = this.#pages.page(live, nowMs);
      if (body === undefined) this.#refusals.answer(exchange, GATE_ERRORS.notFound, about);
      else exchange.answer(200, DRAW_HEADERS, body);
    }
  }
}

const NOT_ALLOWED_HEADERS: HeaderList = ["Allow", "GET, HEAD", ...NO_STORE];

/** Pages of other sites may read it: it is public, and checking it there is the point. */
const DRAW_HEADERS: HeaderList = [
  ...["Content-Type", "application/json", "X-Content-Type-Options", "nosniff"],
  ...["Cache-Control", `public, max-age=${DRAW_SECONDS}`, "Access-Control-Allow-Origin", "*"],
];
