/**
 * The gate's answer at its own address: the draws of a room's events, for everybody.
 *
 * It takes no place and no slot. Answers are bounded per second and node, so that a flood of them costs visitors
 * nothing.
 */

import { NO_STORE } from "../http/fields.ts";
import type { Exchange, HeaderList } from "../http/message.ts";
import type { LiveRoom } from "../rooms/live-room.ts";
import { DrawPages } from "./draw-pages.ts";
import { GATE_ERRORS, type GateError } from "./error-page.ts";
import { PerSecond } from "./per-second.ts";
import { LEVELS, type PressureLevel } from "./pressure.ts";

/** Draws that a node sends in a second, at up to 6 kB each: 6 MB in the minute in which all look. */
export const DRAWS_PER_SECOND = 1_000;

/** How long caches may keep a draw: as a moment passes, more of it is known. */
const DRAW_SECONDS = 1;

const RETRY_SECONDS = 2;

export interface DrawQuestion {
  readonly exchange: Exchange;
  readonly live: LiveRoom;
  readonly nowMs: number;
  readonly pressure: PressureLevel;
}

/** Refuses a request with an error of the gate; with the seconds after which it may get a better answer. */
export type Refuse = (error: GateError, retryAfterSeconds?: number) => void;

export class DrawAnswers {
  readonly #draws = new PerSecond(DRAWS_PER_SECOND);
  readonly #pages = new DrawPages();

  answer({ exchange, live, nowMs, pressure }: DrawQuestion, refuse: Refuse): void {
    const { method } = exchange.request;
    if (method !== "GET" && method !== "HEAD") exchange.answer(405, NOT_ALLOWED_HEADERS, "");
    else if (pressure >= LEVELS.closed) refuse(GATE_ERRORS.shed, RETRY_SECONDS);
    else if (!this.#draws.take(nowMs)) refuse(GATE_ERRORS.busy, RETRY_SECONDS);
    else {
      const body = this.#pages.page(live, nowMs);
      if (body === undefined) refuse(GATE_ERRORS.notFound);
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
