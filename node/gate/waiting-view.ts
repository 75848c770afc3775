/**
 * What a waiting visitor is told, as data for programs and in words for people: state, place and wait.
 *
 * As data it is the `cfWaitingRoom` object of Cloudflare's Waiting Room API, field by field, so that clients written
 * for it work unchanged, and `anteroom` beside it with what that object cannot say. This is the body of every poll, the
 * most frequent answer of a gate under load: it is one template string. All its strings but the operator's message come
 * from closed sets, so nothing else needs escaping. Fields for turnstile keep the values that mean "not in use".
 *
 * The page's script derives state and words from the answer to its poll in the same way.
 */

import { RATIO_MAX } from "../admission/wait.ts";
import type { QueueingMethod, Room } from "../config/room.ts";
import { filled, type Words } from "../languages/words.ts";

/** Everything in an answer to a waiting visitor. */
export interface WaitingView {
  /**
   * `full`: the line accepts no more visitors and this one has no place in it; `rejected`: the room admits no new
   * visitors; `cookieless`: the browser did not send back the cookie that it was given, so this visitor can keep no
   * place; `unproved`: the visitor is not in line before a proof of work; `turn`: it is the visitor's turn, who is
   * asked to enter.
   */
  readonly kind: "waiting" | "full" | "rejected" | "cookieless" | "unproved" | "turn";
  /** Whether an order has closed the room because all is sold. */
  readonly isSoldOut?: boolean;
  readonly queueingMethod: QueueingMethod;
  /** Whether the room is held: nobody is admitted. */
  readonly queueAll: boolean;
  /** 1 is the next to come in; 0 when there is no place (full, rejected), or none to show yet. */
  readonly position: number;
  /** Whether places are being drawn: this visitor has one, and it is not known yet which. */
  readonly isDrawing: boolean;
  /** Estimated wait; null when unknown (held, or places are being drawn). */
  readonly waitSeconds: number | null;
  /** The 25th and the 75th percentile of the wait; left out while it is unknown. */
  readonly waitRange?: readonly [lowSeconds: number, highSeconds: number] | undefined;
  /** Minutes for which the place is kept without a poll, beyond the wait; left out where there is no place. */
  readonly keptMinutes?: number | undefined;
  /** Minutes that a visitor may stay once admitted, at the least; left out where that says nothing. */
  readonly stayMinutes?: number | undefined;
  /** What the visitor may leave to be told of the turn; left out where nothing. */
  readonly notify?: Room["notify"];
  /** Whether that was left. */
  readonly hasContact?: boolean;
  /** Whole seconds until the next poll, at least 1: shorter near the front, longer for a closed room. */
  readonly refreshSeconds: number;
  /** The same in ms, for clients that can: up to a second less. Left out where there is no place. */
  readonly pollMs?: number | undefined;
  /** Unix ms of the visitor's last attempt to get in. */
  readonly lastUpdatedMs: number;
  /** Whether the visitor came by a form, which was not passed on. */
  readonly posted: boolean;
  /** Seconds within which a visitor whose turn it is must enter. */
  readonly enterSeconds?: number;
  /** What the operator tells everybody who waits; empty for nothing. */
  readonly message: string;
  /** The short id by which the operator finds this visitor in the log; empty where there is no place. */
  readonly supportId: string;
  /** The public address of the draw that the visitor takes part in; left out where there is none. */
  readonly draw?: string | undefined;
  /** Whether any origin of the room is up; while none is, nobody is admitted. */
  readonly originReachable: boolean;
  /** For the proof of work that the visitor owes, as JSON; left out if none is owed. */
  readonly challenge?: string | undefined;
  /** Why the proof that came is not accepted. */
  readonly refused?: string | undefined;
  /** The event of now, if there is one. */
  readonly event: EventView | undefined;
}

/** An event as a visitor in line sees it. */
export interface EventView {
  /** `prequeue`: it has not started. */
  readonly phase: "prequeue" | "active";
  /** Whole seconds to its start, or to its end once it has started; at least 1. */
  readonly seconds: number;
  /** Whether places are drawn at the start. */
  readonly shuffles: boolean;
  /** That its draw waits for the public value, at the start and after it; left out otherwise. */
  readonly waitsFor?: "value";
}

