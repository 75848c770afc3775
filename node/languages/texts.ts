/**
 * All texts that a visitor may read, one file for each language.
 *
 * English is the source: its keys are the type that every other file must have, so a missing text does not compile. A
 * text has placeholders such as `{place}`; where a text depends on a number, it has a form for each plural category of
 * the language (https://cldr.unicode.org/index/cldr-spec/plural-rules). Texts are plain text; they are escaped where
 * they become HTML.
 */

import arEG from "./ar-EG.json" with { type: "json" };
import bgBG from "./bg-BG.json" with { type: "json" };
import csCZ from "./cs-CZ.json" with { type: "json" };
import daDK from "./da-DK.json" with { type: "json" };
import deDE from "./de-DE.json" with { type: "json" };
import elGR from "./el-GR.json" with { type: "json" };
import english from "./en-US.json" with { type: "json" };
import esES from "./es-ES.json" with { type: "json" };
import faIR from "./fa-IR.json" with { type: "json" };
import fiFI from "./fi-FI.json" with { type: "json" };
import frFR from "./fr-FR.json" with { type: "json" };
import heIL from "./he-IL.json" with { type: "json" };
import hiIN from "./hi-IN.json" with { type: "json" };
import hrHR from "./hr-HR.json" with { type: "json" };
import huHU from "./hu-HU.json" with { type: "json" };
import idID from "./id-ID.json" with { type: "json" };
import itIT from "./it-IT.json" with { type: "json" };
import jaJP from "./ja-JP.json" with { type: "json" };
import koKR from "./ko-KR.json" with { type: "json" };
import ltLT from "./lt-LT.json" with { type: "json" };
import lvLV from "./lv-LV.json" with { type: "json" };
import msMY from "./ms-MY.json" with { type: "json" };
import nbNO from "./nb-NO.json" with { type: "json" };
import nlNL from "./nl-NL.json" with { type: "json" };
import plPL from "./pl-PL.json" with { type: "json" };
import ptBR from "./pt-BR.json" with { type: "json" };
import roRO from "./ro-RO.json" with { type: "json" };
import ruRU from "./ru-RU.json" with { type: "json" };
import skSK from "./sk-SK.json" with { type: "json" };
import slSI from "./sl-SI.json" with { type: "json" };
import srBA from "./sr-BA.json" with { type: "json" };
import svSE from "./sv-SE.json" with { type: "json" };
import thTH from "./th-TH.json" with { type: "json" };
import tlPH from "./tl-PH.json" with { type: "json" };
import trTR from "./tr-TR.json" with { type: "json" };
import ukUA from "./uk-UA.json" with { type: "json" };
import viVN from "./vi-VN.json" with { type: "json" };
import zhCN from "./zh-CN.json" with { type: "json" };
import zhTW from "./zh-TW.json" with { type: "json" };

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

/** In the order of Cloudflare's `default_template_language`. */
const FILES = {
  "en-US": english,
  "es-ES": esES,
  "de-DE": deDE,
  "fr-FR": frFR,
  "it-IT": itIT,
  "ja-JP": jaJP,
  "ko-KR": koKR,
  "pt-BR": ptBR,
  "zh-CN": zhCN,
  "zh-TW": zhTW,
  "nl-NL": nlNL,
  "pl-PL": plPL,
  "id-ID": idID,
  "tr-TR": trTR,
  "ar-EG": arEG,
  "ru-RU": ruRU,
  "fa-IR": faIR,
  "bg-BG": bgBG,
  "hr-HR": hrHR,
  "cs-CZ": csCZ,
  "da-DK": daDK,
  "fi-FI": fiFI,
  "lt-LT": ltLT,
  "lv-LV": lvLV,
  "ms-MY": msMY,
  "nb-NO": nbNO,
  "ro-RO": roRO,
  "el-GR": elGR,
  "he-IL": heIL,
  "hi-IN": hiIN,
  "hu-HU": huHU,
  "sr-BA": srBA,
  "sk-SK": skSK,
  "sl-SI": slSI,
  "sv-SE": svSE,
  "tl-PH": tlPH,
  "th-TH": thTH,
  "uk-UA": ukUA,
  "vi-VN": viVN,
} as const satisfies Record<string, Texts>;

export type Language = keyof typeof FILES;

export const TEXTS: Readonly<Record<Language, Texts>> = FILES;

export const LANGUAGES = Object.keys(FILES) as readonly Language[];

/** The language of visitors who ask for none that we have, if the room names no other. */
export const DEFAULT_LANGUAGE: Language = "en-US";
