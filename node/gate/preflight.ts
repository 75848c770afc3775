/**
 * CORS preflights: a browser's question before a page of another origin may send a request
 * (https://fetch.spec.whatwg.org/).
 *
 * Browsers send them without cookies, also for visitors with a session, who would lose their own API if a line forms.
 * So they pass a full or held room, but only in the form that a browser sends, stripped to the question and its answer,
 * and within a budget (node/admission/address-limit.ts): nothing else must reach the origin this way.
 */

import { fieldValue, isField, isToken } from "../http/fields.ts";
import type { Exchange, HeaderList } from "../http/message.ts";

/**
 * What the origin needs for its answer. Not the fields of apps: a key, or another method, would make it more than a
 * question.
 */
const ASKED = /^(?:host|origin|access-control-request-[a-z-]{1,40}|accept|user-agent|referer)$/i;

/** What a browser reads of the answer. */
const ANSWERED = /^(?:access-control-[a-z-]{1,40}|vary|allow|cache-control|date)$/i;

/** Fields by which an app speaks to the gate (`request-kind.ts`): the gate allows them wherever the origin allows the app. */
const FOR_GATE = /^anteroom-(?:pass|proof)$/i;

const REQUESTED = "access-control-request-headers";

/** A scheme and a host as browsers write an origin, or `null`. */
const ORIGIN = /^(?:null|[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]+)$/i;

/** Whether a browser asks: OPTIONS with one origin and one method, without body, cookies and credentials. */
export function isPreflight({ request: { method, headers }, hasBody }: Exchange): boolean {
  if (method !== "OPTIONS" || hasBody) return false;
  let origins = 0;
  let methods = 0;
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? "";
    const value = headers[at + 1] ?? "";
    if (isField(name, "origin")) origins += ORIGIN.test(value) ? 1 : 2;
    else if (isField(name, "access-control-request-method")) methods += isToken(value) ? 1 : 2;
    else if (isField(name, "cookie") || isField(name, "authorization") || isField(name, "proxy-authorization"))
      return false;
  }
  return origins === 1 && methods === 1;
}

/** The fields of a preflight that reach the origin. */
export function askedFields(headers: HeaderList): HeaderList {
  const kept: string[] = [];
  const asked = only(headers, ASKED);
  for (let at = 0; at < asked.length; at += 2) {
    const [name = "", value = ""] = [asked[at], asked[at + 1]];
    if (!isField(name, REQUESTED)) kept.push(name, value);
    else {
      const names = namesIn(value).filter((one) => !FOR_GATE.test(one));
      if (names.length > 0) kept.push(name, names.join());
    }
  }
  return kept;
}

/** The fields of the origin's answer that reach the browser, which has asked with `asked`. */
export function answeredFields(headers: HeaderList, asked: HeaderList): HeaderList {
  const answered = only(headers, ANSWERED);
  const names = namesIn(fieldValue(asked, REQUESTED) ?? "").filter((one) => FOR_GATE.test(one));
  if (names.length === 0 || fieldValue(answered, "access-control-allow-origin") === undefined) return answered;
  return [...answered, "Access-Control-Allow-Headers", names.join()];
}

function namesIn(list: string): readonly string[] {
  return list.split(",").map((name) => name.trim());
}

function only(headers: HeaderList, names: RegExp): HeaderList {
  return headers.filter((_, index) => names.test(headers[index - (index % 2)] ?? ""));
}
