import { describe, expect, test } from "vitest";
import { LINES_PER_SECOND } from "../../../node/gate/log-budget.ts";
import { LEVELS } from "../../../node/gate/pressure.ts";
import { type Asked, originFails } from "./fake-exchange.ts";
import { GateWorld, SHOP, type WorldOptions } from "./gate-world.ts";

const FORMS = ["text/html", "application/json", "*/*"];

/** Each way to an answer with an error. */
const REFUSALS: Readonly<Record<string, (asked: Asked, options: WorldOptions) => Promise<[GateWorld, string]>>> = {
  "no room and no origin": async (asked, options) => {
    const world = new GateWorld({ ...options, origin: null, rooms: [] });
    return [world, (await world.answered(asked)).body];
  },
  "a room that is full": async (asked, options) => {
    const world = new GateWorld(options);
    await world.fill();
    return [
      world,
      (
        await world.answered({
          ...asked,
          method: "DELETE",
          headers: { ...asked.headers, Accept: String(acceptOf(asked)).replace("json", "problem+json") },
        })
      ).body,
    ];
  },
  "too many from one address": async (asked, options) => {
    const world = new GateWorld({ ...options, rooms: [{ ...SHOP, new_places_per_address_per_minute: 1 }] });
    await world.comeIn();
    return [world, (await world.answered({ headers: { Accept: `${acceptOf(asked)}, text/html` } })).body];
  },
  "a node that is hard-pressed": async (asked, options) => {
    const world = new GateWorld(options);
    world.pressure = LEVELS.bare;
    return [world, (await world.answered(asked)).body];
  },
  "a disk that is full": async (asked, options) => {
    const world = new GateWorld(options);
    world.diskIsFull = true;
    return [world, (await world.answered({ headers: { Accept: `${acceptOf(asked)}, text/html` } })).body];
  },
  "an origin that fails": async (asked, options) => {
    const world = new GateWorld(options);
    return [world, originFails(await world.exchange(asked), "unreachable").body];
  },
};

describe.each(Object.keys(REFUSALS))("%s", (name) => {
  test.each(FORMS)("shows an id that is in the log, in the form %s", async (accept) => {
    const [world, body] = await refused(name, accept, {});
    const shown = idsIn(body);
    expect(shown).toHaveLength(1);
    expect(idsLogged(world)).toEqual(shown);
    expect(JSON.stringify(world.logged)).not.toMatch(/203\.0\.113|secret/);
  });

  test("shows none where the log takes no such lines", async () => {
    const [world, body] = await refused(name, "text/html", { logLevel: "error" });
    expect([idsIn(body), world.logged]).toEqual([[], []]);
  });
});

describe("in a flood", () => {
  const flood = async (options: WorldOptions) => {
    const world = new GateWorld(options);
    world.pressure = LEVELS.bare;
    const shown: string[] = [];
    for (let sent = 0; sent < 200; sent += 1) shown.push(...idsIn((await world.answered()).body));
    return { world, shown };
  };

  test("as many ids are shown as are logged, and a line counts the others", async () => {
    const { world, shown } = await flood({});
    expect(shown).toHaveLength(LINES_PER_SECOND);
    expect(idsLogged(world)).toEqual(shown);
    world.nowMs += 1_000;
    await world.answered();
    expect(world.logged.filter(({ level }) => level === "warn")).toMatchObject([
      { fields: { requests: 200 - LINES_PER_SECOND }, message: expect.stringContaining("--access-log") },
    ]);
  });

  test("the access log has all ids, so that all are shown", async () => {
    const { shown } = await flood({ accessLog: true });
    expect(new Set(shown).size).toBe(200);
  });

  test("an access log that the level leaves out has none", async () => {
    const { shown } = await flood({ accessLog: true, logLevel: "warn" });
    expect(shown).toEqual([]);
  });
});

function refused(name: string, accept: string, options: WorldOptions): Promise<[GateWorld, string]> {
  const refuse = REFUSALS[name];
  if (refuse === undefined) throw new Error(`No refusal ${name}`);
  return refuse({ target: "/basket?secret=1", headers: { Accept: accept } }, options);
}

function acceptOf({ headers }: Asked): string {
  return String(Reflect.get(headers ?? {}, "Accept"));
}

function idsIn(body: string): string[] {
  return body.match(/\b[0-9a-f]{16}\b/g) ?? [];
}

function idsLogged({ logged }: GateWorld): string[] {
  return logged.flatMap(({ fields }) => (fields.request === undefined ? [] : [String(fields.request)]));
}
