/**
 * The answer to a visitor who is not admitted: its text, when to poll again, and its form.
 *
 * Pages carry `Refresh`, so that they work without JavaScript; JSON carries `Retry-After`. No answer may be cached.
 */

import type { Place } from "../admission/admission.ts";
import { graceMinutes } from "../admission/kept-place.ts";
import { type PollMoment, pollPauseMs } from "../admission/poll-pause.ts";
import { KEYS_PER_MS } from "../admission/queue-order.ts";
import type { Wait as WaitSpan } from "../admission/wait.ts";
import type { Room } from "../config/room.ts";
import { NO_STORE } from "../http/fields.ts";
import type { Bytes, HeaderList } from "../http/message.ts";
import type { Language } from "../languages/texts.ts";
import { messageAt } from "./brand.ts";
import { type PageForm, renderWaitingPage } from "./page.ts";
import type { Wait } from "./steps.ts";
import { type EventView, type WaitingView, waitingJson } from "./waiting-view.ts";

export interface WaitingAnswer {
  readonly status: number;
  readonly headers: string[];
  readonly body: string | Bytes;
  /** Why the room's own template was not used; undefined when all is well. */
  readonly templateProblem: string | undefined;
}

/** Fields of all our JSON answers. */
export const JSON_HEADERS: HeaderList = [
  ...NO_STORE,
  ...["Content-Type", "application/json", "X-Robots-Tag", "noindex"],
];

/**
 * A visitor who has just allowed cookies gets a place within this time. Halved, those who never will ask twice as
 * often, for nothing.
 */
const COOKIELESS_SECONDS = 5;

/**
 * How much later than those in line the visitors of a closed room poll: the opening time is unknown, and all who ever
 * came may have the page open. At 1 they load a closed room as much as a line; doubled, the first visitors come in
 * twice as late.
 */
const CLOSED_REFRESH_FACTOR = 3;

/**
 * However short the room's interval is. Halved, rooms with intervals of a second or two get twice as many polls for
 * nothing.
 */
const CLOSED_SECONDS_MIN = 6;

/**
 * When a new visitor's page without JavaScript asks again, to see whether the cookie was kept. With JavaScript the page
 * sees it by itself, and stops this.
 */
const FIRST_REFRESH_SECONDS = 2;

/**
 * Part of the refresh interval over which the visitors of a pre-queue ask after the start. Halved, twice as many ask in
 * the same second; doubled, the first visitors come in as late as by chance.
 */
const SPREAD_PART = 0.5;

/** A public value that is given at once takes a few seconds. */
const DRAWN_SOON_MS = 10_000;

/** What a page depends on besides its view. */
export interface PageAnswerForm extends Omit<PageForm, "customPageHtml" | "page" | "defaultTemplateLanguage"> {
  /** Without the room's own template, which costs more to fill in. */
  readonly isPlain?: boolean;
  /** Whether the visitor was given a cookie with this very answer. */
  readonly isNew?: boolean;
}

export interface ViewedAt
  extends Partial<
    Pick<
      WaitingView,
      "posted" | "isDrawing" | "isSoldOut" | "supportId" | "draw" | "challenge" | "refused" | "hasContact"
    >
  > {
  readonly nowMs: number;
  readonly minuteMs: number;
  readonly isOriginDown: boolean;
  /** The visitor's, where the room has texts of its own. */
  readonly language?: Language | undefined;
  /** That its draw waits for the public value, although its event should have begun. */
  readonly drawWaitsFor?: "value" | undefined;
}

export function waitingView(
  decision: Wait["decision"],
  room: Room,
  {
    nowMs,
    minuteMs,
    isOriginDown,
    language,
    posted = false,
    isDrawing = false,
    isSoldOut = false,
    supportId = "",
    draw,
    drawWaitsFor,
    challenge,
    refused,
    hasContact = false,
  }: ViewedAt,
): WaitingView {
  const event = eventView(room, nowMs, drawWaitsFor);
  const place = decision.kind === "waiting" ? decision.place : undefined;
  // It is unknown when a site comes back.
  const known = isOriginDown ? undefined : place?.wait;
  // Others may still come in front: a number would go back.
  const shown = isDrawing || !known?.isKnown ? undefined : known;
  const comesBy = isLate(room, nowMs) ? undefined : event;
  const pollMs =
    place &&
    pauseMs(toldSoon(place, decision), {
      known,
      event: comesBy,
      refreshSeconds: room.refreshIntervalSeconds,
      nowMs,
      minuteMs,
    });
  // In one piece, without a spread: this is made for each poll.
  return {
    kind: decision.kind,
    isSoldOut,
    queueingMethod: room.queueingMethod,
    queueAll: room.queueAll,
    position: decision.kind !== "waiting" || isDrawing ? 0 : decision.position,
    isDrawing: place !== undefined && isDrawing,
    waitSeconds: shown?.seconds ?? null,
    waitRange: shown && [shown.earliestSeconds, shown.latestSeconds],
    keptMinutes: place && graceMinutes(room),
    stayMinutes: place && room.sessionDuration,
    notify: place && room.notify,
    hasContact,
    refreshSeconds: pollMs === undefined ? refreshSecondsOf(decision.kind, room) : Math.ceil(pollMs / 1_000),
    pollMs,
    lastUpdatedMs: nowMs,
    originReachable: !isOriginDown,
    posted,
    message: room.page.message === "" && language === undefined ? "" : messageAt(room.page, nowMs, language),
    supportId,
    draw,
    challenge,
    refused,
    event,
  };
}

