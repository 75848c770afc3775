/**
 * The shapes of parts of messages, for the schemas of all protocol parts. Each has a bound, so that no field can fill
 * memory or a disk, or push a sum beyond what can be counted.
 *
 * A shape says what a value looks like, never whether its sender may send it.
 */

import { z } from "zod";
import type { AccountId, Minute, NodeId, RoomId } from "../ids.ts";
import type { MinuteTotalsData } from "../ledger/minute-totals.ts";
import { AT_ONCE, COUNT_KINDS, RESOURCES, type RowData } from "../ledger/row.ts";

/** Says in words what a shape is, where it does not say it itself; for documents alone. */
export function named<Shape extends z.ZodType>(shape: Shape, words: ShapeWords): Shape {
  WORDS.set(shape, words);
  return shape;
}

/** What a shape is in words, or of which items it is a list. */
export type ShapeWords = string | { readonly item: z.ZodType; readonly max: number };

const WORDS = new WeakMap<z.ZodType, ShapeWords>();

export function wordsOf(shape: z.ZodType): ShapeWords | undefined {
  return WORDS.get(shape);
}

/**
 * Accounts in one message: those of all members, and of former ones whose names are still known. A digest of all of them
 * fits into one frame.
 */
export const ACCOUNTS_MAX = 10_000;

/** Rooms that a mesh may have, deleted ones included: their rows and tombstones stay. */
export const ROOMS_MAX = 1_000;

/**
 * Bytes of one room's document as JSON, its page included. A page of this length is ten times the built-in one; a frame
 * holds three such documents and everything else in it.
 */
export const ROOM_BYTES_MAX = 256 * 1024;

/**
 * Highest total of a gift: four years of a whole room changing hands every minute. An account's balance asserts that
 * its sums stay below 2^53, so no single writer may come near that; 2^52 would leave room for one gift only.
 */
export const GIVEN_MAX = 2 ** 51;

/** Pairs in one list of totals. Cells keep 35 minutes at most; a later release may keep more. */
const TOTALS_MAX = 64;

/** Characters of a name. A peer id has 52, a room id 16, a locality at most 63. */
const NAME_CHARS_MAX = 64;

/**
 * Names of nodes, accounts and rooms: no spaces and no slashes, which separate them in keys on disk and in signed
 * texts.
 */
const name = () => z.string().regex(new RegExp(`^[\\w.:-]{1,${NAME_CHARS_MAX}}$`));

export const nodeId = named(name(), "node id") as unknown as z.ZodType<NodeId>;
export const accountId = named(name(), "account id") as unknown as z.ZodType<AccountId>;
export const roomId = named(name(), "room id") as unknown as z.ZodType<RoomId>;

const NODE_NAME = new RegExp(`^[A-Za-z0-9._-]{1,${NAME_CHARS_MAX}}$`);

/** Whether a text may be what an operator calls a node. */
export function isNodeName(text: string): boolean {
  return NODE_NAME.test(text);
}

/** What an operator calls a node. */
export const nodeName = named(z.string().regex(NODE_NAME), "name");

/** A locality's name, as an operator wrote it. */
export const locality = named(z.string().min(1).max(NAME_CHARS_MAX), "locality");

/** A whole number, 0 or more, that can be counted exactly. */
export const whole = z.int().min(0);

export const minute = named(z.int().min(0), "minute") as unknown as z.ZodType<Minute>;

/** A moment in Unix ms. */
export const unixMs = named(z.int().min(0), "unix ms");
/** The same shape of values that nobody changes. */
export function unchanging<Value>(shape: z.ZodType<Value>): z.ZodType<Readonly<Value>> {
  return shape as unknown as z.ZodType<Readonly<Value>>;
}

/** A byte string of at most `max` bytes. */
export function byteString(max: number): z.ZodType<Uint8Array> {
  const shape = z.custom<Uint8Array>((value) => value instanceof Uint8Array && value.length <= max);
  return named(shape, `bytes, at most ${max}`);
}

