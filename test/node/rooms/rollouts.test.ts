import { beforeEach, describe, expect, test } from "vitest";
import type { Changed } from "../../../node/rooms/changed.ts";
import { Rollouts } from "../../../node/rooms/rollouts.ts";
import { done, MINUTE_MS, RoomShelf, SHOP } from "./room-shelf.ts";

const OLD = "http://old.example";
const NEW = "http://new.example";

let shelf: RoomShelf;
let rollouts: Rollouts;
let asked: string[];
let logged: string[];

function rolloutsOf(of: RoomShelf, rank: number): Rollouts {
  const note = (_: unknown, message: string) => void logged.push(message);
  return new Rollouts({
    rooms: of.rooms,
    probe: async ({ url, path }) => {
      asked.push(url + (path ?? ""));
      return url.includes("down") ? "Unable to connect" : undefined;
    },
    clock: () => of.nowMs,
    minuteMs: MINUTE_MS,
    rank: () => rank,
    log: { error: note, warn: note, info: note, debug: note },
  });
}

beforeEach(() => {
  asked = [];
  logged = [];
  shelf = new RoomShelf();
  done(shelf.rooms.create({ ...SHOP, origin: OLD, health_check: { path: "/healthz" } }));
  rollouts = rolloutsOf(shelf, 0);
});

function textOf(changed: Changed<unknown>): string {
  if (changed.ok) throw new Error("Broken: it was not refused");
  const { code, message, problems } = changed.refusal;
  return `${code}: ${message} ${problems.map(({ path, problem, repair }) => `${path} ${problem} > ${repair}`).join("; ")}`.trim();
}

function room() {
  const live = shelf.rooms.byName("shop");
  if (live === undefined) throw new Error("Broken");
  return live.room;
}

