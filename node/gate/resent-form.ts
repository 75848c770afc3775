/**
 * A form of another site that a page of the gate sends again, because the first time its browser left out our cookie.
 *
 * For the origin it must stay what it was. Sent from the same site it would carry the site's own cookies as well, also
 * those that are never to go with another site's form: any page on the web could act for its visitors. So the address
 * that it is sent to says how the form first came (in our mark, `marked-target.ts`), and the origin gets no cookie that
 * was not there then, and the same `Origin`.
 */

import { isField } from "../http/fields.ts";
import type { HeaderList } from "../http/message.ts";
import { markedTarget, saidWith } from "./marked-target.ts";

/** How a form first came. */
interface FirstSent {
  readonly origin?: string | undefined;
  readonly isReferred: boolean;
  /** Names of the cookies that came with it. */
  readonly cookies: readonly string[];
}

/**
 * All names of cookies in an address, in characters; those that do not fit stay out. Doubled, some proxies refuse the
 * address for its length.
 */
const NAMES_LENGTH_MAX = 1_500;
const ORIGIN_LENGTH_MAX = 300;

/** Where our page sends a form again that came to `target` with these fields. */
export function resentTarget(target: string, headers: HeaderList): string {
  const first = JSON.stringify(firstSent(headers));
  return markedTarget(target, ["resent"], Buffer.from(first, "latin1").toString("base64url"));
}

/** The fields of a form that was sent again, as they first came. */
export function asFirstSent(headers: HeaderList, target: string): HeaderList {
  const { origin, isReferred, cookies } = readFirst(saidWith(target, "resent"));
  const kept: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const [name = "", value = ""] = [headers[at], headers[at + 1]];
    if (isField(name, "cookie")) {
      const those = value.split(";").filter((pair) => cookies.includes(cookieName(pair)));
      if (those.length > 0) kept.push(name, those.join(";").trim());
    } else if (isField(name, "origin")) {
      if (origin !== undefined) kept.push(name, origin);
    } else if (isField(name, "referer")) {
      if (isReferred && origin !== undefined) kept.push(name, `${origin}/`);
    } else if (isField(name, "sec-fetch-site")) {
      kept.push(name, "cross-site");
    } else kept.push(name, value);
  }
  return kept;
}

function firstSent(headers: HeaderList): FirstSent {
  let origin: string | undefined;
  let isReferred = false;
  const cookies = new Set<string>();
  let length = 0;
  for (let at = 0; at < headers.length; at += 2) {
    const [name = "", value = ""] = [headers[at], headers[at + 1]];
    if (isField(name, "origin")) origin = value.length > ORIGIN_LENGTH_MAX ? "null" : value;
    else if (isField(name, "referer")) isReferred = true;
    else if (isField(name, "cookie")) {
      for (const one of value.split(";").map(cookieName)) {
        length += one.length;
        if (length <= NAMES_LENGTH_MAX) cookies.add(one);
      }
    }
  }
  return { origin, isReferred, cookies: [...cookies] };
}

function cookieName(pair: string): string {
  return pair.split("=", 1)[0]?.trim() ?? "";
}

/** What an address says. One that was changed on its way says the least: an unknown origin, and no cookies. */
function readFirst(said: string): FirstSent {
  try {
    const { origin, isReferred, cookies } = JSON.parse(Buffer.from(said, "base64url").toString("latin1"));
    const isText = (value: unknown): value is string => typeof value === "string" && FIELD_TEXT.test(value);
    if ((origin === undefined || isText(origin)) && Array.isArray(cookies))
      return { origin, isReferred: isReferred === true, cookies: cookies.filter(isText) };
  } catch {
    // Not ours.
  }
  return { origin: "null", isReferred: false, cookies: [] };
}

const FIELD_TEXT = /^[\x20-\x7e\x80-\xff]*$/;