/** What says by which method a room queues: five fields, the same for all its visitors. */
const METHOD_FIELDS: Readonly<Record<QueueingMethod, string>> = {
  fifo: methodFields("fifo"),
  random: methodFields("random"),
  passthrough: methodFields("passthrough"),
  reject: methodFields("reject"),
};

function methodFields(method: QueueingMethod): string {
  return `"queueingMethod":"${method}","isFIFOQueue":${method === "fifo"},"isRandomQueue":${method === "random"},"isPassthroughQueue":${method === "passthrough"},"isRejectQueue":${method === "reject"},`;
}

/** Only where it is true: visitors in line need not read it. */
const COOKIES_NEEDED = ',"cookiesNeeded":true';
const SOLD_OUT = ',"soldOut":true';
const DRAWING = ',"drawing":true';
/** The visitor is in line; the place is known a moment later. */
const COUNTING = ',"counting":true';

function rangeField({ waitRange }: WaitingView): string {
  if (waitRange === undefined) return "";
  return `,"waitSeconds25Percentile":${waitRange[0]},"waitSeconds75Percentile":${waitRange[1]}`;
}

/** Body of the JSON answer to a waiting visitor. */
export function waitingJson(view: WaitingView): string {
  const minutes = waitMinutes(view);
  const [low, high] = view.waitRange ?? [view.waitSeconds, view.waitSeconds];
  return `{"cfWaitingRoom":{"inWaitingRoom":true,"waitTimeKnown":${minutes !== null},"waitTime":${minutes ?? 0},"waitTime25Percentile":${wholeMinutes(low)},"waitTime50Percentile":${minutes ?? 0},"waitTime75Percentile":${wholeMinutes(high)},"waitTimeFormatted":"${minutes === null ? "unavailable" : formatMinutes(minutes)}","queueIsFull":${view.kind === "full"},"queueAll":${view.queueAll},"lastUpdated":"${new Date(view.lastUpdatedMs).toISOString()}","refreshIntervalSeconds":${view.refreshSeconds},${METHOD_FIELDS[view.queueingMethod]}${eventFields(view.event)}"turnstile":"","infiniteQueue":${view.kind === "unproved"}},"anteroom":{"position":${view.position},"ahead":${ahead(view)},"waitSeconds":${view.waitSeconds},"originReachable":${view.originReachable}${rangeField(view)}${view.isDrawing ? DRAWING : isCounting(view) ? COUNTING : ""}${view.event === undefined ? "" : secondsOf(view.event)}${view.kind === "cookieless" ? COOKIES_NEEDED : ""}${view.isSoldOut === true ? SOLD_OUT : ""}${pollField(view)}${ours(view)}${proofJson(view)}}}`;
}

/** Only where whole seconds would be late. */
function pollField({ pollMs = 0 }: WaitingView): string {
  return pollMs % 1_000 === 0 ? "" : `,"pollMs":${pollMs}`;
}

/** Only where there is something to say. */
function ours({ supportId, draw = "", message, keptMinutes, notify, hasContact }: WaitingView): string {
  const contact =
    notify === undefined ? "" : `,"notify":${JSON.stringify(notify.by)},"contactKept":${hasContact === true}`;
  const kept = keptMinutes === undefined ? "" : `,"placeKeptMinutes":${keptMinutes}`;
  const id = supportId === "" ? "" : `,"supportId":"${supportId}"`;
  const said = message === "" ? "" : `,"message":${JSON.stringify(message)}`;
  return kept + contact + id + (draw === "" ? "" : `,"draw":${JSON.stringify(draw)}`) + said;
}

/** Nothing for most visitors. `challenge` is JSON already. */
function proofJson({ challenge, refused }: WaitingView): string {
  const reason = refused === undefined ? "" : `,"proofRefused":"${refused}"`;
  return challenge === undefined ? reason : `${reason},"challenge":${challenge}`;
}

const NO_EVENT =
  '"isEventActive":false,"isEventPrequeueing":false,"timeUntilEventStart":0,"timeUntilEventStartFormatted":"unavailable","timeUntilEventEnd":0,"timeUntilEventEndFormatted":"unavailable","shuffleAtEventStart":false,';

