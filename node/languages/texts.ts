/**
 * All texts that a visitor may read, one file for each language.
 *
 * English is the source: its keys are the type that every other file must have, so a missing text does not compile. A
 * text has placeholders such as `{place}`; where a text depends on a number, it has a form for each plural category of
 * the language (https://cldr.unicode.org/index/cldr-spec/plural-rules). Texts are plain text: whoever puts one into
 * HTML escapes it.
 */

import english from "./en-US.json" with { type: "json" };

/** Plural forms; `other` is there in every language. */
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string };

type Translated<Source> = {
  readonly [Key in keyof Source]: Source[Key] extends string
    ? string
    : Source[Key] extends { other: string }
      ? Plural
      : Translated<Source[Key]>;
};

export type Texts = Translated<typeof english>;

export const TEXTS = { "en-US": english } as const satisfies Record<string, Texts>;

export type Language = keyof typeof TEXTS;

/** The language of visitors who ask for none that we have, if the room names no other. */
export const DEFAULT_LANGUAGE: Language = "en-US";