/** One whose place in the room is not known yet asks again like the first in line. */
function toldSoon(place: Place, decision: Wait["decision"]): Place {
  return decision.kind === "waiting" && decision.position === 0 ? { ...place, position: 1 } : place;
}

/** Seconds to the next poll of a visitor without a place. */
function refreshSecondsOf(kind: WaitingView["kind"], { refreshIntervalSeconds: seconds }: Room): number {
  if (kind === "rejected") return Math.max(CLOSED_SECONDS_MIN, CLOSED_REFRESH_FACTOR * seconds);
  return kind === "cookieless" ? Math.min(COOKIELESS_SECONDS, seconds) : seconds;
}

/** What a visitor sees whose turn it is, in a room that asks to enter. */
export function turnView(
  room: Room,
  {
    nowMs,
    enterSeconds,
    language,
    posted,
    supportId,
  }: Pick<ViewedAt, "nowMs" | "language"> & { enterSeconds: number; posted: boolean; supportId: string },
): WaitingView {
  const { queueingMethod, refreshIntervalSeconds: refreshSeconds, page, sessionDuration: stayMinutes } = room;
  return {
    kind: "turn",
    queueingMethod,
    queueAll: false,
    position: 0,
    waitSeconds: null,
    stayMinutes,
    refreshSeconds,
    lastUpdatedMs: nowMs,
    originReachable: true,
    posted,
    isDrawing: false,
    event: undefined,
    message: messageAt(page, nowMs, language),
    supportId,
    enterSeconds,
  };
}

function eventView({ event }: Room, nowMs: number, drawWaitsFor?: "value"): EventView | undefined {
  if (event === undefined) return undefined;
  const { phase, startMs, endMs, shuffles } = event;
  const toMs = phase === "prequeue" ? startMs : endMs;
  const waitsFor = phase === "prequeue" ? drawWaitsFor : undefined;
  const seconds = Math.max(1, Math.ceil((toMs - nowMs) / 1_000));
  return { phase, shuffles, seconds, ...(waitsFor && { waitsFor }) };
}

/**
 * Whether an event should have begun some time ago: its draw may wait for hours, and all would ask every few seconds.
 */
function isLate({ event }: Room, nowMs: number): boolean {
  return event?.phase === "prequeue" && nowMs > event.startMs + DRAWN_SOON_MS;
}

/**
 * Ms to the next poll. The last one before an event's start is followed by one soon after the start, but not by
 * all at once: visitors are spread by the ms in which they joined.
 */
function pauseMs(
  { key, position }: Place,
  {
    known,
    event,
    refreshSeconds,
    nowMs,
    minuteMs,
  }: { known: WaitSpan | undefined; event: EventView | undefined } & PollMoment,
): number {
  const pause = pollPauseMs({ position, wait: known }, { refreshSeconds, nowMs, minuteMs });
  if (event?.phase !== "prequeue") return pause;
  const joinedMs = Math.floor(key / KEYS_PER_MS);
  const startsInMs = 1_000 * (event.seconds + (joinedMs % Math.ceil(SPREAD_PART * refreshSeconds)));
  return Math.min(pause, startsInMs);
}

/** The answer to a poll, and to a program. */
export function jsonAnswer(view: WaitingView, room: Room): WaitingAnswer {
  const headers = [...JSON_HEADERS, "Retry-After", String(view.refreshSeconds)];
  return { status: room.queueingStatusCode, headers, body: waitingJson(view), templateProblem: undefined };
}

/** The answer to a visitor who opens a page. */
export function pageAnswer(
  view: WaitingView,
  room: Room,
  { isPlain = false, isNew = false, ...asked }: PageAnswerForm,
): WaitingAnswer {
  // A visitor who keeps no cookies must read why, and one who owes a proof needs the script: templates have neither.
  const isOurs = isPlain || view.kind === "cookieless" || view.kind === "unproved" || view.kind === "turn";
  const customPageHtml = isOurs ? "" : room.customPageHtml;
  // A room's own template is written in one language, so what we put into it is in the room's.
  const language = customPageHtml === "" ? asked.language : room.defaultTemplateLanguage;
  const { page: brand, defaultTemplateLanguage } = room;
  const page = renderWaitingPage(view, { ...asked, customPageHtml, page: brand, defaultTemplateLanguage, language });
  const { html, gzip, templateProblem } = page;
  const headers = [...page.headers];
  const answer = { headers, body: gzip ?? html, templateProblem };
  // A visitor whose turn it is decides when to come.
  if (view.kind === "turn") return { ...answer, status: 200 };
  const isSoon = isNew && customPageHtml === "";
  const seconds = isSoon ? Math.min(FIRST_REFRESH_SECONDS, view.refreshSeconds) : view.refreshSeconds;
  headers.push("Refresh", hasBase(customPageHtml) ? `${seconds}` : `${seconds}; url=${asked.again}`);
  return { ...answer, status: room.queueingStatusCode };
}

/** A template with its own base address for relative links: the mark would lead there. */
function hasBase(template: string): boolean {
  return /<base\b/i.test(template);
}
