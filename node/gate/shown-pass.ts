/**
 * The pass that a request shows: in its query, as a visitor's link has it; in a field, as a program sends it; or in the
 * cookie in which the gate has kept it.
 *
 * An empty one in the query gives up the pass that is kept. The origin gets none of these.
 */

import { COOKIE_PREFIX, cookieValues } from "../cookie/cookie-header.ts";
import { fieldValue } from "../http/fields.ts";
import type { RequestHead } from "../http/message.ts";

export interface ShownPass {
  readonly text: string;
  readonly by: "query" | "field" | "cookie";
}

/** The field by which a program shows a pass. */
export const PASS_FIELD = "anteroom-pass";

const PARAMETER = "anteroom_pass=";

/** The first of query, field and cookie that has one. */
export function shownPass(
  { target, headers }: Pick<RequestHead, "target" | "headers">,
  cookieName: string,
): ShownPass | undefined {
  const inQuery = target.includes(PARAMETER) ? pairsOf(target).find((pair) => pair.startsWith(PARAMETER)) : undefined;
  if (inQuery !== undefined) return { text: inQuery.slice(PARAMETER.length), by: "query" };
  const inField = fieldValue(headers, PASS_FIELD);
  if (inField !== undefined) return { text: inField, by: "field" };
  const [kept] = cookieValues(headers, cookieName);
  return kept === undefined || kept === "" ? undefined : { text: kept, by: "cookie" };
}

/** Name of the cookie that keeps the pass of a room whose cookie is `cookieName`. No room can have it: names have no dots. */
export function passCookieName(cookieName: string): string {
  return `${COOKIE_PREFIX}.pass_${cookieName.slice(COOKIE_PREFIX.length)}`;
}

/** `target` without a pass. */
export function withoutPass(target: string): string {
  if (!target.includes(PARAMETER)) return target;
  const at = target.indexOf("?");
  // Text in a path that looks like a pass belongs to the site.
  if (at < 0) return target;
  const rest = pairsOf(target).filter((pair) => !pair.startsWith(PARAMETER));
  return rest.length === 0 ? target.slice(0, at) : `${target.slice(0, at)}?${rest.join("&")}`;
}

/** `target` with an empty pass, which gives up the one that is kept. */
export function givingUpPass(target: string): string {
  const clean = withoutPass(target);
  return `${clean}${clean.includes("?") ? "&" : "?"}${PARAMETER}`;
}

function pairsOf(target: string): string[] {
  const at = target.indexOf("?");
  return at < 0 ? [] : target.slice(at + 1).split("&");
}
