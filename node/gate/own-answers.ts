/**
 * The gate's answers at its own addresses: a receipt for a place in line, the room's public log, and the draw of its
 * event.
 *
 * None takes a place or a slot, and none is on the way of a visitor who joins: a receipt is signed when it is asked
 * for. All are bounded per second and node, so that a flood of them costs visitors nothing.
 */

import { drawIdOf, drawIdText } from "../admission/draw/draw-seed.ts";
import { KEYS_PER_MS } from "../admission/queue-order.ts";
import { publicRoom, type Receipt, type ReceiptParts, receiptOf } from "../admission/receipt.ts";
import { orderName } from "../admission/room-config.ts";
import { signedStatement } from "../admission/statement.ts";
import type { Room } from "../config/room.ts";
import type { WaitingCookie } from "../cookie/seal.ts";
import { fieldValue } from "../http/fields.ts";
import type { Exchange, HeaderList } from "../http/message.ts";
import { isoOf } from "../iso-time.ts";
import type { LiveRoom } from "../rooms/live-room.ts";
import { DrawPages } from "./draw-pages.ts";
import { GATE_ERRORS, type GateError } from "./error-page.ts";
import { LogPages } from "./log-pages.ts";
import type { OwnPath } from "./own-paths.ts";
import { PerSecond } from "./per-second.ts";
import { LEVELS, type PressureLevel } from "./pressure.ts";
import { supportId } from "./support-id.ts";

/**
 * Receipts that a node signs in a second. At 60 µs each that is 3 % of its time; at ten times as many, a flood of
 * requests for receipts would slow those who join. Others are asked to come again.
 */
export const RECEIPTS_PER_SECOND = 500;

/** Logs that a node sends in a second, at 140 kB each: 14 MB. A cache in front of it keeps one for some seconds. */
export const LOGS_PER_SECOND = 100;

/** Draws that a node sends in a second, at up to 30 kB each: 30 MB in the minute in which all look. */
export const DRAWS_PER_SECOND = 1_000;

/** How long caches may keep a log. An entry is made every ten seconds. */
const LOG_SECONDS = 5;

/** How long caches may keep a draw: as a moment passes, more of it is known. */
const DRAW_SECONDS = 1;

const RETRY_SECONDS = 2;

export interface OwnQuestion {
  readonly path: OwnPath;
  readonly exchange: Exchange;
  readonly live: LiveRoom;
  readonly nowMs: number;
  readonly pressure: PressureLevel;
  /** The visitor's place; undefined for a visitor who has none. */
  readonly place: () => WaitingCookie | undefined;
}

/** Refuses a request with an error of the gate; with the seconds after which it may get a better answer. */
export type Refuse = (error: GateError, retryAfterSeconds?: number) => void;

export class OwnAnswers {
  readonly #receipts = new PerSecond(RECEIPTS_PER_SECOND);
  readonly #logs = new PerSecond(LOGS_PER_SECOND);
  readonly #pages = new LogPages();
  readonly #draws = new PerSecond(DRAWS_PER_SECOND);
  readonly #drawPages = new DrawPages();

  answer(question: OwnQuestion, refuse: Refuse): void {
    const { path, exchange, live, pressure } = question;
    const { method } = exchange.request;
    if (method !== "GET" && method !== "HEAD") exchange.answer(405, NOT_ALLOWED_HEADERS, "");
    else if (path === "log" && !live.room.publicLog) refuse(GATE_ERRORS.notFound);
    else if (pressure >= LEVELS.closed) refuse(GATE_ERRORS.shed, RETRY_SECONDS);
    else if (path === "log") this.#log(question, refuse);
    else if (path === "draw") this.#draw(question, refuse);
    else this.#receipt(question, refuse);
  }

