import { Database } from "bun:sqlite";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { DataDirectoryError } from "../../../node/storage/identity.ts";
import { Store } from "../../../node/storage/store.ts";

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

function open(path: string, durability: "process" | "fsync" = "process"): Store {
  const store = new Store(path, durability);
  opened.push(store);
  return store;
}

function put(store: Store, entries: Readonly<Record<string, unknown>>, isVote = false): void {
  store.commit({ writes: new Map(Object.entries(entries)), isVote });
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

describe("a store", () => {
  for (const durability of ["process", "fsync"] as const)
    test(`has for the next process what was put last and not removed (${durability})`, () => {
      const path = newPath();
      const store = new Store(path, durability);
      put(store, { a: { slots: [[1, 2]] }, b: "text", c: 3 });
      put(store, { a: { slots: [[2, 5]] }, c: undefined, vote: [1, "x", null] }, true);
      put(store, { d: new Uint8Array([1, 2]) });
      store.close();
      expect(Object.fromEntries(open(path).entries())).toEqual({
        a: { slots: [[2, 5]] },
        b: "text",
        vote: [1, "x", null],
        d: new Uint8Array([1, 2]),
      });
    });

  test("puts all of a commit or nothing", () => {
    const store = open(newPath());
    put(store, { a: 1 });
    expect(() => put(store, { a: 2, b: () => 1 })).toThrow();
    expect(Object.fromEntries(store.entries())).toEqual({ a: 1 });
  });

  test("names an entry that cannot be read, instead of leaving it out", () => {
    const path = newPath();
    const before = new Store(path, "process");
    put(before, { a: 1, b: 2 });
    before.close();
    const database = new Database(path);
    database.query("UPDATE entry SET value = ? WHERE key = 'b'").run(new Uint8Array([0xc1, 1, 2, 3]));
    database.close();
    expect(() => open(path).entries()).toThrow('its entry "b" cannot be read');
  });
});

describe("a data directory", () => {
  test("in use is refused, with what to do", () => {
    const path = newPath();
    open(path);
    const { code, message, hint } = refusal(() => new Store(path, "process"));
    expect(code).toBe("locked");
    expect(message).toContain("another process uses it");
    expect(hint).toContain("--data");
  });

  test.each<[string, (bytes: Buffer) => Buffer]>([
    ["no database", () => Buffer.from("long enough to be looked at as one ".repeat(100))],
    ["cut in the middle", (bytes) => bytes.subarray(0, bytes.length / 2)],
    ["cut by a byte", (bytes) => bytes.subarray(0, -1)],
    ["with a page of garbage", (bytes) => bytes.fill("x7", 4_096, 8_192)],
    ["with garbage at its head", (bytes) => bytes.fill("x7", 0, 100)],
    ["with garbage in all its pages", (bytes) => bytes.fill("x7", 512)],
  ])("whose file is %s is refused with its name and the repair", (_, damage) => {
    const path = newPath();
    const store = new Store(path, "process");
    put(store, Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`key ${at}`, "x".repeat(200)])));
    store.close();
    const bytes = readFileSync(path);
    expect(bytes.length).toBeGreaterThan(16_000);
    writeFileSync(path, damage(bytes));
    const { code, message, hint } = refusal(() => new Store(path, "process"));
    expect(code).toBe("unreadable-store");
    expect(message).toContain(path);
    expect(hint).toContain("--join");
  });

  test("of another schema is refused and left as it is", () => {
    const path = newPath();
    new Store(path, "process").close();
    const database = new Database(path);
    database.run("UPDATE meta SET value = '1' WHERE key = 'schema'");
    database.close();
    for (let time = 0; time < 2; time++) {
      const { code, message } = refusal(() => new Store(path, "process"));
      expect(code).toBe("schema");
      expect(message).toContain("current value is 1");
    }
  });

  test.each([
    ["DROP TABLE entry; CREATE TABLE entry (a, b)", "its tables are not anteroom's: no such column"],
    ["ALTER TABLE entry RENAME TO old; CREATE VIEW entry AS SELECT * FROM old", "its tables are not anteroom's"],
    ["UPDATE meta SET value = 'x' WHERE key = 'minute_ms'", 'the length of its minutes is "x"'],
    ["UPDATE meta SET value = '-1' WHERE key = 'minute_ms'", 'the length of its minutes is "-1"'],
  ])("changed by %j is refused with its name and the repair", (damage, said) => {
    const path = newPath();
    const first = new Store(path, "process");
    first.requireMinuteMs(60_000);
    first.close();
    const database = new Database(path);
    for (const step of damage.split("; ")) database.run(step);
    database.close();
    const { message, hint } = refusal(() => {
      const store = open(path);
      store.requireMinuteMs(60_000);
      return store;
    });
    expect(message).toContain(`Cannot use ${path} as ${said}`);
    expect(hint).toContain("--join");
  });

  test.each(["", "-wal"])("whose file%s is a pipe is refused, not waited for", (suffix) => {
    const path = newPath();
    execFileSync("mkfifo", [`${path}${suffix}`]);
    expect(refusal(() => new Store(path, "process")).message).toBe(
      `Cannot use ${path}${suffix} as it is not a regular file`,
    );
  });

  test.each(["", "-wal"])("is not there any more once its file%s is removed", (suffix) => {
    const path = newPath();
    const store = open(path);
    expect(store.isThere).toBe(true);
    put(store, { a: 1 });
    expect(store.isThere).toBe(true);
    rmSync(`${path}${suffix}`);
    expect(store.isThere).toBe(false);
    expect(open(":memory:").isThere).toBe(true);
  });

  test("continues with the length of its minutes, and no other", () => {
    const path = newPath();
    const store = new Store(path, "process");
    store.requireMinuteMs(60_000);
    store.close();
    const again = open(path);
    again.requireMinuteMs(60_000);
    expect(() => again.requireMinuteMs(1_000)).toThrow(/minutes last 60000 ms: current value is 1000 ms/);
  });
});

describe("a vote", () => {
  /** How far SQLite forces commits to the disk: 1 is NORMAL, 2 FULL. */
  function levels(durability: "process" | "fsync"): unknown[] {
    const seen: unknown[] = [];
    let database: Database | undefined;
    const level = (): void => void seen.push(database?.query("PRAGMA synchronous").get());
    const store = new Store(newPath(), durability, (path) => {
      database = new Database(path, { create: true, strict: true });
      return database;
    });
    opened.push(store);
    // It is read within the transaction.
    const votes = (function* () {
      level();
      yield ["members/vote", 1];
    })();
    store.commit({ writes: votes as never, isVote: true });
    level();
    return seen.map((each) => (each as { synchronous: number }).synchronous);
  }

  test("is forced to the disk, and what comes behind it only as far as it was asked for", () => {
    expect([levels("process"), levels("fsync")]).toEqual([
      [2, 1],
      [2, 2],
    ]);
  });
});
