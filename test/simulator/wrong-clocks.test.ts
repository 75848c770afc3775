/** Simulated clocks that are set wrong: never for a process that has no other node to compare its clock with. */

import { expect, test } from "vitest";
import type { Fault } from "../sim/fault-kinds.ts";
import { Faults } from "../sim/faults.ts";
import type { SimNode } from "../sim/sim-node.ts";
import { World } from "../sim/world.ts";

const TIMES = { minuteMs: 54_000, leaseMs: 4_000 };
const room = { totalActiveUsers: 12, newUsersPerMinute: 100, sessionDuration: 5, refreshIntervalSeconds: 2 };

test("a node that ended by itself starts again by a right clock if it hears no other, and it no longer drifts", () => {
  const world = new World({ seed: 1, localities: ["sjc", "lon", "del"], ...TIMES, room });
  const faults: Fault[] = [
    { atMs: 10_000, what: "drift clock", node: 1, stepMs: 1_700, steps: 40, everyMs: 1_000, forMs: 5_000 },
    { atMs: 15_000, what: "pause", node: 2, forMs: 60_000 },
    { atMs: 20_000, what: "leave", node: 0 },
    { atMs: 40_000, what: "leave", node: 1 },
  ];
  new Faults(world, { clocks: [], faults });
  const drifting = world.nodes[1] as SimNode;
  world.pass(40_000);
  const { process } = drifting;
  expect(drifting.skewMs).toBeGreaterThan(30_000);
  world.pass(20_000);
  expect(drifting.process).not.toBe(process);
  expect(drifting.peer?.members.view?.members).toHaveLength(2);
  expect(drifting.skewMs).toBe(0);
});

test("no clock is set wrong while its node still waits for a member to compare it with", () => {
  const world = new World({ seed: 1, localities: ["sjc", "lon", "del"], ...TIMES, room });
  const faults: Fault[] = [
    { atMs: 10_000, what: "cut off", node: 1, forMs: 20_000 },
    { atMs: 12_000, what: "crash", at: "now", node: 1, forMs: 1_000 },
    { atMs: 14_000, what: "step clock", node: 1, byMs: 31_000, forMs: 10_000 },
  ];
  new Faults(world, { clocks: [], faults });
  const started = world.nodes[1] as SimNode;
  world.pass(14_500);
  expect(started.peer?.isClockTrusted).toBe(false);
  expect(started.skewMs).toBe(0);
});
