/**
 * Opens the file of minutes, and holds its queries. A file that cannot be used is set aside, and a new one begun.
 */

import { Database } from "bun:sqlite";
import { renameSync, rmSync, statSync } from "node:fs";
import type { RoomId } from "../../mesh/core/ids.ts";
import type { Source } from "../history/minute-record.ts";
import { messageOf } from "../message-of.ts";

/** Raised when an older release cannot read the file any more: it would set it aside. */
const SCHEMA_VERSION = "1";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS source (
    id INTEGER PRIMARY KEY, node TEXT NOT NULL, run INTEGER NOT NULL, locality TEXT NOT NULL, since INTEGER NOT NULL,
    first INTEGER NOT NULL, next INTEGER NOT NULL, until INTEGER NOT NULL, end INTEGER NOT NULL, UNIQUE (node, run)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS room (
    id INTEGER PRIMARY KEY, room TEXT NOT NULL, name TEXT NOT NULL, UNIQUE (room, name)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS record (
    room INTEGER NOT NULL, minute INTEGER NOT NULL, source INTEGER NOT NULL, seq INTEGER NOT NULL, value BLOB NOT NULL,
    PRIMARY KEY (room, minute, source, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS record_by_source ON record (source, seq);
`;

export interface HistoryPlace {
  /** The file; `:memory:` for a node that keeps nothing. */
  readonly path: string;
  /** Records of another mesh, or of minutes of another length, mean something else: the file is set aside. */
  readonly meshId: string;
  readonly minuteMs: number;
  /** Told what is wrong, once for each time that it begins. */
  readonly onTrouble: (problem: string) => void;
  /** As `RECORDS_MAX`, for tests. */
  readonly recordsMax?: number;
}

export interface StoredSource extends Source {
  readonly id: number;
}

/** A room under one of the names that it has had. */
export interface NamedRoom {
  readonly id: number;
  readonly room: RoomId;
  readonly name: string;
}

export type RecordRow = { room: number; minute: number; source: number; value: Uint8Array };

export function queriesOf(database: Database) {
  type SourceRow = Omit<StoredSource, "end"> & { end: number };
  return {
    sources: database.query<SourceRow, []>("SELECT * FROM source"),
    rooms: database.query<NamedRoom, []>("SELECT * FROM room"),
    addSource: database.query<{ id: number }, Omit<SourceRow, "id">>(
      "INSERT INTO source (node, run, locality, since, first, next, until, end) VALUES ($node, $run, $locality, $since, $first, $next, $until, $end) RETURNING id",
    ),
    setSource: database.query<never, Pick<SourceRow, "id" | "first" | "next" | "until" | "end">>(
      "UPDATE source SET first = $first, next = $next, until = $until, end = $end WHERE id = $id",
    ),
    dropSource: database.query<never, [number]>("DELETE FROM source WHERE id = ?1"),
    addRoom: database.query<NamedRoom, Omit<NamedRoom, "id">>(
      "INSERT INTO room (room, name) VALUES ($room, $name) RETURNING *",
    ),
    dropRooms: database.query<NamedRoom, []>(
      "DELETE FROM room WHERE NOT EXISTS (SELECT 1 FROM record WHERE record.room = room.id) RETURNING *",
    ),
    insert: database.query<never, RecordRow & { seq: number }>(
      "INSERT OR IGNORE INTO record VALUES ($room, $minute, $source, $seq, $value)",
    ),
    ofSource: database.query<RecordRow, [number, number, number]>(
      "SELECT room, minute, source, value FROM record WHERE source = ?1 AND seq >= ?2 ORDER BY seq LIMIT ?3",
    ),
    ofRoom: database.query<RecordRow, [number, number, number]>(
      "SELECT room, minute, source, value FROM record WHERE room = ?1 AND minute >= ?2 AND minute < ?3 ORDER BY minute",
    ),
    lastBefore: database.query<RecordRow, [number, number]>(
      "SELECT room, minute, source, value FROM record WHERE room = ?1 AND minute < ?2 ORDER BY minute DESC LIMIT 1",
    ),
    minutes: database.query<{ minute: number }, [number, number, number]>(
      "SELECT minute FROM record WHERE source = ?1 AND seq >= ?2 ORDER BY seq LIMIT ?3",
    ),
    removeBefore: database.query<never, [number, number]>("DELETE FROM record WHERE source = ?1 AND seq < ?2"),
    pages: database.query<{ bytes: number }, []>(
      "SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()",
    ),
  };
}

interface Opened {
  readonly database: Database;
  readonly problem: string | undefined;
}

/** The history as it is; an empty one, in a new file or in memory, where the file cannot be used. */
export function opened(place: HistoryPlace): Opened {
  try {
    return { database: open(place, place.path), problem: undefined };
  } catch (error) {
    return startedAgain(place, messageOf(error));
  }
}

function startedAgain(place: HistoryPlace, reason: string): Opened {
  const { path } = place;
  const aside = `${path}.aside`;
  try {
    setAside(path, aside);
    const problem = `The history of rooms begins again as ${path} cannot be used: ${reason}; it was set aside as ${aside}, and what other nodes have of it comes back`;
    return { database: open(place, path), problem };
  } catch (error) {
    const problem = `The history of rooms is kept in memory as ${path} cannot be used: ${reason}; a new file cannot be made either: ${messageOf(error)}`;
    return { database: open(place, ":memory:"), problem };
  }
}

function open({ meshId, minuteMs }: HistoryPlace, path: string): Database {
  if (path !== ":memory:" && statSync(path, { throwIfNoEntry: false })?.isFile() === false)
    throw new Error("it is not a regular file");
  const database = new Database(path, { create: true, strict: true });
  try {
    database.run("PRAGMA locking_mode = EXCLUSIVE");
    database.run("PRAGMA journal_mode = WAL");
    database.run("PRAGMA synchronous = NORMAL");
    database.run(SCHEMA);
    for (const [key, value] of [
      ["schema", SCHEMA_VERSION],
      ["mesh", meshId],
      ["minute_ms", String(minuteMs)],
    ] as const) {
      database.query("INSERT OR IGNORE INTO meta VALUES (?1, ?2)").run(key, value);
      const stored = database
        .query<{ value: string }, [string]>("SELECT value FROM meta WHERE key = ?1")
        .get(key)?.value;
      if (stored !== value) throw new Error(`its ${key} is ${stored}, and must be ${value}`);
    }
    queriesOf(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** One file is kept, the last one. */
function setAside(path: string, aside: string): void {
  if (path === ":memory:") return;
  rmSync(aside, { force: true, recursive: true });
  for (const file of [`${path}-wal`, `${path}-shm`]) rmSync(file, { force: true, recursive: true });
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) renameSync(path, aside);
}
