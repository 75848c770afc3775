import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { AccountId, Minute, RoomId } from "../../mesh/core/ids.ts";
import { Ledger } from "../../mesh/core/ledger.ts";
import type { AdmissionRecord } from "../../node/admission/admission.ts";
import { Line } from "../../node/admission/line.ts";
import { DataDirectoryError } from "../../node/identity.ts";
import { Store, type StoredRoom } from "../../node/store.ts";

const SHOP = "shop" as RoomId;
const BAR = "bar" as RoomId;
const ANNA = "anna" as AccountId;
const NOW_MS = 1_790_000_000_000;

const directories: string[] = [];
const opened: Store[] = [];

afterEach(() => {
  for (const store of opened.splice(0)) store.close();
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

function newPath(): string {
  const directory = mkdtempSync(join(tmpdir(), "anteroom-store-"));
  directories.push(directory);
  return join(directory, "anteroom.db");
}

function open(path: string): Store {
  const store = new Store(path, "process");
  opened.push(store);
  return store;
}

/** What is read by a process that comes after `write`. */
function afterwards<Read>(write: (store: Store) => void, read: (store: Store) => Read): Read {
  const path = newPath();
  const store = new Store(path, "process");
  write(store);
  store.close();
  return read(open(path));
}

function record(held: number): AdmissionRecord {
  return { slots: [[29_000_005 as Minute, held]], minute: 29_000_000 as Minute, admittedInMinute: 2 };
}

function room(id: RoomId, createdMs = NOW_MS): StoredRoom {
  return { id, firstName: `first ${id}`, document: `{"name":"${id}"}`, createdMs, modifiedMs: createdMs };
}

function refusal(open: () => Store): DataDirectoryError {
  try {
    open().close();
  } catch (error) {
    if (error instanceof DataDirectoryError) return error;
    throw error;
  }
  throw new Error("Broken: it was opened");
}

describe("a new store", () => {
  test("knows nothing", () => {
    const store = open(":memory:");
    expect(store.rooms()).toEqual([]);
    expect(store.admission(SHOP)).toBeUndefined();
    expect(store.line(SHOP)).toBeUndefined();
    expect(store.ledgerRow(ANNA)).toBeUndefined();
    expect(store.aliveMs).toBeUndefined();
  });
});

describe("what the next process finds", () => {
  test("is the last admission record of each room", () => {
    const found = afterwards(
      (store) => {
        store.commit([
          [SHOP, record(1)],
          [BAR, record(7)],
        ]);
        store.commit([[SHOP, record(2)]]);
      },
      (store) => [store.admission(SHOP), store.admission(BAR)],
    );
    expect(found).toEqual([record(2), record(7)]);
  });

  test("is the line as it was saved, to the key", () => {
    const line = new Line();
    for (let visitor = 0; visitor < 1_000; visitor++) line.join(NOW_MS + visitor);
    line.call(10);
    const row = { account: ANNA, gifts: [], counts: [] };
    const found = afterwards(
      (store) => store.saveSoft({ aliveMs: NOW_MS, row, lines: [[SHOP, line.summary()]] }),
      (store) => [store.line(SHOP), store.line(BAR), store.aliveMs],
    );
    expect(found).toEqual([line.summary(), undefined, NOW_MS]);
  });

  test("is the account, drawn once, and its ledger row", () => {
    const ledger = new Ledger({ self: ANNA, founder: ANNA });
    ledger.record(SHOP, { minute: 29_000_000 as Minute, kind: "in", count: 3 });
    const found = afterwards(
      (store) => {
        expect(store.account(() => ANNA)).toBe(ANNA);
        store.saveSoft({ aliveMs: NOW_MS, row: ledger.row(ANNA), lines: [] });
      },
      (store) => [store.account(() => "another"), store.ledgerRow(ANNA)],
    );
    expect(found).toEqual([ANNA, ledger.row(ANNA)]);
  });

  test("is the rooms in the order of their making", () => {
    const found = afterwards(
      (store) => store.putRooms([room(SHOP, NOW_MS + 1), room(BAR, NOW_MS)]),
      (store) => store.rooms().map(({ id }) => id),
    );
    expect(found).toEqual([BAR, SHOP]);
  });
});

describe("rooms", () => {
  test("are replaced whole, and keep when they were made", () => {
    const store = open(":memory:");
    store.putRooms([room(SHOP)]);
    store.putRooms([{ ...room(SHOP, NOW_MS + 5), document: "{}" }]);
    expect(store.rooms()).toEqual([{ ...room(SHOP), document: "{}", modifiedMs: NOW_MS + 5 }]);
  });

  test("deleted are not listed, keep what their sessions hold, and come back when put again", () => {
    const store = open(":memory:");
    store.putRooms([room(SHOP)]);
    store.commit([[SHOP, record(3)]]);
    store.deleteRoom(SHOP, NOW_MS + 5);
    expect(store.rooms()).toEqual([]);
    expect(store.admission(SHOP)).toEqual(record(3));
    store.putRooms([room(SHOP, NOW_MS + 9)]);
    expect(store.rooms().map(({ id }) => id)).toEqual([SHOP]);
    expect(store.admission(SHOP)).toEqual(record(3));
  });

  test("are put all or not at all", () => {
    const store = open(":memory:");
    const broken = { ...room(BAR), document: null } as unknown as StoredRoom;
    expect(() => store.putRooms([room(SHOP), broken])).toThrow();
    expect(store.rooms()).toEqual([]);
  });
});

describe("a commit", () => {
  test("is of all records or of none", () => {
    const store = open(":memory:");
    const broken = { ...record(1), minute: null } as unknown as AdmissionRecord;
    expect(() =>
      store.commit([
        [SHOP, record(1)],
        [BAR, broken],
      ]),
    ).toThrow();
    expect(store.admission(SHOP)).toBeUndefined();
  });
});

describe("a data directory that can't be used", () => {
  test("because another process uses it is refused by that name", () => {
    const path = newPath();
    open(path);
    const error = refusal(() => new Store(path, "process"));
    expect(error.code).toBe("locked");
    expect(error.message).toContain(path);
    expect(error.hint).toContain("--data");
  });

  test("is free again once the other is closed", () => {
    const path = newPath();
    new Store(path, "fsync").close();
    expect(open(path).rooms()).toEqual([]);
  });

  test("because the file is no database is refused, and left as it is", () => {
    const path = newPath();
    writeFileSync(path, "not a database, but long enough to be taken for one".repeat(100));
    expect(refusal(() => new Store(path, "process")).code).toBe("unreadable-store");
  });

  test("because it is not there is refused", () => {
    const error = refusal(() => new Store(join(newPath(), "missing", "anteroom.db"), "process"));
    expect(error.code).toBe("unreadable-store");
    expect(error.hint).toContain("rights");
  });
});
