/**
 * Our marks in the query of an address: what a browser without JavaScript can carry from one request to the next.
 *
 * `again`: a waiting page has sent its visitor back to its own address, so the browser was given our cookie before.
 * `posted`: a form was sent to this address, and its content is lost. `leave`: the visitor gives up the place in line
 * with this request; `left`: it is given up, and no other one is to be made. Marks never reach the origin: a request that
 * would go there is first redirected to its clean address.
 */

import type { HeaderList } from "../http/message.ts";

export type Mark = "again" | "posted" | "leave" | "left";

/** A room's cookie starts with the same text; no known site uses it. */
const NAME = "__anteroom=";

/** The marks in `target`. */
export function marksIn(target: string): readonly Mark[] {
  if (!target.includes(NAME)) return [];
  const said = queryOf(target).filter((pair) => pair.startsWith(NAME));
  return MARKS.filter((mark) => said.some((pair) => pair.slice(NAME.length).split(".").includes(mark)));
}

/** `target` without marks. */
export function cleanTarget(target: string): string {
  if (!target.includes(NAME)) return target;
  const at = target.indexOf("?");
  // Text in a path that looks like a mark belongs to the site.
  if (at < 0) return target;
  const query = queryOf(target).filter((pair) => !pair.startsWith(NAME));
  const path = target.slice(0, at);
  return query.length === 0 ? path : `${path}?${query.join("&")}`;
}

/** `target` with `marks` and no others, as a reference that stays on this host for any path. */
export function markedTarget(target: string, marks: readonly Mark[]): string {
  const clean = cleanTarget(target);
  return onThisHost(`${clean}${clean.includes("?") ? "&" : "?"}${NAME}${marks.join(".")}`);
}

/** Redirects a browser to `target` by GET; by the method that it used, if that was neither GET nor a form's. */
export function sendTo(target: string, method: string): { readonly status: number; readonly headers: HeaderList } {
  const status = ["GET", "HEAD", "POST"].includes(method) ? 303 : 307;
  return { status, headers: ["Location", onThisHost(target), "Cache-Control", "no-store"] };
}

/** `target` as a reference that stays on this host: a path that begins with two slashes would be read as the name of another. */
export function onThisHost(target: string): string {
  return /^\/[/\\]/.test(target) ? `/.${target}` : target;
}

function queryOf(target: string): string[] {
  const at = target.indexOf("?");
  return at < 0 ? [] : target.slice(at + 1).split("&");
}

const MARKS: readonly Mark[] = ["again", "posted", "leave", "left"];
