/**
 * Passes at the gate: which one a request shows and whether it counts, the cookie that keeps it, and the claim that
 * makes it good for one visitor at a time.
 *
 * A request shows a pass in its query, as a visitor's link has it; in a field, as a program sends it; or in the cookie
 * in which the gate has kept it. An empty one in the query gives up the pass that is kept. The origin gets none of
 * these.
 */

import { minutePlus, startOfMinuteMs } from "../../mesh/core/minute.ts";
import { keepsPromise, keptMs } from "../admission/kept-place.ts";
import { GONE_AFTER_INTERVALS } from "../admission/line.ts";
import type { MeshDecision } from "../admission/mesh/entrance.ts";
import { goodFromMs, lastGood } from "../config/waves.ts";
import { COOKIE_PREFIX, cookieValues, setCookie } from "../cookie/cookie-header.ts";
import { type BadPass, type Pass, type PassMaker, passName } from "../cookie/pass.ts";
import type { InsideCookie, PassUse, WaitingCookie } from "../cookie/seal.ts";
import type { Client } from "../http/client.ts";
import { fieldValue } from "../http/fields.ts";
import type { Exchange, RequestHead } from "../http/message.ts";
import type { LiveRoom } from "../rooms/live-room.ts";
import { GATE_ERRORS, type GateError } from "./error-page.ts";
import { passInQuery } from "./marked-target.ts";
import { PASS_COOKIE, PASS_FIELD, type RequestKind } from "./request-kind.ts";

/** What a request shows. `given-up`: the visitor wants to go on without the pass that the gate keeps. */
export type PassSeen =
  | { readonly kind: "none" }
  | { readonly kind: "given-up" }
  | {
      readonly kind: "good";
      readonly pass: Pass;
      readonly use: PassUse;
      readonly by: ShownPass["by"];
      /** Whether the browser has been given it before, and keeps it. */
      readonly isKept: boolean;
    }
  | { readonly kind: "bad"; readonly reason: BadPass; readonly by: ShownPass["by"] }
  | {
      readonly kind: "bad";
      readonly reason: "early";
      readonly by: ShownPass["by"];
      /** When it is to be shown again; undefined while its wave is paused. */
      readonly againSeconds: number | undefined;
    };

export const NO_PASS: PassSeen = { kind: "none" };

/** How a refused pass is answered. */
export const PASS_ERRORS: Readonly<Record<BadPass | "early", GateError>> = {
  malformed: GATE_ERRORS.passForged,
  forged: GATE_ERRORS.passForged,
  foreign: GATE_ERRORS.passForeign,
  "other-room": GATE_ERRORS.passForeign,
  withdrawn: GATE_ERRORS.passWithdrawn,
  expired: GATE_ERRORS.passExpired,
  early: GATE_ERRORS.passEarly,
};

/** A page asks as often, also for a wave that is far away: an operator may have made it faster. */
const EARLY_SECONDS_MAX = 3_600;

export interface PassBearer {
  readonly exchange: Pick<Exchange, "request">;
  readonly live: LiveRoom;
  readonly client: Client;
  readonly nowMs: number;
}

/** The pass that a request shows, checked: a good one before others. `kind` says whether it may give one up. */
export function passSeen(
  maker: PassMaker,
  bearer: PassBearer & { readonly kind: Pick<RequestKind, "mayGiveUpPass"> },
): PassSeen {
  const { exchange, live, kind } = bearer;
  let first: PassSeen = NO_PASS;
  for (const shown of shownPasses(exchange.request, passCookieName(live.cookieName), kind.mayGiveUpPass)) {
    const seen = checked(maker, shown, bearer);
    if (seen.kind !== "bad") return seen;
    if (first.kind === "none") first = seen;
  }
  return first;
}

function checked(maker: PassMaker, { text, by }: ShownPass, { exchange, live, nowMs }: PassBearer): PassSeen {
  if (text === "" && by === "query") return { kind: "given-up" };
  const pass = maker.read(text, { room: live.firstName, generation: live.room.passGeneration }, nowMs);
  if (typeof pass === "string") return { kind: "bad", reason: pass, by };
  const wave = live.room.waves.find(({ name }) => name === pass.wave?.name);
  if (wave !== undefined && pass.wave !== undefined && pass.wave.number > lastGood(wave, nowMs)) {
    const fromMs = goodFromMs(wave, pass.wave.number);
    const againSeconds =
      fromMs === undefined ? undefined : Math.min(Math.ceil((fromMs - nowMs) / 1_000), EARLY_SECONDS_MAX);
    return { kind: "bad", reason: "early", by, againSeconds };
  }
  const { lane } = pass;
  const use = {
    atMs: nowMs,
    ...(lane !== undefined && { lane }),
    ...(pass.key !== undefined && { name: passName(pass.key) }),
  };
  const isKept = cookieValues(exchange.request.headers, passCookieName(live.cookieName)).includes(text);
  return { kind: "good", pass, use, by, isKept };
}

/** The Set-Cookie value that keeps a pass shown in the query, or gives up the one that is kept. */
export function passCookie(seen: PassSeen, { exchange, live, client, nowMs }: PassBearer): string | undefined {
  const isKept = seen.kind === "good" && seen.by === "query";
  if (!isKept && seen.kind !== "given-up") return undefined;
  const { cookieAttributes: attributes, cookieDomain: domain } = live.room;
  return setCookie({
    name: passCookieName(live.cookieName),
    value: isKept ? (passInQuery(exchange.request.target) ?? "") : "",
    maxAgeSeconds: isKept ? (seen.pass.expiresMs - nowMs) / 1_000 : 0,
    attributes,
    secure: client.secure,
    domain,
  });
}

