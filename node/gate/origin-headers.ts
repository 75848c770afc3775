/**
 * The header fields that the origin gets: our own fields stay between visitor and gate.
 *
 * To the origin: no cookie and no field of ours, updated forwarded fields, and the secret by which an origin can refuse
 * requests that bypass the gate. `origin-commands.ts` reads the commands in its answer.
 */

import { withoutOurCookies } from "../cookie/cookie-header.ts";
import { type Client, LOOP_FIELD, withForwarded } from "../http/client.ts";
import { fieldValue, isField } from "../http/fields.ts";
import type { Exchange, HeaderList } from "../http/message.ts";
import { SECRET_FIELD } from "../origin/secret-field.ts";
import { cleanTarget } from "./marked-target.ts";
import { askedFields } from "./preflight.ts";
import { LANE_FIELD, POLL_FIELD, PROOF_FIELD } from "./request-kind.ts";
import { asFirstSent, isResent } from "./resent-form.ts";
import { PASS_FIELD, withoutPass } from "./shown-pass.ts";
import { VISITOR_FIELD } from "./visitor-header.ts";

/** Also as servers read them that take every sign in a name for an underscore, as CGI does (RFC 3875 §4.1.18). */
const OURS = new RegExp(
  `^(?:${[SECRET_FIELD, POLL_FIELD, PROOF_FIELD, PASS_FIELD, LANE_FIELD, VISITOR_FIELD].join("|").replaceAll("-", "[^a-z0-9]")})$`,
  "i",
);

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
