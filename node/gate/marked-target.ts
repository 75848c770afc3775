/**
 * Our own pairs in the query of an address: marks, which a browser without JavaScript can carry from one request to the
 * next, and the pass in a visitor's link.
 *
 * `again`: a waiting page has sent its visitor back to its own address, so the browser was given our cookie before.
 * `posted`: a form was sent to this address, and its content is lost. `leave`: the visitor gives up the place in line
 * with this request; `sure`: after the question that comes first; `left`: it is given up, and no other one is to be
 * made. `resent`: our page sends a form of another site again, and says behind the mark how it first came. `invited`:
 * the visitor uses the invitation in the link. `placed`: the page that asks has shown a place before. `languages`: the
 * visitor is to choose one; the choice stands behind the marks, and goes on from one to the next. `notify`: the visitor
 * leaves an address to be told of the turn; `unclear`: it could not be read.
 *
 * Polls of our pages have a mark of their own, `poll`, and a changing text behind it: their address is never that of
 * the page. Marks never reach the origin: a request that would go there is first redirected to its clean address.
 */

import { withSetCookie } from "../cookie/cookie-header.ts";
import { NO_STORE } from "../http/fields.ts";
import type { Exchange } from "../http/message.ts";
import { VARY } from "./readers.ts";

const MARKS = [
  "again",
  "posted",
  "leave",
  "left",
  "resent",
  "invited",
  "sure",
  "placed",
  "languages",
  "notify",
  "unclear",
] as const;
export type Mark = (typeof MARKS)[number];

/** A room's cookie starts with the same text; no known site uses it. */
const NAME = "__anteroom=";

/** The pass in a link. */
const PASS = "anteroom_pass=";

/** The marks in `target`. */
export function marksIn(target: string): readonly Mark[] {
  if (!target.includes(NAME)) return [];
  const said = saidIn(target);
  return MARKS.filter((mark) => said.includes(mark));
}

/** The language that the visitor has chosen, as it stands in `target`; empty for none. */
export function languageIn(target: string): string {
  return target.includes(NAME) ? (saidIn(target).find((said) => LANGUAGE.test(said)) ?? "") : "";
}

const LANGUAGE = /^[a-z]{2}-[A-Z]{2}$/;

/** All that our own pairs say. */
function saidIn(target: string): readonly string[] {
  const pairs = pairsOf(target).filter((pair) => pair.startsWith(NAME));
  return pairs.flatMap((pair) => pair.slice(NAME.length).split("."));
}

/** `target` without marks. */
export function cleanTarget(target: string): string {
  return withoutPairs(target, NAME);
}

/**
 * `target` with `marks` and no others, as a reference that stays on this host for any path. `said`: what stands behind
 * the last one, if not the chosen language.
 */
export function markedTarget(target: string, marks: readonly Mark[], said?: string): string {
  const last = said ?? languageIn(target);
  const all = last === "" ? marks : [...marks, last];
  return onThisHost(withPair(cleanTarget(target), `${NAME}${all.join(".")}`));
}

/** Whether this is a form that our page has sent again; other sites cannot make one that has more cookies than theirs. */
export function isResent(method: string, target: string): boolean {
  return method === "POST" && marksIn(target).includes("resent");
}

/** What stands behind `mark` in `target`; empty for nothing. */
export function saidWith(target: string, mark: Mark): string {
  const pair = pairsOf(target).find((one) => one.startsWith(`${NAME}${mark}.`));
  return pair?.slice(NAME.length + mark.length + 1) ?? "";
}

/** Redirects a browser to `target` by GET; by the method that it used, if that was neither GET nor a form's. */
export function sendOn(exchange: Exchange, target: string, cookies: readonly (string | undefined)[] = []): void {
  const status = ["GET", "HEAD", "POST"].includes(exchange.request.method) ? 303 : 307;
  const headers = ["Location", onThisHost(target), ...NO_STORE, ...VARY];
  exchange.answer(status, withSetCookie(headers, ...cookies), "");
}

/**
 * `target` as a reference that stays on this host: a path that begins with two slashes would be read as the name of
 * another.
 */
export function onThisHost(target: string): string {
  return /^\/[/\\]/.test(target) ? `/.${target}` : target;
}

/** The pass in a target's query; undefined if there is none. */
export function passInQuery(target: string): string | undefined {
  if (!target.includes(PASS)) return undefined;
  return pairsOf(target)
    .find((pair) => pair.startsWith(PASS))
    ?.slice(PASS.length);
}

/** `target` without a pass. */
export function withoutPass(target: string): string {
  return withoutPairs(target, PASS);
}

/** `target` with an empty pass, which gives up the one that is kept. */
export function givingUpPass(target: string): string {
  return withPair(withoutPass(target), PASS);
}

/** The pairs of a target's query. */
function pairsOf(target: string): string[] {
  const at = target.indexOf("?");
  return at < 0 ? [] : target.slice(at + 1).split("&");
}

/** `target` without the pairs that begin with `start`. Text in a path that looks like one belongs to the site. */
function withoutPairs(target: string, start: string): string {
  const at = target.indexOf("?");
  if (at < 0 || !target.includes(start)) return target;
  const rest = pairsOf(target).filter((pair) => !pair.startsWith(start));
  const path = target.slice(0, at);
  return rest.length === 0 ? path : `${path}?${rest.join("&")}`;
}

/** `target` with one more pair. */
function withPair(target: string, pair: string): string {
  return `${target}${target.includes("?") ? "&" : "?"}${pair}`;
}
