/**
 * What the gate's own answers say to caches and to pages of other origins.
 *
 * `Vary` names the fields that an answer depends on: the caches of service workers keep what says `no-store`, and would
 * take the answer to a poll for the page. An app at `www` that asks `api` may read the answer, with its cookies
 * (https://fetch.spec.whatwg.org/#http-cors-protocol): origins of the same site may, and no others.
 */

import { isSameSite } from "../config/site-of-host.ts";
import { isField } from "../http/fields.ts";
import type { HeaderList, RequestHead } from "../http/message.ts";

/** `headers` of an answer to `request`, for all who may keep or read it. */
export function forReaders({ headers: asked, host }: RequestHead, headers: HeaderList): HeaderList {
  let origin: string | undefined;
  let site: string | undefined;
  for (let at = 0; at < asked.length; at += 2) {
    const name = asked[at] ?? "";
    if (isField(name, "origin")) origin = asked[at + 1];
    else if (isField(name, "sec-fetch-site")) site = asked[at + 1];
  }
  if (origin === undefined || !mayRead(origin, site, host)) return [...headers, ...VARY];
  const allowed = ["Access-Control-Allow-Origin", origin, "Access-Control-Allow-Credentials", "true"];
  return [...headers, ...VARY, ...allowed, "Access-Control-Expose-Headers", "Retry-After"];
}

/** `site`: where the request comes from according to its browser, which also compares the schemes. */
function mayRead(origin: string, site: string | undefined, host: string): boolean {
  if (site !== undefined && site !== "same-site" && site !== "same-origin") return false;
  const from = URL.parse(origin);
  return from !== null && from.origin === origin && isSameSite(from.hostname, host);
}

/**
 * The request fields on which the gate's own answers depend (`Vary`, RFC 9110 §12.5.5): who asks, from where, for what,
 * and in which form and language.
 */
export const VARY: HeaderList = [
  "Vary",
  ["Accept", "Accept-Encoding", "Accept-Language", "Anteroom-Poll", "Cookie", "Origin"]
    .concat(["Sec-Fetch-Dest", "Sec-Fetch-Mode", "Sec-Fetch-Site"])
    .join(", "),
];
