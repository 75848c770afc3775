/**
 * The fast lane at the gate: which visitor inside gets a token, and until when it is good.
 *
 * A proxy that has a snippet of ours says so with each request (`Anteroom-Lane`), and only then a token is of use. It
 * is good for the rest of the minute in which the session was checked in, so a visitor's first request in each minute
 * comes to a gate, as without the lane. A snippet that is older than the rooms, or than the keys, gets no tokens: all
 * requests of its visitors come to the gates, and the status says so.
 */

import type { Minute, RoomId } from "../../mesh/core/ids.ts";
import { minuteOf, minutePlus, scaledMs, startOfMinuteMs } from "../../mesh/core/minute.ts";
import { cookieValues, setCookie } from "../cookie/cookie-header.ts";
import { type LaneKeys, type LaneSnippet, laneCookieName } from "../cookie/lane-keys.ts";
import { laneObstacle, lanePin } from "../rooms/lane-table.ts";
import type { LiveRoom } from "../rooms/live-room.ts";
import type { RouteTable } from "../rooms/match.ts";
import type { Rooms } from "../rooms/rooms.ts";
import type { CheckedIn, LetIn, Request } from "./steps.ts";
import { supportId } from "./support-id.ts";

export interface FastLaneOptions {
  readonly rooms: Rooms;
  readonly keys: LaneKeys;
  readonly minuteMs: number;
}

/**
 * How long a token ends before its session's last good minute, in ms of a real minute. A slot is held for 5 s after
 * that minute, so a proxy's clock may be 13 s slow, and the home's 2 s fast. Doubled, visitors of rooms without renewal
 * come to the gate for longer at their end; at 0, a clock that is 4 s slow exceeds a limit.
 */
const BEFORE_LAST_MS = 10_000;

/** For how long the status names a snippet that is old, after its last request. */
const OLD_SNIPPET_MS = 120_000;

export class FastLane {
  readonly #options: FastLaneOptions;
  #pinned: { readonly routes: RouteTable<RoomId>; readonly pin: string } | undefined;
  #oldSeenMs = Number.NEGATIVE_INFINITY;

  constructor(options: FastLaneOptions) {
    this.#options = options;
  }

  /** The pin of the rooms as they are. */
  get pin(): string {
    const { rooms } = this.#options;
    if (this.#pinned?.routes !== rooms.routes) this.#pinned = { routes: rooms.routes, pin: lanePin(rooms.all()) };
    return this.#pinned.pin;
  }

  /**
   * The Set-Cookie value with a visitor's token, for the snippet that the proxy in front has; undefined if there is none
   * to give.
   */
  cookie(
    { live, nowMs, exchange, client }: Pick<Request, "live" | "nowMs" | "exchange" | "client">,
    text: string,
    { session, checkedIn }: LetIn,
  ): string | undefined {
    if (checkedIn === undefined || !mayPassBy(live)) return undefined;
    if (session.target?.address.basePath !== "") return undefined;
    const snippet = this.#current(text, nowMs);
    if (snippet === undefined) return undefined;
    const expiresSeconds = Math.floor(this.#expiresMs(checkedIn, nowMs) / 1_000);
    if (expiresSeconds * 1_000 <= nowMs) return undefined;
    const madeSeconds = Math.floor(Math.min(checkedIn.atMs, nowMs) / 1_000);
    const { rooms, keys } = this.#options;
    const scope = { room: live.id, pin: this.pin, generation: rooms.laneGeneration };
    const value = keys.token({ visitor: supportId(session.cookie.id), madeSeconds, expiresSeconds }, scope);
    const name = laneCookieName(live.id);
    if (cookieValues(exchange.request.headers, name).includes(value)) return undefined;
    return setCookie({
      name,
      value,
      secure: client.secure,
      attributes: live.room.cookieAttributes,
      maxAgeSeconds: expiresSeconds - nowMs / 1_000,
      // Never for other hosts, whatever the room's own cookie does.
      domain: "",
    });
  }

  /** What an operator should know. */
  warnings(nowMs: number): string[] {
    if (nowMs - this.#oldSeenMs > OLD_SNIPPET_MS) return [];
    return [
      "a proxy in front has an old snippet of the fast lane: rooms or keys have changed since, so all requests of its visitors come through the gates. Print a new one with anteroom snippet, and reload the proxy.",
    ];
  }

  /** The snippet that a text names, if its proxy accepts the tokens that are made now. */
  #current(text: string, nowMs: number): LaneSnippet | undefined {
    const { rooms, keys } = this.#options;
    const snippet = keys.snippetIn(text);
    if (snippet === undefined) return undefined;
    const generation = rooms.laneGeneration;
    const isOld = snippet.pin !== this.pin || snippet.generation + 1 < generation;
    if (isOld) this.#oldSeenMs = nowMs;
    return isOld ? undefined : snippet;
  }

  /**
   * The earliest of: the end of the minute of the check-in, some time before the session ends, and a minute from now.
   */
  #expiresMs({ atMs, lastGood }: CheckedIn, nowMs: number): number {
    const { minuteMs } = this.#options;
    const endOf = (minute: Minute): number => startOfMinuteMs(minutePlus(minute, 1), minuteMs);
    const beforeLastMs = endOf(lastGood) - scaledMs(BEFORE_LAST_MS, minuteMs);
    return Math.min(endOf(minuteOf(atMs, minuteMs)), beforeLastMs, nowMs + minuteMs);
  }
}

/** Whether visitors of a room may pass the gate by: it has no say in each of their requests. */
export function mayPassBy(live: LiveRoom): boolean {
  return laneObstacle(live.room) === undefined && !live.origin.isSeveral;
}
