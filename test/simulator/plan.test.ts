import { describe, expect, test } from "vitest";
import { drawPlan } from "../sim/fault-plan.ts";

const OPTIONS = { seed: 7, nodes: 4, durationMs: 120_000, minuteMs: 6_000, everyMs: 1_000, disks: true };

describe("a plan of faults", () => {
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
});
