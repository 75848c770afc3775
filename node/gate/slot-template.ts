/**
 * Templates for the gate's own pages, from their HTML to an answer: the texts of a language are put in once, the values
 * of a visitor for each page, and the page is text or a gzip member.
 *
 * `{{text.line.place}}` is a text by its place in the language's file; `{{name}}` marks a slot, and a page is the fixed
 * pieces with the values between. The pages have no sections or loops, so the text is split once and joined for each
 * visitor: 1 µs for the waiting page, where mustache takes 30. Operators' templates still use mustache (`page.ts`).
 * Values are escaped by the caller where they are not numbers or our own words.
 */

import { constants, crc32, deflateRawSync } from "node:zlib";
import { latin1Of } from "../http/answer.ts";
import type { Bytes } from "../http/message.ts";
import type { Language, Texts } from "../languages/texts.ts";
import { PLACEHOLDER, wordsOf } from "../languages/words.ts";

const SLOT = /\{\{(\w+)\}\}/;

type Values<Name extends string> = Readonly<Record<Name, string | number>>;

/** A template whose slots called `Name` are to be filled. */
export interface SlotTemplate<Name extends string> {
  (values: Values<Name>): string;
  /** The same text as a gzip member. Its fixed texts are compressed once, at the first call. */
  gzip(values: Values<Name>): Bytes;
  /** The same template with some slots filled: what many visitors share is put together once. */
  with<Known extends Name>(values: Values<Known>): SlotTemplate<Exclude<Name, Known>>;
}

/** A slot, and the fixed text behind it. */
interface Piece<Name> {
  readonly name: Name;
  readonly after: string;
}

/** Splits `text` once; the returned function fills the slots. It throws if a slot has no value. */
export function slotTemplate<Name extends string>(text: string): SlotTemplate<Name> {
  const [start = "", ...rest] = text.split(SLOT);
  const pieces: Piece<Name>[] = [];
  for (let i = 0; i < rest.length; i += 2) pieces.push({ name: rest[i] as Name, after: rest[i + 1] ?? "" });
  return templateOf(start, pieces);
}

function valueIn<Name extends string>(values: Values<Name>, name: Name): string | number {
  const value: string | number | undefined = values[name];
  if (value === undefined) throw new Error(`Cannot fill a template as every slot must have a value: ${name} has none`);
  return value;
}

