/**
 * The gate's own refusals and failures as text: what went wrong, and what a visitor can do about it.
 *
 * There is one text for each, in the form that the client reads: a page in the style of the waiting page, JSON, or
 * plain text. The request id connects a visitor's report with the log; nothing else internal is shown. Temporary errors
 * have `Retry-After`, and their page asks again by itself: by `Refresh`, or by its script, which waits a little longer,
 * each time a different time, and survives a lost connection. A form is never sent again without its sender. The caller
 * sets cookies and the time to come back.
 */

import { fieldValue } from "../http/fields.ts";
import type { Exchange, HeaderList } from "../http/message.ts";
import html from "./error-page.html" with { type: "text" };
import { markedTarget, marksIn, onThisHost } from "./marked-target.ts";
import { inlineOnlyPolicy, pageHeaders, pageSource } from "./own-page.ts";
import { pauseWords } from "./page-words.ts";
import { escapeHtml, slotTemplate } from "./slot-template.ts";

export interface GateError {
  readonly status: number;
  readonly title: string;
  /** One or two sentences for a visitor. */
  readonly text: string;
}

/** Every answer of the gate that comes neither from the origin nor from the line. */
export const GATE_ERRORS = {
  contested: {
    status: 400,
    title: "Address not clear",
    text: "This address can be read in more than one way, so the request was not passed on.",
  },
  notFound: { status: 404, title: "Nothing here", text: "No site is served at this address." },
  addressLimited: {
    status: 429,
    title: "Too many new visitors from your network",
    text: "Your network has taken all the places that it may have for now.",
  },
  unreachable: {
    status: 502,
    title: "The site cannot be reached",
    text: "The site did not answer properly; your session is kept.",
  },
  originDown: {
    status: 502,
    title: "The site does not answer",
    text: "The site behind this waiting room does not answer at the moment. You keep your session.",
  },
  busy: {
    status: 503,
    title: "Busy at the moment",
    text: "There are more visitors than the site can take. Your request was not sent to it.",
  },
  shed: {
    status: 503,
    title: "Very busy at the moment",
    text: "Too many visitors are asking at once, so no new visitor can be admitted right now.",
  },
  loop: {
    status: 508,
    title: "The site leads back to its waiting room",
    text: "This waiting room is configured to forward to itself, so nothing can be shown. Its operator has to change the address of the site.",
  },
  timeout: {
    status: 504,
    title: "The site takes too long",
    text: "The site did not answer in time; your session is kept.",
  },
} as const satisfies Record<string, GateError>;

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
  const { requestId, retry } = details;
  const wanted = accept?.toLowerCase() ?? "";
  if (wanted.includes("text/html")) {
    const headers = [...pageHeaders(policy)];
    if (retry && !retry.isPosted) headers.push("Refresh", `${pageSeconds(retry)}; url=${retry.again}`);
    return { headers, body: errorPage(error, details) };
  }
  if (/[/+]json\b/.test(wanted)) {
    const body = JSON.stringify({ error: { ...error, requestId } });
    return { headers: ["Content-Type", "application/json", "Cache-Control", "no-store"], body };
  }
  const lines = [`${error.status} ${error.title}`, error.text, ...(requestId ? [`Request ${requestId}`] : [])];
  return {
    headers: ["Content-Type", "text/plain; charset=utf-8", "Cache-Control", "no-store"],
    body: `${lines.join("\n")}\n`,
  };
}

/** What a refusal contains besides the error. */
export interface ErrorAnswer {
  readonly headers?: HeaderList | undefined;
  readonly requestId?: string;
  /** When the same request may get a better answer; undefined if it never will. */
  readonly retryAfterSeconds?: number | undefined;
}

/** Answers with `error` in the form that the client reads. `requestId` only if the log has it: reports are looked up there. */
export function answerError(exchange: Exchange, error: GateError, answer: ErrorAnswer = {}): void {
  const { headers = [], requestId, retryAfterSeconds: seconds } = answer;
  const accept = fieldValue(exchange.request.headers, "accept");
  const retry = seconds === undefined ? undefined : retryOf(exchange, seconds, headers);
  const { headers: form, body } = errorBody(accept, error, { requestId, retry });
  const retryAfter = seconds === undefined ? [] : ["Retry-After", String(seconds)];
  exchange.answer(error.status, [...form, ...retryAfter, ...headers], body);
}

function retryOf({ request: { method, target } }: Exchange, seconds: number, headers: HeaderList): Retry {
  // A browser that was given a cookie and comes back without it keeps none: each request would take another slot.
  const isGivenCookie = fieldValue(headers, "set-cookie") !== undefined;
  const marks = new Set(marksIn(target)).add("again");
  const again = isGivenCookie ? markedTarget(target, [...marks]) : onThisHost(target);
  return { seconds, again, isPosted: method !== "GET" && method !== "HEAD" };
}

const source = pageSource(String(html));
const fill = slotTemplate(source, ["title", "text", "seconds", "next", "status", "request"]);
const policy = inlineOnlyPolicy(source);

/** `error` as a page; escapes inserted values. */
export function errorPage(error: GateError, { requestId, retry }: ErrorDetails = {}): string {
  return fill({
    title: escapeHtml(error.title),
    text: escapeHtml(error.text),
    seconds: retry === undefined || retry.isPosted ? "" : pageSeconds(retry),
    next: retry === undefined ? "" : nextWords(retry),
    status: error.status,
    request: requestId ? `, request ${escapeHtml(requestId)}` : "",
  });
}

function nextWords(retry: Retry): string {
  const link = (words: string) => `<a href="${escapeHtml(retry.again)}">${words}</a>`;
  if (retry.isPosted)
    return `What you sent is not sent again automatically. To send it again, go back first. ${link("Try again without it")}`;
  const when = `<span id="when">in about ${pauseWords(pageSeconds(retry))}</span>`;
  return `This page tries again automatically ${when}. ${link("Try again")}`;
}

function pageSeconds({ seconds }: Retry): number {
  return Math.max(PAGE_SECONDS_MIN, seconds);
}
