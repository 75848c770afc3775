/** A real node on a data directory that was damaged or removed: it says which file, why, and what to do. */

import { Database } from "bun:sqlite";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { packed } from "../../../mesh/core/wire/packed.ts";
import type { RunningNode } from "../../../node/process/node.ts";
import { DataDirectoryError } from "../../../node/storage/identity.ts";
import { roomOf, smallest } from "../config/documents.ts";
import { startReal } from "../process/real-node.ts";

const FOLDER = mkdtempSync(join(tmpdir(), "anteroom-damage-"));
const BASE = join(FOLDER, "base");
const DATA = join(FOLDER, "damaged");
const FILE = join(DATA, "anteroom.db");

const logged: string[] = [];
let node: RunningNode | undefined;

const note = (fields: object, message: string): void => void logged.push(`${message} ${JSON.stringify(fields)}`);

async function start(data: string): Promise<RunningNode> {
  const [listen, admin, mesh] = Array(3).fill("127.0.0.1:0");
  const flags = { listen, admin, mesh, data, "minute-ms": "1000", origin: "http://127.0.0.1:9", pressure: "off" };
  const log = { error: note, warn: note, info: () => undefined, debug: () => undefined };
  node = await startReal(flags, { rooms: [roomOf(smallest({ ramp: "500/min/50/5" }))], log });
  return node;
}

const pause = () => new Promise((done) => setTimeout(done, 10));

beforeAll(async () => {
  await (await start(BASE)).drain(0);
});
afterEach(async () => {
  await node?.drain(0);
  node = undefined;
  logged.length = 0;
});
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

function fresh(): void {
  rmSync(DATA, { recursive: true, force: true });
  cpSync(BASE, DATA, { recursive: true });
}

/** Which values are damaged, `process/stored-entries.test.ts` says; what a damaged file is, `store.test.ts`. */
test("an entry of the store that cannot be one of its kind is refused with its file", async () => {
  fresh();
  const database = new Database(FILE);
  database.query("UPDATE entry SET value = ? WHERE key = 'alive'").run(packed(-5));
  database.close();
  const refused = await start(DATA).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(DataDirectoryError);
  expect(refused).toMatchObject({
    message: expect.stringContaining(`${FILE} as its entry "alive"`),
    hint: expect.stringContaining("--join"),
  });
});

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