function templateOf<Name extends string>(start: string, pieces: readonly Piece<Name>[]): SlotTemplate<Name> {
  const fill = (values: Values<Name>): string => {
    let filled = start;
    for (const { name, after } of pieces) filled += valueIn(values, name) + after;
    return filled;
  };
  let fixed: readonly (GzipPiece | string)[] | undefined;
  return Object.assign(fill, {
    gzip: (values: Values<Name>) => {
      fixed ??= [start, ...pieces.map(({ after }) => after)].map(gzipPiece);
      const parts: (GzipPiece | string)[] = [fixed[0] ?? ""];
      let at = 0;
      for (const { name } of pieces) parts.push(String(valueIn(values, name)), fixed[++at] ?? "");
      return gzipOf(parts);
    },
    with: <Known extends Name>(values: Values<Known>) => {
      const known: Readonly<Partial<Record<string, string | number>>> = values;
      const isOpen = (piece: Piece<Name>): piece is Piece<Exclude<Name, Known>> => known[piece.name] === undefined;
      // Each fixed text is one string without parts: filling in copies it as a whole.
      const fixed: (string | number)[][] = [[start]];
      const open: Piece<Exclude<Name, Known>>[] = [];
      for (const piece of pieces) {
        if (isOpen(piece)) {
          open.push(piece);
          fixed.push([piece.after]);
        } else fixed.at(-1)?.push(known[piece.name] ?? "", piece.after);
      }
      const [whole = "", ...after] = fixed.map((texts) => texts.join(""));
      return templateOf(
        whole,
        open.map(({ name }, at) => ({ name, after: after[at] ?? "" })),
      );
    },
  });
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** `text` escaped as HTML text or as a quoted attribute value. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

/** A text that many pages share, as it is and compressed. */
interface GzipPiece {
  readonly text: Uint8Array;
  readonly deflated: Bytes;
}

/**
 * A shorter piece is stored as it is, with the visitor's texts around it in one block. At half of it, a waiting page of
 * 9 kB is 500 bytes shorter, and takes a quarter more time.
 */
const PIECE_BYTES_MIN = 400;

const STORED_BYTES_MAX = 65_535;

/** Deflate, no name, no time, unknown system. */
const HEADER = "\x1f\x8b\b\0\0\0\0\0\0\xff";

/** A last block without bytes. */
const END = "\x01\0\0\xff\xff";

/** `text` for members that have it; the text itself where it is too short to gain. */
export function gzipPiece(text: string): GzipPiece | string {
  const bytes = Buffer.from(text);
  if (bytes.length < PIECE_BYTES_MIN) return text;
  const deflated = deflateRawSync(bytes, { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  return { text: bytes, deflated: { latin1: deflated.toString("latin1") } };
}

/**
 * A gzip member (RFC 1952) of `parts`, in their order, from texts that were compressed before and texts that are put in
 * as they are: a waiting page differs from the next one in a few words, and compressing all of it would cost more than
 * making it. It is text until it is sent: no bytes are copied for it.
 *
 * A compressed text ends on a byte and refers to nothing before it (a full flush), so that it can stand anywhere. A
 * visitor's own text is a stored block (RFC 1951 §3.2.4): nothing of it is compressed, so the length of the answer
 * tells nothing about it.
 */
export function gzipOf(parts: readonly (GzipPiece | string)[]): Bytes {
  let out = HEADER;
  let own = "";
  let crc = 0;
  let length = 0;
  const store = (): void => {
    if (own === "") return;
    const bytes = latin1Of(own);
    crc = crc32(own, crc);
    own = "";
    length += bytes.length;
    for (let at = 0; at < bytes.length; at += STORED_BYTES_MAX) {
      const part = bytes.slice(at, at + STORED_BYTES_MAX);
      const [low, high] = [part.length & 0xff, part.length >> 8];
      out += String.fromCharCode(0, low, high, low ^ 0xff, high ^ 0xff) + part;
    }
  };
  for (const part of parts) {
    if (typeof part === "string") own += part;
    else {
      store();
      crc = crc32(part.text, crc);
      length += part.text.length;
      out += part.deflated.latin1;
    }
  }
  store();
  return { latin1: out + END + fourBytes(crc) + fourBytes(length) };
}

/** A number as four bytes, the lowest first; above 32 bits it begins again at 0. */
function fourBytes(value: number): string {
  return String.fromCharCode(value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, value >>> 24);
}

const TEXT = /\{\{text\.([\w.]+)\}\}/g;

/** Dashes, quotes and spaces above latin1: one of them would make an otherwise narrow page twice as wide in memory. */
const PUNCTUATION = /[\u2000-\u206f]/g;

const UNSAFE = /[&<>"'\u2000-\u206f]/;

export interface Localisation {
  readonly language: Language;
  /** A room's own texts in place of ours. */
  readonly texts?: Texts;
  /** What stands for the placeholders of texts in the page: elements, or slots for the values of a visitor. */
  readonly markup?: Readonly<Record<string, string>>;
  /** The texts of the page's script. */
  readonly scriptTexts: object;
}

/** `html` in one language. Throws for a text or placeholder that does not exist. */
export function localised(html: string, { language, texts, markup = {}, scriptTexts }: Localisation): string {
  const { direction, texts: ours } = wordsOf(language);
  return html
    .replace('<html lang="en">', `<html lang="${language}" dir="${direction}">`)
    .replace('"{{texts}}"', () => asScriptData(scriptTexts))
    .replace(TEXT, (_, path: string) => withMarkup(asHtml(textAt(texts ?? ours, path)), path, markup));
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
