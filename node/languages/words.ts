/**
 * Texts of one language with their numbers, times and plurals, by `Intl`.
 *
 * Formatters are slow to make and fast to use, so each language's are made once, when a visitor first needs them.
 */

import { type Language, type Plural, TEXTS, type Texts } from "./texts.ts";

export interface Words {
  readonly texts: Texts;
  /** Which way the language is written. */
  readonly direction: "ltr" | "rtl";
  /** What its readers call the language. */
  readonly name: string;
  /** 12345 as "12,345". */
  number(count: number): string;
  /** 5 as "05", for a part of a time. */
  twoDigits(count: number): string;
  /** The time of day where most who read the language live, and which time that is. */
  clockTime(ms: number): string;
  /** The form for `count`, with `{count}` and `values` filled in. */
  plural(forms: Plural, count: number, values?: Readonly<Record<string, string>>): string;
  /** The same to the minute. */
  timeOfDay(ms: number): string;
  /** The same without the zone, for the first of two times. */
  shortTime(ms: number): string;
  /** A span: "5 minutes". */
  minutes(count: number): string;
  /** How soon: "in 20 seconds", from a minute on in whole minutes. */
  after(seconds: number): string;
}

/** Makes something for each language once, when it is first asked for. */
export function perLanguage<Made>(make: (language: Language) => Made): (language: Language) => Made {
  const made = new Map<Language, Made>();
  return (language) => made.getOrInsertComputed(language, make);
}

export const wordsOf = perLanguage(makeWords);

/** Texts remembered of each kind: many visitors are told of the same second, or place. */
const REMEMBERED_MAX = 256;

/** `make`, once for all calls whose value has the same `key`. */
function remembered(make: (value: number) => string, key = (value: number): number => value): typeof make {
  const made = new Map<number, string>();
  return (value) => {
    if (made.size >= REMEMBERED_MAX) made.clear();
    return made.getOrInsertComputed(key(value), () => make(value));
  };
}

/** Above the number of our texts in all languages; rooms have their own besides, which change. */
const SPLIT_MAX = 8_192;

/** Texts that were shown, split at their placeholders: every second part is the name of one. */
const splitTexts = new Map<string, readonly string[]>();

/** `text`, one of our files or of a room, with its placeholders filled in. */
export function filled(text: string, values: Readonly<Record<string, string | number>>): string {
  if (splitTexts.size >= SPLIT_MAX) splitTexts.clear();
  const parts = splitTexts.getOrInsertComputed(text, (whole) => whole.split(PLACEHOLDER));
  let out = parts[0] ?? "";
  for (let at = 1; at < parts.length; at += 2) {
    const name = parts[at] ?? "";
    out += `${values[name] ?? `{${name}}`}${parts[at + 1]}`;
  }
  return out;
}

/** A place in a text where a value goes. */
export const PLACEHOLDER = /\{(\w+)\}/g;

/** Languages that `Intl` knows by another name. */
const LOCALES: Readonly<Partial<Record<Language, string>>> = { "tl-PH": "fil-PH" };

/**
 * Where most readers of a language live. A page without JavaScript does not know where its visitor is: it says the zone
 * with each time. Readers of English live everywhere, so they get UTC.
 */
const ZONES: Readonly<Record<Language, string>> = {
  "ar-EG": "Africa/Cairo",
  "bg-BG": "Europe/Sofia",
  "cs-CZ": "Europe/Prague",
  "da-DK": "Europe/Copenhagen",
  "de-DE": "Europe/Berlin",
  "el-GR": "Europe/Athens",
  "en-US": "UTC",
  "es-ES": "Europe/Madrid",
  "fa-IR": "Asia/Tehran",
  "fi-FI": "Europe/Helsinki",
  "fr-FR": "Europe/Paris",
  "he-IL": "Asia/Jerusalem",
  "hi-IN": "Asia/Kolkata",
  "hr-HR": "Europe/Zagreb",
  "hu-HU": "Europe/Budapest",
  "id-ID": "Asia/Jakarta",
  "it-IT": "Europe/Rome",
  "ja-JP": "Asia/Tokyo",
  "ko-KR": "Asia/Seoul",
  "lt-LT": "Europe/Vilnius",
  "lv-LV": "Europe/Riga",
  "ms-MY": "Asia/Kuala_Lumpur",
  "nb-NO": "Europe/Oslo",
  "nl-NL": "Europe/Amsterdam",
  "pl-PL": "Europe/Warsaw",
  "pt-BR": "America/Sao_Paulo",
  "ro-RO": "Europe/Bucharest",
  "ru-RU": "Europe/Moscow",
  "sk-SK": "Europe/Bratislava",
  "sl-SI": "Europe/Ljubljana",
  "sr-BA": "Europe/Sarajevo",
  "sv-SE": "Europe/Stockholm",
  "th-TH": "Asia/Bangkok",
  "tl-PH": "Asia/Manila",
  "tr-TR": "Europe/Istanbul",
  "uk-UA": "Europe/Kyiv",
  "vi-VN": "Asia/Ho_Chi_Minh",
  "zh-CN": "Asia/Shanghai",
  "zh-TW": "Asia/Taipei",
};

const RIGHT_TO_LEFT: ReadonlySet<Language> = new Set(["ar-EG", "fa-IR", "he-IL"]);

function makeWords(language: Language): Words {
  const texts: Texts = TEXTS[language];
  const locale = LOCALES[language] ?? language;
  const timeZone = ZONES[language];
  const numbers = new Intl.NumberFormat(locale);
  const padded = new Intl.NumberFormat(locale, { minimumIntegerDigits: 2 });
  const times = new Intl.DateTimeFormat(locale, { ...CLOCK, timeZone, timeZoneName: "short" });
  const plurals = new Intl.PluralRules(locale);
  const relative = new Intl.RelativeTimeFormat(locale);
  const timesOfDay = new Intl.DateTimeFormat(locale, { ...TIME_OF_DAY, timeZone, timeZoneName: "short" });
  const shortTimes = new Intl.DateTimeFormat(locale, { ...TIME_OF_DAY, timeZone });
  const spans = new Intl.NumberFormat(locale, { style: "unit", unit: "minute", unitDisplay: "long" });
  const number = remembered((count) => numbers.format(count));
  return {
    texts,
    name: nameOf(locale),
    direction: RIGHT_TO_LEFT.has(language) ? "rtl" : "ltr",
    number,
    twoDigits: (count) => padded.format(count),
    clockTime: remembered(
      (ms) => times.format(ms),
      (ms) => Math.floor(ms / 1_000),
    ),
    plural: (forms, count, values = {}) =>
      filled(forms[plurals.select(count)] ?? forms.other, { count: number(count), ...values }),
    timeOfDay: remembered((ms) => timesOfDay.format(ms)),
    shortTime: remembered((ms) => shortTimes.format(ms)),
    minutes: remembered((count) => spans.format(count)),
    after: (seconds) =>
      seconds < 60 ? relative.format(seconds, "second") : relative.format(Math.ceil(seconds / 60), "minute"),
  };
}

/** Of Chinese, by its script; with a capital, as it stands alone. */
function nameOf(locale: string): string {
  const { language, script } = new Intl.Locale(locale).maximize();
  const name =
    new Intl.DisplayNames(locale, { type: "language" }).of(language === "zh" ? `zh-${script}` : language) ?? "";
  return name.replace(/^./u, (first) => first.toLocaleUpperCase(locale));
}

const TIME_OF_DAY = { hour: "numeric", minute: "2-digit" } as const;
const CLOCK = { ...TIME_OF_DAY, second: "2-digit" } as const;
