/**
 * What a request is, as far as the line is concerned.
 *
 * Only navigations (Fetch Metadata's `Sec-Fetch-Mode: navigate`, or a client that sends no such fields) by GET and
 * requests for JSON take a slot or a place. HEAD, OPTIONS, prefetches and assets take neither, or one page would
 * count dozens of times.
 */

import type { Room } from "../config/room.ts";
import { isField } from "./http/fields.ts";
import type { Exchange } from "./http/message.ts";

export interface RequestKind {
  /** Whether the request may take a slot or a place in line. */
  readonly takesPlace: boolean;
  /** A waiting page asking for its own place; never passed to the origin. */
  readonly isPagePoll: boolean;
  /** Whether a waiting answer is to be JSON. */
  readonly wantsJson: boolean;
  /** A browser's question before a cross-origin request: it never carries a cookie, also not of a visitor inside. */
  readonly isPreflight: boolean;
}

/** The field by which the waiting page marks its polls. */
export const POLL_FIELD = "anteroom-poll";

export function requestKind(exchange: Exchange, room: Room): RequestKind {
  const { method, headers } = exchange.request;
  let accept = "";
  let fetchMode: string | undefined;
  let isPagePoll = false;
  let isPrefetch = false;
  let asksForCors = false;
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? "";
    const value = headers[at + 1] ?? "";
    if (isField(name, "accept")) accept += value;
    else if (isField(name, "sec-fetch-mode")) fetchMode = value;
    else if (isField(name, "sec-purpose") || isField(name, "purpose") || isField(name, "x-moz"))
      isPrefetch ||= /prefetch|prerender/i.test(value);
    else if (isField(name, "access-control-request-method")) asksForCors = true;
    else if (isField(name, POLL_FIELD)) isPagePoll = true;
  }
  const wantsJson = isPagePoll || (room.jsonResponseEnabled && accept.includes("application/json"));
  const isNavigation = fetchMode === undefined || fetchMode === "navigate";
  return {
    takesPlace: method === "GET" && !exchange.webSocket && !isPrefetch && (isNavigation || wantsJson),
    isPagePoll: isPagePoll && method === "GET",
    wantsJson,
    isPreflight: method === "OPTIONS" && asksForCors,
  };
}
