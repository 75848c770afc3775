import { describe, expect, test } from "vitest";
import { gateTarget, localityTarget, type Scene } from "../../../../node/admission/mesh/placement.ts";

/** Nodes `a1`, `a2` of locality a and `b1` of b, each with the new visitors that it saw last minute. */
function scene([a1, a2, b1]: readonly [number, number, number], change: Partial<Scene> = {}): Scene {
  return {
    freePairs: 600,
    free: { active: 600, arrivals: 600 },
    utilization: 0,
    nodes: 3,
    seen: a1 + a2 + b1,
    needed: 600,
    ...change,
  };
}

function gates(seen: readonly [number, number, number], change: Partial<Scene> = {}): number[] {
  return seen.map((own) => gateTarget(scene(seen, change), own));
}

function localities(seen: readonly [number, number, number], change: Partial<Scene> = {}): number[] {
  const [a1, a2, b1] = seen;
  return [
    localityTarget(scene(seen, change), { nodes: 2, seen: a1 + a2 }),
    localityTarget(scene(seen, change), { nodes: 1, seen: b1 }),
  ];
}

describe("free slots of a room that nobody waits for", () => {
  test("lie evenly while there was no traffic", () => {
    expect(gates([0, 0, 0])).toEqual([200, 200, 200]);
    expect(localities([0, 0, 0])).toEqual([400, 200]);
  });

  test("lie half evenly, half where the last minute's visitors came in, far below the limit", () => {
    expect(gates([90, 0, 10])).toEqual([370, 100, 130]);
    expect(localities([90, 0, 10])).toEqual([470, 130]);
  });

  test("lie evenly but for what is needed where visitors come in", () => {
    expect(gates([90, 0, 10], { needed: 60 }).map(Math.round)).toEqual([234, 180, 186]);
    expect(localities([90, 0, 10], { needed: 60 }).map(Math.round)).toEqual([414, 186]);
    expect(gates([90, 0, 10], { needed: 0 })).toEqual([200, 200, 200]);
  });

  test.each([
    [0, 300],
    [0.5, 150],
    [0.9, 30],
    [1, 0],
  ])("are left to the ticket counters as the room fills: %d full", (utilization, kept) => {
    const [busy = 0] = gates([100, 0, 0], { utilization });
    expect(busy - 100).toBeCloseTo(kept, 1);
  });

  test("are none where nothing is free", () => {
    expect(gates([90, 0, 10], { freePairs: 0 })).toEqual([0, 0, 0]);
  });

  test("of a node that has just come are its even part", () => {
    expect(gateTarget(scene([100, 0, 0]), 0)).toBe(100);
  });
});
