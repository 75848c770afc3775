/**
 * A room's brand as parts of the gate's pages: name or logo, colours, message, and where to get help.
 *
 * The style differs from room to room, so the page's Content-Security-Policy has its hash beside those of the constant
 * parts; images may come from the site itself (its icon) and from the logo's origin, and from nowhere else.
 */

import type { BrandPage } from "../config/room.ts";
import { type Language, TEXTS } from "../languages/texts.ts";
import { hashSource } from "./own-page.ts";
import { paletteCss } from "./palette.ts";
import { asHtml, escapeHtml } from "./slot-template.ts";

export interface Brand {
  /** The `<style>` element with the room's colours. */
  readonly style: string;
  /** What its policy allows besides the constant parts of a page. */
  readonly styleSource: string;
  /** Origin of the logo; empty for none, and for one that is `data:`. */
  readonly imageSource: string;
}

/** A page without a brand of its own: of a room that sets none, or of no room. */
export const PLAIN_PAGE: BrandPage = {
  title: "",
  logo: "",
  accent: "",
  background: "",
  message: "",
  messageUntilMs: undefined,
  supportUrl: "",
  theme: "auto",
};

/** By the page's object, which a changed room replaces. */
const brands = new WeakMap<BrandPage, Brand>();

/** The parts that all visitors of a room share; made once for each change of the room. */
export function brandOf(page: BrandPage): Brand {
  const known = brands.get(page);
  if (known !== undefined) return known;
  const css = paletteCss(page);
  const brand = { style: `<style>${css}</style>`, styleSource: hashSource(css), imageSource: logoOrigin(page.logo) };
  brands.set(page, brand);
  return brand;
}

function logoOrigin(logo: string): string {
  const url = logo === "" || /^data:/i.test(logo) ? null : URL.parse(logo);
  return url === null ? "" : url.origin;
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
    help: supportUrl === "" ? "" : `<a href="${escapeHtml(supportUrl)}">${asHtml(TEXTS[language].page.help)}</a>`,
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

/** The operator's message at `nowMs`; empty if there is none. */
export function messageAt({ message, messageUntilMs }: BrandPage, nowMs: number): string {
  return messageUntilMs !== undefined && nowMs >= messageUntilMs ? "" : message;
}