/** Times are in minutes here, as waits are. */
function eventFields(event: EventView | undefined): string {
  if (event === undefined) return NO_EVENT;
  const isActive = event.phase === "active";
  const minutes = Math.ceil(event.seconds / 60);
  const [start, end] = isActive ? [0, minutes] : [minutes, 0];
  return `"isEventActive":${isActive},"isEventPrequeueing":${!isActive},"timeUntilEventStart":${start},"timeUntilEventStartFormatted":"${spanText(start)}","timeUntilEventEnd":${end},"timeUntilEventEndFormatted":"${spanText(end)}","shuffleAtEventStart":${event.shuffles},`;
}

function spanText(minutes: number): string {
  return minutes === 0 ? "unavailable" : formatMinutes(minutes);
}

function secondsOf({ phase, seconds, waitsFor }: EventView): string {
  if (phase === "active") return `,"secondsToEnd":${seconds}`;
  return `,"secondsToStart":${seconds}${waitsFor === undefined ? "" : `,"drawWaitsFor":"${waitsFor}"`}`;
}

/**
 * Body of the answer to a page's own poll when its visitor has a session. `enterSeconds`: within which the visitor is
 * to enter it; 0 to do so at once.
 */
export function admittedJson(originReachable: boolean, enterSeconds = 0): string {
  const enter = enterSeconds === 0 ? "" : `,"enterSeconds":${enterSeconds}`;
  return `{"cfWaitingRoom":{"inWaitingRoom":false},"anteroom":{"position":0,"ahead":0,"waitSeconds":0,"originReachable":${originReachable}${enter}}}`;
}

function isCounting({ kind, position }: WaitingView): boolean {
  return kind === "waiting" && position === 0;
}

/** Body of the answer to the poll of a page whose visitor has lost the place: another one needs a person's step. */
export const GONE_JSON = '{"cfWaitingRoom":{"inWaitingRoom":true},"anteroom":{"position":0,"placeGone":true}}';

/** How many come in before this visitor; 0 when there is no place. */
export function ahead(view: WaitingView): number {
  return Math.max(0, view.position - 1);
}

/** Estimated wait in whole minutes, rounded up, at least 1; null when unknown. */
export function waitMinutes(view: WaitingView): number | null {
  return view.waitSeconds === null ? null : wholeMinutes(view.waitSeconds);
}

/** Rounded up, at least 1; 0 where unknown, as in Cloudflare's object. */
function wholeMinutes(seconds: number | null): number {
  return seconds === null ? 0 : Math.max(1, Math.ceil(seconds / 60));
}

/** A number of minutes in English words: "1 minute", "10 minutes", "1 hour 5 minutes", "2 hours". */
export function formatMinutes(minutes: number): string {
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  if (hours === 0) return count(rest, "minute");
  return rest === 0 ? count(hours, "hour") : `${count(hours, "hour")} ${count(rest, "minute")}`;
}

function count(amount: number, unit: string): string {
  return `${amount} ${unit}${amount === 1 ? "" : "s"}`;
}

/** A state of the page; `next` is the first in line. */
type PageState = keyof Words["texts"]["states"];

/** The page's script derives the same from `cfWaitingRoom`. */
export function stateOf(view: WaitingView): PageState {
  if (view.kind === "cookieless") return "cookies";
  if (view.kind === "unproved") return "proving";
  if (view.kind === "turn") return "turn";
  if (view.kind === "full") return "full";
  if (view.isSoldOut === true) return "soldOut";
  if (view.event?.phase === "prequeue") return prequeueState(view.event);
  if (view.queueAll) return "held";
  if (view.kind === "rejected") return "rejected";
  if (!view.originReachable) return "down";
  if (view.isDrawing) return "drawn";
  return view.position === 1 ? "next" : "waiting";
}

/** The page's script derives the same. */
function prequeueState({ shuffles, waitsFor }: EventView): PageState {
  if (waitsFor !== undefined) return "drawValue";
  return shuffles ? "prequeueDrawn" : "prequeue";
}

