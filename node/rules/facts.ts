/**
 * What an expression can ask of a request: names as in Cloudflare's rules language, and how each value is read.
 *
 * The path is decoded. One that servers may read in different ways (dot segments, `//`, `;`, `\`, an encoded slash, dot
 * or percent sign, bytes that are no UTF-8) has no value: a request with it never bypasses a room by its path. Nor has
 * what is compared as it was sent, where it encodes what nobody needs to encode.
 *
 * Some servers take a path for another one: with other capitals, with a slash at its end or without it, with blanks or
 * invisible characters. `readingsOf` gives the path as the loosest servers read it. A comparison of a path is made with
 * these readings, too.
 */

import type { Client } from "../http/client.ts";
import { fieldValue, isField } from "../http/fields.ts";
import type { HeaderList, RequestHead } from "../http/message.ts";
import type { Lookups } from "./lookups.ts";

/** A request, as rules see it. */
export interface RuleRequest {
  readonly request: Pick<RequestHead, "method" | "target" | "host" | "headers">;
  readonly client: Pick<Client, "address" | "secure">;
  /** Whose crawler it certainly comes from, as far as is known now; absent where nobody finds out. */
  readonly crawler?: () => string | undefined;
  /** What an operator's files say; absent where there are none. */
  readonly lookups?: () => Pick<Lookups, "addresses">;
}

/** A request with what rules have asked of it: each text is read once, however many ask for it. */
export class Facts implements RuleRequest {
  readonly request: RuleRequest["request"];
  readonly client: RuleRequest["client"];
  readonly crawler?: () => string | undefined;
  readonly lookups?: () => Pick<Lookups, "addresses">;
  readonly #texts = new Map<string, string | undefined>();
  readonly #readings = new Map<string, readonly string[]>();
  #cookies: ReadonlyMap<string, string> | undefined;

  constructor({ request, client, crawler, lookups }: RuleRequest) {
    this.request = request;
    this.client = client;
    if (crawler !== undefined) this.crawler = crawler;
    if (lookups !== undefined) this.lookups = lookups;
  }

  /** What `written` stands for, by its first reading. */
  text(written: string, read: TextOf): string | undefined {
    return this.#texts.getOrInsertComputed(written, () => read(this));
  }

  readings(path: string): readonly string[] {
    return this.#readings.getOrInsertComputed(path, readingsOf);
  }

  get cookies(): ReadonlyMap<string, string> {
    this.#cookies ??= cookiesIn(this.request.headers);
    return this.#cookies;
  }
}

/** Undefined where the value is unknown. */
export type TextOf = (from: Facts) => string | undefined;
type EntryOf = (from: Facts, key: string) => string | undefined;
type SwitchOf = (from: Facts) => boolean;

/** Fields that hold a text. */
export const TEXT_FIELDS: ReadonlyMap<string, TextOf> = mapOf<TextOf>({
  "http.host": ({ request }) => request.host,
  "http.request.method": ({ request }) => request.method,
  "http.request.uri": ({ request: { target } }) => (pathOf(target) === undefined ? undefined : asSent(target)),
  "http.request.full_uri": ({ request: { target, host }, client: { secure } }) => {
    const uri = pathOf(target) === undefined ? undefined : asSent(target);
    return uri && `${secure ? "https" : "http"}://${host}${uri}`;
  },
  "http.request.uri.path": ({ request: { target } }) => pathOf(target),
  "http.request.uri.path.extension": ({ request: { target } }) => extensionOf(pathOf(target)),
  "http.request.uri.query": ({ request: { target } }) => {
    const at = target.indexOf("?");
    return at < 0 ? "" : asSent(target.slice(at + 1));
  },
  "http.user_agent": ({ request: { headers } }) => headerOf(headers, "user-agent"),
  "http.referer": ({ request: { headers } }) => headerOf(headers, "referer"),
  "http.cookie": ({ request: { headers } }) => headerOf(headers, "cookie"),
  "anteroom.bot": ({ crawler }) => crawler?.() ?? "",
  "ip.src.country": ({ client, lookups }) => lookups?.().addresses.country?.(client.address),
});

