/**
 * What an expression can ask of a request: names as in Cloudflare's rules language, and how each value is read.
 *
 * The path is decoded. One that servers may read in different ways (dot segments, `//`, `;`, `\`, an encoded slash, dot
 * or percent sign, bytes that are no UTF-8) has no value: a request with it never bypasses a room by its path.
 */

import type { Client } from "../http/client.ts";
import { fieldValue, isField } from "../http/fields.ts";
import type { HeaderList, RequestHead } from "../http/message.ts";

/** A request, as rules see it. */
export interface RuleRequest {
  readonly request: Pick<RequestHead, "method" | "target" | "host" | "headers">;
  readonly client: Pick<Client, "address" | "secure">;
  /** Whether it comes from a crawler that is proven by DNS, as far as is known now; absent where nobody finds out. */
  readonly isProvenCrawler?: () => boolean;
}

/** Undefined where the value is unknown. */
type TextOf = (from: RuleRequest) => string | undefined;
type EntryOf = (from: RuleRequest, key: string) => string | undefined;
type SwitchOf = (from: RuleRequest) => boolean;

/** Fields that hold a text. */
export const TEXT_FIELDS: ReadonlyMap<string, TextOf> = mapOf<TextOf>({
  "http.host": ({ request }) => request.host,
  "http.request.method": ({ request }) => request.method,
  "http.request.uri": ({ request: { target } }) => utf8(target),
  "http.request.uri.path": ({ request: { target } }) => pathOf(target),
  "http.request.uri.query": ({ request: { target } }) => {
    const at = target.indexOf("?");
    return at < 0 ? "" : utf8(target.slice(at + 1));
  },
  "http.user_agent": ({ request: { headers } }) => headerOf(headers, "user-agent"),
  "http.referer": ({ request: { headers } }) => headerOf(headers, "referer"),
  "http.cookie": ({ request: { headers } }) => headerOf(headers, "cookie"),
});

/** Fields with entries, each a text: the first one of a name, or an empty text. */
export const MAP_FIELDS: ReadonlyMap<string, EntryOf> = mapOf<EntryOf>({
  "http.request.headers": ({ request: { headers } }, key) => headerOf(headers, key.toLowerCase()),
  "http.request.cookies": ({ request: { headers } }, key) => cookieOf(headers, key),
});

/** Fields that are either so or not. */
export const SWITCH_FIELDS: ReadonlyMap<string, SwitchOf> = mapOf<SwitchOf>({
  ssl: ({ client }) => client.secure,
  "cf.client.bot": ({ isProvenCrawler }) => isProvenCrawler?.() === true,
});

/** The client's address. */
export const ADDRESS_FIELD = "ip.src";

export const FIELD_NAMES: readonly string[] = [
  ...TEXT_FIELDS.keys(),
  ...MAP_FIELDS.keys(),
  ...SWITCH_FIELDS.keys(),
  ADDRESS_FIELD,
];

/** A map, because a name in an expression may be that of any property. */
function mapOf<Value>(fields: Readonly<Record<string, Value>>): ReadonlyMap<string, Value> {
  return new Map(Object.entries(fields));
}

/** Characters that some servers read otherwise than others. */
const AMBIGUOUS = /[\\;]|\/\/|\/\.{1,2}(?:\/|$)|\.(?:\/|$)|%(?:2[ef]|5c|25|3b|[01]|7f)|%(?![\da-f]{2})|%u/i;

function pathOf(target: string): string | undefined {
  const query = target.indexOf("?");
  const path = query < 0 ? target : target.slice(0, query);
  if (AMBIGUOUS.test(path)) return undefined;
  if (!path.includes("%")) return utf8(path);
  try {
    return decodeURIComponent(utf8(path) ?? "%");
  } catch {
    // Not UTF-8: it is unknown how a server reads it.
    return undefined;
  }
}

/** Bytes that came as latin1; undefined if they are not UTF-8. */
function utf8(latin1: string): string | undefined {
  if (!/[\u0080-\u00ff]/.test(latin1)) return latin1;
  const text = Buffer.from(latin1, "latin1").toString("utf8");
  return text.includes("\ufffd") ? undefined : text;
}

function headerOf(headers: HeaderList, name: string): string | undefined {
  return utf8(fieldValue(headers, name) ?? "");
}

function cookieOf(headers: HeaderList, name: string): string | undefined {
  for (let at = 0; at < headers.length; at += 2) {
    if (!isField(headers[at] ?? "", "cookie")) continue;
    for (const pair of (headers[at + 1] ?? "").split(";")) {
      const equals = pair.indexOf("=");
      if (equals >= 0 && pair.slice(0, equals).trim() === name) return utf8(pair.slice(equals + 1).trim());
    }
  }
  return "";
}
