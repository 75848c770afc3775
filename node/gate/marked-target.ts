/**
 * Our marks in the query of an address: what a browser without JavaScript can carry from one request to the next.
 *
 * `again`: a waiting page has sent its visitor back to its own address, so the browser was given our cookie before.
 * `posted`: a form was sent to this address, and its content is lost. `leave`: the visitor gives up the place in line
 * with this request; `sure`: after the question that comes first; `left`: it is given up, and no other one is to be
 * made. `resent`: our page sends a form of another site again, and says behind the mark how it first came. `invited`:
 * the visitor uses the invitation in the link. `placed`: the page that asks has shown a place before.
 *
 * Polls of our pages have a mark of their own, `poll`, and a changing text behind it: their address is never that of
 * the page. Marks never reach the origin: a request that would go there is first redirected to its clean address.
 */

import { NO_STORE } from "../http/fields.ts";
import type { HeaderList } from "../http/message.ts";
import { pairsOf, withoutPairs, withPair } from "./target-query.ts";
import { VARY } from "./vary.ts";

const MARKS = ["again", "posted", "leave", "left", "resent", "invited", "sure", "placed"] as const;
export type Mark = (typeof MARKS)[number];

/** A room's cookie starts with the same text; no known site uses it. */
const NAME = "__anteroom=";

/** The marks in `target`. */
export function marksIn(target: string): readonly Mark[] {
  if (!target.includes(NAME)) return [];
  const said = pairsOf(target).filter((pair) => pair.startsWith(NAME));
  return MARKS.filter((mark) => said.some((pair) => pair.slice(NAME.length).split(".").includes(mark)));
}

/** `target` without marks. */
export function cleanTarget(target: string): string {
  return withoutPairs(target, NAME);
}

/**
 * `target` with `marks` and no others, as a reference that stays on this host for any path. `said`: what stands behind
 * the last one.
 */
export function markedTarget(target: string, marks: readonly Mark[], said?: string): string {
  const all = said === undefined ? marks : [...marks, said];
  return onThisHost(withPair(cleanTarget(target), `${NAME}${all.join(".")}`));
}

/** What stands behind `mark` in `target`; empty for nothing. */
export function saidWith(target: string, mark: Mark): string {
  const pair = pairsOf(target).find((one) => one.startsWith(`${NAME}${mark}.`));
  return pair?.slice(NAME.length + mark.length + 1) ?? "";
}

/** Redirects a browser to `target` by GET; by the method that it used, if that was neither GET nor a form's. */
export function sendTo(target: string, method: string): { readonly status: number; readonly headers: HeaderList } {
  const status = ["GET", "HEAD", "POST"].includes(method) ? 303 : 307;
  return { status, headers: ["Location", onThisHost(target), ...NO_STORE, ...VARY] };
}

/**
 * `target` as a reference that stays on this host: a path that begins with two slashes would be read as the name of
 * another.
 */
export function onThisHost(target: string): string {
  return /^\/[/\\]/.test(target) ? `/.${target}` : target;
}
