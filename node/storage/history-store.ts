/**
 * The minutes that are over, of all nodes, in an SQLite file of their own: `history.db`.
 *
 * Only analytics depend on it, so reads and writes never throw. A file that cannot be used at a start is set aside, and
 * a new one gets from other nodes what they have; one that is damaged while the node runs waits for that. It is written
 * once a minute, and never forced to the disk.
 *
 * Each source's records are kept without a gap, so two numbers say what is here; merging the same piece twice, or an
 * older one, changes nothing.
 */

import type { Database } from "bun:sqlite";
import type { Minute, NodeId, RoomId } from "../../mesh/core/ids.ts";
import { packed, unpacked } from "../../mesh/core/wire/packed.ts";
import { SOURCES_MAX } from "../history/history-messages.ts";
import { ENDS, type End, type MinuteRecord, type Piece, type Source } from "../history/minute-record.ts";
import type { Row } from "../history/points.ts";
import { messageOf } from "../message-of.ts";
import {
  type HistoryPlace,
  type NamedRoom,
  opened,
  queriesOf,
  type RecordRow,
  type StoredSource,
} from "./history-file.ts";

/** Records of all rooms and nodes: 85 bytes each, so about 350 MB. Of more, the oldest go, before their 30 days. */
export const RECORDS_MAX = 4_000_000;

/** The same where they are in memory. */
const RECORDS_IN_MEMORY_MAX = 200_000;

/** Records that are removed in one go: 5 ms. */
const REMOVED_AT_ONCE = 2_000;

const NOT_WRITTEN = "Cannot use the history of rooms in";

export class HistoryStore {
  readonly #place: HistoryPlace;
  readonly #database: Database;
  readonly #queries: ReturnType<typeof queriesOf>;
  readonly #max: number;
  /** What is wrong with it, for operators; undefined if nothing is. */
  trouble: string | undefined;
  /** Writes that failed. */
  failures = 0;
  #sources = new Map<string, StoredSource>();
  #rooms = new Map<string, NamedRoom>();
  #roomsById = new Map<number, NamedRoom>();

  constructor(place: HistoryPlace) {
    this.#max = place.recordsMax ?? (place.path === ":memory:" ? RECORDS_IN_MEMORY_MAX : RECORDS_MAX);
    this.#place = place;
    const { database, problem } = opened(place);
    this.#database = database;
    this.#queries = queriesOf(database);
    if (problem !== undefined) this.#tell(problem);
    this.#load();
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
    return this.#read(() => this.#queries.pages.get()?.bytes ?? 0, 0);
  }