describe("a rollout is refused, and nothing changes,", () => {
  test.each([
    ["to nowhere", undefined, /^invalid: .*to is missing > name the new origin's base URL/],
    ["to what is no URL", "new.example", /^invalid: .*to does not start with http.* > write http:\/\/new\.example/],
    [
      "to what does not answer",
      "http://down.example",
      /cannot be reached from this node: Unable to connect > start that origin/,
    ],
    ["to where the room's sessions go already", `${OLD}:80/`, /is an origin of this room already, with a weight/],
  ])("%s", async (_, to, text) => {
    const before = room();
    expect(textOf(await rollouts.start("shop", to))).toMatch(text);
    expect(room()).toBe(before);
    expect(logged).toEqual([]);
  });

  test("of a room that is not there, or has no origin of its own", async () => {
    done(shelf.rooms.create({ ...SHOP, name: "bar", host: "bar.example" }));
    expect(textOf(await rollouts.start("pub", NEW))).toMatch(/^not-found: .*rooms here are shop, bar/);
    expect(textOf(await rollouts.start("bar", NEW))).toMatch(
      /origin is not set in this room.*anteroom room update bar origin=/,
    );
    expect(asked).toEqual([]);
  });

  test("to where one leads already, also one that came while the new origin was asked", async () => {
    const both = await Promise.all([rollouts.start("shop", NEW), rollouts.start("shop", NEW)]);
    expect(both.map(({ ok }) => ok)).toEqual([true, false]);
    expect(both[1] && textOf(both[1])).toMatch(/is an origin of this room already, with a weight/);
  });

  test.each(["stop", "back", "finish"] as const)("to %s where there is none", (order) => {
    expect(textOf(rollouts[order]("shop"))).toMatch(
      /^conflict: .*as there is none: start one with: anteroom room rollout shop --to URL$/,
    );
  });
});

describe("a rollout", () => {
  test("asks the new origin as the health check does, and stands in the room's document", async () => {
    done(await rollouts.start("shop", NEW));
    expect(asked).toEqual([`${NEW}/healthz`]);
    expect(room().origin).toEqual([
      { url: NEW, weight: 1 },
      { url: OLD, weight: 0 },
    ]);
    expect(room().rollout).toEqual({
      from: [{ url: OLD, weight: 1 }],
      startedMs: shelf.nowMs + 5_000,
      state: "running",
      percent: 0,
      reason: "",
    });
    expect(logged).toEqual(["a rollout to http://new.example is under way: 0 % of new sessions follow it"]);
  });

  test("is stopped, gone on with, and taken back; each is logged once", async () => {
    done(await rollouts.start("shop", NEW));
    shelf.nowMs += 17 * MINUTE_MS;
    expect(done(rollouts.stop("shop")).room.rollout).toMatchObject({ state: "stopped", percent: 3.4 });
    shelf.nowMs += 100 * MINUTE_MS;
    rollouts.tick();
    const resumed = done(await rollouts.start("shop", NEW));
    expect(resumed.origin.percent(shelf.nowMs)).toBe(3.4);
    expect(done(rollouts.back("shop")).room).toMatchObject({
      origin: OLD,
      rollout: { state: "reversed", percent: 3.4 },
    });
    rollouts.tick();
    expect(logged).toHaveLength(4);
    expect(logged.at(-1)).toBe(
      "the rollout to http://new.example was taken back at 3.4 %, as an operator took it back",
    );
    expect(textOf(rollouts.back("shop"))).toContain("was taken back at 3.4 %");
    expect(done(await rollouts.start("shop", NEW)).origin.percent(shelf.nowMs + 5_000)).toBe(1);
  });

  test("is completed at 100 % by the first node, and by the next ones only if it does not", async () => {
    done(await rollouts.start("shop", NEW));
    const third = rolloutsOf(shelf, 2);
    shelf.nowMs += 5_000 + 60 * MINUTE_MS - 1;
    rollouts.tick();
    expect(room().rollout?.state).toBe("running");
    shelf.nowMs += 1;
    third.tick();
    expect(room().rollout?.state).toBe("running");
    shelf.nowMs += 4_000;
    third.tick();
    expect(room().rollout).toBeUndefined();
    rollouts.tick();
    expect(logged.at(-1)).toBe("the rollout is complete: all new sessions follow it");
  });

  test("can be gone back from after its end, by another one", async () => {
    done(await rollouts.start("shop", NEW));
    shelf.nowMs += 61 * MINUTE_MS;
    rollouts.tick();
    done(await rollouts.start("shop", OLD));
    shelf.nowMs += 61 * MINUTE_MS;
    rollouts.tick();
    expect(room().origin).toEqual([
      { url: OLD, weight: 1 },
      { url: NEW, weight: 0 },
    ]);
  });

  test("is finished at once by an order, stopped or not", async () => {
    done(await rollouts.start("shop", NEW));
    done(rollouts.stop("shop"));
    expect(done(rollouts.finish("shop")).room.rollout).toBeUndefined();
    expect(logged.at(-1)).toBe("the rollout is complete: all new sessions follow it");
  });

  test("survives a restart, and an unchanged rooms file", () => {
    done(shelf.rooms.update("shop", { origin: NEW }));
    shelf.restart();
    const declared = { ...room(), rollout: undefined };
    expect(done(shelf.rooms.apply([declared]))).toEqual([{ name: "shop", outcome: "unchanged" }]);
    expect(room().rollout?.from).toEqual([{ url: OLD, weight: 1 }]);
  });

  test("starts when a patch or a file changes the origin, from the weights of the moment", () => {
    done(shelf.rooms.update("shop", { origin: NEW }));
    expect(room()).toMatchObject({ origin: NEW, rollout: { from: [{ url: OLD, weight: 1 }], state: "running" } });
    done(shelf.rooms.update("shop", { total_active_users: 9 }));
    expect(room().rollout?.state).toBe("running");
    shelf.nowMs += 5_000 + 50 * MINUTE_MS;
    done(shelf.rooms.apply([{ ...room(), origin: "http://third.example", rollout: undefined }]));
    expect(room().rollout).toEqual({
      from: [
        { url: NEW, weight: 0.57665 },
        { url: OLD, weight: 0.42335 },
      ],
      startedMs: shelf.nowMs + 5_000,
      state: "running",
      percent: 0,
      reason: "",
    });
    rollouts.tick();
    expect(logged.at(-1)).toBe("a rollout to http://third.example is under way: 0 % of new sessions follow it");
  });

  test("remembers no more than a declaration may name, however often the origin changes", () => {
    for (let change = 0; change < 100; change++) {
      shelf.nowMs += 7 * MINUTE_MS;
      done(shelf.rooms.update("shop", { origin: `http://${change}.example` }));
    }
    expect(room().rollout?.from).toHaveLength(32);
  });

  test.each([
    ["the same parts", [{ url: OLD, weight: 7 }]],
    ["the node's own origin", ""],
  ])("is none to %s", (_, origin) => {
    expect(done(shelf.rooms.update("shop", { origin })).room.rollout).toBeUndefined();
  });

  test("that fails is taken back, whatever started it", () => {
    done(shelf.rooms.update("shop", { origin: [{ url: OLD }, { url: NEW }] }));
    const live = shelf.rooms.byName("shop");
    for (let probe = 0; probe < 3; probe++) live?.origin.all[1]?.health.probed("refused", shelf.nowMs);
    rollouts.tick();
    expect(room()).toMatchObject({ origin: OLD, rollout: { state: "reversed", reason: "it is down: refused" } });
    expect(logged.at(-1)).toBe("the rollout to http://new.example was taken back at 0 %, as it is down: refused");
  });
});
