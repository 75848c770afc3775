import { describe, expect, test } from "vitest";
import type { FaultPlan } from "../sim/fault-kinds.ts";
import { drawPlan, faultText, NO_FAULTS } from "../sim/fault-plan.ts";
import { run } from "../sim/run.ts";
import { scenarioOf } from "../sim/scenarios.ts";
import { shrink } from "../sim/shrink.ts";

const OPTIONS = { seed: 7, nodes: 4, durationMs: 120_000, minuteMs: 6_000, everyMs: 1_000, disks: true };

describe("a plan of faults", () => {
  test("is the same for a seed, and another for another", () => {
    expect(drawPlan(OPTIONS)).toEqual(drawPlan(OPTIONS));
    expect(drawPlan(OPTIONS).faults).not.toEqual(drawPlan({ ...OPTIONS, seed: 8 }).faults);
  });

  test("names places that there are, in the order of time, and has every kind of fault", () => {
    const { clocks, faults } = drawPlan({ ...OPTIONS, durationMs: 3_000_000 });
    expect(clocks).toHaveLength(4);
    const times = faults.map(({ atMs }) => atMs);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(new Set(faults.map(({ what }) => what)).size).toBe(14);
    for (const fault of faults) if ("node" in fault) expect(fault.node).toBeLessThan(4);
  });

  test("has what people and hosts do one after the other, where it is asked for", () => {
    const scenes = { rooms: 2, leaseMs: 4_000 };
    const faults = Array.from({ length: 20 }, (_, seed) => drawPlan({ ...OPTIONS, seed, scenes }).faults).flat();
    const kinds = new Set(faults.map(({ what }) => what));
    for (const what of ["cut off", "delete room", "make room", "forget", "leave", "start by a wrong clock"] as const)
      expect(kinds).toContain(what);
    for (const fault of faults) if ("room" in fault) expect(fault.room).toBeLessThan(2);
    const { faults: of } = drawPlan({ ...OPTIONS, scenes });
    expect(of.map(({ atMs }) => atMs)).toEqual(of.map(({ atMs }) => atMs).toSorted((one, other) => one - other));
  });

  test("has clocks of which none is so far off the others that it must hold back, however long the grace", () => {
    for (const minuteMs of [6_000, 60_000])
      for (const { skewMs } of drawPlan({ ...OPTIONS, nodes: 300, minuteMs }).clocks)
        expect(Math.abs(skewMs)).toBeLessThan(minuteMs === 6_000 ? 250 : 1_000);
  });

  test("loses no disks unless asked to", () => {
    const { faults } = drawPlan({ ...OPTIONS, durationMs: 3_000_000, disks: false });
    expect(faults.filter(({ what }) => what.includes("disk"))).toEqual([]);
  });

  test("is described in words", () => {
    expect(faultText({ atMs: 1_500, what: "pause", node: 2, forMs: 300 })).toBe("1.5 s pause node 2 forMs 300");
  });
});

describe("shrinking", () => {
  const plan: FaultPlan = {
    clocks: [{ skewMs: 5, rate: 1 }],
    faults: Array.from({ length: 40 }, (_, node) => ({ atMs: node, what: "leave" as const, node })),
  };
  const has = ({ faults }: FaultPlan, ...nodes: number[]): boolean =>
    nodes.every((node) => faults.some((fault) => "node" in fault && fault.node === node));

  test("finds the faults that matter, and that clocks don't", () => {
    const short = shrink(plan, (each) => has(each, 3, 31), 200);
    expect(short.faults.map((fault) => "node" in fault && fault.node)).toEqual([3, 31]);
    expect(short.clocks).toEqual([]);
  });

  test("keeps a plan that fails when its tries are used up", () => {
    let tries = 0;
    const short = shrink(plan, (each) => ++tries > 0 && has(each, 3, 31), 5);
    expect(tries).toBe(5);
    expect(has(short, 3, 31)).toBe(true);
  });
});

test("a run without its plan is a calm one", () => {
  const scenario = scenarioOf("harsh", 2);
  if (scenario === undefined) throw new Error("unreachable");
  const { broken, restedMs, oracle } = run({ scenario: { ...scenario, minutes: 6 }, seed: 2, plan: NO_FAULTS });
  expect(broken).toBeUndefined();
  expect(restedMs).toBe(0);
  expect(oracle.counts.thrownOut).toBe(0);
});
