/**
 * The gate's own refusals and failures, in words: what went wrong, and what a visitor can do about it.
 *
 * One text for each, in the form that the client reads: a page in the style of the waiting page, JSON, or plain text.
 * The request id joins what a visitor reports with the log; nothing else about the inside is told.
 * `Retry-After` and cookies are the caller's.
 */

import html from "./error-page.html" with { type: "text" };
import { fieldValue } from "./http/fields.ts";
import type { Exchange, HeaderList } from "./http/message.ts";
import css from "./page.css" with { type: "text" };
import { inlineOnlyPolicy, pageHeaders } from "./page.ts";
import { escapeHtml, slotTemplate } from "./slot-template.ts";

export interface GateError {
  readonly status: number;
  readonly title: string;
  /** One or two sentences for a visitor. */
  readonly text: string;
}

/** Every answer of the gate that is neither the origin's nor a waiting answer. */
export const GATE_ERRORS = {
  badRequest: {
    status: 400,
    title: "Request not understood",
    text: "The request is not valid HTTP, so it was not passed on.",
  },
  contested: {
    status: 400,
    title: "Address not clear",
    text: "This address can be read in more than one way, so the request was not passed on.",
  },
  notFound: { status: 404, title: "Nothing here", text: "No site is served at this address." },
  methodNotAllowed: { status: 405, title: "Method not allowed", text: "This method is not accepted here." },
  addressLimited: {
    status: 429,
    title: "Too many new visitors from your network",
    text: "Your network has had all the places it may take for now. Please try again in a minute.",
  },
  unreachable: {
    status: 502,
    title: "The site cannot be reached",
    text: "The site did not answer properly. Please try again in a moment; your session is kept.",
  },
  originDown: {
    status: 502,
    title: "The site does not answer",
    text: "The site behind this waiting room does not answer at the moment. You keep your session; please try again in a moment.",
  },
  busy: {
    status: 503,
    title: "Busy at the moment",
    text: "There are more visitors than the site can take. Nothing was sent to it; please try again in a moment.",
  },
  shed: {
    status: 503,
    title: "Very busy at the moment",
    text: "So many visitors ask at once that nobody new can be taken in just now. Please try again in a moment.",
  },
  loop: {
    status: 508,
    title: "The site leads back to its waiting room",
    text: "The address of the site behind this waiting room is the waiting room itself, so nothing can be shown. Its operator has to name another address.",
  },
  timeout: {
    status: 504,
    title: "The site takes too long",
    text: "The site did not answer in time. Please try again in a moment; your session is kept.",
  },
} as const satisfies Record<string, GateError>;

export interface ErrorBody {
  readonly headers: HeaderList;
  readonly body: string;
}

/** `error` in the form that the request's `Accept` value asks for: HTML and JSON only when named, else plain text. */
export function errorBody(accept: string | undefined, error: GateError, requestId?: string): ErrorBody {
  const wanted = accept?.toLowerCase() ?? "";
  if (wanted.includes("text/html")) {
    return { headers: pageHeaders(policy), body: errorPage(error, requestId) };
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

/** Answers with `error` in the form that the client reads. `requestId` only if the log has it: reports are looked up there. */
export function answerError(
  exchange: Exchange,
  error: GateError,
  { headers = [], requestId }: { readonly headers?: HeaderList; readonly requestId?: string } = {},
): void {
  const accept = fieldValue(exchange.request.headers, "accept");
  const { headers: form, body } = errorBody(accept, error, requestId);
  exchange.answer(error.status, [...form, ...headers], body);
}

const source = String(html).replace("/*page.css*/", () => css);
const fill = slotTemplate(source, ["title", "text", "status", "request"]);
const policy = inlineOnlyPolicy(source);

/** `error` as a page; escapes what it fills in. */
export function errorPage(error: GateError, requestId?: string): string {
  return fill({
    title: escapeHtml(error.title),
    text: escapeHtml(error.text),
    status: error.status,
    request: requestId ? `, request ${escapeHtml(requestId)}` : "",
  });
}
