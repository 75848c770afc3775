/**
 * Keeps an answer of the origin that carries a cookie of ours out of shared caches, whatever the origin said.
 *
 * A cache that stores such an answer gives one visitor's session to everybody (CloudFront stores `Set-Cookie`). Browsers
 * may still cache it: `private` allows that (RFC 9111 §5.2.2.7). What speaks to shared caches alone goes (RFC 9111
 * §5.2.2.10, RFC 9213).
 */

import { isField } from "../http/fields.ts";
import type { HeaderList } from "../http/message.ts";

/** Fields that only shared caches read, and that go before `Cache-Control` there. */
const FOR_SHARED_CACHES = /^(?:surrogate-control|edge-control|x-accel-expires|(?:[a-z0-9]+-)*cdn-cache-control)$/i;

/** Directives that allow a shared cache to store an answer, or speak to it alone. `private` is written as a whole. */
const ABOUT_SHARING = /^(?:public|private|s-maxage|proxy-revalidate)$/i;

/** `headers` for the visitor's browser alone. */
export function privateAnswer(headers: HeaderList): HeaderList {
  const kept: string[] = [];
  const directives: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const [name = "", value = ""] = [headers[at], headers[at + 1]];
    if (isField(name, "cache-control")) directives.push(...directivesIn(value));
    else if (!FOR_SHARED_CACHES.test(name)) kept.push(name, value);
  }
  const others = directives.filter((directive) => !ABOUT_SHARING.test(nameOf(directive)));
  // Also beside `no-store`, which some shared caches ignore (Fastly, as it is set up by default).
  kept.push("Cache-Control", ["private", ...others].join(", "));
  return kept;
}

/** The directives of a value; a comma within quotes separates none. */
function directivesIn(value: string): string[] {
  const found: string[] = [];
  let [start, isQuoted] = [0, false];
  for (let at = 0; at <= value.length; at++) {
    if (value[at] === '"') isQuoted = !isQuoted;
    if (at < value.length && (value[at] !== "," || isQuoted)) continue;
    const directive = value.slice(start, at).trim();
    if (directive !== "") found.push(directive);
    start = at + 1;
  }
  return found;
}

function nameOf(directive: string): string {
  return directive.split("=", 1)[0]?.trim() ?? "";
}
