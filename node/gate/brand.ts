/**
 * A room's brand as parts of the gate's pages: name or logo, colours, hero image, font, message, and where to get help.
 *
 * The style differs from room to room, so the page's Content-Security-Policy has its hash beside those of the constant
 * parts; images may come from the site itself (its icon) and from the origins of logo and hero image, and from nowhere
 * else. The hero image is a part of the style: it says nothing, so no text stands on it, and rooms without one pay
 * nothing for it.
 */

import { MESSAGE } from "../config/page-fields.ts";
import type { BrandPage } from "../config/room.ts";
import { textsWith } from "../languages/own-texts.ts";
import type { Language } from "../languages/texts.ts";
import { perLanguage, type Words, wordsOf } from "../languages/words.ts";
import { hashSource, type PolicySources } from "./own-page.ts";
import { asHtml, escapeHtml } from "./slot-template.ts";

export interface Brand extends PolicySources {
  /** The `<style>` element with the room's own style. */
  readonly style: string;
}

/** A page without a brand of its own: of a room that sets none, or of no room. */
export const PLAIN_PAGE: BrandPage = {
  title: "",
  logo: "",
  hero: "",
  font: "",
  accent: "",
  background: "",
  message: "",
  messageUntilMs: undefined,
  texts: {},
  supportUrl: "",
  theme: "auto",
};

/** By the page's object, which a changed room replaces. */
const brands = new WeakMap<BrandPage, Brand>();

/** The parts that all visitors of a room share; made once for each change of the room. */
export function brandOf(page: BrandPage): Brand {
  return brands.getOrInsertComputed(page, madeBrand);
}

function madeBrand(page: BrandPage): Brand {
  const { logo, hero, font } = page;
  const css = paletteCss(page) + heroCss(hero) + fontCss(font);
  return {
    style: `<style>${css}</style>`,
    styleSource: hashSource(css),
    imageSource: [...new Set([logo, hero].map(originOf))].join(" ").trim(),
    fontSource: font === "" ? "" : `'self' data: ${originOf(font)}`.trim(),
  };
}

/** Origin of an address; empty for none, and for one that is `data:`. */
function originOf(address: string): string {
  const url = address === "" || /^data:/i.test(address) ? null : URL.parse(address);
  return url === null ? "" : url.origin;
}

/** Above the card; on a wide screen beside it, as high as the window. */
function heroCss(hero: string): string {
  if (hero === "") return "";
  const above =
    "body::before{height:min(14rem,30vh);border-radius:1rem 1rem 0 0}main{border-start-start-radius:0;border-start-end-radius:0}";
  const beside =
    "body{padding-inline-start:calc(45vw + 1rem)}body::before{position:fixed;inset-block:0;inset-inline-start:0;width:45vw}";
  return `body::before{content:"";background:${urlOf(hero)} center/cover}@media(max-width:59.99rem){${above}}@media(min-width:60rem){${beside}}`;
}

/** Until the font is there, and if it does not come, texts are in the device's own. */
function fontCss(font: string): string {
  if (font === "") return "";
  return `@font-face{font-family:brand;src:${urlOf(font)};font-display:swap}body{font-family:brand,system-ui,sans-serif}`;
}

/** `address` in a style element: nothing in it ends the string or the element. */
function urlOf(address: string): string {
  return `url("${address.replace(/["\\<]/g, encodeURIComponent)}")`;
}

/** The slots that `brandSlots` fills. */
export type BrandSlot = keyof ReturnType<typeof brandSlots>;

/** The brand in a page for a visitor of `host`, as HTML. */
export function brandSlots(page: BrandPage, host: string, language: Language) {
  const { title, supportUrl } = page;
  return {
    titleEnd: asHtml(` \u2013 ${title || siteName(host)}`),
    colours: brandOf(page).style,
    brand: brandHeader(page, host),
    help:
      supportUrl === ""
        ? ""
        : `<a href="${escapeHtml(supportUrl)}">${asHtml(wordsFor(page, language).texts.page.help)}</a>`,
  };
}

/** The head of the card: the logo, or the brand's name, or the host that the visitor asked for. */
function brandHeader({ title, logo }: BrandPage, host: string): string {
  const name = asHtml(title || siteName(host));
  return logo === "" ? name : `<img src="${escapeHtml(logo)}" alt="${name}">`;
}

/** A host as a visitor calls the site: without port. */
function siteName(host: string): string {
  return host.replace(/:\d*$/, "");
}

/** The operator's message at `nowMs`, in `language` if it is there in that; empty if there is none. */
export function messageAt({ message, messageUntilMs, texts }: BrandPage, nowMs: number, language?: Language): string {
  if (messageUntilMs !== undefined && nowMs >= messageUntilMs) return "";
  return (language && texts[language]?.[MESSAGE]) ?? message;
}

