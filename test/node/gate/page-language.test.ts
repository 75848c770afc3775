import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pageLanguage } from "../../../node/gate/page-language.ts";
import { LANGUAGES } from "../../../node/languages/texts.ts";

const chosen = (...values: string[]): string =>
  pageLanguage(
    values.flatMap((value) => ["Accept-Language", value]),
    "sv-SE",
  );

describe("the language of a page", () => {
  test.each<[string, string]>([
    ["DE-at", "de-DE"],
    ["de-CH-1996,fr;q=0.9", "de-DE"],
    ["en-GB,en;q=0.9,de;q=0.8", "en-US"],
    ["fr;q=0.4, de;q=0.7, it;q=0.1", "de-DE"],
    ["de;q=0.000,fr;q=0.001", "fr-FR"],
    ["pt-PT", "pt-BR"],
    ["es-419", "es-ES"],
    ["nn-NO,en;q=0.5", "nb-NO"],
    ["zh-Hans", "zh-CN"],
    ["zh-Hant", "zh-TW"],
    ["zh-MO,en", "zh-TW"],
    ["zh-Hans-HK", "zh-CN"],
    ["yue", "zh-TW"],
    ["fil-PH,en;q=0.8", "tl-PH"],
    ["iw-IL", "he-IL"],
    ["in", "id-ID"],
    ["sr-Latn-RS", "sr-BA"],
    ["bs", "hr-HR"],
    ["de-DE-u-co-phonebk", "de-DE"],
  ])("for “%s” is %s", (asked, language) => expect(chosen(asked)).toBe(language));

  test.each(["", "*", "eo", "de;q=0", ",,;;==", "-", "../../en", "\u0000"])("is the room's for “%s”", (asked) =>
    expect(chosen(asked)).toBe("sv-SE"),
  );

  test("is the room's if nothing is asked for, and counts fields that come more than once as one", () => {
    expect(chosen()).toBe("sv-SE");
    expect(chosen("eo", "de;q=0.5,fr")).toBe("fr-FR");
    expect(pageLanguage(["accept-LANGUAGE", "it"], "sv-SE")).toBe("it-IT");
  });

  test.each(LANGUAGES)("is %s for its own tag, and for it in lower case", (language) => {
    expect([chosen(language), chosen(language.toLowerCase())]).toEqual([language, language]);
  });

  test("is looked for at the beginning of 8 kB of languages only, and never in a part of a range", () => {
    const asked = `${"eo,".repeat(165)}${"xx-".repeat(2)}`;
    expect(chosen(`${asked}de,it`)).toBe("sv-SE");
    expect(chosen(`it,${"x".repeat(8_000)}`)).toBe("it-IT");
    expect(chosen("x".repeat(8_000))).toBe("sv-SE");
    // The cut falls into "de-xxx…": its beginning must not count.
    expect(chosen(`${"eo,".repeat(165)}de-${"x".repeat(100)}`)).toBe("sv-SE");
  });

  test("is one of ours for any field", () => {
    const piece = fc.constantFrom("de", "zh", "-", "Hant", ",", ";", "q=", "0.5", "1e9", "*", " ", "=", "é", "\t", "x");
    const any = fc.oneof(
      fc.string(),
      fc.array(piece).map((pieces) => pieces.join("")),
    );
    fc.assert(fc.property(any, (asked) => LANGUAGES.some((language) => language === chosen(asked))));
  });
});