/** The page's title: the place, if there is one, and the state. */
export function titleOf(view: WaitingView, { texts, number }: Words): string {
  const { heading } = texts.states[stateOf(view)];
  return view.position === 0 ? heading : filled(texts.line.title, { place: number(view.position), heading });
}

/** Seconds as digits, such as 1:02:03 or 4:05; the page's script counts down in the same way. */
export function spanDigits(seconds: number, { number, twoDigits }: Words): string {
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const first = hours > 0 ? `${number(hours)}:${twoDigits(minutes)}` : number(minutes);
  return `${first}:${twoDigits(rest)}`;
}

/** Up to ten minutes each one counts; from there on steps of five are as exact as an estimate can be. */
const EXACT_MINUTES = 10;
const STEP_MINUTES = 5;

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;

/**
 * From an hour on times of day say more than a number of minutes. They are given to ten minutes, and to half an hour
 * where they are hours away.
 */
const STEP_OF_DAY_SECONDS = 600;
const LONG_STEP_SECONDS = 1_800;
const LONG_SECONDS = 3 * HOUR_SECONDS;

/**
 * The estimated wait as a range, never more exact than it is known.
 * The page's script words the remaining time in the same way. A range of less than a step is its end, rounded up: a
 * visitor who is let in early does not mind.
 */
export function waitWords({ waitSeconds, waitRange, lastUpdatedMs }: WaitingView, words: Words): string {
  const { unknown, soon, day } = words.texts.wait;
  if (waitSeconds === null) return unknown;
  const [low, high] = waitRange ?? [waitSeconds, waitSeconds];
  if (high < 60) return soon;
  if (low + high > 2 * DAY_SECONDS) return day;
  return high > HOUR_SECONDS ? timesOfDay(low, high, { words, nowMs: lastUpdatedMs }) : minutesOf(low, high, words);
}

function timesOfDay(low: number, high: number, { words, nowMs }: { words: Words; nowMs: number }): string {
  const { around, between } = words.texts.wait;
  const stepMs = (high > LONG_SECONDS ? LONG_STEP_SECONDS : STEP_OF_DAY_SECONDS) * 1_000;
  const endMs = Math.ceil((nowMs + Math.min(high, DAY_SECONDS) * 1_000) / stepMs) * stepMs;
  const roundedMs = Math.floor((nowMs + low * 1_000) / stepMs) * stepMs;
  // Rounding must not set the ends further apart.
  const startMs = Math.max(roundedMs, Math.ceil((nowMs + (endMs - nowMs) / RATIO_MAX) / stepMs) * stepMs);
  if ((high - low) * 1_000 < stepMs || startMs >= endMs) return filled(around, { time: words.timeOfDay(endMs) });
  return filled(between, { low: words.shortTime(startMs), high: words.timeOfDay(endMs) });
}

function minutesOf(low: number, high: number, { texts, plural, number }: Words): string {
  const most = Math.ceil(high / 60);
  const end = most > EXACT_MINUTES ? Math.ceil(most / STEP_MINUTES) * STEP_MINUTES : most;
  const least = Math.max(1, Math.floor(low / 60));
  const rounded = least > EXACT_MINUTES ? Math.floor(least / STEP_MINUTES) * STEP_MINUTES : least;
  // Rounding must not set the ends further apart.
  const start = Math.max(rounded, Math.ceil(end / RATIO_MAX));
  if (high - low < 60 || start >= end) return plural(texts.wait.minutes, end);
  return plural(texts.wait.range, end, { low: number(start), high: number(end) });
}

/** For how long the place is kept, with and without a known wait. */
export function keptRules({ keptMinutes }: WaitingView, { texts, plural }: Words): readonly [string, string] {
  if (keptMinutes === undefined) return ["", ""];
  return [plural(texts.kept.afterWait, keptMinutes), plural(texts.kept.unknown, keptMinutes)];
}

/** How long the visitor may stay inside; empty where that says nothing. */
export function stayRule({ stayMinutes }: WaitingView, { texts, minutes }: Words): string {
  return stayMinutes === undefined ? "" : filled(texts.line.stay, { time: minutes(stayMinutes) });
}
