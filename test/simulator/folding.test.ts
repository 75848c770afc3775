/**
 * Accounts end with their node: whatever joins, leaves and is lost, a mesh keeps no more of it than its members need.
 */

import { describe, expect, test } from "vitest";
import { Churn, churn, growth, isLost, leaves } from "../sim/churn.ts";

describe.each([
  { what: "leaves", act: leaves },
  { what: "losses", act: isLost },
])("a mesh with many $what", ({ act }) => {
  test("keeps no more at the end than after the first 25, and uses all slots of all rooms", () => {
    const mesh = new Churn({ seed: 1, nodes: 3, rooms: 3 });
    mesh.change(25, () => act);
    const first = mesh.change(15, () => act);
    const last = mesh.change(20, () => act);
    expect(growth(first, last).filter(({ ok }) => !ok)).toEqual([]);
    expect(mesh.usable()).toBe(1);
  });
});

test("a drawn mesh of five with ten rooms does not grow either: two in a row, restarts, leaves and losses", () => {
  const { headline, checks } = churn(5, { changes: 36 });
  expect(headline).toBe("36 changes of 5 nodes with 10 rooms");
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
});
