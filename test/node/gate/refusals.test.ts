import { describe, expect, test } from "vitest";
import { LINES_PER_SECOND } from "../../../node/gate/log-budget.ts";
import { LEVELS } from "../../../node/gate/pressure.ts";
import { type Asked, originFails } from "./fake-exchange.ts";
import { GateWorld, SHOP, type WorldOptions } from "./gate-world.ts";

/** A world and the body of its refusal. */
interface Refused {
  readonly world: GateWorld;
  readonly body: string;
}

async function refused(
  options: WorldOptions,
  { before, ...asked }: Asked & { readonly before?: (world: GateWorld) => Promise<unknown> } = {},
): Promise<Refused> {
  const world = new GateWorld(options);
  await before?.(world);
  const { body } = await world.answered({ target: "/basket?secret=1", ...asked });
  return { world, body };
}

/** Each way to an answer with an error. */
const REFUSALS: Readonly<Record<string, (options: WorldOptions) => Promise<Refused>>> = {
  "no room and no origin": (options) => refused({ ...options, origin: null, rooms: [] }),
  "a room that is full": (options) => {
    const headers = { Accept: "text/html" };
    return refused(options, { before: (world) => world.fill(), method: "DELETE", headers });
  },
  "too many from one address": (options) => {
    const rooms = [{ ...SHOP, new_places_per_address_per_minute: 1 }];
    return refused({ ...options, rooms }, { before: async (world) => void (await world.comeIn()) });
  },
  "a node that is hard-pressed": (options) => {
    const before = async (world: GateWorld) => Object.assign(world, { pressure: LEVELS.bare });
    return refused(options, { before });
  },
  "a disk that is full": (options) =>
    refused(options, { before: async (world) => Object.assign(world, { diskIsFull: true }) }),
  "an origin that fails": async (options) => {
    const world = new GateWorld(options);
    return { world, body: originFails(await world.exchange({ target: "/basket?secret=1" }), "unreachable").body };
  },
};

describe.each(Object.entries(REFUSALS))("%s", (_, refuse) => {
  test("shows an id that is in the log", async () => {
    const { world, body } = await refuse({});
    expect(idsIn(body)).toHaveLength(1);
    expect(idsLogged(world)).toEqual(idsIn(body));
    expect(JSON.stringify(world.logged)).not.toMatch(/203\.0\.113|secret/);
  });

  test("shows none where the log takes no such lines", async () => {
    const { world, body } = await refuse({ logLevel: "error" });
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

function idsIn(body: string): string[] {
  return body.match(/\b[0-9a-f]{16}\b/g) ?? [];
}

function idsLogged({ logged }: GateWorld): string[] {
  return logged.flatMap(({ fields }) => (fields.request === undefined ? [] : [String(fields.request)]));
}
