/** A real node on a data directory that was damaged: it says which file and why, or works; nothing in between. */

import { Database } from "bun:sqlite";
import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { packed } from "../../../mesh/core/wire/packed.ts";
import { parseRoom } from "../../../node/config/room-document.ts";
import { resolveSettings } from "../../../node/config/settings.ts";
import { type RunningNode, startNode } from "../../../node/process/node.ts";
import { DataDirectoryError } from "../../../node/storage/identity.ts";

const FOLDER = mkdtempSync(join(tmpdir(), "anteroom-damage-"));
const BASE = join(FOLDER, "base");
const DATA = join(FOLDER, "damaged");
const FILE = join(DATA, "anteroom.db");

const logged: string[] = [];
/** How often the node has read its clock: some eight times at each tick. */
let clockReads = 0;
let node: RunningNode | undefined;

async function start(data: string): Promise<RunningNode> {
  const local = "127.0.0.1:0";
  const flags = { listen: local, admin: local, mesh: local, data, "minute-ms": "1000", origin: "http://127.0.0.1:9" };
  const given = new Map(Object.entries({ ...flags, pressure: "off" }).map(([flag, value]) => [flag, [value]]));
  const settings = resolveSettings({ flags: given, environment: {}, file: undefined });
  const room = parseRoom({
    name: "shop",
    host: "*",
    total_active_users: 3,
    new_users_per_minute: 9,
    ramp: "500/min/50/5",
  });
  if (!settings.ok || !room.ok) throw new Error("Broken: the settings and the room are good");
  const note = (fields: object, message: string): void => void logged.push(`${message} ${JSON.stringify(fields)}`);
  node = await startNode({
    settings: settings.value.settings,
    rooms: [room.value],
    version: "1",
    tls: undefined,
    originTls: undefined,
    connectionsMax: 100,
    log: { error: note, warn: note, info: () => undefined, debug: () => undefined },
    clock: () => {
      clockReads += 1;
      return Date.now();
    },
    steadyClock: () => performance.now(),
    memoryBytes: () => 1,
    memoryBytesMax: 1_000_000_000,
    endNow: () => logged.push("ended at once"),
  });
  return node;
}

async function visit({ gatePort }: RunningNode): Promise<number> {
  return (await fetch(`http://127.0.0.1:${gatePort}/`, { headers: { accept: "text/html" } })).status;
}

const pause = () => new Promise((done) => setTimeout(done, 10));

/** Lets the node live for some ticks. */
async function ticks(): Promise<void> {
  const until = clockReads + 25;
  while (clockReads < until) await pause();
}

let keys: readonly string[] = [];

beforeAll(async () => {
  const first = await start(BASE);
  for (let visitors = 0; visitors < 5; visitors++) await visit(first);
  const order = `http://127.0.0.1:${first.adminPort}/v1/rooms/shop`;
  const init = { method: "POST", headers: { authorization: `Bearer ${first.token}` } };
  for (const each of ["hold", "resume"]) await fetch(`${order}/${each}`, init);
  await first.drain(0);
  const database = new Database(join(BASE, "anteroom.db"));
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  keys = database
    .query<{ key: string }, []>("SELECT key FROM entry")
    .all()
    .map(({ key }) => key);
  database.close();
});
afterEach(async () => {
  await node?.drain(0);
  node = undefined;
  logged.length = 0;
});
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

/** What became of a start on the damaged directory. */
async function outcome(): Promise<"refused" | "works"> {
  try {
    const started = await start(DATA);
    started.status();
    // A stray value must not do harm later, either.
    await ticks();
    expect([200, 404, 502]).toContain(await visit(started));
    expect(logged.filter((line) => /failed inside|housekeeping|not stored|ended at once|NaN/.test(line))).toEqual([]);
    return "works";
  } catch (error) {
    if (!(error instanceof DataDirectoryError)) throw error;
    expect(error.message).toContain(FILE);
    expect(error.hint).toContain("--join");
    return "refused";
  }
}

function fresh(): void {
  rmSync(DATA, { recursive: true, force: true });
  cpSync(BASE, DATA, { recursive: true });
}

describe("an entry of the store", () => {
  test.each([
    ["that is no value", new Uint8Array([0xc1, 1, 2, 3]), "refused"],
    ["that is empty", new Uint8Array(0), "refused"],
    ["that is text", packed("x"), "any"],
    ["that is a list of lists", packed([[1, 2], [3]]), "any"],
    ["that is below zero", packed(-5), "any"],
    ["that is an empty map", packed({}), "any"],
  ] as const)("%s is refused with its file, or does no harm", async (_, value, wanted) => {
    expect(keys.length).toBeGreaterThan(8);
    for (const key of keys) {
      fresh();
      const database = new Database(FILE);
      database.query("UPDATE entry SET value = ? WHERE key = ?").run(value, key);
      database.close();
      const became = await outcome();
      if (wanted === "refused") expect([key, became]).toEqual([key, wanted]);
      await node?.drain(0);
      node = undefined;
    }
  });
});

describe("the file of the store", () => {
  const size = () => readFileSync(FILE).length;
  test.each<[string, () => void]>([
    ["cut in the middle", () => truncateSync(FILE, Math.floor(size() / 2))],
    ["cut by a byte", () => truncateSync(FILE, size() - 1)],
    ["with a page of garbage", () => overwrite(4_096, 4_096)],
    ["with garbage at its head", () => overwrite(0, 100)],
    ["with garbage in all its pages", () => overwrite(512, size() - 512)],
  ])("%s is refused with its name and the repair", async (_, damage) => {
    fresh();
    damage();
    expect(await outcome()).toBe("refused");
  });
});

function overwrite(from: number, length: number): void {
  const bytes = readFileSync(FILE);
  for (let at = from; at < Math.min(bytes.length, from + length); at++) bytes[at] = (at * 131 + 7) % 256;
  writeFileSync(FILE, bytes);
}

/** The admin API refuses every change, and names the directory: at once, not only when it has been noticed. */
async function expectNothingChanges({ adminPort, token }: RunningNode): Promise<void> {
  const ask = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const url = `http://127.0.0.1:${adminPort}/v1/rooms${path}`;
    const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return [response.status, await response.text()] as const;
  };
  const museum = { name: "museum", host: "museum.example", total_active_users: 1, new_users_per_minute: 1 };
  const before = await ask("GET", "");
  for (const [method, path, body] of [
    ["POST", "", museum],
    ["PATCH", "/shop", { total_active_users: 9 }],
    ["DELETE", "/shop"],
    ["POST", "/shop/hold"],
    ["POST", "/apply", { rooms: [museum] }],
  ] as const) {
    const [status, text] = await ask(method, path, body);
    expect([status, text]).toEqual([503, expect.stringContaining(`${DATA} was removed or replaced`)]);
    expect(text).toContain("anteroom leave");
  }
  expect(await ask("GET", "")).toEqual(before);
}

test("a data directory that is removed under a running node is named soon, and the node is not ready", async () => {
  fresh();
  const running = await start(DATA);
  const ready = async () => fetch(`http://127.0.0.1:${running.adminPort}/readyz`);
  expect((await ready()).status).toBe(200);
  rmSync(DATA, { recursive: true });
  await expectNothingChanges(running);
  while ((await ready()).status === 200) await pause();
  expect(await (await ready()).text()).toBe("not ready: the data directory is gone\n");
  expect(running.status().warnings).toContainEqual(expect.stringContaining(`${DATA}: the data directory was removed`));
  expect(logged).toContainEqual(expect.stringContaining("was removed or replaced under this node"));
});
