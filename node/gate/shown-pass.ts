/**
 * The pass that a request shows: in its query, as a visitor's link has it; in a field, as a program sends it; or in the
 * cookie in which the gate has kept it.
 *
 * An empty one in the query gives up the pass that is kept. The origin gets none of these.
 */

import { COOKIE_PREFIX, cookieValues } from "../cookie/cookie-header.ts";
import { fieldValue } from "../http/fields.ts";
import type { RequestHead } from "../http/message.ts";
import { pairsOf, withoutPairs, withPair } from "./target-query.ts";

export interface ShownPass {
  readonly text: string;
  readonly by: "query" | "field" | "cookie";
}

/** The field by which a program shows a pass. */
export const PASS_FIELD = "anteroom-pass";

/**
 * Cookies that are tried, the longest first: 0.1 ms at worst. Doubled, junk costs twice that; halved, fewer planted
 * cookies hide a good pass.
 */
const KEPT_MAX = 16;

/** Most visitors show none. */
const NONE: readonly ShownPass[] = [];

const PARAMETER = "anteroom_pass=";

/**
 * The one in the query, or else the one in the field, or else those in cookies: any host of the same site can set more
 * cookies of the name, and the best of them counts.
 */
export function shownPasses(
  { target, headers }: Pick<RequestHead, "target" | "headers">,
  cookieName: string,
  mayGiveUp: boolean,
): readonly ShownPass[] {
  const inQuery = passInQuery(target);
  if (inQuery !== undefined && (inQuery !== "" || mayGiveUp)) return [{ text: inQuery, by: "query" }];
  const inField = fieldValue(headers, PASS_FIELD);
  // Programs that always send the field have an empty one without a pass.
  if (inField !== undefined && inField !== "") return [{ text: inField, by: "field" }];
  const kept = cookieValues(headers, cookieName);
  if (kept.length === 0) return NONE;
  return kept
    .slice(0, KEPT_MAX)
    .filter((text) => text !== "")
    .map((text) => ({ text, by: "cookie" }));
}

/** The pass in a target's query; undefined if there is none. */
export function passInQuery(target: string): string | undefined {
  if (!target.includes(PARAMETER)) return undefined;
  return pairsOf(target)
    .find((pair) => pair.startsWith(PARAMETER))
    ?.slice(PARAMETER.length);
}

/**
 * Name of the cookie that keeps the pass of a room whose cookie is `cookieName`. No room can have it: none begins with
 * a dot.
 */
export function passCookieName(cookieName: string): string {
  return `${COOKIE_PREFIX}.pass_${cookieName.slice(COOKIE_PREFIX.length)}`;
}

/** `target` without a pass. */
export function withoutPass(target: string): string {
  return withoutPairs(target, PARAMETER);
}

/** `target` with an empty pass, which gives up the one that is kept. */
export function givingUpPass(target: string): string {
  return withPair(withoutPass(target), PARAMETER);
}
