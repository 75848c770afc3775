import { describe, expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import { gateTarget, localityTarget, type Scene } from "../../../../node/admission/mesh/placement.ts";

/** Nodes `a1`, `a2` of locality a and `b1` of b, each with the new visitors that it saw last minute. */
function scene(seen: readonly [number, number, number], change: Partial<Scene> = {}): Scene {
  const nodes = ["a1", "a2", "b1"].map((name, index) => ({
    node: name as NodeId,
    locality: name.slice(0, 1),
    seen: seen[index] ?? 0,
  }));
  return { freePairs: 600, free: { active: 600, arrivals: 600 }, utilization: 0, curveFactor: 2, nodes, ...change };
}

function gates(of: Scene): number[] {
  return of.nodes.map(({ node }) => gateTarget(of, node));
}

describe("free slots of a room that nobody waits for", () => {
  test("lie evenly while there was no traffic", () => {
    expect(gates(scene([0, 0, 0]))).toEqual([200, 200, 200]);
    expect([localityTarget(scene([0, 0, 0]), "a"), localityTarget(scene([0, 0, 0]), "b")]).toEqual([400, 200]);
  });

  test("lie half evenly, half where the last minute's visitors came in, far below the limit", () => {
    expect(gates(scene([90, 0, 10]))).toEqual([370, 100, 130]);
    expect([localityTarget(scene([90, 0, 10]), "a"), localityTarget(scene([90, 0, 10]), "b")]).toEqual([470, 130]);
  });

  test.each([
    [0, 2, 300],
    [0.5, 2, 225],
    [0.9, 2, 57],
    [0.9, 10, 195.4],
    [1, 2, 0],
  ])("are left to the ticket counters as the room fills: %d full, curve %d", (utilization, curveFactor, kept) => {
    const [busy = 0] = gates(scene([100, 0, 0], { utilization, curveFactor }));
    expect(busy - 100).toBeCloseTo(kept, 1);
  });

  test("are none where nothing is free", () => {
    expect(gates(scene([90, 0, 10], { freePairs: 0 }))).toEqual([0, 0, 0]);
  });

  test("of a node that has just come are its even part", () => {
    expect(gateTarget(scene([100, 0, 0]), "new" as NodeId)).toBe(100);
  });
});