/** Fields that hold a number, in decimal. */
export const NUMBER_FIELDS: ReadonlyMap<string, TextOf> = mapOf<TextOf>({
  "ip.src.asnum": ({ client, lookups }) => lookups?.().addresses.network?.(client.address),
});

/** Fields with entries, each a text: the first one of a name, or an empty text. */
export const MAP_FIELDS: ReadonlyMap<string, EntryOf> = mapOf<EntryOf>({
  "http.request.headers": ({ request: { headers } }, key) => headerOf(headers, key.toLowerCase()),
  "http.request.uri.args": ({ request: { target } }, key) => argumentOf(target, key),
  "http.request.cookies": ({ cookies }, key) => utf8(cookies.get(key) ?? ""),
});

/** Text fields that hold a path, maybe with a query. */
export const PATH_FIELDS: readonly string[] = ["http.request.uri", "http.request.full_uri", "http.request.uri.path"];

/** Fields that are either so or not. */
export const SWITCH_FIELDS: ReadonlyMap<string, SwitchOf> = mapOf<SwitchOf>({
  ssl: ({ client }) => client.secure,
  "cf.client.bot": ({ crawler }) => crawler?.() !== undefined,
});

/** The client's address. */
export const ADDRESS_FIELD = "ip.src";

export const FIELD_NAMES: readonly string[] = [
  ...TEXT_FIELDS.keys(),
  ...MAP_FIELDS.keys(),
  ...SWITCH_FIELDS.keys(),
  ...NUMBER_FIELDS.keys(),
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

/** Of the last part of a path, in lower case; empty without one, and unknown where a loose server reads another one. */
function extensionOf(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  const [strict, loose] = [path.toLowerCase(), ...readingsOf(path)].map((each) => /\.([^./]*)$/.exec(each)?.[1] ?? "");
  return strict === loose ? strict : undefined;
}

/** The argument of a query as it was sent; unknown where programs may find another one of that name. */
function argumentOf(target: string, name: string): string | undefined {
  const at = target.indexOf("?");
  const pairs = at < 0 ? [] : target.slice(at + 1).split("&");
  const found = pairs.filter((pair) => pair === name || pair.startsWith(`${name}=`));
  const isClear = pairs.every((pair) => !/^[^=]*[%+[]|;/.test(pair));
  const [first = ""] = found;
  return isClear && found.length < 2 ? asSent(first.slice(name.length + 1)) : undefined;
}

/** Letters, digits and marks that need no encoding (RFC 3986, section 2.3). */
const NEEDLESS = /%(?:2d|2e|3\d|4[1-9a-f]|5[\daf]|6[1-9a-f]|7[\dae])/i;

function asSent(latin1: string): string | undefined {
  return NEEDLESS.test(latin1) ? undefined : utf8(latin1);
}

const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/** A path, or a part of one, as loose servers read it: capitals, blanks and invisible characters make no difference. */
export function looseText(text: string): string {
  return looseSegments(text).join("/");
}

function looseSegments(text: string): string[] {
  const visible = text.normalize("NFKC").toUpperCase().toLowerCase().replaceAll(INVISIBLE, "");
  return visible.split("/").map((segment) => segment.trimEnd());
}

/** The loose texts of a path, with a query or without: with and without a slash at the end of the path. */
function readingsOf(path: string): readonly string[] {
  const at = path.indexOf("?");
  const query = at < 0 ? "" : path.slice(at).toLowerCase();
  const segments = looseSegments(at < 0 ? path : path.slice(0, at));
  while (segments.at(-1) === "") segments.pop();
  const bare = segments.join("/");
  return [bare + query, `${bare}/${query}`];
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

/** The first value of each name. */
function cookiesIn(headers: HeaderList): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>();
  for (let at = 0; at < headers.length; at += 2) {
    if (!isField(headers[at] ?? "", "cookie")) continue;
    for (const pair of (headers[at + 1] ?? "").split(";")) {
      const equals = pair.indexOf("=");
      const name = pair.slice(0, equals).trim();
      if (equals >= 0 && !cookies.has(name)) cookies.set(name, pair.slice(equals + 1).trim());
    }
  }
  return cookies;
}
