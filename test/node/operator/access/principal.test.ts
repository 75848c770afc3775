import { Hono } from "hono";
import { describe, expect, test } from "vitest";
import {
  hasScope,
  identified,
  maySee,
  needs,
  type Principal,
  ROOT,
  SCOPES,
} from "../../../../node/operator/access/principal.ts";
import { type AdminEnv, actorOf } from "../../../../node/operator/logs/audit.ts";

const ROOMS = ["shop", "team:shop", "team:bar", "other:shop"];

function appFor(principal: Principal): Hono<AdminEnv> {
  const app = new Hono<AdminEnv>();
  app.use(
    identified(
      () => principal,
      () => ROOMS,
    ),
  );
  app.get("/rooms", needs("read"), (c) => c.json({ rooms: c.var.roomNames(), actor: actorOf(c).actor }));
  app.post("/rooms/:name/hold", needs("operate"), (c) => c.json({ held: c.req.param("name") }));
  app.post("/leave", needs("mesh"), (c) => c.json({ left: true }));
  return app;
}

async function ask(principal: Principal, path: string, method = "POST") {
  const answer = await appFor(principal).request(path, { method });
  return { status: answer.status, text: await answer.text() };
}

const TEAM: Principal = { name: "ci", scopes: ["read", "operate"], namespace: "team" };

describe("who asks", () => {
  test("sees the rooms of its namespace, and its name is in the audit log", async () => {
    const { text } = await ask(TEAM, "/rooms", "GET");
    expect(JSON.parse(text)).toEqual({ rooms: ["team:shop", "team:bar"], actor: "ci" });
    expect(JSON.parse((await ask(ROOT, "/rooms", "GET")).text).rooms).toEqual(ROOMS);
  });

  test.each([
    "other:shop",
    "shop",
    "team",
    "Team:shop",
    "team:",
    "team%3Ashop%00",
    "gone",
    "other:shop%2f..%2fteam:shop",
  ])("finds no room %s in another namespace or in none, and no other room is named", async (name) => {
    const { status, text } = await ask(TEAM, `/rooms/${name}/hold`);
    expect([status, text]).toEqual([404, expect.stringContaining("rooms here are team:shop, team:bar")]);
  });

  test.each(["team:shop", "team%3Ashop", "team:bar"])("does what its scopes allow with %s", async (name) => {
    expect((await ask(TEAM, `/rooms/${name}/hold`)).status).toBe(200);
  });

  test("is told 403 with the missing scope; for a room of others it stays 404", async () => {
    const reader = { ...TEAM, scopes: ["read"] } as const;
    const { status, text } = await ask(reader, "/rooms/team:shop/hold");
    expect([status, text]).toEqual([403, expect.stringContaining("use a token with scope operate")]);
    expect((await ask(reader, "/rooms/other:shop/hold")).status).toBe(404);
  });

  test("has no say about the mesh with a namespace or rooms", async () => {
    expect((await ask({ ...TEAM, scopes: SCOPES }, "/leave")).status).toBe(403);
    expect((await ask({ name: "ci", scopes: SCOPES, rooms: ["shop"] }, "/leave")).status).toBe(403);
    expect((await ask({ name: "ci", scopes: SCOPES }, "/leave")).status).toBe(200);
  });

  test("with rooms sees these alone, and only those in its namespace", () => {
    const principal = { ...TEAM, rooms: ["team:shop", "other:shop"] };
    expect(ROOMS.filter((room) => maySee(principal, room))).toEqual(["team:shop"]);
    expect(ROOMS.filter((room) => maySee({ ...TEAM, namespace: undefined, rooms: [] }, room))).toEqual([]);
  });

  test("without scopes may nothing", () => {
    expect(SCOPES.filter((scope) => hasScope({ name: "x", scopes: [] }, scope))).toEqual([]);
    expect(SCOPES.filter((scope) => hasScope(ROOT, scope))).toEqual([...SCOPES]);
  });
});
