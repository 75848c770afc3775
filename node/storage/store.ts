/**
 * What survives the process, in one SQLite file: entries by key, as the parts put them into the outbox.
 *
 * `commit` is on the path of every admission: it is on disk before any visitor gets the answer (WAL;
 * `synchronous=NORMAL` survives the end of the process, `FULL` also a power loss). Votes are always forced to disk.
 * Only its writer knows what an entry means. The file is opened with an exclusive lock, so that no two processes use
 * one data directory.
 */

import { Database } from "bun:sqlite";
import { statSync } from "node:fs";
import type { Batch } from "../../mesh/core/wire/outbox.ts";
import { packed, unpacked } from "../../mesh/core/wire/packed.ts";
import { messageOf } from "../message-of.ts";
import { DataDirectoryError, requireFile } from "./identity.ts";

export type Durability = "process" | "fsync";

/** Raised when older files can no longer be read. */
const SCHEMA_VERSION = "2";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS entry (key TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
`;

export class Store {
  readonly #database: Database;
  readonly #durability: Durability;
  readonly #commit: (writes: Batch["writes"]) => void;
  readonly #path: string;
  /** Its files as they were opened: the last commits lie in the log beside the database. */
  readonly #inodes: readonly (number | undefined)[];

  /**
   * Opens `path` (`:memory:` for a node that keeps nothing), as `openDatabase` does it. Throws `DataDirectoryError`.
   */
  constructor(path: string, durability: Durability, openDatabase = openFile) {
    this.#path = path;
    this.#database = open(path, durability, openDatabase);
    this.#durability = durability;
    const { put, remove } = statements(this.#database, path);
    this.#commit = this.#database.transaction((writes: Batch["writes"]) => {
      for (const [key, value] of writes) {
        if (value === undefined) remove.run(key);
        else put.run(key, packed(value));
      }
    });
    this.#requireSchema(path);
    this.#inodes = filesOf(path).map(inodeOf);
  }

  /** Puts all writes on disk, or none. */
  commit({ writes, isVote }: Pick<Batch, "writes" | "isVote">): void {
    if (!isVote || this.#durability === "fsync") {
      this.#commit(writes);
      return;
    }
    this.#database.run("PRAGMA synchronous = FULL");
    try {
      this.#commit(writes);
    } finally {
      this.#database.run("PRAGMA synchronous = NORMAL");
    }
  }

  /** Whether the opened files still exist under their names; always true in memory. */
  get isThere(): boolean {
    return filesOf(this.#path).every((file, at) => inodeOf(file) === this.#inodes[at]);
  }

  /**
   * Everything that was put and not removed. Throws `DataDirectoryError` for what is damaged: half of the entries would
   * be worse than none.
   */
  entries(): ReadonlyMap<string, unknown> {
    const rows = this.#database.query<{ key: string; value: Uint8Array }, []>("SELECT key, value FROM entry").all();
    return new Map(
      rows.map(({ key, value }) => {
        const values = unpacked(value);
        if (values?.length !== 1) throw damaged(this.#path, `its entry ${JSON.stringify(key)} cannot be read`);
        return [key, values[0]];
      }),
    );
  }

  /** Removes every entry: the node gives up its identity. */
  clear(): void {
    this.#database.run("DELETE FROM entry");
  }

  /** Refuses a directory whose minutes have another length: its minute numbers would mean other times. */
  requireMinuteMs(minuteMs: number): void {
    const text = this.#meta("minute_ms") ?? String(minuteMs);
    if (!/^[1-9]\d*$/.test(text)) throw damaged(this.#path, `the length of its minutes is ${JSON.stringify(text)}`);
    const stored = Number(text);
    if (stored !== minuteMs) {
      throw new DataDirectoryError(
        "minute-length",
        `Cannot use this data directory as its minutes last ${stored} ms: current value is ${minuteMs} ms`,
        { hint: `start with --minute-ms ${stored}, or with another data directory` },
      );
    }
    this.#setMeta("minute_ms", String(minuteMs));
  }

  close(): void {
    this.#database.close();
  }

  #requireSchema(path: string): void {
    const schema = this.#meta("schema") ?? SCHEMA_VERSION;
    if (schema !== SCHEMA_VERSION) {
      this.close();
      throw new DataDirectoryError(
        "schema",
        `Cannot use ${path} as it must have schema ${SCHEMA_VERSION}: current value is ${schema}`,
        {
          hint: "it was written by another version of anteroom: start that version, or give this one its own data directory with --data",
        },
      );
    }
    this.#setMeta("schema", SCHEMA_VERSION);
  }

  #setMeta(key: string, value: string): void {
    this.#database.query("INSERT INTO meta VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2").run(key, value);
  }

  #meta(key: string): string | undefined {
    return this.#database.query<{ value: string }, [string]>("SELECT value FROM meta WHERE key = ?").get(key)?.value;
  }
}

function openFile(path: string): Database {
  return new Database(path, { create: true, strict: true });
}

function open(path: string, durability: Durability, openDatabase: typeof openFile): Database {
  for (const file of filesOf(path)) requireFile(file);
  try {
    const database = openDatabase(path);
    database.run("PRAGMA locking_mode = EXCLUSIVE");
    const [check] = database.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").all();
    if (check?.quick_check !== "ok") throw new Error(`the file is damaged: ${check?.quick_check}`);
    requireWholePages(path, database);
    database.run("PRAGMA journal_mode = WAL");
    database.run(`PRAGMA synchronous = ${durability === "fsync" ? "FULL" : "NORMAL"}`);
    database.run(SCHEMA);
    return database;
  } catch (cause) {
    const isLocked = (cause as { code?: string }).code === "SQLITE_BUSY";
    const message = messageOf(cause);
    throw new DataDirectoryError(
      isLocked ? "locked" : "unreadable-store",
      isLocked ? `Cannot use ${path} as another process uses it` : `Cannot open ${path}: ${message}`,
      {
        hint: isLocked
          ? "stop the other anteroom, or give this one its own data directory with --data"
          : `check the rights and the free space of the data directory; ${DAMAGED_HINT}`,
        cause,
      },
    );
  }
}

/** SQLite reads what is missing of a file's last page as zeros, and its own check need not notice. */
function requireWholePages(path: string, database: Database): void {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const [page] = database.query<{ page_size: number }, []>("PRAGMA page_size").all();
  if (page !== undefined && bytes % page.page_size !== 0) throw new Error("the file is damaged: its last page is cut");
}

function statements(database: Database, path: string) {
  try {
    return {
      put: database.query("INSERT INTO entry VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2"),
      remove: database.query("DELETE FROM entry WHERE key = ?1"),
    };
  } catch (cause) {
    database.close();
    throw damaged(path, `its tables are not anteroom's: ${messageOf(cause)}`, cause);
  }
}

/** A file that can be opened and holds something that this version cannot use. */
export function damaged(path: string, what: string, cause?: unknown): DataDirectoryError {
  return new DataDirectoryError("damaged-store", `Cannot use ${path} as ${what}`, { hint: DAMAGED_HINT, cause });
}

/** A file that a newer release has written, or one that is too old. */
export function newerStore(path: string, what: string): DataDirectoryError {
  return new DataDirectoryError("other-wire", `Cannot use ${path} as ${what}`, {
    hint: "start a release that understands it: nothing on this disk was changed (docs/install.md)",
  });
}

const DAMAGED_HINT =
  "a damaged file cannot be repaired: move the data directory away, and start with an empty one, the mesh key (--mesh-key) and --join: " +
  "the node joins as a new one, and what it owned is idle for a while. The only node of a mesh starts a new mesh, which ends all sessions";

/** The database and its log; none in memory. */
function filesOf(path: string): readonly string[] {
  return path === ":memory:" ? [] : [path, `${path}-wal`];
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