/**
 * Items of a list that are checked in one go. All faults among them are collected, which takes longer than reading
 * them.
 */
const LIST_SLICE = 100;

/**
 * A list of at most `max` items. A longer list is not checked at all, and checking stops soon after the first invalid
 * item.
 */
export function listOf<Item>(item: z.ZodType<Item>, max: number): z.ZodType<readonly Item[]> {
  const slice = z.array(item);
  const shape = z
    .custom<readonly unknown[]>((value) => Array.isArray(value) && value.length <= max)
    .transform((list, context): readonly Item[] => {
      if (list.length === 0) return list as readonly Item[];
      const items: Item[] = [];
      for (let from = 0; from < list.length; from += LIST_SLICE) {
        const read = slice.safeParse(
          from === 0 && list.length <= LIST_SLICE ? list : list.slice(from, from + LIST_SLICE),
        );
        if (!read.success) {
          const [index, ...path] = read.error.issues[0]?.path ?? [];
          context.addIssue({ code: "custom", path: [from + Number(index), ...path] });
          return z.NEVER;
        }
        if (list.length <= LIST_SLICE) return read.data;
        items.push(...read.data);
      }
      return items;
    }) as unknown as z.ZodType<readonly Item[]>;
  return named(shape, { item, max });
}

/** A list of at most `max` whole numbers, none above `most`. Checked by hand: zod takes ten times as long. */
export function wholesOf(max: number, most = Number.MAX_SAFE_INTEGER): z.ZodType<readonly number[]> {
  const shape = z.custom<readonly number[]>((value) => areWholes(value, most) && value.length <= max);
  return named(shape, { item: whole, max });
}

/**
 * A list of at most `max` lists of `width` whole numbers, none above `most`: nearly all bytes of a gossiped part are
 * such lists.
 */
export function numbersOf<Row extends readonly number[]>(
  width: number,
  max: number,
  most = Number.MAX_SAFE_INTEGER,
): z.ZodType<readonly Row[]> {
  const isRow = (row: unknown) => areWholes(row, most) && row.length === width;
  const shape = z.custom<readonly Row[]>((value) => Array.isArray(value) && value.length <= max && value.every(isRow));
  return named(shape, { item: named(z.unknown(), `[${Array(width).fill("number").join(", ")}]`), max });
}

function areWholes(value: unknown, most: number): value is readonly number[] {
  return Array.isArray(value) && value.every((item) => Number.isSafeInteger(item) && item >= 0 && item <= most);
}

/** More slots than any limit, which is 10,000,000 at most: a ceiling this high is no ceiling. */
export const SLOTS_MAX = 2 ** 31;

/** Slots by room. A node pledges for no more rooms than a mesh may have. */
export const ceilings: z.ZodType<readonly (readonly [RoomId, number])[]> = listOf(
  z.tuple([roomId, whole.max(SLOTS_MAX)]),
  ROOMS_MAX,
);

export const totals: z.ZodType<MinuteTotalsData> = numbersOf(2, TOTALS_MAX);

/** Totals of gifts. A minute number, too, is far below the highest total. */
export const givenTotals: z.ZodType<MinuteTotalsData> = numbersOf(2, TOTALS_MAX, GIVEN_MAX);

const gift = z
  .object({ room: roomId, resource: z.enum(RESOURCES), to: accountId, totals: givenTotals })
  .refine(({ resource, totals }) => resource !== "active" || totals.every(([since]) => since === AT_ONCE));

const count = z.object({ room: roomId, kind: z.enum(COUNT_KINDS), totals });

/** Gifts in one row, which has one for each room, resource and receiver: more than the largest message can hold. */
const GIFTS_MAX = 200_000;

/**
 * A row or part of one. A reply to a request for tickets carries two gifts; a fence carries an account's row in all
 * rooms.
 */
const row = z.object({
  account: accountId,
  gifts: listOf(gift, GIFTS_MAX),
  counts: listOf(count, COUNT_KINDS.length * ROOMS_MAX),
});
export const rowData: z.ZodType<RowData> = named(row, "row");
