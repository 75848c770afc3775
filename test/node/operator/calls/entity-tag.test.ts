/** Conditions of requests (RFC 9110, section 13): a change applies to the state that its sender has seen. */

import { describe, expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import { adminWorld } from "../admin-world.ts";

const SALE = { name: "sale", event_start_time: "2026-09-12T10:00:00Z", event_end_time: "2026-09-12T12:00:00Z" };
const MUSEUM = { name: "museum", host: "museum.example", total_active_users: 5, new_users_per_minute: 3 };

const CHANGES: readonly (readonly [method: string, path: string, of: string, body: object | undefined])[] = [
  ["PATCH", "/v1/rooms/shop", "/v1/rooms/shop", { total_active_users: 9 }],
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
