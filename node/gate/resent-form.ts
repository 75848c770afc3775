/**
 * A form of another site that a page of the gate sends again, because the first time its browser left out our cookie.
 *
 * For the origin it must stay what it was. Sent from the same site it would carry the site's own cookies as well, also
 * those that are never to go with another site's form: any page on the web could act for its visitors. So the address
 * that it is sent to says how the form first came (in our mark, `marked-target.ts`), and the origin gets no cookie that
 * was not there then, and the same `Origin`.
 */

import { isField } from "../http/fields.ts";
import type { Exchange, HeaderList } from "../http/message.ts";
import { perLanguage } from "../languages/words.ts";
import { type BrandSlot, brandOf, brandSlots } from "./brand.ts";
import type { ErrorRoom } from "./error-page.ts";
import html from "./form-page.html" with { type: "text" };
import { markedTarget, saidWith } from "./marked-target.ts";
import { framedPageHeaders, inlineOnlyPolicy, pageSource } from "./own-page.ts";
import { pageLanguage } from "./page-language.ts";
import { forReaders } from "./readers.ts";
import { escapeHtml, localised, slotTemplate } from "./slot-template.ts";

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

/**
 * The page that sends a form of another site again, from the site itself, so that our cookie goes with it.
 *
 * It does so by itself, or by its button without JavaScript. Another site may show it in a frame: what it sends is no
 * more than that site could send itself. Its policy does not limit where the form leads, as browsers
 * apply that to the redirects of the origin as well.
 */
const source = pageSource(String(html));
const policyFor = inlineOnlyPolicy(source, "");

const fillIn = perLanguage((language) =>
  slotTemplate<BrandSlot | "action" | "charset" | "fields">(localised(source, { language, scriptTexts: {} })),
);

/** Answers with a page that sends `form` again. */
export function answerForm(exchange: Exchange, { charset, fields }: SentForm, room: ErrorRoom): void {
  const { target, headers, host } = exchange.request;
  const language = pageLanguage(headers, room.defaultTemplateLanguage);
  const body = fillIn(language)({
    ...brandSlots(room.page, host, language),
    action: escapeHtml(resentTarget(target, headers)),
    charset,
    fields: fields.map(hiddenField).join("\n"),
  });
  const all = [...framedPageHeaders(policyFor(brandOf(room.page))), "Content-Language", language];
  exchange.answer(200, forReaders(exchange.request, all), body);
}

function hiddenField([name, value]: readonly [string, string]): string {
  return `<input type="hidden" name="${inAttribute(name)}" value="${inAttribute(value)}">`;
}

/** A reader of HTML would make one line end of CR LF. */
function inAttribute(text: string): string {
  return escapeHtml(text).replaceAll("\r", "&#13;").replaceAll("\n", "&#10;");
}

/** Doubled, a page of as many fields costs twice as much to make; halved, a large payment form no longer fits. */
const FIELDS_MAX = 500;

export interface SentForm {
  readonly charset: "utf-8" | "windows-1252";
  readonly fields: readonly (readonly [name: string, value: string])[];
}

/**
 * The fields of `body`, which is latin1 text, as its browser sent them
 * (https://url.spec.whatwg.org/#application/x-www-form-urlencoded); undefined if a page could not send the same ones.
 *
 * A page repeats a form exactly only in the form's own encoding. UTF-8 is nearly always right; what is no UTF-8 is read
 * as windows-1252, which has a character for every byte.
 */
export function formOf(body: string): SentForm | undefined {
  const pairs = body === "" ? [] : body.split("&");
  if (pairs.length > FIELDS_MAX) return undefined;
  const read = pairs.map((pair) => {
    const equals = pair.indexOf("=");
    return equals < 0 ? [pair, ""] : [pair.slice(0, equals), pair.slice(equals + 1)];
  });
  for (const charset of ["utf-8", "windows-1252"] as const) {
    const decoder = new TextDecoder(charset, { fatal: true, ignoreBOM: true });
    try {
      const fields = read.map(([name = "", value = ""]) => [decoded(name, decoder), decoded(value, decoder)] as const);
      return fields.every(isRepeatable) ? { charset, fields } : undefined;
    } catch {
      // Not in this encoding.
    }
  }
  return undefined;
}

function decoded(text: string, decoder: TextDecoder): string {
  const bytes = text.replaceAll("+", " ").replace(/%([0-9a-f]{2})/gi, (_, hex: string) => latin1(hex));
  return decoder.decode(Uint8Array.from(bytes, (character) => character.charCodeAt(0)));
}

function latin1(hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}

/**
 * Whether a browser sends the field from a page as it is: it writes every line end as CR LF, has no null character, and
 * fills in a field called `_charset_` by itself.
 */
function isRepeatable([name, value]: readonly [string, string]): boolean {
  return name.toLowerCase() !== "_charset_" && [name, value].every((text) => !/\0|\r(?!\n)|(?<!\r)\n/.test(text));
}
