/** Where slots are while visitors wait: what nobody can have is not in use, whatever its owner says. */

import { describe, expect, test } from "vitest";
import { run } from "../sim/run.ts";
import { DEFAULT_TIMES } from "../sim/scenario.ts";
import { scenarioOf } from "../sim/scenarios.ts";
import { type SeedResult, seedResult } from "../sim/seed-result.ts";
import { verdictOf } from "../sim/verdict.ts";
import { LIGHT } from "../sim/visitor.ts";
import { JOINING_MS, World } from "../sim/world.ts";

describe("a node that is lost from a room a third full", () => {
  const room = { totalActiveUsers: 30, newUsersPerMinute: 100, sessionDuration: 5, refreshIntervalSeconds: 20 };
  const world = new World({ seed: 1, localities: ["sjc", "sjc", "sjc"], ...DEFAULT_TIMES, room });
  const [watched] = world.rooms;
  if (watched === undefined) throw new Error("Cannot test as the world has no room");
  world.pass(JOINING_MS);
  for (let visitor = 0; visitor < 10; visitor++)
    world.arrive({ locality: "sjc", staysMs: 3_600_000, behaviour: LIGHT });
  world.pass(10_000);
  const line = { waiting: 50, called: 0 };
  const before = watched.use.look(line, world.minute);
  world.nodes[0]?.crash();
  world.pass(45_000);
  const after = watched.use.look(line, world.minute);

  test("before, all slots could be used that visitors do not hold", () => {
    expect(before).toEqual({ used: 10, usable: 30 });
  });

  test("its pot is not in use, whatever the heir says", () => {
    expect(after).toEqual({ used: world.oracle.inside(world.minute), usable: 30 });
  });

  test("what may not come in is not missed", () => {
    expect(watched.use.look({ ...line, waiting: 3 }, world.minute)).toEqual({ used: 10, usable: 13 });
    expect(watched.use.look({ ...line, called: 4 }, world.minute)).toEqual({ used: 14, usable: 30 });
  });
});

describe("many harsh runs", () => {
  const harsh = { ...scenarioOf("old-disks", 1), name: "harsh", minutes: 6 };
  const { counts, ...rest } = seedResult(run({ scenario: harsh, seed: 1, plan: { clocks: [], faults: [] } }));
  const failed = (change: Partial<SeedResult["counts"]>, by: SeedResult["thrown_out"] = {}): string[] =>
    verdictOf(Array(100).fill({ ...rest, thrown_out: by, counts: { ...counts, ...change } }), harsh).flatMap(
      ({ ok, name }) => (ok ? [] : name),
    );

  test("fail where most of the room is idle, or many sessions are lost, for any reason", () => {
    expect(failed({ usedSeconds: 900, usableSeconds: 1_000 })).toEqual([]);
    expect(failed({ usedSeconds: 300, usableSeconds: 1_000 })).toEqual([
      "slots of the whole room in use while visitors wait",
    ]);
    // A set of few runs may deviate further than a set of many.
    const lost = (part: number, runs: number): boolean => {
      const thrownOut = part * counts.admitted;
      const change = { ...rest, thrown_out: {}, counts: { ...counts, usedSeconds: 9, usableSeconds: 10, thrownOut } };
      return verdictOf(Array(runs).fill(change), harsh).some(({ ok }) => !ok);
    };
    expect([lost(0.168, 200), lost(0.168, 2_000), lost(0.19, 100), lost(0.16, 2_000)]).toEqual([
      false,
      true,
      true,
      false,
    ]);
    const tenth = Math.ceil(counts.admitted / 10);
    expect(failed({ usedSeconds: 900, usableSeconds: 1_000 }, { "the home was down": tenth })).toEqual([
      "  as the home was down",
    ]);
  });
});