  /** All rooms of which there are records, under each of their names. */
  get rooms(): readonly NamedRoom[] {
    return [...this.#rooms.values()];
  }

  /** Adds what a piece has beyond what is here. Returns whether it was taken: false if it could not be written. */
  take(pieces: readonly Piece[], floor: Minute): boolean {
    if (pieces.length === 0) return true;
    return this.#write(() => {
      for (const piece of pieces) this.#takeOne(piece, floor);
    });
  }

  /** Records of a source from a number on, at most `max`. */
  pieceOf({ node, run }: Pick<Source, "node" | "run">, from: number, max: number): Piece | undefined {
    const source = this.#sources.get(keyOf(node, run));
    if (source === undefined) return undefined;
    const start = Math.max(from, source.first);
    const rows = this.#read(() => this.#queries.ofSource.all(source.id, start, max), []);
    const records = rows.map((row) => this.#recordOf(row));
    const whole = records.filter((record) => record !== undefined);
    const { id: _, ...known } = source;
    return whole.length === rows.length ? { ...known, from: start, records: whole } : undefined;
  }

  /** The records of rooms in a span of minutes, in the order of their minutes. */
  rowsOf(rooms: readonly NamedRoom[], { from, to }: { readonly from: Minute; readonly to: Minute }): readonly Row[] {
    const byId = new Map(this.#sources.values().map((source) => [source.id, source]));
    const rows = this.#read(() => rooms.flatMap(({ id }) => this.#queries.ofRoom.all(id, from, to)), []);
    if (rooms.length > 1) rows.sort((one, other) => one.minute - other.minute);
    return rows.flatMap(({ minute, source: id, value }) => {
      const source = byId.get(id);
      const numbers = numbersIn(value);
      return source === undefined || numbers === undefined ? [] : [{ source, minute: minute as Minute, ...numbers }];
    });
  }

  /** The last record of a room before a minute. */
  lastBefore(rooms: readonly NamedRoom[], minute: Minute): Pick<MinuteRecord, "counts"> | undefined {
    const rows = this.#read(() => rooms.flatMap(({ id }) => this.#queries.lastBefore.all(id, minute)), []);
    const [last] = rows.sort((one, other) => other.minute - one.minute);
    return last && numbersIn(last.value);
  }

  /** The last minute of which there is a record of a room. */
  lastMinute(room: NamedRoom): Minute | undefined {
    const [row] = this.#read(() => this.#queries.lastBefore.all(room.id, Number.MAX_SAFE_INTEGER), []);
    return row?.minute as Minute | undefined;
  }

  /** Removes a part of what is older than `floor`, and of what is too much. Call it every few seconds. */
  prune(floor: Minute): void {
    this.#write(() => {
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
    for (const room of this.#queries.dropRooms.all()) {
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
    this.#database.close();
  }

  /** Does it whole or not at all; false if it could not be done, and its caller tries again. */
  #write(act: () => void): boolean {
    try {
      this.#database.transaction(act)();
      if (this.trouble?.startsWith(NOT_WRITTEN)) this.trouble = undefined;
      return true;
    } catch (error) {
      this.failures += 1;
      this.#failed(error);
      // What it has changed in memory is not in the file.
      this.#load();
      return false;
    }
  }

  #read<Value>(act: () => Value, otherwise: Value): Value {
    try {
      return act();
    } catch (error) {
      this.#failed(error);
      return otherwise;
    }
  }

  #failed(error: unknown): void {
    this.#tell(`${NOT_WRITTEN} ${this.#place.path}: ${messageOf(error)}`);
  }

  #tell(problem: string): void {
    if (this.trouble === problem) return;
    this.trouble = problem;
    this.#place.onTrouble(problem);
  }

  #load(): void {
    this.#sources = new Map();
    this.#rooms = new Map();
    this.#roomsById = new Map();
    this.#read(() => {
      for (const { end, ...row } of this.#queries.sources.all()) {
        const source = { ...row, end: ENDS[end] ?? "crashed" } as StoredSource;
        this.#sources.set(keyOf(source.node, source.run), source);
      }
      for (const room of this.#queries.rooms.all()) this.#noteRoom(room);
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
    const row = this.#queries.addSource.get({ ...fresh, end: 0 });
    if (row === null) return undefined;
    const source = { ...fresh, id: row.id };
    this.#sources.set(keyOf(node, run), source);
    return source;
  }

  #update(source: StoredSource): void {
    const { id, first, next, until, end } = source;
    this.#queries.setSource.run({ id, first, next, until, end: ENDS.indexOf(end as End) });
    this.#sources.set(keyOf(source.node, source.run), source);
  }

  #insert(source: number, seq: number, { room, name, minute, counts, waits, held }: MinuteRecord): void {
    const value = packed([counts, waits, held]);
    this.#queries.insert.run({ room: this.#roomOf(room, name), minute, source, seq, value });
  }

  #roomOf(room: RoomId, name: string): number {
    const key = nameKey({ room, name });
    const known = this.#rooms.get(key) ?? this.#queries.addRoom.get({ room, name });
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
    const rows = this.#queries.minutes.all(source.id, source.first, max);
    const old = rows.findIndex(({ minute }) => minute >= floor);
    return this.#removeFirst(source, old === -1 ? rows.length : old);
  }

  #removeFirst(source: StoredSource, count: number): number {
    const removed = Math.min(count, source.next - source.first);
    if (removed <= 0) return 0;
    const first = source.first + removed;
    this.#queries.removeBefore.run(source.id, first);
    this.#update({ ...source, first });
    return removed;
  }

  /** A run that has nothing left says nothing, unless it may go on. */
  #dropEmpty({ id, node, run, until }: StoredSource, floor: Minute): void {
    const source = this.#sources.get(keyOf(node, run));
    if (source === undefined || source.first < source.next || until >= floor) return;
    this.#queries.dropSource.run(id);
    this.#sources.delete(keyOf(node, run));
  }

  #oldestFirst(): readonly StoredSource[] {
    const held = [...this.#sources.values()].filter(({ first, next }) => first < next);
    const oldest = held.map((source) => {
      const [row] = this.#queries.minutes.all(source.id, source.first, 1);
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