/**
 * Claims the pass of a visitor who wants to join, enter or stay in line, if it is good for one visitor only. `seen`:
 * what the request shows.
 */
export function claimPass(
  { live, nowMs, minuteMs, seen }: { live: LiveRoom; nowMs: number; minuteMs: number; seen: PassSeen },
  visitor: Pick<WaitingCookie, "id" | "pass" | "waitSeconds"> & { readonly lastCheckInTime?: number },
  then: (isGranted: boolean) => void,
): void {
  const { id, pass, lastCheckInTime = nowMs, waitSeconds = 0 } = visitor;
  if (pass?.name === undefined) {
    then(true);
    return;
  }
  // Not by the time: the clock of a gate may stand still.
  const isFirst = seen.kind === "good" && seen.use === pass;
  // As long as the cookie of the place is accepted, which may be written again now. One who has never come back, as a
  // scanner of mail, loses the pass to the next one who shows it.
  const cookie = { lastCheckInTime, waitSeconds };
  const by = { room: live.room, minuteMs };
  const isWritten = !keepsPromise(cookie, 0, { ...by, nowMs });
  const untilMs = isFirst
    ? nowMs + GONE_AFTER_INTERVALS * live.room.refreshIntervalSeconds * 1_000
    : (isWritten ? nowMs : lastCheckInTime) + keptMs(cookie, by);
  live.meshRoom.claimPass({ pass: pass.name, id, atMs: pass.atMs, untilMs, isFirst }, nowMs, then);
}

/** Sets the claim to how long the visitor has what the room decided: a session, a place, or nothing. */
export function claimFor(
  { live, nowMs, minuteMs }: { live: LiveRoom; nowMs: number; minuteMs: number },
  visitor: Pick<WaitingCookie, "id" | "pass">,
  decision: MeshDecision,
): void {
  if (decision.kind === "waiting") return;
  const untilMs = decision.kind === "admitted" ? sessionEndMs(decision.lastGood, minuteMs) : nowMs;
  claimUntil({ live, nowMs }, visitor, untilMs);
}

/** Renews the claim of a session that goes on; `lost` if another visitor had the pass before. */
export function renewClaim(
  { live, nowMs, minuteMs }: { live: LiveRoom; nowMs: number; minuteMs: number },
  session: Pick<InsideCookie, "id" | "pass" | "lastGood">,
  lost: () => void,
): void {
  claimUntil({ live, nowMs }, session, sessionEndMs(session.lastGood, minuteMs), (isGranted) => {
    if (!isGranted) lost();
  });
}

/** The visitor has neither session nor place any more: the pass is free. */
export function giveUpClaim(at: { live: LiveRoom; nowMs: number }, visitor: Pick<WaitingCookie, "id" | "pass">): void {
  claimUntil(at, visitor, at.nowMs);
}

/** Claims the pass of a visitor, if it is good for one at a time, until `untilMs`. */
function claimUntil(
  { live, nowMs }: { live: LiveRoom; nowMs: number },
  { id, pass }: Pick<WaitingCookie, "id" | "pass">,
  untilMs: number,
  then?: (isGranted: boolean) => void,
): void {
  if (pass?.name === undefined) return;
  live.meshRoom.claimPass({ pass: pass.name, id, atMs: pass.atMs, untilMs }, nowMs, then);
}

function sessionEndMs(lastGood: InsideCookie["lastGood"], minuteMs: number): number {
  return startOfMinuteMs(minutePlus(lastGood, 1), minuteMs);
}

interface ShownPass {
  readonly text: string;
  readonly by: "query" | "field" | "cookie";
}

/**
 * Cookies that are tried, the longest first: 0.1 ms at worst. Doubled, junk costs twice that; halved, fewer planted
 * cookies hide a good pass.
 */
const KEPT_MAX = 16;

/** Most visitors show none. */
const NONE: readonly ShownPass[] = [];

/**
 * The one in the query, or else the one in the field, or else those in cookies: any host of the same site can set more
 * cookies of the name, and the best of them counts.
 */
function shownPasses(
  { target, headers }: Pick<RequestHead, "target" | "headers">,
  cookieName: string,
  mayGiveUp: boolean,
): readonly ShownPass[] {
  const inQuery = passInQuery(target);
  if (inQuery !== undefined && (inQuery !== "" || mayGiveUp)) return [{ text: inQuery, by: "query" }];
  const inField = fieldValue(headers, PASS_FIELD);
  // Programs that always send the field have an empty one without a pass.
  if (inField !== undefined && inField !== "") return [{ text: inField, by: "field" }];
  const kept = cookieValues(headers, cookieName);
  if (kept.length === 0) return NONE;
  return kept
    .slice(0, KEPT_MAX)
    .filter((text) => text !== "")
    .map((text) => ({ text, by: "cookie" }));
}

/**
 * Name of the cookie that keeps the pass of a room whose cookie is `cookieName`. No room can have it: none begins with
 * a dot.
 */
function passCookieName(cookieName: string): string {
  return `${COOKIE_PREFIX}${PASS_COOKIE}${cookieName.slice(COOKIE_PREFIX.length)}`;
}