/** Our words, with the texts that the room has of its own. */
export function wordsFor(page: BrandPage, language: Language): Words {
  if (page.texts[language] === undefined) return wordsOf(language);
  return ownWords.getOrInsertComputed(page, wordsWith)(language);
}

/** By the page's object, as brands are. */
const ownWords = new WeakMap<BrandPage, (language: Language) => Words>();

function wordsWith({ texts }: BrandPage): (language: Language) => Words {
  return perLanguage((language) => ({ ...wordsOf(language), texts: textsWith(language, texts[language] ?? {}) }));
}

type Colours = Pick<BrandPage, "accent" | "background" | "theme">;

interface Palette {
  readonly ground: string;
  readonly card: string;
  readonly line: string;
  readonly text: string;
  readonly soft: string;
  readonly accent: string;
}

const LIGHT: Palette = {
  ground: "#f4f5f6",
  card: "#ffffff",
  line: "#e3e6e8",
  text: "#1d2327",
  soft: "#58626a",
  accent: "#2f6f73",
};

const DARK: Palette = {
  ground: "#14181a",
  card: "#1d2224",
  line: "#313a3d",
  text: "#eceff0",
  soft: "#a3adb2",
  accent: "#7cc0bf",
};

/** Contrast of normal text, WCAG 2.2 at level AA. */
export const CONTRAST_MIN = 4.5;

/**
 * In a dark room, a brand's light background would be a lamp around a dark card. At half of it, colours are hardly told
 * from black; doubled, they are lighter than the card's lines.
 */
const DARK_LUMINANCE_MAX = 0.03;

/** Steps from a colour to black or white: each is hardly seen, and all of them are few. */
const STEPS = 20;

/**
 * The style of a room's colours: custom properties for `page.css`. The default ones, or a brand's own, kept readable.
 *
 * All text stands on the card, whose colour follows the theme; a brand's background is around the card, and carries
 * none. A brand's accent is the colour of links, buttons and the bar: it is mixed with black or white until it has the
 * contrast that WCAG 2.2 (1.4.3) asks of text, so that no choice of colours makes a page that cannot be read.
 */
export function paletteCss({ theme, ...own }: Colours): string {
  const [light, dark] = [withOwn(LIGHT, own), withOwn(DARK, own)];
  if (theme !== "auto") return rule(theme, theme === "light" ? light : dark);
  return `${rule("light dark", light)}@media (prefers-color-scheme:dark){${rule("light dark", dark)}}`;
}

function withOwn(palette: Palette, { accent, background }: Pick<Colours, "accent" | "background">): Palette {
  return {
    ...palette,
    ...(background !== "" && { ground: palette === DARK ? darkened(background) : background }),
    ...(accent !== "" && { accent: readable(accent, palette) }),
  };
}

/** `colour`, or the nearest mix of it with black that is as dark as a dark page may be. */
function darkened(colour: string): string {
  const from = channels(colour);
  for (let step = 0; step < STEPS; step++) {
    const mixed = from.map((channel) => Math.round(channel * (1 - step / STEPS)));
    if (luminance(mixed) <= DARK_LUMINANCE_MAX) return hex(mixed);
  }
  return DARK.ground;
}

function rule(scheme: string, palette: Palette): string {
  const properties = Object.entries(palette).map(([name, colour]) => `--${name}:${colour};`);
  return `:root{color-scheme:${scheme};${properties.join("")}}`;
}

/** `colour`, or the nearest mix of it with black or white that can be read on the card. */
function readable(colour: string, { card, text }: Pick<Palette, "card" | "text">): string {
  const ground = luminance(channels(card));
  const end = luminance(channels(text)) > ground ? 255 : 0;
  const from = channels(colour);
  for (let step = 0; step < STEPS; step++) {
    const mixed = from.map((channel) => Math.round(channel + ((end - channel) * step) / STEPS));
    if (contrast(luminance(mixed), ground) >= CONTRAST_MIN) return hex(mixed);
  }
  return hex([end, end, end]);
}

/** Contrast of two relative luminances, 1 to 21. */
export function contrast(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

/** Relative luminance of red, green and blue from 0 to 255, as WCAG 2.2 defines it. */
export function luminance(rgb: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Red, green and blue of `#rgb` or `#rrggbb`. */
export function channels(colour: string): number[] {
  const digits = colour.slice(1);
  const pairs = digits.length === 3 ? [...digits].map((digit) => digit + digit) : (digits.match(/../g) ?? []);
  return pairs.map((pair) => Number.parseInt(pair, 16));
}

function hex(rgb: readonly number[]): string {
  return `#${rgb.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}
