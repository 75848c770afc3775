/**
 * The unit in which rows travel: what one account has given (`gifts`) or counted (`counts`) in one room, whole, signed
 * by the account's own node.
 *
 * The parts of one account and section form a log: each publishing of a part takes the log's next version. A part also
 * carries the sum of the versions that the log's parts have at that moment. A replica whose parts have that very sum
 * has missed nothing up to that version: of each room it can only hold the same version or an older one, and the sum
 * leaves no place for an older one. So signed bytes prove what a replica knows, in any order of arrival and from any
 * sender.
 *
 * Account and section are signed but not in the bytes: they travel once for all parts of a log.
 */

import { z } from "zod";
import type { AccountId, Minute, RoomId } from "../ids.ts";
import {
  AT_ONCE,
  COUNT_KINDS,
  type CountData,
  type CountKind,
  type GiftData,
  RESOURCES,
  type RowData,
} from "../ledger/row.ts";
import { packed, unpacked } from "../wire/packed.ts";
import {
  ACCOUNTS_MAX,
  accountId,
  GIVEN_MAX,
  givenTotals,
  listOf,
  minute,
  numbersOf,
  roomId,
  whole,
} from "../wire/shapes.ts";
import { signable } from "../wire/signed.ts";

export const SECTIONS = ["gifts", "counts"] as const;
export type Section = (typeof SECTIONS)[number];

/** The log to which a part belongs. */
export interface LogName {
  readonly account: AccountId;
  readonly section: Section;
}

export interface Part {
  readonly room: RoomId;
  readonly version: number;
  /** Sum of the versions of all parts of the log, this one included, at the time of this version. */
  readonly sum: number;
}

export interface Entries extends Pick<RowData, "gifts" | "counts"> {
  /** All counts from this minute on; earlier ones are left out. Gifts are always complete. */
  readonly firstMinute: Minute;
}

/**
 * Bytes of one part. A frame holds it, and some 6,000 accounts that one account has given to in one room fit into it.
 */
export const PART_BYTES_MAX = 512 * 1024;

/**
 * Largest version: the sum of the versions of 1,000 rooms stays below 2^53. Versions of counts are near Unix ms, which
 * reach it in the year 2248.
 */
export const VERSION_MAX = 2 ** 43;

export const version = whole.max(VERSION_MAX);

/**
 * Minutes that one part may speak of: 35 of each kind are kept, and a clock that was set back may leave different ones.
 */
const COUNT_ROWS_MAX = 128;

/**
 * Fields that a newer release adds after all this are left out. The bytes stay as they came, and are passed on with
 * those fields.
 */
const giftsBody = z
  .tuple([roomId, version, whole, listOf(z.tuple([accountId, whole.max(GIVEN_MAX), givenTotals]), ACCOUNTS_MAX)])
  .rest(z.unknown());

const countsBody = z
  .tuple([roomId, version, whole, minute, numbersOf<CountRow>(1 + COUNT_KINDS.length, COUNT_ROWS_MAX)])
  .rest(z.unknown());

/** A part as bytes. The same entries make the same bytes in any order. There are no counts before `firstMinute`. */
export function partBytes({ room, version, sum }: Part, entries: Entries, section: Section): Uint8Array {
  const head = [room, version, sum];
  return packed(
    section === "gifts"
      ? [...head, giftRows(entries.gifts)]
      : [...head, entries.firstMinute, countRows(entries.counts, entries.firstMinute)],
  );
}

type ReadPart = { readonly part: Part; readonly entries: Entries };

/**
 * The parsed form of parts that are still held: each is compared with the next one, and would be parsed again for that.
 */
const READ: Readonly<Record<Section, WeakMap<Uint8Array, ReadPart>>> = { gifts: new WeakMap(), counts: new WeakMap() };

/**
 * Reads a part; undefined if the bytes are not one, or if the account would have given more than can be counted. The
 * bytes must not change.
 */
export function readPart(section: Section, bytes: Uint8Array): ReadPart | undefined {
  const before = READ[section].get(bytes);
  if (before !== undefined) return before;
  const read = readAnew(section, bytes);
  if (read !== undefined) READ[section].set(bytes, read);
  return read;
}

function readAnew(section: Section, bytes: Uint8Array): ReadPart | undefined {
  const [value, ...more] = unpacked(bytes) ?? [];
  if (more.length > 0) return undefined;
  if (section === "gifts") {
    const read = giftsBody.safeParse(value);
    if (!read.success) return undefined;
    const [room, version, sum, rows] = read.data;
    const gifts = rows.flatMap((row) => giftsOf(room, row));
    return RESOURCES.every((resource) => isCountable(gifts, resource))
      ? { part: { room, version, sum }, entries: { gifts, counts: [], firstMinute: AT_ONCE } }
      : undefined;
  }
  const read = countsBody.safeParse(value);
  if (!read.success) return undefined;
  const [room, version, sum, firstMinute, rows] = read.data;
  const counts = countsOf(room, firstMinute, rows);
  return { part: { room, version, sum }, entries: { gifts: [], counts, firstMinute } };
}

