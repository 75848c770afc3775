/**
 * Templates for the gate's own pages: `{{name}}` marks a slot, and a page is the fixed pieces with the values between.
 *
 * The pages have no sections or loops, so the text is split once and joined for each visitor: 1 µs for the waiting
 * page, where mustache takes 30. Operators' templates still use mustache (`page.ts`). Values are escaped by the caller
 * where they are not numbers or our own words.
 */

import type { Bytes } from "../http/message.ts";
import { type GzipPiece, gzipOf, gzipPiece } from "./gzip-pieces.ts";

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
