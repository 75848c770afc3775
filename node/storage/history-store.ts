/**
 * The minutes that are over, of all nodes, in an SQLite file of their own: `history.db`.
 *
 * A file that cannot be used never stops a node (history-base.ts); a new one gets from other nodes what they have. It
 * is written once a minute, and never forced to the disk.
 *
 * Each source's records are kept without a gap, so two numbers say what is here; merging the same piece twice, or an
 * older one, changes nothing.
 */

import type { Minute, NodeId, RoomId } from "../../mesh/core/ids.ts";
import { packed, unpacked } from "../../mesh/core/wire/packed.ts";
import { SOURCES_MAX } from "../history/history-messages.ts";
import { ENDS, type End, type MinuteRecord, type Piece, type Source } from "../history/minute-record.ts";
import type { Row } from "../history/points.ts";
import { HistoryBase } from "./history-base.ts";
import type { HistoryPlace, NamedRoom, RecordRow, StoredSource } from "./history-file.ts";

/** Records of all rooms and nodes: 85 bytes each, so about 350 MB. Of more, the oldest go, before their 30 days. */
export const RECORDS_MAX = 4_000_000;

/** The same where they are in memory. */
const RECORDS_IN_MEMORY_MAX = 200_000;

/** Records that are removed in one go: 5 ms. */
const REMOVED_AT_ONCE = 2_000;

export class HistoryStore {
  readonly #file: HistoryBase;
  readonly #max: number;
  #sources = new Map<string, StoredSource>();
  #rooms = new Map<string, NamedRoom>();
  #roomsById = new Map<number, NamedRoom>();

  constructor(place: HistoryPlace) {
    this.#max = place.recordsMax ?? (place.path === ":memory:" ? RECORDS_IN_MEMORY_MAX : RECORDS_MAX);
    this.#file = new HistoryBase(place, () => this.#load());
    this.#load();
  }

  /** What is wrong with it, for operators; undefined if nothing is. */
  get trouble(): string | undefined {
    return this.#file.trouble;
  }

  /** How often it was begun again: a source whose records are lost must not go on with the same numbers. */
  get begun(): number {
    return this.#file.begun;
  }

  /** Writes that failed. */
  get failures(): number {
    return this.#file.failures;
  }

  get sources(): readonly Source[] {
    return [...this.#sources.values()];
  }

  sourceOf(node: NodeId, run: number): Source | undefined {
    return this.#sources.get(keyOf(node, run));
  }

  /** Records that are here. */
  get records(): number {
    return this.#sources.values().reduce((sum, { first, next }) => sum + next - first, 0);
  }

  /** Bytes of the file, or of the memory that it takes. */
  get bytes(): number {
    return this.#file.read(() => this.#file.queries.pages.get()?.bytes ?? 0, 0);
  }

  /** All rooms of which there are records, under each of their names. */
  get rooms(): readonly NamedRoom[] {
    return [...this.#rooms.values()];
  }

  /** Adds what a piece has beyond what is here. Returns whether it was taken: false if it could not be written. */
  take(pieces: readonly Piece[], floor: Minute): boolean {
    if (pieces.length === 0) return true;
    return this.#file.write(() => {
      for (const piece of pieces) this.#takeOne(piece, floor);
    });
  }

