/**
 * Reading and writing the cookie that identifies a visitor: which one is accepted, when it is over, how long it lasts.
 *
 * A session is over after its last good minute. A place is kept for the estimated wait and a grace (kept-place.ts); its
 * cookie is good for a little longer, so that a poll need not seal one each time.
 */

import type { Minute } from "../../mesh/core/ids.ts";
import { minutePlus, startOfMinuteMs } from "../../mesh/core/minute.ts";
import { closeOf, missed } from "../admission/draw/draw-close.ts";
import { keptMs } from "../admission/kept-place.ts";
import { KEYS_PER_MS } from "../admission/queue-order.ts";
import { cookieValues, PROBE_NAME, secureValues, setCookie } from "../cookie/cookie-header.ts";
import type { CookieSeal, InsideCookie, VisitorCookie, WaitingCookie } from "../cookie/seal.ts";
import type { Client } from "../http/client.ts";
import type { Exchange } from "../http/message.ts";
import type { LiveRoom } from "../rooms/live-room.ts";
import { isBlocked } from "./blocked.ts";
import type { GateContext } from "./gate-context.ts";
import { keyOutsideLine } from "./owed-proof.ts";

export interface CookieBearer {
  readonly exchange: Exchange;
  readonly live: LiveRoom;
  readonly client: Client;
  readonly nowMs: number;
}

export interface VisitorCookiesOptions extends Pick<GateContext, "minuteMs" | "log"> {
  readonly seal: CookieSeal;
  readonly startedMs: number;
  /** Unix ms at which a node was last alive on this data directory; undefined on the first start. */
  readonly lastAliveMs: number | undefined;
}

/**
 * Max-Age of a waiting visitor's cookie, which is never kept longer than a day. The gate judges how long the place is
 * good, because it knows how long it was down; a browser that dropped the cookie earlier would lose a place that is
 * still kept.
 */
const WAITING_MAX_AGE_SECONDS = 2 * 86_400;

/**
 * For how many minutes a session that ended for want of its home gives a place at the head of the line: an active
 * visitor comes within one.
 */
const LOST_MINUTES = 2;

/**
 * For how long a browser keeps the cookie of a session after its end: a WebSocket, or the origin's `extend`, extends a
 * session without telling the browser. A visitor who uses nothing else for longer comes back as a new one.
 */
const INSIDE_KEPT_SECONDS = 86_400;

/** Longer than any pause between two polls. */
const PROBE_MAX_AGE_SECONDS = 3_600;

export class VisitorCookies {
  readonly #options: VisitorCookiesOptions;

  constructor(options: VisitorCookiesOptions) {
    this.#options = options;
  }

  /**
   * The visitor's cookie, if one opens and its session or place is not over; the others are counted. The best of
   * several. `over` is one of a session that is over by what it says: a WebSocket, or the origin's `extend`, may have
   * extended it without a new cookie. The caller counts it once that is known. `blocked` is one of a visitor whom an
   * operator has blocked, over or not, if there is no other: somebody else may have set it.
   */
  read({ exchange, live, nowMs }: CookieBearer): {
    readonly cookie?: VisitorCookie | undefined;
    readonly over?: InsideCookie;
    readonly blocked?: VisitorCookie;
  } {
    let ofHttps: VisitorCookie | undefined;
    let ofHttp: VisitorCookie | undefined;
    let lost: WaitingCookie | undefined;
    let over: InsideCookie | undefined;
    let blocked: VisitorCookie | undefined;
    const { headers } = exchange.request;
    const values = cookieValues(headers, live.cookieName);
    const secure = values.length < 2 ? values : secureValues(headers, live.cookieName);
    for (const value of values) {
      const opened = this.#options.seal.open(value, live.id, nowMs);
      if (opened.kind === "bad") live.counts.badCookies[opened.reason] += 1;
      else if (isBlocked(opened.cookie, live, nowMs)) blocked = betterOf(blocked, opened.cookie);
      else if (!this.#isOver(opened.cookie, live, nowMs)) {
        const cookie = this.#asItCounts(opened.cookie, live, nowMs);
        if (secure.includes(value)) ofHttps = betterOf(ofHttps, cookie);
        else ofHttp = betterOf(ofHttp, cookie);
      } else {
        const place = this.#placeOfLost(opened.cookie, live, nowMs);
        if (place === undefined && opened.cookie.kind === "inside" && over === undefined) over = opened.cookie;
        else if (place === undefined) live.counts.badCookies.expired += 1;
        lost ??= place;
      }
    }
    const cookie = ofBoth(ofHttps, ofHttp) ?? lost;
    if (over !== undefined && cookie === undefined && blocked === undefined) return { over };
    if (over !== undefined) live.counts.badCookies.expired += 1;
    return cookie === undefined && blocked !== undefined ? { blocked } : { cookie };
  }

