/** What a hard-pressed gate lets go of, level by level: what is nice first, visitors inside never. */

import { beforeEach, describe, expect, test } from "vitest";
import { LEVELS } from "../../../node/gate/pressure.ts";
import { fieldOf } from "./fake-exchange.ts";
import { GateWorld, SHOP } from "./gate-world.ts";

let world: GateWorld;
let inside: string;
let waiting: string;

beforeEach(async () => {
  world = new GateWorld({ rooms: [{ ...SHOP, custom_page_html: "<p>our own page" }] });
  inside = await world.comeIn();
  await world.fill();
  waiting = await world.joinLine();
});

const POST = { method: "POST" };
const PREFLIGHT = {
  method: "OPTIONS",
  headers: { Origin: "https://app.example", "Access-Control-Request-Method": "POST" },
};

describe("at the level", () => {
  test.each([
    ["none", "inside", "polled", "joined", "turned_away", "passed"],
    ["plain", "inside", "polled", "joined", "turned_away", "passed"],
    ["closed", "inside", "polled", "shed", "shed", "shed"],
    ["bare", "inside", "shed", "shed", "shed", "shed"],
  ] as const)(
    "%s: inside %s, in line %s, new %s, a POST without session %s, a preflight %s",
    async (level, ...outcomes) => {
      world.pressure = LEVELS[level];
      const found = [
        await world.outcome({ headers: { Cookie: inside } }),
        await world.outcome({ headers: { Cookie: waiting } }),
        await world.outcome(),
        await world.outcome(POST),
        await world.outcome(PREFLIGHT),
      ];
      expect(found).toEqual(outcomes);
    },
  );

  test("plain, rooms' own pages give way to the built-in one", async () => {
    expect((await world.answered()).body).toBe("<p>our own page");
    world.pressure = LEVELS.plain;
    expect((await world.answered()).body).toContain("You are in line");
  });

  test("bare, a visitor in line is asked to come back after twice the usual time, and then has the place still", async () => {
    world.pressure = LEVELS.bare;
    const { status, headers } = await world.answered({ headers: { Cookie: waiting, Accept: "text/html" } });
    expect([status, fieldOf(headers, "Retry-After"), fieldOf(headers, "Refresh")]).toEqual([503, "40", "40; url=/"]);
    expect(fieldOf(headers, "Set-Cookie")).toBeUndefined();
    world.pressure = LEVELS.none;
    world.nowMs += 40_000;
    expect((await world.told(waiting)).anteroom.position).toBe(1);
  });

  test("bare, rooms that let every request pass still do so", async () => {
    world.pressure = LEVELS.bare;
    world.rooms.update("shop", { suspended: true });
    expect(await world.outcome()).toBe("passed");
  });
});
