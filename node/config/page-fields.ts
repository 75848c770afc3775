/**
 * What makes the built-in page a brand's own: the fields of `page` in a room document.
 *
 * All are texts that the gate escapes. The page loads nothing but logo, hero image and font: their addresses go into
 * the page's Content-Security-Policy, so each must be one that has an origin, or carry the file itself.
 */

import { z } from "zod";
import { isoOf } from "../iso-time.ts";
import { OWN_PLACES, ownTextProblem } from "../languages/own-texts.ts";
import { LANGUAGES } from "../languages/texts.ts";
import { withoutEmpty } from "./document-fields.ts";
import { momentComplaint, momentOf } from "./moment.ts";
import { didYouMean } from "./near-miss.ts";
import type { Complaint } from "./problem.ts";
import { text } from "./text-field.ts";

/** A brand's name stands on one line of a phone. */
const TITLE_MAX = 80;

/** Each page and each poll carries the message; a text of the page is about as long at most. */
const MESSAGE_MAX = 500;

/** The place of the message among the texts of a language. */
export const MESSAGE = "message";

/** Each page carries the file of a `data:` address: it doubles the page, and no more. */
const FILE_DATA_MAX = 16_384;
const FILE_URL_MAX = 2_048;

const FILES = {
  image: {
    data: /^data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml);base64,[a-z0-9+/]+={0,2}$/i,
    repair:
      "write the address of an image, such as https://cdn.example.com/logo.svg, or the image as data:image/svg+xml;base64,… of at most 16 kB",
  },
  font: {
    data: /^data:font\/(?:woff2?|ttf|otf);base64,[a-z0-9+/]+={0,2}$/i,
    repair:
      "write the address of a font, such as https://cdn.example.com/brand.woff2, or the font as data:font/woff2;base64,… of at most 16 kB",
  },
};
const WRITE_COLOUR = 'write a colour such as "#0a7d4f", in quotes';
const WRITE_SUPPORT = "write an address such as https://example.com/help, or mailto:help@example.com";

const WRITE_TEXTS =
  'write texts by language and place, such as {de-DE: {message: "Gleich geht es los.", states.waiting.heading: "Schön, dass Sie da sind"}}';

const WRITE_ALIKE = "write a text with the placeholders that ours has";

const line = (lengthMax: number) =>
  text(lineComplaint, lengthMax)
    .transform((value) => value.replace(/\s+/g, " ").trim())
    .default("");

const file = (kind: keyof typeof FILES) => text((value) => fileComplaint(value, kind), FILE_DATA_MAX).default("");

const fields = z.strictObject({
  title: line(TITLE_MAX).describe(`the brand's name, at most ${TITLE_MAX} characters`),
  logo: file("image").describe("an image: its https address, or data: of at most 16 kB"),
  hero: file("image").describe(
    "a large image beside the page, or above it: its https address, or data: of at most 16 kB",
  ),
  font: file("font").describe("the font of the page: its https address, or data: of at most 16 kB"),
  accent: text(colourComplaint).default("").describe('a colour such as "#0a7d4f", in quotes'),
  background: text(colourComplaint).default("").describe('a colour such as "#fff", in quotes'),
  message: line(MESSAGE_MAX).describe(`plain text for waiting visitors, at most ${MESSAGE_MAX} characters`),
  message_until: text(timeComplaint)
    .default("")
    .describe("when the message is no longer shown, such as 2026-11-27T10:00:00+01:00; empty for never"),
  texts: ownTexts()
    .optional()
    .describe("texts of the page by language, and by their places in node/languages/, or message"),
  support_url: text(supportComplaint).default("").describe("where visitors get help: https:// or mailto:"),
  theme: z
    .enum(["auto", "light", "dark"], { error: "is not auto, light or dark" })
    .default("auto")
    .describe("auto, light or dark; auto: as the visitor's device is set"),
});

