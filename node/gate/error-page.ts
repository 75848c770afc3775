/**
 * The gate's own refusals and failures as text: what went wrong, and what a visitor can do about it.
 *
 * There is one text for each, in the form that the client reads: a page in the style of the waiting page, JSON, or
 * plain text. The request id connects a visitor's report with the log; nothing else internal is shown. Temporary errors
 * have `Retry-After`, and their page asks again by itself: by `Refresh`, or by its script, which waits a little longer,
 * each time a different time, and survives a lost connection. A form is never sent again without its sender. The caller
 * sets cookies and the time to come back.
 */

import type { BrandPage, Room } from "../config/room.ts";
import { withSetCookie } from "../cookie/cookie-header.ts";
import { fieldValue, NO_STORE } from "../http/fields.ts";
import type { Exchange, HeaderList } from "../http/message.ts";
import { DEFAULT_LANGUAGE, type Language, TEXTS, type Texts } from "../languages/texts.ts";
import { filled, perLanguage, wordsOf } from "../languages/words.ts";
import { type BrandSlot, brandOf, brandSlots, PLAIN_PAGE } from "./brand.ts";
import html from "./error-page.html" with { type: "text" };
import { cleanTarget, markedTarget, marksIn, onThisHost } from "./marked-target.ts";
import { inlineOnlyPolicy, pageHeaders, pageSource } from "./own-page.ts";
import { pageLanguage } from "./page-language.ts";
import { forReaders } from "./readers.ts";
import { asHtml, escapeHtml, localised, slotTemplate } from "./slot-template.ts";

/** An answer of the gate that comes neither from the origin nor from the line; each language has its texts. */
export interface GateError {
  readonly code: keyof Texts["errors"];
  readonly status: number;
}

export const GATE_ERRORS = {
  contested: { code: "contested", status: 400 },
  notFound: { code: "notFound", status: 404 },
  addressLimited: { code: "addressLimited", status: 429 },
  unreachable: { code: "unreachable", status: 502 },
  originDown: { code: "originDown", status: 502 },
  busy: { code: "busy", status: 503 },
  shed: { code: "shed", status: 503 },
  crawlerUnproven: { code: "crawlerUnproven", status: 503 },
  loop: { code: "loop", status: 508 },
  timeout: { code: "timeout", status: 504 },
  blocked: { code: "blocked", status: 403 },
  inviteOnly: { code: "inviteOnly", status: 403 },
  passEarly: { code: "passEarly", status: 403 },
  passExpired: { code: "passExpired", status: 403 },
  passForged: { code: "passForged", status: 403 },
  passForeign: { code: "passForeign", status: 403 },
  passWithdrawn: { code: "passWithdrawn", status: 403 },
  passInUse: { code: "passInUse", status: 409 },
} as const satisfies Record<keyof Texts["errors"], GateError>;

export interface ErrorBody {
  readonly headers: HeaderList;
  readonly body: string;
}

/** How an error page retries. */
export interface Retry {
  /** Whole seconds until the page asks again. */
  readonly seconds: number;
  /** The page's own address, as a reference. */
  readonly again: string;
  /** Whether a form was sent: then the person decides whether to send it again. */
  readonly isPosted: boolean;
}

/** What an answer contains besides the error. */
export interface ErrorDetails {
  /** Only if the log has it: reports are looked up there. */
  readonly requestId?: string | undefined;
  /** Undefined for a permanent error. */
  readonly retry?: Retry | undefined;
  /** Where the visitor may go on without the pass that was refused, as a reference. */
  readonly withoutPass?: string | undefined;
  readonly language?: Language | undefined;
  /** The room's brand. */
  readonly page?: BrandPage | undefined;
  /** The host that the visitor asked for. */
  readonly host?: string;
  /** The page's own address, for a visitor who tries again after all. */
  readonly here?: string;
}

/**
 * Pages ask no sooner, even if a program may. Halved, the pages of a room with an interval of a second ask twice as
 * often.
 */
const PAGE_SECONDS_MIN = 5;

/**
 * `error` in the form that the request's `Accept` value asks for: HTML and JSON only when named, otherwise plain text.
 */
export function errorBody(accept: string | undefined, error: GateError, details: ErrorDetails = {}): ErrorBody {
  const { requestId, retry, language = DEFAULT_LANGUAGE } = details;
  const { errors, errorPage: page } = TEXTS[language];
  const { title, text } = errors[error.code];
  const wanted = accept?.toLowerCase() ?? "";
  if (wanted.includes("text/html")) {
    const headers = [...pageHeaders(policyFor(brandOf(details.page ?? PLAIN_PAGE)))];
    if (retry && !retry.isPosted) headers.push("Refresh", `${pageSeconds(retry)}; url=${retry.again}`);
    return { headers, body: errorHtml(error, details) };
  }
  if (/[/+]json\b/.test(wanted)) {
    const body = JSON.stringify({ error: { ...error, title, text, requestId } });
    return { headers: ["Content-Type", "application/json", ...NO_STORE], body };
  }
  const lines = [
    `${error.status} ${title}`,
    text,
    ...(requestId ? [filled(page.request, { request: requestId })] : []),
  ];
  return {
    headers: ["Content-Type", "text/plain; charset=utf-8", ...NO_STORE],
    body: `${lines.join("\n")}\n`,
  };
}

/** What a refusal contains besides the error. */
export interface ErrorAnswer {
  readonly headers?: HeaderList | undefined;
  readonly requestId?: string;
  /** When the same request may get a better answer; undefined if it never will. */
  readonly retryAfterSeconds?: number | undefined;
  readonly room?: ErrorRoom | undefined;
  /** Where the visitor may go on without the pass that was refused, as a reference. */
  readonly withoutPass?: string | undefined;
}