/** What the writer of a part signs. */
export function partSignable(mesh: string, { account, section }: LogName, bytes: Uint8Array): Uint8Array {
  return signable(`${section} ${mesh} ${account}`, bytes);
}

/** The latest minute with counts; -Infinity if there are none. */
export function newestMinute({ counts }: Entries): number {
  return Math.max(Number.NEGATIVE_INFINITY, ...counts.map(({ totals }) => totals.at(-1)?.[0] ?? 0));
}

/**
 * Whether `later` says that less was given or counted than `earlier`, or says it in another order than `partBytes`
 * does. Both only grow, so no sound writer says so: a writer that does has an old disk.
 */
export function takesBack(earlier: Entries, later: Entries): boolean {
  const isGiven = areAmong(
    earlier.gifts,
    later.gifts,
    (before, gift) => gift.to === before.to && gift.resource === before.resource && latest(gift) >= latest(before),
  );
  if (!isGiven) return true;
  const first = later.firstMinute;
  return earlier.counts.some(({ kind, totals }) => {
    const counted = later.counts.find((count) => count.kind === kind)?.totals ?? [];
    const before = totals.filter(([minute]) => minute >= first);
    return !areAmong(before, counted, ([minute, count], [at, total]) => at === minute && total >= count);
  });
}

/** Whether `all` contains a match for each of `some`, in order. */
function areAmong<Item>(
  some: readonly Item[],
  all: readonly Item[],
  fits: (one: Item, other: Item) => boolean,
): boolean {
  let at = 0;
  return some.every((one) => {
    while (at < all.length && !fits(one, all[at] as Item)) at += 1;
    return at < all.length;
  });
}

/** The minutes from `first` to `last`. */
export interface Minutes {
  readonly first: Minute;
  readonly last: Minute;
}

export function isIn({ first, last }: Minutes, minute: Minute): boolean {
  return minute >= first && minute <= last;
}

/** Counts of these minutes. */
export function during(counts: readonly CountData[], minutes: Minutes): CountData[] {
  return counts
    .map(({ room, kind, totals }) => ({ room, kind, totals: totals.filter(([minute]) => isIn(minutes, minute)) }))
    .filter(({ totals }) => totals.length > 0);
}

type GiftRow = readonly [to: AccountId, active: number, arrivals: GiftData["totals"]];
type CountRow = readonly [minutesLater: number, ...counts: number[]];

function giftRows(gifts: readonly GiftData[]): GiftRow[] {
  const receivers = [...new Set(gifts.map(({ to }) => to))].sort();
  const totalsOf = new Map(gifts.map(({ to, resource, totals }) => [`${resource} ${to}`, totals]));
  return receivers.map((to) => [
    to,
    Math.max(0, ...(totalsOf.get(`active ${to}`) ?? []).map(([, total]) => total)),
    totalsOf.get(`arrivals ${to}`) ?? [],
  ]);
}

function giftsOf(room: RoomId, [to, active, arrivals]: GiftRow): GiftData[] {
  const gifts: GiftData[] = [];
  if (active > 0) gifts.push({ room, resource: "active", to, totals: [[AT_ONCE, active]] });
  if (arrivals.length > 0) gifts.push({ room, resource: "arrivals", to, totals: arrivals });
  return gifts;
}

function countRows(counts: readonly CountData[], first: Minute): CountRow[] {
  const byMinute = new Map<Minute, Record<CountKind, number>>();
  for (const { kind, totals } of counts)
    for (const [minute, total] of totals)
      byMinute.getOrInsertComputed(minute, () => ({ in: 0, out: 0, seen: 0 }))[kind] = total;
  const minutes = [...byMinute].sort(([a], [b]) => a - b);
  return minutes.map(([minute, counts]) => [minute - first, ...COUNT_KINDS.map((kind) => counts[kind])]);
}

function countsOf(room: RoomId, first: Minute, rows: readonly CountRow[]): CountData[] {
  return COUNT_KINDS.map((kind, index) => ({
    room,
    kind,
    totals: rows
      .map(([later, ...counts]) => [(first + later) as Minute, counts[index] ?? 0] as const)
      .filter(([, total]) => total > 0),
  })).filter(({ totals }) => totals.length > 0);
}

function isCountable(gifts: readonly GiftData[], resource: GiftData["resource"]): boolean {
  let given = 0;
  for (const gift of gifts) if (gift.resource === resource) given += latest(gift);
  return given <= GIVEN_MAX;
}

function latest({ totals }: GiftData): number {
  let latest = 0;
  for (const [, total] of totals) latest = Math.max(latest, total);
  return latest;
}
