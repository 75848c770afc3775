/**
 * The header fields on their way to the origin and back: our own fields stay between visitor and gate.
 *
 * To the origin: no cookie and no field of ours, updated forwarded fields, and the secret by which an origin can refuse
 * requests that bypass the gate. To the visitor: no command of the origin (`origin-commands.ts` reads these), and
 * nothing that a shared cache could give to others.
 */

import { withoutOurCookies } from "../cookie/cookie-header.ts";
import { type Client, LOOP_FIELD, withForwarded } from "../http/client.ts";
import { fieldValue, isField } from "../http/fields.ts";
import type { Exchange, HeaderList } from "../http/message.ts";
import { SECRET_FIELD } from "../origin/secret-field.ts";
import { cleanTarget, isResent, withoutPass } from "./marked-target.ts";
import { askedFields } from "./preflight.ts";
import { LANE_FIELD, PASS_FIELD, POLL_FIELD, PROOF_FIELD } from "./request-kind.ts";
import { asFirstSent } from "./resent-form.ts";
import { VISITOR_FIELD } from "./visitor-header.ts";

/** Also as servers read them that take every sign in a name for an underscore, as CGI does (RFC 3875 §4.1.18). */
const OURS = new RegExp(
  `^(?:${[SECRET_FIELD, POLL_FIELD, PROOF_FIELD, PASS_FIELD, LANE_FIELD, VISITOR_FIELD].join("|").replaceAll("-", "[^a-z0-9]")})$`,
  "i",
);

/** Names of the fields with an origin's commands. */
const COMMAND_FIELD = /^(?:anteroom-command|cf-waiting-room-command)$/i;

/** Names that every server reads alike. */
const PLAIN_NAME = /^[a-z0-9-]+$/i;

/** Whether a field of these would be left out or changed, besides cookies and forwarded fields. */
export function areChanged(headers: HeaderList): boolean {
  return headers.some((text, at) => {
    if (at % 2 === 0) return OURS.test(text) || !PLAIN_NAME.test(text);
    return isField(headers[at - 1] ?? "", "referer") && withoutPass(cleanTarget(text)) !== text;
  });
}

interface OriginFields {
  readonly secret: string | undefined;
  /** The mark by which a request that comes back is recognised. */
  readonly loopName: string;
  readonly isPreflight?: boolean;
  /** The field in which trusted proxies name the client; others may not. */
  readonly addressField?: string | undefined;
  /** Who came through, signed. */
  readonly visitor?: string | undefined;
}

/** Fields for the origin; for a preflight its question only. */
export function originHeaders(
  exchange: Exchange,
  client: Client,
  { secret, loopName, isPreflight = false, addressField, visitor }: OriginFields,
): HeaderList {
  const { headers: now, method, target } = exchange.request;
  const came = isResent(method, target) ? asFirstSent(now, target) : now;
  const kept = isPreflight ? askedFields(came) : without(withoutOurCookies(came), OURS);
  const headers = withForwarded(exchange, client, withCleanReferer(kept), addressField);
  headers.push(LOOP_FIELD, loopName);
  if (visitor !== undefined) headers.push(VISITOR_FIELD, visitor);
  if (secret !== undefined) headers.push(SECRET_FIELD, secret);
  return headers;
}

/** `headers` without a pass or mark of ours in `Referer`: the page that asks may have one in its address. */
function withCleanReferer(headers: HeaderList): HeaderList {
  if (fieldValue(headers, "referer") === undefined) return headers;
  return headers.map((text, index) =>
    index % 2 === 1 && isField(headers[index - 1] ?? "", "referer") ? withoutPass(cleanTarget(text)) : text,
  );
}

/** `headers` without the fields of these names; the same list, as usually, when there are none. */
function without(headers: HeaderList, names: RegExp): HeaderList {
  for (let at = 0; at < headers.length; at += 2) {
    if (names.test(headers[at] ?? ""))
      return headers.filter((_, index) => !names.test(headers[index - (index % 2)] ?? ""));
  }
  return headers;
}

/** Fields that only shared caches read, and that go before `Cache-Control` there. */
const FOR_SHARED_CACHES =
  /^(?:surrogate-control|edge-control|x-accel-expires|x-litespeed-cache-control|(?:[a-z0-9]+-)*cdn-cache-control)$/i;

/** Directives that allow a shared cache to store an answer, or speak to it alone. `private` is written as a whole. */
const ABOUT_SHARING = /^(?:public|private|s-maxage|proxy-revalidate)$/i;

/** `headers` without the commands; the same list where there are none. */
export function withoutCommands(headers: HeaderList): HeaderList {
  return without(headers, COMMAND_FIELD);
}

/** Whether the origin commands something in this field (`origin-commands.ts`). */
export function isCommandField(name = ""): boolean {
  return COMMAND_FIELD.test(name);
}

/**
 * `headers` of an answer that carries a cookie of ours: for the visitor's browser alone, whatever the origin said.
 *
 * A cache that stores such an answer gives one visitor's session to everybody (CloudFront stores `Set-Cookie`).
 * Browsers may still cache it: `private` allows that (RFC 9111 §5.2.2.7). What speaks to shared caches alone goes (RFC
 * 9111 §5.2.2.10, RFC 9213).
 */
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
