/**
 * Texts of the waiting page that a room may have of its own, by their places in the files of the languages, such as
 * `states.waiting.heading`. Texts with plural forms stay ours: each language has other forms.
 */

import { DEFAULT_LANGUAGE, type Language, TEXTS, type Texts } from "./texts.ts";
import { PLACEHOLDER } from "./words.ts";

/** Texts of a room in one language. */
export type OwnTexts = Readonly<Record<string, string>>;

/** Why a room cannot have `text` at `place`; undefined if it can. */
export function ownTextProblem(place: string, text: string): string | undefined {
  const ours = OURS.get(place);
  if (ours === undefined) return "is no text of the waiting page";
  const missing = placeholders(ours).find((name) => !placeholders(text).includes(name));
  if (missing !== undefined) return `lacks ${missing}`;
  const unknown = placeholders(text).find((name) => !placeholders(ours).includes(name));
  return unknown === undefined ? undefined : `has ${unknown}, which nothing stands for`;
}

/** The texts of `language`, with a room's own in place of ours. */
export function textsWith(language: Language, own: OwnTexts): Texts {
  const texts: unknown = structuredClone(TEXTS[language]);
  for (const [place, text] of Object.entries(own)) {
    const keys = place.split(".");
    const last = keys.pop() ?? "";
    const group = keys.reduce((node, key) => (isGroup(node) ? Reflect.get(node, key) : undefined), texts);
    if (OURS.has(place) && isGroup(group)) Reflect.set(group, last, text);
  }
  return texts as Texts;
}

/** All such texts in English. */
const OURS = leaves(TEXTS[DEFAULT_LANGUAGE]);

export const OWN_PLACES: readonly string[] = [...OURS.keys()];

function leaves({ states, line, page }: Texts): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const visit = (node: object, path: string): void => {
    for (const [key, value] of Object.entries(node)) {
      if (typeof value === "string") found.set(path + key, value);
      else visit(value, `${path}${key}.`);
    }
  };
  visit({ states, line, page }, "");
  return found;
}

function placeholders(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].map(([whole]) => whole);
}

function isGroup(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