  #receipt({ exchange, live, nowMs, place }: OwnQuestion, refuse: Refuse): void {
    const cookie = place();
    if (cookie === undefined) {
      refuse(GATE_ERRORS.noPlace);
      return;
    }
    // Only those who have a place take of what others who have one can get.
    if (!this.#receipts.take(nowMs)) {
      refuse(GATE_ERRORS.busy, RETRY_SECONDS);
      return;
    }
    const { roomNode, meshRoom, id, room } = live;
    const { order } = meshRoom;
    // A visitor with a receipt of a draw is on its list.
    meshRoom.notePlace(cookie.id, cookie.key);
    const receipt = receiptOf({
      mesh: roomNode.meshId,
      room: publicRoom(id, roomNode.notary),
      name: room.name,
      order: orderName({ room, order }),
      at: order.isDrawing(cookie.key, nowMs) ? undefined : placeOf(live, cookie),
      draw: drawIn(room, cookie),
      visitor: supportId(cookie.id),
      log: meshRoom.publicLog.pin,
      node: roomNode.self,
      nowMs,
    });
    exchange.answer(200, RECEIPT_HEADERS, `${signedStatement(receipt, roomNode.notary)}\n`);
  }

  #draw({ exchange, live, nowMs }: OwnQuestion, refuse: Refuse): void {
    if (!this.#draws.take(nowMs)) {
      refuse(GATE_ERRORS.busy, RETRY_SECONDS);
      return;
    }
    const body = this.#drawPages.page(live, nowMs);
    if (body === undefined) refuse(GATE_ERRORS.notFound);
    else exchange.answer(200, DRAW_HEADERS, body);
  }

  #log({ exchange, live, nowMs }: OwnQuestion, refuse: Refuse): void {
    if (!this.#logs.take(nowMs)) {
      refuse(GATE_ERRORS.busy, RETRY_SECONDS);
      return;
    }
    const { body, tag } = this.#pages.page(live, beforeIn(exchange.request.target), nowMs);
    const headers = [...LOG_HEADERS, "ETag", `W/"${tag}"`];
    const isKnown = fieldValue(exchange.request.headers, "if-none-match")?.includes(`"${tag}"`) === true;
    if (isKnown) exchange.answer(304, headers, "");
    else exchange.answer(200, headers, body);
  }
}

function placeOf({ meshRoom }: LiveRoom, { id, key }: WaitingCookie): NonNullable<ReceiptParts["at"]> {
  return { key, place: meshRoom.placeOf(id, key) };
}

/** The draw that a visitor takes part in, and the visitor's id in it. */
function drawIn({ draw }: Room, { id, key }: WaitingCookie): Receipt["draw"] {
  if (draw === undefined || key >= draw.startMs * KEYS_PER_MS) return undefined;
  return { start: isoOf(draw.startMs), id: drawIdText(drawIdOf(id)) };
}

const NOT_ALLOWED_HEADERS: HeaderList = ["Allow", "GET, HEAD", "Cache-Control", "no-store"];

const RECEIPT_HEADERS: HeaderList = [
  ...["Content-Type", "application/json", "Cache-Control", "no-store"],
  ...["Content-Disposition", 'attachment; filename="anteroom-receipt.json"'],
];

/** Pages of other sites may read it: it is public, and checking it there is the point. */
const LOG_HEADERS: HeaderList = [
  ...["Content-Type", "application/jsonl", "X-Content-Type-Options", "nosniff"],
  ...["Cache-Control", `public, max-age=${LOG_SECONDS}`, "Access-Control-Allow-Origin", "*"],
];

const DRAW_HEADERS: HeaderList = [
  ...["Content-Type", "application/json", "X-Content-Type-Options", "nosniff"],
  ...["Cache-Control", `public, max-age=${DRAW_SECONDS}`, "Access-Control-Allow-Origin", "*"],
];

/** The number in `?before=NUMBER`. */
function beforeIn(target: string): number | undefined {
  const [, digits] = /[?&]before=(\d{1,15})(?:&|$)/.exec(target) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
