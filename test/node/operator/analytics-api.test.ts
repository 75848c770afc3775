import { Hono } from "hono";
import { beforeEach, describe, expect, test } from "vitest";
import { seededRandom } from "../../../cmd/crowd/random.ts";
import type { NodeId } from "../../../mesh/core/ids.ts";
import { stepsOf } from "../../../node/history/span.ts";
import { needs, type Principal, ROOT, setPrincipal } from "../../../node/operator/access/principal.ts";
import { type AnalyticsParts, RoomAnalytics } from "../../../node/operator/analytics/analytics.ts";
import { analyticsRoutes } from "../../../node/operator/api/analytics.ts";
import { servingOn } from "../../../node/operator/calls/serve.ts";
import type { AdminEnv } from "../../../node/operator/logs/audit.ts";
import { MinuteKeeper } from "../../../node/rooms/minute-keeper.ts";
import { SEED } from "../../seed.ts";
import { GateWorld, MINUTE_MS, SHOP, START_MS } from "../gate/gate-world.ts";
import { HistoryWorld } from "../history/history-world.ts";

let world: GateWorld;
let history: HistoryWorld;
let keeper: MinuteKeeper;
let app: Hono<AdminEnv>;
let principal: Principal;
let analyticsOf: (roomOf: AnalyticsParts["roomOf"]) => RoomAnalytics;

beforeEach(() => {
  world = new GateWorld({ rooms: [{ ...SHOP, refresh_interval_seconds: 5 }] });
  history = new HistoryWorld(["self"], seededRandom(SEED));
  principal = ROOT;
  const [node] = history.nodes;
  if (node === undefined) throw new Error("Broken: there is a node");
  const rooms = () => world.rooms.kept();
  keeper = new MinuteKeeper({ rooms, minuteMs: MINUTE_MS, mayAct: () => true, history: node.sync });
  analyticsOf = (roomOf) =>
    new RoomAnalytics({
      ...{ store: node.store, minuteMs: MINUTE_MS, roomMs: () => world.nowMs },
      running: () => new Set([node.name]),
      nameOf: (id: NodeId) => `name of ${id}`,
      roomOf,
    });
  const analytics = analyticsOf((name) => world.rooms.byName(name));
  app = new Hono<AdminEnv>();
  app.use("*", async (c, next) => {
    setPrincipal(c, principal, () => world.rooms.all().map(({ room }) => room.name));
    await next();
  });
  const past: Parameters<typeof servingOn>[1] = (scope) => needs(scope, (name) => analytics.wasThere(name));
  analyticsRoutes(servingOn(app, past), world.rooms, analytics);
});

/** Lets time pass as the shell does, with a look at each second. */
function pass(seconds: number): void {
  for (let second = 0; second < seconds; second++) {
    keeper.tick(world.nowMs, world.nowMs);
    world.nowMs += 1_000;
    world.peer.at({ wallMs: world.nowMs, steadyMs: world.nowMs });
    if (second % 2 === 0) for (const { admission } of world.rooms.kept()) admission.tick(world.nowMs);
  }
  keeper.tick(world.nowMs, world.nowMs);
}

async function read(query = "", name = "shop") {
  const answer = await app.request(`/v1/rooms/${name}/analytics${query}`);
  return { status: answer.status, body: JSON.parse(await answer.text()) };
}