  /**
   * The place of a visitor whose session just ended because its home was silent and no node could adopt it. It is at
   * the head of the line, before all who came after the admission, and keeps the visitor's pass.
   */
  #placeOfLost(cookie: VisitorCookie, live: LiveRoom, nowMs: number): WaitingCookie | undefined {
    if (cookie.kind !== "inside" || cookie.lastGood < live.admission.minuteAt(nowMs) - LOST_MINUTES) return undefined;
    if (!live.meshRoom.isSilent(cookie.home)) return undefined;
    const { room, id, acceptedAt, bucketId, pass } = cookie;
    const place = { kind: "waiting", room, id, key: acceptedAt * KEYS_PER_MS, bucketId, lastCheckInTime: 0 } as const;
    return { ...place, ...(pass && { pass }) };
  }

  /** The Set-Cookie value of a cookie that only shows whether the browser keeps any. */
  probe({ live, client }: CookieBearer): string {
    const { cookieAttributes: attributes, cookieDomain: domain } = live.room;
    return setCookie({
      name: PROBE_NAME,
      value: "1",
      maxAgeSeconds: PROBE_MAX_AGE_SECONDS,
      attributes,
      secure: client.secure,
      domain,
    });
  }

  /** Seals `cookie` and continues with its Set-Cookie value; with undefined if it could not be sealed. */
  write(bearer: CookieBearer, cookie: VisitorCookie, then: (setCookieValue: string | undefined) => void): void {
    this.#options.seal.seal(cookie, bearer.nowMs, (value, error) => {
      if (value === undefined) this.#options.log.error({ error: String(error) }, "cookie not sealed");
      then(value === undefined ? undefined : this.#setCookie(bearer, cookie, value));
    });
  }

  /** The Set-Cookie values that delete the cookie: over https also the one that http has set. */
  removal({ cookieName: name, room }: LiveRoom, { secure }: Client): readonly string[] {
    const { cookieAttributes: attributes, cookieDomain: domain } = room;
    const cookie = { name, value: "", maxAgeSeconds: 0, domain };
    const removed = setCookie({ ...cookie, attributes, secure });
    const plain = setCookie({ ...cookie, attributes: { samesite: "lax", secure: "never" }, secure: false });
    return secure ? [removed, plain] : [removed];
  }

  /** A place whose visitor was not there when a draw or a shuffle closed is behind those who were. */
  #asItCounts(cookie: VisitorCookie, live: LiveRoom, nowMs: number): VisitorCookie {
    const close = cookie.kind === "waiting" ? closeOf(live.room) : undefined;
    if (cookie.kind !== "waiting" || close === undefined || !missed(cookie, close, nowMs)) return cookie;
    // A node asks for this visitor.
    if (cookie.hasContact) return cookie;
    const { startedMs, lastAliveMs = startedMs } = this.#options;
    // Nobody could ask a node that was down.
    if (lastAliveMs < close.atMs && startedMs > close.fromMs && lastAliveMs < startedMs) return cookie;
    const { told: _, ...place } = cookie;
    return { ...place, key: keyOutsideLine(cookie.id, nowMs), lastCheckInTime: 0 };
  }

  #isOver(cookie: VisitorCookie, live: LiveRoom, nowMs: number): boolean {
    if (cookie.kind === "inside") return cookie.lastGood < live.admission.minuteAt(nowMs);
    const { startedMs, lastAliveMs } = this.#options;
    // No visitor loses a place because the node was down: right after a start its time runs from when it was last
    // alive. By a clock that was set back since then, that is in the future.
    const forMs = keptMs(cookie, { room: live.room, minuteMs: this.#options.minuteMs });
    const isJustStarted = nowMs - startedMs < forMs;
    const fromMs = isJustStarted && lastAliveMs !== undefined ? Math.min(lastAliveMs, nowMs) : nowMs;
    return cookie.lastCheckInTime < fromMs - forMs;
  }

  #setCookie({ live, client, nowMs }: CookieBearer, cookie: VisitorCookie, value: string): string {
    return setCookie({
      name: live.cookieName,
      value,
      maxAgeSeconds: cookie.kind === "inside" ? this.#insideSeconds(cookie.lastGood, nowMs) : WAITING_MAX_AGE_SECONDS,
      attributes: live.room.cookieAttributes,
      secure: client.secure,
      domain: live.room.cookieDomain,
    });
  }

  #insideSeconds(lastGood: Minute, nowMs: number): number {
    const leftMs = startOfMinuteMs(minutePlus(lastGood, 1), this.#options.minuteMs) - nowMs;
    return Math.max(0, leftMs / 1_000) + INSIDE_KEPT_SECONDS;
  }
}

/**
 * A browser sends the cookie of http over https as well. A place in it is another one, mostly a later one: it does not
 * take the place of the one that the visitor has over https.
 */
function ofBoth(ofHttps: VisitorCookie | undefined, ofHttp: VisitorCookie | undefined): VisitorCookie | undefined {
  if (ofHttp === undefined) return ofHttps;
  if (ofHttps?.kind === "waiting" && ofHttp.kind === "waiting" && ofHttps.id !== ofHttp.id) return ofHttps;
  return betterOf(ofHttps, ofHttp);
}

/**
 * A session before a place. Of two cookies of one session that one which is good for longer, whatever the gates' clocks
 * said when they were given, and otherwise the newest: a changed `cookie_domain` leaves both.
 */
function betterOf(one: VisitorCookie | undefined, other: VisitorCookie): VisitorCookie {
  if (one === undefined) return other;
  if (one.kind !== other.kind) return one.kind === "inside" ? one : other;
  if (one.kind === "inside" && other.kind === "inside" && one.id === other.id && one.lastGood !== other.lastGood)
    return other.lastGood > one.lastGood ? other : one;
  return other.lastCheckInTime > one.lastCheckInTime ? other : one;
}