/** The group; null is the page without a brand, so that a patch can remove it whole. */
export const PAGE = z.preprocess((value) => value ?? {}, fields);

type Document = z.output<typeof PAGE>;

/** The page as code has it: its message ends at a Unix ms, or never. */
export function pageOf({ message_until: until, support_url: supportUrl, texts = {}, ...rest }: Document) {
  return { ...rest, texts, supportUrl, messageUntilMs: momentOf(until) };
}

export function pageDocument({ messageUntilMs, supportUrl, ...rest }: ReturnType<typeof pageOf>): Document {
  const until = messageUntilMs === undefined ? "" : isoOf(messageUntilMs);
  const texts = Object.keys(rest.texts).length === 0 ? undefined : rest.texts;
  return withoutEmpty({ ...rest, texts, support_url: supportUrl, message_until: until }) as Document;
}

export const PAGE_REPAIR =
  "write {title, logo, hero, font, accent, background, message, message_until, texts, support_url, theme}, or a part of it; or null for none";

/** `#rgb` or `#rrggbb`. */
export const COLOUR = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;

/** A room's own texts, each with what a text of ours at its place has. */
function ownTexts() {
  const languages: readonly string[] = LANGUAGES;
  return z
    .record(z.string(), z.record(z.string(), line(MESSAGE_MAX)), { error: "is not a group of texts by language" })
    .superRefine((all, context) => {
      const complain = (path: string[], message: string, repair: string): void =>
        context.addIssue({ code: "custom", path, message, params: { repair } });
      for (const [language, own] of Object.entries(all)) {
        if (!languages.includes(language))
          complain([language], "is not a language of the built-in page", didYouMean(language, languages, WRITE_TEXTS));
        for (const [place, text] of Object.entries(own)) {
          const problem = place === MESSAGE ? undefined : ownTextProblem(place, text);
          if (problem === undefined) continue;
          const otherwise = OWN_PLACES.includes(place) ? WRITE_ALIKE : didYouMean(place, OWN_PLACES, WRITE_TEXTS);
          complain([language, place], problem, otherwise);
        }
      }
    });
}

function lineComplaint(value: string): Complaint {
  if (!/(?!\s)\p{Cc}/u.test(value)) return undefined;
  return { problem: "has a control character", repair: "write plain text" };
}

function fileComplaint(address: string, kind: keyof typeof FILES): Complaint {
  const { data, repair } = FILES[kind];
  if (address === "" || data.test(address)) return undefined;
  if (/^data:/i.test(address)) return { problem: `is not ${kind === "font" ? "a font" : "an image"} as data`, repair };
  return webComplaint(address, repair);
}

function supportComplaint(address: string): Complaint {
  if (address === "" || /^mailto:[^\s@<>"]+@[^\s@<>"]+$/i.test(address)) return undefined;
  return webComplaint(address, WRITE_SUPPORT);
}

function webComplaint(address: string, repair: string): Complaint {
  if (address.length > FILE_URL_MAX) return { problem: `is longer than ${FILE_URL_MAX} characters`, repair };
  if (!/^https?:\/\//i.test(address)) return { problem: "does not start with https:// or http://", repair };
  if (/\s|\p{Cc}/u.test(address)) return { problem: "has white space", repair };
  const url = URL.parse(address);
  if (url === null || !HOST_OF_POLICY.test(url.host)) return { problem: "is not a URL", repair };
  if (url.username !== "" || url.password !== "") return { problem: "has a user name", repair };
  return undefined;
}

/** A host that a Content-Security-Policy can name: nothing in it ends a source or a directive. */
const HOST_OF_POLICY = /^(?:[a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;

function colourComplaint(colour: string): Complaint {
  return colour === "" || COLOUR.test(colour) ? undefined : { problem: "is not a colour", repair: WRITE_COLOUR };
}

function timeComplaint(time: string): Complaint {
  return time === "" ? undefined : momentComplaint(time);
}
