/**
 * Web push on the waiting page: the script that subscribes the visitor's browser, in rooms that offer it, and the
 * service worker that shows the message, at `push.js` in the gate's own folder below any path.
 *
 * The worker is for that folder alone, so it never has a hand in the site. It is the same text for everybody, and no
 * visit.
 */

import { NO_STORE } from "../http/fields.ts";
import type { Exchange } from "../http/message.ts";
import type { Language } from "../languages/texts.ts";
import { pageSource } from "./own-page.ts";
import html from "./push.html" with { type: "text" };
import { escapeHtml } from "./slot-template.ts";

const WORKER = "/.anteroom/push.js";

const [script = "", worker = ""] = pageSource(String(html)).split('<script id="worker">');

/** What the page of a room that offers push has in it, beside the form. */
export const PUSH_SCRIPT = script.trim();

/** What the page's policy allows for it. */
export const PUSH_POLICY = "; worker-src 'self'";

const WORKER_TEXT = worker.slice(0, worker.indexOf("</script>"));

const WORKER_HEADERS = [
  "Content-Type",
  "text/javascript; charset=utf-8",
  "X-Content-Type-Options",
  "nosniff",
  ...NO_STORE,
];

/** What the script needs. */
export interface PushForm {
  /** The mesh's key, as browsers take it. */
  readonly key: string;
  /** The address of the worker. */
  readonly worker: string;
  /** Of the page, and so of the message. */
  readonly language: Language;
}

/** The worker's address at a room whose paths begin with `prefix`, for a page at `here`. */
export function workerAddress(prefix: string, here: string): string {
  return `${prefix}${WORKER}?${encodeURIComponent(here)}`;
}

/** Answers a request for the worker; returns whether it was one. */
export function answersWorker(exchange: Exchange): boolean {
  const { method, target } = exchange.request;
  const [path = ""] = target.split("?", 1);
  if (method !== "GET" || !path.endsWith(WORKER)) return false;
  exchange.answer(200, WORKER_HEADERS, WORKER_TEXT);
  return true;
}

/** As HTML, for a visitor who has left nothing, or, without a key, something. */
export function pushPart(action: string, { key, worker, language }: PushForm, hasContact = false): string {
  return `<form id="push" method="post" action="${escapeHtml(action)}" data-worker="${escapeHtml(worker)}" data-key="${hasContact ? "" : key}" data-language="${language}" hidden><input type="hidden" name="contact"></form>
${PUSH_SCRIPT}`;
}
