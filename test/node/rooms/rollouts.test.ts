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

  test("while another one is under way, also one that came while the new origin was asked", async () => {
    const both = await Promise.all([rollouts.start("shop", NEW), rollouts.start("shop", "http://third.example")]);
    expect(both.map(({ ok }) => ok)).toEqual([true, false]);
    expect(both[1] && textOf(both[1])).toMatch(
      /^conflict: .*one to http:\/\/new\.example is at 0\.0 %.*room rollout shop --back$/,
    );
    shelf.nowMs += 12 * MINUTE_MS;
    expect(textOf(await rollouts.start("shop", NEW))).toMatch(/is at 2\.3 %/);
    done(rollouts.stop("shop"));
    expect(textOf(await rollouts.start("shop", "http://third.example"))).toMatch(/is at 2\.3 %/);
  });

  test.each(["stop", "back"] as const)("to %s where there is none", (order) => {
    expect(textOf(rollouts[order]("shop"))).toMatch(
      /^conflict: .*as there is none: start one with: anteroom room rollout shop --to URL$/,
    );
  });
});

describe("a rollout", () => {
  test("asks the new origin as the health check does, and stands in the room's document", async () => {
    done(await rollouts.start("shop", NEW));
    expect(asked).toEqual([`${NEW}/healthz`]);
    expect(room().rollout).toEqual({
      to: NEW,
      startedMs: shelf.nowMs + 5_000,
      state: "running",
      percent: 0,
      reason: "",
    });
    expect(logged).toEqual(["a rollout to http://new.example is under way: 0 % of new sessions"]);
  });

  test("is stopped, gone on with, and taken back; each is logged once", async () => {
    done(await rollouts.start("shop", NEW));
    shelf.nowMs += 17 * MINUTE_MS;
    expect(done(rollouts.stop("shop")).room.rollout).toMatchObject({ state: "stopped", percent: 3.4 });
    shelf.nowMs += 100 * MINUTE_MS;
    rollouts.tick();
    const resumed = done(await rollouts.start("shop", NEW));
    expect(resumed.origin.percent(shelf.nowMs)).toBe(3.375);
    expect(done(rollouts.back("shop")).room.rollout).toMatchObject({ state: "reversed", percent: 3.4 });
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
    expect(room()).toMatchObject({
      rollout: undefined,
      origin: [
        { url: NEW, weight: 1 },
        { url: OLD, weight: 0 },
      ],
    });
    rollouts.tick();
    expect(logged.at(-1)).toBe("the rollout to http://new.example is complete: all new sessions go there");
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

  test("survives a restart, and an unchanged rooms file", async () => {
    done(await rollouts.start("shop", NEW));
    shelf.restart();
    const declared = { ...room(), rollout: undefined };
    expect(done(shelf.rooms.apply([declared]))).toEqual([{ name: "shop", outcome: "unchanged" }]);
    expect(room().rollout?.to).toBe(NEW);
    expect(done(shelf.rooms.apply([{ ...declared, origin: "http://third.example" }]))).toMatchObject([
      { outcome: "updated" },
    ]);
    expect(room()).toMatchObject({ origin: "http://third.example", rollout: undefined });
  });

  test("keeps the room's origin from being changed under it, until it is taken back", async () => {
    done(await rollouts.start("shop", NEW));
    expect(textOf(shelf.rooms.update("shop", { origin: NEW }))).toMatch(
      /^conflict: Cannot change the origin of room shop.*--back$/,
    );
    done(shelf.rooms.update("shop", { total_active_users: 9 }));
    expect(room().rollout?.state).toBe("running");
    done(rollouts.back("shop"));
    expect(done(shelf.rooms.update("shop", { origin: NEW })).room).toMatchObject({ origin: NEW, rollout: undefined });
  });
});
