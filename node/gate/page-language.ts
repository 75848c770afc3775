/**
 * The language of an answer: the first that the visitor's `Accept-Language` asks for and that we have (RFC 9110
 * §12.5.4, lookup in RFC 4647 §3.4).
 *
 * A visitor who reads one kind of a language gets the one that we have of it: `de-AT` the page in `de-DE`, `pt-PT` the
 * one in `pt-BR`. Only Chinese is there in two scripts. The answers are never stored, so they have no `Vary`.
 */

import Negotiator from "negotiator";
import { isField } from "../http/fields.ts";
import type { HeaderList } from "../http/message.ts";
import { LANGUAGES, type Language } from "../languages/texts.ts";
import { Recent } from "../recent.ts";
import { languageIn } from "./marked-target.ts";

/**
 * Characters of the field that are read: browsers send less than 200. What follows is ignored, so that 8 kB of
 * languages cost less than 0.1 ms. Doubled, they cost twice that.
 */
const LENGTH_MAX = 500;

/**
 * The language of the answer to a request with these fields: the one that was chosen on our page, which `target` names;
 * `fallback` if it asks for none that we have.
 */
export function pageLanguage(headers: HeaderList, fallback: Language, target = ""): Language {
  const chosen = languageIn(target);
  const known = chosen === "" ? undefined : LANGUAGES.find((language) => language === chosen);
  if (known !== undefined) return known;
  const asked = askedFor(headers);
  return (asked === "" ? undefined : readLanguage(asked)) ?? fallback;
}

/** Fields remembered with what they ask for: browsers of one country send a few dozen different ones. */
const READ_MAX = 512;

const read = new Recent<string, { readonly language: Language | undefined }>({
  max: READ_MAX,
  forMs: Number.POSITIVE_INFINITY,
});

/** What a field asks for first, of what we have; undefined for nothing. */
function readLanguage(asked: string): Language | undefined {
  const known = read.use(asked, 0);
  if (known !== undefined) return known.language;
  const language = firstOfOurs(asked);
  // Under a copy: the field is a part of the request's head, which would stay in memory with it.
  read.set(Buffer.from(asked, "latin1").toString("latin1"), { language }, 0);
  return language;
}

function firstOfOurs(asked: string): Language | undefined {
  for (const range of new Negotiator({ headers: { "accept-language": asked } }).languages()) {
    if (range === "*") return undefined;
    const found = languageOf(range.toLowerCase());
    if (found !== undefined) return found;
  }
  return undefined;
}

/** All `Accept-Language` fields as one, cut before the first range that does not fit. */
function askedFor(headers: HeaderList): string {
  let asked = "";
  for (let at = 0; at < headers.length; at += 2) {
    if (!isField(headers[at] ?? "", "accept-language")) continue;
    asked = asked === "" ? (headers[at + 1] ?? "") : `${asked},${headers[at + 1]}`;
    if (asked.length > LENGTH_MAX) return asked.slice(0, Math.max(0, asked.lastIndexOf(",", LENGTH_MAX)));
  }
  return asked;
}

/** Our languages by their first subtag; `zh` is the one in simplified characters. */
const BY_SUBTAG = new Map<string, Language>(
  [...LANGUAGES].reverse().map((tag) => [tag.slice(0, tag.indexOf("-")), tag]),
);

/**
 * Codes of the same language, and of languages whose readers read ours as theirs: those that the Unicode CLDR puts next
 * to each other (https://unicode.org/reports/tr35/#LanguageMatching).
 */
const READ_AS: Readonly<Record<string, string>> = {
  no: "nb",
  nn: "nb",
  fil: "tl",
  iw: "he",
  in: "id",
  mo: "ro",
  prs: "fa",
  pes: "fa",
  arb: "ar",
  arz: "ar",
  cmn: "zh",
  zsm: "ms",
  lvs: "lv",
  gsw: "de",
  lb: "de",
  bs: "hr",
  sh: "sr",
  cnr: "sr",
};

/** Subtags of Chinese in traditional characters: the script, where it is usual, and Cantonese. */
const TRADITIONAL = new Set(["hant", "tw", "hk", "mo", "yue"]);

function languageOf(range: string): Language | undefined {
  const subtags = range.split("-");
  const [first = ""] = subtags;
  const own = READ_AS[first] ?? first;
  if (own !== "zh" && own !== "yue") return BY_SUBTAG.get(own);
  const isTraditional = !subtags.includes("hans") && subtags.some((subtag) => TRADITIONAL.has(subtag));
  return isTraditional ? "zh-TW" : "zh-CN";
}