describe("the analytics of a room", () => {
  test("count each admission, place, wait and end in line once, in its minute", async () => {
    pass(1);
    await world.fill();
    const [one, gone] = [await world.joinLine(), await world.joinLine()];
    await world.exchange({ headers: { cookie: one } });
    expect(gone).not.toBe("");
    for (let second = 0; second < 150; second += 4) {
      pass(4);
      await world.exchange({ headers: { cookie: one } });
    }
    pass(60);
    const { body } = await read("?from=-5m&step=1m");
    const [first] = body.points.filter(({ admitted }: { admitted: number }) => admitted > 0);
    expect(first).toMatchObject({ at: new Date(START_MS).toISOString(), admitted: 2, joined: 2, limit: 2 });
    expect(body.totals).toMatchObject({ admitted: 3, joined: 2, limit: 2, revoked: 0, held_back: {} });
    expect(body.totals.abandoned + body.totals.no_shows).toBe(1);
    expect(body.totals.inside_max).toBeLessThanOrEqual(2);
    expect(body.totals.waited_seconds.p50).toBeGreaterThan(50);
    expect(body.totals.localities.eu.admitted).toBe(3);
    expect(body).toMatchObject({ room: "shop", step_seconds: 60, missing: [] });
    expect(body.complete_until).toBe(new Date(Math.floor(world.nowMs / MINUTE_MS) * MINUTE_MS).toISOString());
  });

  test("say why visitors in line were held back, and for how long", async () => {
    pass(1);
    await world.fill();
    const cookie = await world.joinLine();
    world.rooms.order("shop", "hold");
    for (let second = 0; second < 60; second += 4) {
      await world.exchange({ headers: { cookie } });
      pass(4);
    }
    const { body } = await read("?from=-2m&step=1m");
    expect(body.totals.held_back.hold).toBeGreaterThan(55);
    expect(body.totals.held_back.hold).toBeLessThanOrEqual(60);
  });

  test("an idle minute is not kept, and is in the answer all the same", async () => {
    pass(60 * 10);
    expect(history.nodes[0]?.store.records).toBe(0);
    const { body } = await read("?from=-5m&step=1m");
    expect(body.points).toHaveLength(5);
    expect(body).toMatchObject({ missing: [], totals: { admitted: 0, limit: null, waited_seconds: null } });
  });

  test("come as CSV, with what is missing in the head", async () => {
    pass(1);
    await world.fill();
    pass(120);
    const csv = await app.request("/v1/rooms/shop/analytics?from=-3m&step=1m", { headers: { accept: "text/csv" } });
    const [head = "", ...rows] = (await csv.text()).trimEnd().split("\r\n");
    const columns = head.split(",");
    expect(columns.slice(0, 4)).toEqual(["at", "inside", "inside_max", "limit"]);
    expect(columns).toEqual(expect.arrayContaining(["waited_p95", "held_back_down", "held_back_other"]));
    expect(rows.map((row) => row.split(",").length)).toEqual(rows.map(() => columns.length));
    expect(
      rows.map((row) => Number(row.split(",")[columns.indexOf("admitted")])).reduce((sum, each) => sum + each, 0),
    ).toBe(2);
    expect(csv.headers.get("Anteroom-Missing")).toBe("0");
    expect(csv.headers.get("Content-Type")).toContain("text/csv");
  });

  test("name everything that is wrong with the question", async () => {
    const { status, body } = await read("?from=monday&step=7");
    expect([status, body.problems.map(({ path }: { path: string }) => path)]).toEqual([422, ["from", "step"]]);
    expect((await read("?format=xml&form=-1h")).body.problems).toHaveLength(2);
    expect((await read("", "museum")).status).toBe(404);
  });

  test("stay readable when the room is deleted, for those who saw the room", async () => {
    pass(1);
    await world.fill();
    pass(60);
    world.rooms.remove("shop");
    pass(60);
    expect((await read("?from=-5m")).body.totals.admitted).toBe(2);
    principal = { name: "eu", scopes: ["read"], namespace: "eu" };
    expect((await read()).status).toBe(404);
    principal = { name: "till", scopes: ["read"], rooms: ["shop"] };
    expect((await read()).status).toBe(200);
    principal = { name: "till", scopes: ["operate"], rooms: ["shop"] };
    expect((await read()).status).toBe(403);
  });

  test("lack what was counted of a deleted room that had the room's id", async () => {
    pass(1);
    await world.fill();
    pass(60);
    const id = world.rooms.byName("shop")?.id ?? "";
    const admittedOf = async (createdMs: number) => {
      const analytics = analyticsOf(() => ({ id, createdMs }));
      const steps = stepsOf({ from: "-5m" }, { nowMs: world.nowMs, minuteMs: MINUTE_MS });
      return steps.ok ? (await analytics.read("museum", steps.value))?.totals.admitted : undefined;
    };
    expect(await admittedOf(START_MS)).toBe(2);
    expect(await admittedOf(world.nowMs)).toBe(0);
  });

  test("an orderly end keeps the minute that was open", async () => {
    pass(1);
    await world.fill();
    keeper.end();
    world.nowMs += MINUTE_MS;
    expect((await read("?from=-3m&step=1m")).body).toMatchObject({ missing: [], totals: { admitted: 2 } });
  });
});
