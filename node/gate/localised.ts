/**
 * The gate's own pages in one language: the texts that they name, put into their HTML.
 *
 * A page names a text by its place in the language's file, `{{text.line.place}}`. This happens once for each page and
 * language; what differs from visitor to visitor is left to `slot-template.ts`.
 */

import { type Language, TEXTS, type Texts } from "../languages/texts.ts";
import { PLACEHOLDER, wordsOf } from "../languages/words.ts";
import { escapeHtml } from "./slot-template.ts";

const TEXT = /\{\{text\.([\w.]+)\}\}/g;

/** Dashes, quotes and spaces above latin1: one of them would make an otherwise narrow page twice as wide in memory. */
const PUNCTUATION = /[\u2000-\u206f]/g;

const UNSAFE = /[&<>"'\u2000-\u206f]/;

export interface Localisation {
  readonly language: Language;
  /** What stands for the placeholders of texts in the page: elements, or slots for the values of a visitor. */
  readonly markup?: Readonly<Record<string, string>>;
  /** The texts of the page's script. */
  readonly scriptTexts: object;
}

/** `html` in one language. Throws for a text or placeholder that does not exist. */
export function localised(html: string, { language, markup = {}, scriptTexts }: Localisation): string {
  return html
    .replace('<html lang="en">', `<html lang="${language}" dir="${wordsOf(language).direction}">`)
    .replace('"{{texts}}"', () => asScriptData(scriptTexts))
    .replace(TEXT, (_, path: string) => withMarkup(asHtml(textAt(TEXTS[language], path)), path, markup));
}

/** `text` as HTML text or as a quoted attribute value. */
export function asHtml(text: string): string {
  // Digits and most words need nothing.
  if (!UNSAFE.test(text)) return text;
  return escapeHtml(text).replace(PUNCTUATION, (character) => `&#${character.charCodeAt(0)};`);
}

/** `value` as JSON inside a script element: nothing in it ends the element. */
function asScriptData(value: unknown): string {
  const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value).replace(PUNCTUATION, escaped).replace(/</g, escaped);
}

function withMarkup(text: string, path: string, markup: Readonly<Record<string, string>>): string {
  return text.replace(PLACEHOLDER, (_, name: string) => {
    const value = markup[name];
    if (value === undefined) throw new Error(`Cannot put ${path} into a page as nothing stands for its {${name}}`);
    return value;
  });
}

function textAt(texts: Texts, path: string): string {
  const found = path
    .split(".")
    .reduce<unknown>(
      (place, key) => (typeof place === "object" && place !== null ? Reflect.get(place, key) : null),
      texts,
    );
  if (typeof found !== "string") throw new Error(`Cannot make a page as its texts must exist: ${path} does not`);
  return found;
}