  /** Records of a source from a number on, at most `max`. */
  pieceOf({ node, run }: Pick<Source, "node" | "run">, from: number, max: number): Piece | undefined {
    const source = this.#sources.get(keyOf(node, run));
    if (source === undefined) return undefined;
    const start = Math.max(from, source.first);
    const rows = this.#file.read(() => this.#file.queries.ofSource.all(source.id, start, max), []);
    const records = rows.map((row) => this.#recordOf(row));
    const whole = records.filter((record) => record !== undefined);
    const { id: _, ...known } = source;
    return whole.length === rows.length ? { ...known, from: start, records: whole } : undefined;
  }

  /** The records of rooms in a span of minutes, in the order of their minutes. */
  rowsOf(rooms: readonly NamedRoom[], { from, to }: { readonly from: Minute; readonly to: Minute }): readonly Row[] {
    const byId = new Map(this.#sources.values().map((source) => [source.id, source]));
    const rows = this.#file.read(() => rooms.flatMap(({ id }) => this.#file.queries.ofRoom.all(id, from, to)), []);
    if (rooms.length > 1) rows.sort((one, other) => one.minute - other.minute);
    return rows.flatMap(({ minute, source: id, value }) => {
      const source = byId.get(id);
      const numbers = numbersIn(value);
      return source === undefined || numbers === undefined ? [] : [{ source, minute: minute as Minute, ...numbers }];
    });
  }

  /** The last record of a room before a minute. */
  lastBefore(rooms: readonly NamedRoom[], minute: Minute): Pick<MinuteRecord, "counts"> | undefined {
    const rows = this.#file.read(() => rooms.flatMap(({ id }) => this.#file.queries.lastBefore.all(id, minute)), []);
    const [last] = rows.sort((one, other) => other.minute - one.minute);
    return last && numbersIn(last.value);
  }

  /** The last minute of which there is a record of a room. */
  lastMinute(room: NamedRoom): Minute | undefined {
    const [row] = this.#file.read(() => this.#file.queries.lastBefore.all(room.id, Number.MAX_SAFE_INTEGER), []);
    return row?.minute as Minute | undefined;
  }

  /** Removes a part of what is older than `floor`, and of what is too much. Call it every few seconds. */
  prune(floor: Minute): void {
    this.#file.write(() => {
      let left = REMOVED_AT_ONCE;
      for (const source of [...this.#sources.values()]) {
        if (left <= 0) return;
        if (source.since >= floor) continue;
        left -= this.#removeOld(source, floor, left);
        this.#dropEmpty(source, floor);
      }
      if (this.records > this.#max) left -= this.#removeSurplus(left);
      if (left < REMOVED_AT_ONCE) this.#dropRooms();
    });
  }

  /** Names under which nothing is left: a room that is renamed again and again must not fill the disk. */
  #dropRooms(): void {
    for (const room of this.#file.queries.dropRooms.all()) {
      this.#rooms.delete(nameKey(room));
      this.#roomsById.delete(room.id);
    }
  }

  /** Returns how many were removed. */
  #removeSurplus(most: number): number {
    let left = most;
    for (const source of this.#oldestFirst()) {
      const over = Math.min(left, this.records - this.#max);
      if (over <= 0) break;
      left -= this.#removeFirst(source, over);
    }
    return most - left;
  }

  close(): void {
    this.#file.close();
  }

  #load(): void {
    this.#sources = new Map();
    this.#rooms = new Map();
    this.#roomsById = new Map();
    this.#file.read(() => {
      for (const { end, ...row } of this.#file.queries.sources.all()) {
        const source = { ...row, end: ENDS[end] ?? "crashed" } as StoredSource;
        this.#sources.set(keyOf(source.node, source.run), source);
      }
      for (const room of this.#file.queries.rooms.all()) this.#noteRoom(room);
    }, undefined);
  }

  #takeOne(piece: Piece, floor: Minute): void {
    const known = this.#sources.get(keyOf(piece.node, piece.run)) ?? this.#newSource(piece);
    if (known === undefined) return;
    // Records that the sender has no more are nowhere to be had: what comes after them is taken.
    const isBeyond = piece.from > known.next;
    if (isBeyond && piece.from > piece.first) return;
    const next = Math.max(known.next, piece.from);
    const news = piece.records.slice(next - piece.from);
    let first = isBeyond ? next : known.first;
    for (const [at, record] of news.entries()) {
      const seq = next + at;
      // Older than anything that is kept.
      if (record.minute < floor && first === seq) first = seq + 1;
      else this.#insert(known.id, seq, record);
    }
    const end = next + news.length;
    const isWhole = end >= piece.next;
    const lastMinute = news.at(-1)?.minute ?? known.until;
    this.#update({
      ...known,
      first,
      next: end,
      until: Math.max(known.until, isWhole ? piece.until : lastMinute) as Minute,
      end: isWhole && piece.end !== "open" ? piece.end : known.end,
    });
  }

  #newSource({ node, run, locality, since, first }: Piece): StoredSource | undefined {
    if (this.#sources.size >= SOURCES_MAX) return undefined;
    const fresh = { node, run, locality, since, first, next: first, until: since, end: "open" } as const;
    const row = this.#file.queries.addSource.get({ ...fresh, end: 0 });
    if (row === null) return undefined;
    const source = { ...fresh, id: row.id };
    this.#sources.set(keyOf(node, run), source);
    return source;
  }

  #update(source: StoredSource): void {
    const { id, first, next, until, end } = source;
    this.#file.queries.setSource.run({ id, first, next, until, end: ENDS.indexOf(end as End) });
    this.#sources.set(keyOf(source.node, source.run), source);
  }

  #insert(source: number, seq: number, { room, name, minute, counts, waits, held }: MinuteRecord): void {
    const value = packed([counts, waits, held]);
    this.#file.queries.insert.run({ room: this.#roomOf(room, name), minute, source, seq, value });
  }

  #roomOf(room: RoomId, name: string): number {
    const key = nameKey({ room, name });
    const known = this.#rooms.get(key) ?? this.#file.queries.addRoom.get({ room, name });
    if (known === null) throw new Error("Broken: a row that was inserted is returned");
    this.#noteRoom(known);
    return known.id;
  }

  #noteRoom(room: NamedRoom): void {
    this.#rooms.set(nameKey(room), room);
    this.#roomsById.set(room.id, room);
  }

  #recordOf({ room: id, minute, value }: RecordRow): MinuteRecord | undefined {
    const room = this.#roomsById.get(id);
    const numbers = numbersIn(value);
    if (room === undefined || numbers === undefined) return undefined;
    return { room: room.room, name: room.name, minute: minute as Minute, ...numbers };
  }

  /** Its minutes rise with its numbers. Returns how many were removed. */
  #removeOld(source: StoredSource, floor: Minute, max: number): number {
    if (source.first >= source.next) return 0;
    const rows = this.#file.queries.minutes.all(source.id, source.first, max);
    const old = rows.findIndex(({ minute }) => minute >= floor);
    return this.#removeFirst(source, old === -1 ? rows.length : old);
  }

  #removeFirst(source: StoredSource, count: number): number {
    const removed = Math.min(count, source.next - source.first);
    if (removed <= 0) return 0;
    const first = source.first + removed;
    this.#file.queries.removeBefore.run(source.id, first);
    this.#update({ ...source, first });
    return removed;
  }

  /** A run that has nothing left says nothing, unless it may go on. */
  #dropEmpty({ id, node, run, until }: StoredSource, floor: Minute): void {
    const source = this.#sources.get(keyOf(node, run));
    if (source === undefined || source.first < source.next || until >= floor) return;
    this.#file.queries.dropSource.run(id);
    this.#sources.delete(keyOf(node, run));
  }

  #oldestFirst(): readonly StoredSource[] {
    const held = [...this.#sources.values()].filter(({ first, next }) => first < next);
    const oldest = held.map((source) => {
      const [row] = this.#file.queries.minutes.all(source.id, source.first, 1);
      return [row?.minute ?? 0, source] as const;
    });
    return oldest.sort(([one], [other]) => one - other).map(([, source]) => source);
  }
}

function keyOf(node: NodeId, run: number): string {
  return `${node} ${run}`;
}

function nameKey({ room, name }: Pick<NamedRoom, "room" | "name">): string {
  return `${room} ${name}`;
}

/** The numbers of a record, as the file has them; undefined for what is damaged. */
function numbersIn(value: Uint8Array): Pick<MinuteRecord, "counts" | "waits" | "held"> | undefined {
  const [lists] = unpacked(value) ?? [];
  if (!Array.isArray(lists)) return undefined;
  const [counts, waits, held] = lists;
  return [counts, waits, held].every(isNumbers) ? { counts, waits, held } : undefined;
}

function isNumbers(list: unknown): list is readonly number[] {
  return Array.isArray(list) && list.every((item) => Number.isSafeInteger(item) && item >= 0);
}
