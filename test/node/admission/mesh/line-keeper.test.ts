import { expect, test } from "vitest";
import { RoomsWorld } from "./rooms-world.ts";

test("an empty line is reported once a second for ten seconds after its counter was asked", () => {
  const world = new RoomsWorld(["sjc", "sjc"], { totalActiveUsers: 100, newUsersPerMinute: 100 });
  const gate = world.nodes.findIndex(({ id }) => world.node(0).room.counters()[0] !== id);
  let reports = 0;
  world.loses = ({ kind }) => {
    reports += Number(kind === "line");
    return false;
  };
  const reportsIn = (ms: number): number => {
    reports = 0;
    world.pass(ms);
    return reports;
  };
  world.pass(20_000);
  expect(reportsIn(60_000)).toBe(0);
  world.arrive(gate);
  const reported = reportsIn(12_000);
  expect(reported).toBeGreaterThanOrEqual(9);
  expect(reported).toBeLessThanOrEqual(11);
  expect(reportsIn(20_000)).toBe(0);
});
