/**
 * Forward authentication: a proxy in front asks at `/.anteroom/auth/DIALECT` whether a request may pass, and sends it
 * to the origin itself.
 *
 * The question becomes an exchange of its own, with the original request in it, on which the gate decides as on any
 * other. Each dialect says in one field which request it is about: a field of another dialect may be a
 * visitor's. The proxy sends what is refused (401) to the gate as it is, so the gate lets through whom it knows to be
 * inside, and changes nothing for others.
 */

import { withoutOurCookies } from "../cookie/cookie-header.ts";
import { isField, isToken, NO_STORE } from "../http/fields.ts";
import type { Exchange, ProxyQuestion, RequestHead, Trail } from "../http/message.ts";
import { isOffered } from "../http/request-head.ts";
import { areChanged } from "./origin-headers.ts";
import { VISITOR_FIELD } from "./visitor-header.ts";

const FOLDER = "/.anteroom/auth";

/** What a proxy asks about. */
interface Dialect {
  /** The field with the target, and the one with the method. */
  readonly target: string;
  readonly method: string;
}

const DIALECTS: ReadonlyMap<string, Dialect> = new Map([
  ["nginx", { target: "x-original-uri", method: "x-original-method" }],
  ["caddy", { target: "x-forwarded-uri", method: "x-forwarded-method" }],
]);

/** Fields that say what a question is about: they are no part of the original request. */
const ABOUT = /^x-(?:original|forwarded)-(?:uri|url|method|host)$|^host$/i;

const TARGET = /^\/[\x21\x22\x24-\x7e\x80-\xff]*$/;

/** `Set-Cookie` values of one answer: of the session or place, of a pass, of the lane. */
const COOKIES_MAX = 3;

/** Whether a request asks at one of these addresses. */
export function isAuthTarget(target: string): boolean {
  return target.startsWith(FOLDER);
}

/** The original request as an exchange, which answers the question; undefined once the question is answered. */
export function questionOf(exchange: Exchange, isTrusted: boolean): Exchange | undefined {
  const { target } = exchange.request;
  // Caddy adds the query of the original request.
  const [, name = ""] = /^\/\.anteroom\/auth\/(\w+)(?:\?.*)?$/s.exec(target) ?? [];
  const dialect = DIALECTS.get(name);
  if (exchange.question !== undefined || !isTrusted || dialect === undefined) {
    exchange.answer(404, NO_STORE, "");
    return undefined;
  }
  const original = originalOf(exchange.request, dialect);
  if (original !== undefined) {
    if (isOffered(original.method) && !areChanged(original.headers)) return new Question(exchange, original);
    // The gate refuses it, or cleans it.
    exchange.answer(401, NO_STORE, "");
    return undefined;
  }
  const wanted = `${dialect.target} and ${dialect.method}`;
  exchange.answer(400, NO_STORE, `Cannot tell which request is asked about: send each of ${wanted} exactly once\n`);
  return undefined;
}

function originalOf({ headers, ...own }: RequestHead, dialect: Dialect): RequestHead | undefined {
  const one = (name: string): string | undefined => {
    const values = headers.filter((_, at) => at % 2 === 1 && isField(headers[at - 1] ?? "", name));
    return values.length === 1 ? values[0] : undefined;
  };
  const [target, method] = [one(dialect.target), one(dialect.method)];
  if (target === undefined || method === undefined || !isToken(method) || !TARGET.test(target)) return undefined;
  const kept = headers.filter((_, at) => !ABOUT.test(headers[at - (at % 2)] ?? ""));
  return { ...own, method, target, headers: ["Host", own.authority, ...kept] };
}

/** The exchange of a question. */
class Question implements Exchange {
  readonly request: RequestHead;
  readonly question: ProxyQuestion;
  readonly hasBody = false;
  readonly webSocket = false;
  readonly trail?: Trail;
  readonly #asked: Exchange;

  constructor(asked: Exchange, request: RequestHead) {
    this.#asked = asked;
    this.request = request;
    if (asked.trail !== undefined) this.trail = asked.trail;
    this.question = { allow: (cookies) => this.#allow(cookies) };
  }

  get id(): string {
    return this.#asked.id;
  }

  get remoteAddress(): string {
    return this.#asked.remoteAddress;
  }

  get secure(): boolean {
    return this.#asked.secure;
  }

  get gone(): boolean {
    return this.#asked.gone;
  }

  get visitor(): string | undefined {
    return this.#asked.visitor;
  }

  set visitor(visitor: string | undefined) {
    this.#asked.visitor = visitor;
  }

  nameHost(): void {
    throw new Error("Cannot name the host of a question as its proxy has said it");
  }

  answer(): void {
    this.#asked.answer(401, NO_STORE, "");
  }

  forward(): void {
    throw new Error("Cannot forward a question as its proxy sends the request itself");
  }

  /** The proxy has the body. */
  collect(_bytesMax: number, then: (body: string | undefined) => void): void {
    then(undefined);
  }

  /**
   * The request may pass: with the cookies for the visitor, and with the `Cookie` field for the origin. Not every proxy
   * reads several fields of one name, so each `Set-Cookie` has a number as well. The origin's field is there also where
   * it has no value: some proxies keep a visitor's own otherwise.
   */
  #allow(cookies: readonly string[]): void {
    const numbered = cookies.slice(0, COOKIES_MAX).flatMap((value, at) => [`Anteroom-Set-Cookie-${at + 1}`, value]);
    const set = cookies.flatMap((value) => ["Set-Cookie", value]);
    const origin = ["Cookie", cookiesFor(this.request), VISITOR_FIELD, ""];
    this.#asked.answer(200, [...NO_STORE, ...set, ...numbered, ...origin], "");
  }
}

/** The cookies that the origin gets. */
function cookiesFor({ headers }: RequestHead): string {
  const kept = withoutOurCookies(headers);
  return kept.filter((_, at) => at % 2 === 1 && isField(kept[at - 1] ?? "", "cookie")).join("; ");
}
