/**
 * The colours of the gate's pages: the default ones, and a brand's own, kept readable.
 *
 * All text stands on the card, whose colour follows the theme; a brand's background is around the card, and carries
 * none. A brand's accent is the colour of links, buttons and the bar: it is mixed with black or white until it has the
 * contrast that WCAG 2.2 (1.4.3) asks of text, so that no choice of colours makes a page that cannot be read.
 */

import type { BrandPage } from "../config/room.ts";

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

/** The style of a room's colours: custom properties for `page.css`. */
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
export function readable(colour: string, { card, text }: Pick<Palette, "card" | "text">): string {
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
