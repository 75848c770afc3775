/** Conditions of requests (RFC 9110, section 13): a change applies to the state that its sender has seen. */

import { describe, expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import { adminWorld } from "../admin-world.ts";

const SALE = { name: "sale", event_start_time: "2026-09-12T10:00:00Z", event_end_time: "2026-09-12T12:00:00Z" };
const MUSEUM = { name: "museum", host: "museum.example", total_active_users: 5, new_users_per_minute: 3 };

const CHANGES: readonly (readonly [method: string, path: string, of: string, body: object | undefined])[] = [
  ["PATCH", "/v1/rooms/shop", "/v1/rooms/shop", { total_active_users: 9 }],
  ["PUT", "/v1/rooms/shop", "/v1/rooms/shop", { host: "*", total_active_users: 9, new_users_per_minute: 9 }],
  ["DELETE", "/v1/rooms/shop", "/v1/rooms/shop", undefined],
  ["POST", "/v1/rooms/shop/hold", "/v1/rooms/shop", undefined],
  ["POST", "/v1/rooms/shop/open", "/v1/rooms/shop", undefined],
  ["POST", "/v1/rooms/shop/rollout", "/v1/rooms/shop", { to: "http://10.0.0.2:3000" }],
  ["PATCH", "/v1/rooms/shop/events/sale", "/v1/rooms/shop/events/sale", { description: "x" }],
  ["DELETE", "/v1/rooms/shop/events/sale", "/v1/rooms/shop/events/sale", undefined],
  ["POST", "/v1/rooms/apply", "/v1/rooms", { rooms: [MUSEUM] }],
];

describe("If-Match", () => {
  test.each(CHANGES)("lets %s %s pass with the present ETag, and none but that", async (method, path, of, body) => {
    const { ask } = adminWorld();
    await ask("PATCH", "/v1/rooms/shop", { origin: "http://10.0.0.1:3000" });
    await ask("POST", "/v1/rooms/shop/events", SALE);
    const tag = (await ask("GET", of)).headers.get("ETag") ?? "";
    expect(tag).toMatch(/^"[0-9a-f]{32}"$/);
    const before = await (await ask("GET", "/v1/rooms")).text();
    for (const stale of ['"0123456789abcdef0123456789abcdef"', `W/${tag}`, tag.slice(1, -1), "", '""', "x"]) {
      const refused = await ask(method, path, body, { "If-Match": stale });
      expect([stale, refused.status, refused.headers.get("ETag")]).toEqual([stale, 412, tag]);
      expect(await refused.json()).toMatchObject({ code: "changed", status: 412 });
    }
    expect(await (await ask("GET", "/v1/rooms")).text()).toBe(before);
    const changed = await ask(method, path, body, { "If-Match": `"other", ${tag}` });
    expect(changed.status).toBe(200);
    const present = await ask("GET", of);
    if (present.ok) expect(present.headers.get("ETag")).not.toBe(tag);
    if (present.ok && method !== "POST" && changed.headers.has("ETag"))
      expect(changed.headers.get("ETag")).toBe(present.headers.get("ETag"));
    const again = await ask(method, path, body, { "If-Match": tag });
    expect([412, 404]).toContain(again.status);
  });

  test("with * lets a change of what exists pass, and of nothing else", async () => {
    const { ask } = adminWorld();
    expect((await ask("PATCH", "/v1/rooms/shop", { description: "x" }, { "If-Match": "*" })).status).toBe(200);
    expect((await ask("PATCH", "/v1/rooms/gone", { description: "x" }, { "If-Match": "*" })).status).toBe(404);
    expect((await ask("PUT", "/v1/rooms/museum", MUSEUM, { "If-Match": "*" })).status).toBe(412);
    expect((await ask("GET", "/v1/rooms/museum")).status).toBe(404);
  });

  test("at a call that checks none is refused, and nothing is changed", async () => {
    const { ask } = adminWorld();
    const refused = await ask("POST", "/v1/rooms", MUSEUM, { "If-Match": '"x"' });
    expect([refused.status, await refused.json()]).toMatchObject([400, { problems: [{ path: "If-Match" }] }]);
    expect((await ask("GET", "/v1/rooms/museum")).status).toBe(404);
  });
});

describe("If-None-Match", () => {
  test.each(["/v1/rooms", "/v1/rooms/shop", "/v1/rooms/shop/events"])(
    "spares a reader of %s what it has",
    async (path) => {
      const { ask } = adminWorld();
      const tag = (await ask("GET", path)).headers.get("ETag") ?? "";
      for (const known of [tag, `W/${tag}`, `"x", ${tag}`, "*"]) {
        const same = await ask("GET", path, undefined, { "If-None-Match": known });
        expect([same.status, same.headers.get("ETag"), await same.text()]).toEqual([304, tag, ""]);
      }
      await ask("POST", "/v1/rooms/shop/events", SALE);
      expect((await ask("GET", path, undefined, { "If-None-Match": tag })).status).toBe(200);
    },
  );

  test("with * only creates", async () => {
    const { ask } = adminWorld();
    const only = { "If-None-Match": "*" };
    expect((await ask("PUT", "/v1/rooms/museum", MUSEUM, only)).status).toBe(201);
    expect((await ask("PUT", "/v1/rooms/museum", { ...MUSEUM, total_active_users: 6 }, only)).status).toBe(412);
    const { room } = (await (await ask("GET", "/v1/rooms/museum")).json()) as { room: Record<string, unknown> };
    expect(room.total_active_users).toBe(5);
  });
});

describe("an ETag", () => {
  test("changes with the order, and is another after a change there and back", async () => {
    const { ask, world } = adminWorld();
    const tags: (string | null)[] = [];
    const look = async () => tags.push((await ask("GET", "/v1/rooms/shop")).headers.get("ETag"));
    await look();
    for (const [path, method, body] of [
      ["/hold", "POST", undefined],
      ["/resume", "POST", undefined],
      ["", "PATCH", { description: "x" }],
      ["", "PATCH", { description: "" }],
    ] as const) {
      world.nowMs += 1_000;
      await ask(method, `/v1/rooms/shop${path}`, body);
      await look();
    }
    expect(tags[2]).toBe(tags[0]);
    expect(new Set(tags).size).toBe(4);
  });

  test("is the same at two nodes that have the same rooms, in any order", async () => {
    const rooms = [MUSEUM, { ...MUSEUM, name: "annex", host: "annex.example" }];
    const tagsOf = async (documents: readonly object[]) => {
      const { ask } = adminWorld();
      for (const document of documents) await ask("POST", "/v1/rooms", document);
      const paths = ["/v1/rooms", "/v1/rooms/museum", "/v1/rooms/annex"];
      return Promise.all(paths.map(async (path) => (await ask("GET", path)).headers.get("ETag")));
    };
    expect(await tagsOf(rooms)).toEqual(await tagsOf([...rooms].reverse()));
  });
});

describe("a whole room", () => {
  test("is put: what is left out is as by default, and events stay", async () => {
    const { ask } = adminWorld();
    await ask("PUT", "/v1/rooms/museum", { ...MUSEUM, queue_all: true, lanes: { 1: 20 } });
    await ask("POST", "/v1/rooms/museum/events", SALE);
    const put = await ask("PUT", "/v1/rooms/museum", { ...MUSEUM, description: "new" });
    const { room } = (await put.json()) as { room: Record<string, unknown> };
    expect([put.status, room.queue_all, room.lanes, room.description]).toEqual([200, false, undefined, "new"]);
    expect(room.events).toMatchObject([{ name: "sale" }]);
  });

  test("that was read can be put again as it was, and then nothing changes", async () => {
    const { ask } = adminWorld();
    const read = await ask("GET", "/v1/rooms/shop");
    const { room } = (await read.json()) as { room: object };
    const put = await ask("PUT", "/v1/rooms/shop", room);
    expect([put.status, put.headers.get("ETag")]).toEqual([200, read.headers.get("ETag")]);
  });

  test.each([
    ["museum", { ...MUSEUM, name: "other" }, ["name"]],
    ["museum", { ...MUSEUM, total_active_users: 0, x: 1 }, ["total_active_users", "x"]],
    ["shop", { ...MUSEUM, id: "0000000000000000", created_on: "2020-01-01T00:00:00Z" }, ["id", "created_on"]],
    ["museum", [], [""]],
    ["museum", null, [""]],
  ])("put as %s with problems changes nothing", async (name, document, paths) => {
    const { ask } = adminWorld();
    const before = await (await ask("GET", "/v1/rooms")).text();
    const refused = await ask("PUT", `/v1/rooms/${name}`, document);
    const { problems } = (await refused.json()) as { problems: readonly { path: string }[] };
    expect([refused.status, problems.map(({ path }) => path).sort()]).toEqual([422, [...paths].sort()]);
    expect(await (await ask("GET", "/v1/rooms")).text()).toBe(before);
  });
});

describe("a change that another node overwrites", () => {
  test.each([
    [1_999, 1],
    [2_001, 0],
  ])("%d ms later is told to operators %d times", async (laterMs, count) => {
    const { ask, world } = adminWorld();
    await ask("PATCH", "/v1/rooms/shop", { description: "here" });
    const live = world.room();
    const register = world.peer.replica.registers().get(live.id);
    if (register === undefined) throw new Error("Cannot find the register");
    const stamp = { ...register.stamp, wallMs: register.stamp.wallMs + laterMs, node: "there" as NodeId };
    const problems = world.rooms.follow(live.id, { ...register, stamp });
    expect(problems.filter(({ problem }) => problem.includes("may be lost"))).toHaveLength(count);
    expect(world.rooms.follow(live.id, { ...register, stamp })).toEqual([]);
  });
});
