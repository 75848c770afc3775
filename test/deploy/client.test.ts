/** The client that a program copies: one file, strict, and good against the API itself. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { CLIENT_NAME, clientText } from "../../deploy/client/make-client.ts";
import { adminWorld, TOKEN } from "../node/operator/admin-world.ts";

const MUSEUM = { name: "museum", host: "museum.example", total_active_users: 5, new_users_per_minute: 3 };

interface Answer {
  readonly ok: boolean;
  readonly status: number;
  readonly value?: unknown;
  readonly problem?: { readonly code: string; readonly problems?: readonly object[] };
  readonly etag: string | undefined;
}

/** As far as the tests use it: its own types are made for each release, and compiled below. */
interface Client {
  call(name: string, options: object): Promise<Answer>;
}

const folder = mkdtempSync(join(tmpdir(), "anteroom-client-"));
const file = join(folder, CLIENT_NAME);
writeFileSync(file, clientText());
const { AnteroomClient } = (await import(file)) as { readonly AnteroomClient: new (options: object) => Client };
afterAll(() => rmSync(folder, { recursive: true }));

test("it imports nothing, and compiles alone under the strictest settings", () => {
  expect(clientText()).not.toMatch(/^import|require\(/m);
  const strict = ["--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes", "--erasableSyntaxOnly"];
  const target = ["--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler"];
  const compiled = Bun.spawnSync(
    [
      join(import.meta.dirname, "../../node_modules/.bin/tsc"),
      ...["--noEmit", "--ignoreConfig", "--types", "", "--lib", "es2023,dom,dom.iterable"],
      ...[...strict, ...target, CLIENT_NAME],
    ],
    { cwd: folder },
  );
  expect([compiled.exitCode, compiled.stdout.toString()]).toEqual([0, ""]);
});

describe("against the API", () => {
  let world: ReturnType<typeof adminWorld>;
  let server: ReturnType<typeof Bun.serve>;
  let lost: number;
  let sent: Request[];

  beforeEach(() => {
    world = adminWorld();
    lost = 0;
    sent = [];
    server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => world.app.fetch(request, {}) });
  });
  afterEach(() => server.stop(true));

  function client(token = TOKEN) {
    return new AnteroomClient({
      url: `http://127.0.0.1:${server.port}/`,
      token,
      fetch: async (url: string, init: RequestInit) => {
        sent.push(new Request(url, init));
        const answer = await fetch(url, init);
        if (lost === 0) return answer;
        lost -= 1;
        throw new Error("the connection was closed");
      },
    });
  }

  test("rooms are created, read, changed under a condition, and deleted", async () => {
    const anteroom = client();
    const created = await anteroom.call("createRoom", { body: MUSEUM });
    expect(created).toMatchObject({ ok: true, status: 201, value: { room: { name: "museum" } } });
    const read = await anteroom.call("getRoom", { params: { name: "museum" } });
    expect(read.etag).toBe(created.etag);
    const change = { params: { name: "museum" }, body: { total_active_users: 6 }, ifMatch: read.etag };
    expect(await anteroom.call("updateRoom", change)).toMatchObject({ ok: true });
    expect(await anteroom.call("updateRoom", change)).toMatchObject({
      ok: false,
      status: 412,
      problem: { code: "changed" },
    });
    const applied = await anteroom.call("applyRooms", { query: { dry_run: "true" }, body: { rooms: [MUSEUM] } });
    expect(applied).toMatchObject({ ok: true, value: { dry_run: true, results: [{ outcome: "updated" }] } });
    expect(await anteroom.call("deleteRoom", { params: { name: "museum" } })).toMatchObject({ ok: true });
    const metrics = await anteroom.call("getMetrics", {});
    expect(metrics).toMatchObject({ ok: true, value: "anteroom_inside 1\n" });
  });

  test("problems are values, with path, value and repair", async () => {
    const refused = await client().call("createRoom", { body: { ...MUSEUM, total_active_users: 0 } });
    expect(refused.problem?.problems).toEqual([
      { path: "total_active_users", value: "0", problem: "is below 1", repair: expect.any(String) },
    ]);
    expect(await client("wrong").call("listRooms", {})).toMatchObject({ ok: false, status: 401 });
    expect(await client().call("getRoom", { params: { name: "a/b" } })).toMatchObject({ ok: false, status: 404 });
  });

  test("a change whose answer is lost is sent again only if it may be repeated", async () => {
    lost = 1;
    const rotated = await client().call("rotateLaneKeys", { body: {} });
    expect([rotated, sent.length]).toMatchObject([{ ok: false, problem: { code: "unreachable" } }, 1]);
    expect(world.world.rooms.laneGeneration).toBe(2);
    lost = 1;
    const updated = await client().call("updateRoom", { params: { name: "shop" }, body: { queue_all: true } });
    expect([updated.ok, sent.length]).toEqual([true, 3]);
  });

  test("a node that does not answer is a problem, after three tries", async () => {
    lost = 10;
    const answer = await client().call("getStatus", {});
    expect([answer, sent.length]).toMatchObject([{ ok: false, status: 0, problem: { code: "unreachable" } }, 3]);
  });
});