/** What an answer takes from its room: the brand, and the language of visitors who ask for none that we have. */
export type ErrorRoom = Pick<Room, "page" | "defaultTemplateLanguage">;

/**
 * Answers with `error` in the form that the client reads. `requestId` only if the log has it: reports are looked up
 * there.
 */
export function answerError(exchange: Exchange, error: GateError, answer: ErrorAnswer = {}): void {
  const { headers = [], requestId, retryAfterSeconds: seconds, room, withoutPass } = answer;
  const accept = fieldValue(exchange.request.headers, "accept");
  const { headers: asked, target } = exchange.request;
  const language = pageLanguage(asked, room?.defaultTemplateLanguage ?? DEFAULT_LANGUAGE, target);
  const retry = seconds === undefined ? undefined : retryOf(exchange, seconds, headers);
  const { headers: form, body } = errorBody(accept, error, {
    requestId,
    retry,
    language,
    withoutPass,
    page: room?.page,
    host: exchange.request.host,
    here: onThisHost(exchange.request.target),
  });
  const retryAfter = seconds === undefined ? [] : ["Retry-After", String(seconds)];
  const all = [...form, "Content-Language", language, ...retryAfter, ...headers];
  exchange.answer(error.status, forReaders(exchange.request, all), body);
}

function retryOf({ request: { method, target } }: Exchange, seconds: number, headers: HeaderList): Retry {
  // A browser that was given a cookie and comes back without it keeps none: each request would take another slot.
  const isGivenCookie = fieldValue(headers, "set-cookie") !== undefined;
  const marks = new Set(marksIn(target)).add("again");
  const again = isGivenCookie ? markedTarget(target, [...marks]) : onThisHost(target);
  return { seconds, again, isPosted: method !== "GET" && method !== "HEAD" };
}

const source = pageSource(String(html));
const policyFor = inlineOnlyPolicy(source);

const fillIn = perLanguage((language) => {
  const { errorPage, page } = TEXTS[language];
  const { againAt, noChange } = errorPage;
  const scriptTexts = { againAt, noChange, announcement: page.announcement };
  return slotTemplate<BrandSlot | "title" | "text" | "seconds" | "next" | "reference">(
    localised(source, { language, scriptTexts }),
  );
});

/** `error` as a page; escapes inserted values. */
export function errorHtml(error: GateError, details: ErrorDetails = {}): string {
  const {
    requestId: request,
    retry,
    withoutPass,
    page: own = PLAIN_PAGE,
    host = "",
    here = "/",
    language = DEFAULT_LANGUAGE,
  } = details;
  const { errors, errorPage, page } = TEXTS[language];
  const onward = withoutPass === undefined ? link(here, page.tryAgain) : link(withoutPass, errorPage.withoutPass);
  const { title, text } = errors[error.code];
  const { status } = error;
  return fillIn(language)({
    ...brandSlots(own, host, language),
    title: asHtml(title),
    text: asHtml(text),
    seconds: retry === undefined || retry.isPosted ? "" : pageSeconds(retry),
    next: retry === undefined ? onward : nextWords(retry, language),
    reference: asHtml(
      request ? filled(errorPage.errorAndRequest, { status, request }) : filled(errorPage.error, { status }),
    ),
  });
}

/** Tells a visitor who has left the line that it is so; only a link makes a new place. */
export function answerFarewell(exchange: Exchange, room: ErrorRoom): void {
  answerWithoutPlace(exchange, room, ({ farewell }) => farewell);
}

/** Tells a visitor whose place is gone what may have happened; only a link makes a new one. */
export function answerGone(exchange: Exchange, room: ErrorRoom, cookies: readonly string[] = []): void {
  const said = ({ states: { gone } }: Texts) => ({ title: gone.heading, text: gone.advice });
  answerWithoutPlace(exchange, room, said, cookies);
}

function answerWithoutPlace(
  exchange: Exchange,
  { page, defaultTemplateLanguage }: ErrorRoom,
  said: (texts: Texts) => { readonly title: string; readonly text: string },
  cookies: readonly string[] = [],
): void {
  const { host, target, headers } = exchange.request;
  const language = pageLanguage(headers, defaultTemplateLanguage, target);
  const { title, text } = said(TEXTS[language]);
  const body = fillIn(language)({
    ...brandSlots(page, host, language),
    title: asHtml(title),
    text: asHtml(text),
    seconds: "",
    reference: "",
    next: link(onThisHost(cleanTarget(target)), TEXTS[language].farewell.again),
  });
  const fields = [...pageHeaders(policyFor(brandOf(page))), "Content-Language", language];
  exchange.answer(200, withSetCookie(forReaders(exchange.request, fields), ...cookies), body);
}

function nextWords(retry: Retry, language: Language): string {
  const { texts, after } = wordsOf(language);
  const { notSentAgain, tryWithoutIt, againIn } = texts.errorPage;
  if (retry.isPosted) return `${asHtml(notSentAgain)} ${link(retry.again, tryWithoutIt)}`;
  const when = asHtml(filled(againIn, { when: after(pageSeconds(retry)) }));
  return `<span id="when">${when}</span> ${link(retry.again, texts.page.tryAgain)}`;
}

function link(address: string, words: string): string {
  return `<a href="${escapeHtml(address)}">${asHtml(words)}</a>`;
}

function pageSeconds({ seconds }: Retry): number {
  return Math.max(PAGE_SECONDS_MIN, seconds);
}
