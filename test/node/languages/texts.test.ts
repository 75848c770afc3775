/** What holds for the file of every language, so that a correction by somebody who reads only that language is safe. */

import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { LANGUAGES, type Language, TEXTS, type Texts } from "../../../node/languages/texts.ts";
import { PLACEHOLDER } from "../../../node/languages/words.ts";

type Flat = ReadonlyMap<string, string>;

/** Each text by its place, such as `states.waiting.heading`; plural forms by theirs. */
function flat(node: object, path = ""): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [key, value] of Object.entries(node)) {
    const place = path === "" ? key : `${path}.${key}`;
    if (typeof value === "string") texts.set(place, value);
    else for (const [inner, text] of flat(value, place)) texts.set(inner, text);
  }
  return texts;
}

const textsOf = (language: Language): Flat => flat(TEXTS[language]);
const ENGLISH = textsOf("en-US");
const OTHERS = LANGUAGES.filter((language) => language !== "en-US");

const placeholders = (text: string): string[] => [...text.matchAll(PLACEHOLDER)].map(([, name = ""]) => name).sort();
const categories = (language: Language): string[] =>
  [...new Intl.PluralRules(language).resolvedOptions().pluralCategories].sort();

/** Places of the plural texts: those with an `other`. */
const PLURALS = [...ENGLISH.keys()].filter((place) => place.endsWith(".other")).map((place) => place.slice(0, -6));
const isPlural = (place: string): boolean => PLURALS.some((plural) => place.startsWith(`${plural}.`));

test("there are the 39 languages of Cloudflare's default_template_language", () => {
  expect([...LANGUAGES].sort().join(" ")).toBe(
    "ar-EG bg-BG cs-CZ da-DK de-DE el-GR en-US es-ES fa-IR fi-FI fr-FR he-IL hi-IN hr-HR hu-HU id-ID it-IT ja-JP ko-KR " +
      "lt-LT lv-LV ms-MY nb-NO nl-NL pl-PL pt-BR ro-RO ru-RU sk-SK sl-SI sr-BA sv-SE th-TH tl-PH tr-TR uk-UA vi-VN zh-CN zh-TW",
  );
});

describe.each(LANGUAGES)("the texts in %s", (language) => {
  const texts = textsOf(language);

  test("have a form for each plural category of the language, and no other", () => {
    expect(PLURALS.length).toBeGreaterThan(0);
    for (const plural of PLURALS) {
      const forms = [...texts.keys()].filter((place) => place.startsWith(`${plural}.`));
      expect(forms.map((place) => place.slice(plural.length + 1)).sort()).toEqual(categories(language));
    }
  });

  test("are plain text without markup, with one blank between words, and are not empty", () => {
    for (const [place, text] of texts) {
      expect(text.trim(), place).toBe(text);
      expect(text, place).not.toMatch(/^$|[<>]|&\w+;| {2}|\t|\n|\ufffd|[{}](?![\w{])(?<![\w]})/);
      expect(text.normalize("NFC"), place).toBe(text);
    }
  });

  test("have no straight quotes, and pairs of brackets", () => {
    for (const [place, text] of texts) {
      expect(text, place).not.toMatch(/["`]|(?<!\w)'|'(?!\w)/);
      expect([...text].filter((c) => c === "(").length, place).toBe([...text].filter((c) => c === ")").length);
    }
  });
});

describe.each(OTHERS)("the texts in %s, beside the English ones,", (language) => {
  const texts = textsOf(language);

  test("are the same ones", () => {
    const places = (all: Flat): string[] => [...all.keys()].filter((place) => !isPlural(place)).sort();
    expect(places(texts)).toEqual(places(ENGLISH));
  });

  test("have the same placeholders", () => {
    for (const [place, text] of texts) {
      if (!isPlural(place)) expect(placeholders(text), place).toEqual(placeholders(ENGLISH.get(place) ?? ""));
    }
    for (const plural of PLURALS) {
      const forms = [...texts].filter(([place]) => place.startsWith(`${plural}.`));
      const allowed = placeholders(ENGLISH.get(`${plural}.other`) ?? "");
      for (const [place, text] of forms) {
        // A form that stands for one number only may say it in a word: "about a minute".
        const [, category = ""] = /\.(\w+)$/.exec(place) ?? [];
        const named = placeholders(text);
        expect(
          named.every((name) => allowed.includes(name)),
          place,
        ).toBe(true);
        if (standsForMany(language, category)) expect(named, place).toEqual(allowed);
      }
    }
  });

  test("end in punctuation where the English ones do", () => {
    for (const [place, text] of texts) {
      const english = ENGLISH.get(place);
      // Thai has no full stop; the times of a sentence may stand alone at its end.
      if (english === undefined || language === "th-TH" || english.endsWith("}.")) continue;
      expect(/[.!?。।]$/.test(text), `${place}: ${text}`).toBe(/[.!?]$/.test(english));
    }
  });

  test("are not left in English", () => {
    const words = (text: string): string[] =>
      text
        .replace(PLACEHOLDER, " ")
        .toLowerCase()
        .match(/\p{L}{2,}/gu) ?? [];
    for (const [place, text] of texts) {
      const english = ENGLISH.get(place) ?? "";
      if (words(english).length === 0 || KEPT.has(text)) continue;
      expect(text, place).not.toBe(english);
      expect(
        words(text).filter((word) => TELLTALE.has(word)),
        place,
      ).toEqual([]);
    }
  });
});

/** Texts that read the same in another language. */
const KEPT = new Set(["Error {status}", "Error {status}, request {request}", "Request {request}"]);

/** Frequent English words that are words in none of the other languages. */
const TELLTALE = new Set(["the", "your", "you", "this", "with", "will", "are", "not", "again", "when", "line"]);

/** Whether a plural category has more than one whole number, up to the minutes of a day. */
function standsForMany(language: Language, category: string): boolean {
  const rules = new Intl.PluralRules(language);
  let found = 0;
  for (let count = 1; count <= 1_440; count += 1) if (rules.select(count) === category) found += 1;
  return found > 1;
}

test("French has blanks before colons and semicolons that no line breaks at", () => {
  for (const [place, text] of textsOf("fr-FR")) expect(text, place).not.toMatch(/(?<![\u00a0\u202f])[:;!?]/);
});

test("a file is part of the type: a text that is missing does not compile", () => {
  const texts: Texts = TEXTS["de-DE"];
  expect(Object.keys(texts)).toEqual(Object.keys(TEXTS["en-US"]));
});

/**
 * Of the English texts that the others were last compared with. A text that is changed in English only says something
 * else in 38 languages: change it there too, and then this.
 */
const COMPARED = "faad0e643740752a";

test("the English texts are those that all others were compared with", () => {
  const digest = createHash("sha256")
    .update(JSON.stringify([...ENGLISH]))
    .digest("hex");
  expect(digest.slice(0, COMPARED.length)).toBe(COMPARED);
});
