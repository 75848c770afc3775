/**
 * What survives the process, in one SQLite file: rooms, admissions, lines, and the own ledger row with its history of minutes.
 *
 * `commit` is on the path of every admission: it is on disk before anybody is told (WAL; `synchronous=NORMAL` survives the
 * end of the process, `FULL` the loss of power too). Line summaries and the ledger row's counts are saved every half
 * second: losing the last of them costs a position its exactness, never a place or a slot.
 * The file is opened with an exclusive lock, so that no two processes use one data directory.
 */

import { Database } from "bun:sqlite";
import type { AccountId, Minute, RoomId } from "../mesh/core/ids.ts";
import type { RowData } from "../mesh/core/row.ts";
import type { AdmissionRecord } from "./admission/admission.ts";
import type { LineSummary } from "./admission/line.ts";
import type { Revoked } from "./admission/sessions.ts";
import { DataDirectoryError } from "./identity.ts";
import { messageOf } from "./message-of.ts";

export type Durability = "process" | "fsync";

/** A room as stored: `document` is its snake_case JSON; `firstName` is what its id was hashed from. */
export interface StoredRoom {
  readonly id: RoomId;
  readonly firstName: string;
  readonly document: string;
  readonly createdMs: number;
  readonly modifiedMs: number;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS room (
    id TEXT PRIMARY KEY, first_name TEXT NOT NULL, document TEXT NOT NULL,
    created_ms INTEGER NOT NULL, modified_ms INTEGER NOT NULL, deleted INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS admission (
    room TEXT PRIMARY KEY, slots TEXT NOT NULL,
    minute INTEGER NOT NULL, admitted_in_minute INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS revoked (
    room TEXT NOT NULL, id TEXT NOT NULL, last_good INTEGER NOT NULL, PRIMARY KEY (room, id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS line (room TEXT PRIMARY KEY, summary TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS ledger_row (account TEXT PRIMARY KEY, row TEXT NOT NULL) STRICT, WITHOUT ROWID;
`;

export class Store {
  readonly #database: Database;
  readonly #putAdmission;
  readonly #commit: (records: readonly (readonly [RoomId, AdmissionRecord])[]) => void;

  /** Opens `path` (`:memory:` for a node that keeps nothing). Throws `DataDirectoryError`. */
  constructor(path: string, durability: Durability) {
    this.#database = open(path, durability);
    this.#putAdmission = this.#database.query(
      `INSERT INTO admission VALUES (?1, ?2, ?3, ?4) ON CONFLICT (room) DO UPDATE
       SET slots = ?2, minute = ?3, admitted_in_minute = ?4`,
    );
    this.#commit = this.#database.transaction((records: readonly (readonly [RoomId, AdmissionRecord])[]) => {
      for (const [room, { slots, minute, admittedInMinute }] of records) {
        this.#putAdmission.run(room, JSON.stringify(slots), minute, admittedInMinute);
      }
    });
  }

  /** Puts the admission records of all `records` on disk, or none. */
  commit(records: readonly (readonly [RoomId, AdmissionRecord])[]): void {
    this.#commit(records);
  }

  admission(room: RoomId): AdmissionRecord | undefined {
    const row = this.#database
      .query<Omit<AdmissionRecord, "slots"> & { slots: string }, [string]>(
        "SELECT slots, minute, admitted_in_minute AS admittedInMinute FROM admission WHERE room = ?",
      )
      .get(room);
    return row === null ? undefined : { ...row, slots: JSON.parse(row.slots) as AdmissionRecord["slots"] };
  }

  /** Puts on disk that a session was ended: before its slot is free, so that no restart lets its cookie take another one's. */
  putRevoked(room: RoomId, { id, lastGood }: Revoked): void {
    this.#database.query("INSERT OR REPLACE INTO revoked VALUES (?1, ?2, ?3)").run(room, id, lastGood);
  }

  /** The ended sessions of `room` whose cookies may be good in `minute` or later; forgets the others. */
  revoked(room: RoomId, minute: Minute): Revoked[] {
    this.#database.query("DELETE FROM revoked WHERE room = ?1 AND last_good < ?2").run(room, minute);
    return this.#database
      .query<Revoked, [string]>("SELECT id, last_good AS lastGood FROM revoked WHERE room = ?")
      .all(room);
  }

  line(room: RoomId): LineSummary | undefined {
    const row = this.#database
      .query<{ summary: string }, [string]>("SELECT summary FROM line WHERE room = ?")
      .get(room);
    return row === null ? undefined : (JSON.parse(row.summary) as LineSummary);
  }

  /** An account's row of the ledger: its gifts, and its counts of the last minutes (the traffic history). */
  ledgerRow(account: AccountId): RowData | undefined {
    const row = this.#database
      .query<{ row: string }, [string]>("SELECT row FROM ledger_row WHERE account = ?")
      .get(account);
    return row === null ? undefined : (JSON.parse(row.row) as RowData);
  }

  /** Saves what may lag by half a second. `aliveMs` dates it. */
  saveSoft(soft: { aliveMs: number; row: RowData; lines: readonly (readonly [RoomId, LineSummary])[] }): void {
    const putLine = this.#database.query(
      "INSERT INTO line VALUES (?1, ?2) ON CONFLICT (room) DO UPDATE SET summary = ?2",
    );
    const putRow = this.#database.query(
      "INSERT INTO ledger_row VALUES (?1, ?2) ON CONFLICT (account) DO UPDATE SET row = ?2",
    );
    this.#database.transaction(() => {
      this.#setMeta("alive_ms", String(soft.aliveMs));
      putRow.run(soft.row.account, JSON.stringify(soft.row));
      for (const [room, summary] of soft.lines) putLine.run(room, JSON.stringify(summary));
    })();
  }

  /** Unix ms at which the last process here was alive, or undefined on first start. */
  get aliveMs(): number | undefined {
    const value = this.#meta("alive_ms");
    return value === undefined ? undefined : Number(value);
  }

  /** The account of this data directory: the one stored, else `fresh`, which is stored. */
  account(fresh: () => string): AccountId {
    const known = this.#meta("account");
    if (known !== undefined) return known as AccountId;
    const account = fresh();
    this.#setMeta("account", account);
    return account as AccountId;
  }

  /** Refuses a directory whose minutes have another length: its numbers of minutes would be those of other times. */
  requireMinuteMs(minuteMs: number): void {
    const stored = Number(this.#meta("minute_ms") ?? minuteMs);
    if (stored !== minuteMs) {
      throw new DataDirectoryError(
        "minute-length",
        `Cannot use this data directory as its minutes last ${stored} ms: current value is ${minuteMs} ms`,
        { hint: `start with --minute-ms ${stored}, or with another data directory` },
      );
    }
    this.#setMeta("minute_ms", String(minuteMs));
  }

  rooms(): StoredRoom[] {
    return this.#database
      .query<StoredRoom, []>(
        `SELECT id, first_name AS firstName, document, created_ms AS createdMs, modified_ms AS modifiedMs
         FROM room WHERE deleted = 0 ORDER BY created_ms, id`,
      )
      .all();
  }

  /** Writes all of `rooms` or none; a room deleted before comes back with its ledger rows. */
  putRooms(rooms: readonly StoredRoom[]): void {
    const put = this.#database.query(
      `INSERT INTO room VALUES (?1, ?2, ?3, ?4, ?5, 0) ON CONFLICT (id) DO UPDATE
       SET document = ?3, modified_ms = ?5, deleted = 0`,
    );
    this.#database.transaction(() => {
      for (const { id, firstName, document, createdMs, modifiedMs } of rooms) {
        put.run(id, firstName, document, createdMs, modifiedMs);
      }
    })();
  }

  /** Marks the room as deleted; what its sessions hold stays. */
  deleteRoom(id: RoomId, modifiedMs: number): void {
    this.#database.query("UPDATE room SET deleted = 1, modified_ms = ?2 WHERE id = ?1").run(id, modifiedMs);
  }

  close(): void {
    this.#database.close();
  }

  #setMeta(key: string, value: string): void {
    this.#database.query("INSERT INTO meta VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2").run(key, value);
  }

  #meta(key: string): string | undefined {
    return this.#database.query<{ value: string }, [string]>("SELECT value FROM meta WHERE key = ?").get(key)?.value;
  }
}

function open(path: string, durability: Durability): Database {
  try {
    const database = new Database(path, { create: true, strict: true });
    database.run("PRAGMA locking_mode = EXCLUSIVE");
    database.run("PRAGMA journal_mode = WAL");
    database.run(`PRAGMA synchronous = ${durability === "fsync" ? "FULL" : "NORMAL"}`);
    database.run(SCHEMA);
    database.run("INSERT INTO meta VALUES ('schema', '1') ON CONFLICT (key) DO NOTHING");
    return database;
  } catch (cause) {
    const isLocked = (cause as { code?: string }).code === "SQLITE_BUSY";
    const message = messageOf(cause);
    throw new DataDirectoryError(
      isLocked ? "locked" : "unreadable-store",
      isLocked ? `Cannot use ${path} as another process uses it` : `Cannot open ${path}: ${message}`,
      {
        hint: isLocked
          ? "stop the other anteroom, or give this one a data directory of its own with --data"
          : "check the rights and the free space of the data directory; a broken file can be moved away together with mesh.key, which ends all stays",
        cause,
      },
    );
  }
}
