/**
 * Whole nodes in simulated worlds: harsh faults for some minutes, then everything is healed. At every second no more
 * may be inside than the limits allow, nobody inside may be refused, and in the end all must come to rest.
 */

import { describe, expect, test } from "vitest";
import { run } from "../sim/run.ts";
import { scenarioOf } from "../sim/scenarios.ts";
import { ROOM } from "../sim/sim-node.ts";
import { World } from "../sim/world.ts";

describe("worlds with harsh faults", () => {
  // CI runs hundreds of whole ones.
  test("keep all promises and come to rest, and are the same each time: the first minutes of seed 3", () => {
    const scenario = scenarioOf("harsh", 3);
    if (scenario === undefined) throw new Error("unreachable");
    const runs = [1, 2].map(() => {
      const trace: string[] = [];
      const log = (atMs: number, text: string) => trace.push(`${atMs} ${text}`);
      const { broken, oracle } = run({ scenario: { ...scenario, minutes: 8 }, seed: 3, log });
      return { broken, counts: oracle.counts, trace };
    });
    expect(runs[0]?.broken).toBeUndefined();
    expect(runs[0]).toEqual(runs[1]);
  });
});

describe("a world without faults", () => {
  const localities = ["sjc", "sjc", "lon", "del"];
  const room = { totalActiveUsers: 5_000, newUsersPerMinute: 25, sessionDuration: 5, refreshIntervalSeconds: 20 };
  const world = new World({ seed: 1, localities, minuteMs: 60_000, leaseMs: 30_000, room });

  test("joins within two seconds and has everything everywhere", () => {
    world.pass(5_000);
    expect(world.unrest()).toEqual([]);
    for (const { peer } of world.nodes) expect([...(peer?.rooms.keys() ?? [])]).toEqual([ROOM]);
  });

  test("at double demand uses every slot of each minute, and no more", () => {
    world.pass(55_000);
    const admitted: number[] = [];
    for (let minute = 0; minute < 5; minute++) {
      const before = world.oracle.counts.admitted;
      for (let visitor = 0; visitor < 50; visitor++) {
        world.arrive({ locality: localities[visitor % localities.length] ?? "sjc", staysMs: 3_600_000 });
        world.pass(1_200);
      }
      admitted.push(world.oracle.counts.admitted - before);
    }
    const used = admitted.slice(1).reduce((sum, count) => sum + count, 0) / (25 * (admitted.length - 1));
    // Not more than the limit in any minute: the world itself looks after that.
    expect(used).toBeGreaterThan(0.98);
  });
});
