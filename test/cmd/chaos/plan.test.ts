import { describe, expect, test } from "vitest";
import {
  drawPlan,
  endOf,
  endsInRemoval,
  FAULT_KINDS,
  type Fault,
  faultText,
  isRemoval,
  restMs,
} from "../../../cmd/chaos/plan.ts";

const five = { seed: 1, nodes: 5, durationMs: 300_000, leaseMs: 4_000, idleMs: 35_000 };

/** Whether a fault outlasts every session, or half of the nodes or more are in trouble at once. */
function isTooHarsh(plan: readonly Fault[], nodes: number): boolean {
  const harm = plan.filter(({ what }) => what !== "delay" && what !== "loss");
  return harm.some((fault) => {
    const struck = harm.filter((other) => other.atMs <= fault.atMs && endOf(other) > fault.atMs);
    const inTrouble = struck.flatMap((each) => (each.what === "restart" ? each.nodes.slice(0, 1) : each.nodes));
    return fault.forMs > SURVIVES_MS || (nodes > 1 && new Set(inTrouble).size * 2 > nodes);
  });
}

/** The lease, and the shortest session but for its last minute. */
const SURVIVES_MS = 4_000 + 7_500;

test("a plan ends in a removal, whatever network fault is over later", () => {
  const wipe: Fault = { atMs: 66_600, what: "wipe", nodes: [5], forMs: 1_800 };
  const delay: Fault = { atMs: 62_200, what: "delay", nodes: [4], forMs: 6_400, byMs: 210 };
  const kill: Fault = { atMs: 90_000, what: "kill", nodes: [1], forMs: 1_000 };
  expect(endsInRemoval([delay, wipe], 4_000)).toBe(true);
  expect(endsInRemoval([delay], 4_000)).toBe(false);
  expect(endsInRemoval([wipe, kill], 4_000)).toBe(false);
  expect(endsInRemoval([], 4_000)).toBe(false);
});

describe("a drawn plan", () => {
  test("is the same for the same seed, and another for another", () => {
    expect(drawPlan(five)).toEqual(drawPlan(five));
    expect(drawPlan(five)).not.toEqual(drawPlan({ ...five, seed: 2 }));
  });

  test("of five minutes has every kind of fault, one of a minute has several", () => {
    for (let seed = 0; seed < 50; seed++) {
      expect(new Set(drawPlan({ ...five, seed }).map(({ what }) => what)).size).toBe(FAULT_KINDS.length);
      expect(drawPlan({ ...five, seed, durationMs: 60_000 }).length).toBeGreaterThanOrEqual(2);
    }
  });

  test("stays within what the promises are made for, and leaves time to come together", () => {
    for (let seed = 0; seed < 200; seed++)
      for (const nodes of [1, 2, 3, 5, 8]) {
        const plan = drawPlan({ ...five, seed, nodes });
        expect(isTooHarsh(plan, nodes)).toBe(false);
        for (const fault of plan) expect(endOf(fault)).toBeLessThanOrEqual(300_000 - restMs(4_000));
      }
  });

  test("does to one node only what can be done to one, and wipes none that nobody could remove", () => {
    const kinds = (nodes: number) => new Set(drawPlan({ ...five, nodes }).map(({ what }) => what));
    expect(kinds(1)).toEqual(new Set(["kill", "pause", "restart"]));
    expect(kinds(2).has("wipe")).toBe(false);
  });
});

test("a drawn plan lets the shares of a removed node come back before it has another one removed", () => {
  for (let seed = 0; seed < 50; seed++) {
    const removals = drawPlan({ ...five, seed }).filter((fault) => isRemoval(fault, 4_000));
    expect(removals.length).toBeGreaterThanOrEqual(3);
    for (const [at, next] of removals.slice(1).entries())
      expect(next.atMs - endOf(removals[at] ?? next)).toBeGreaterThanOrEqual(35_000);
  }
});

test("a fault is described in words", () => {
  const fault = { atMs: 0, nodes: [2], forMs: 4_500 };
  expect(faultText({ ...fault, what: "kill" })).toBe("kill -9 node 2, down for 4.5 s");
  expect(faultText({ ...fault, what: "restart", nodes: [1, 2] })).toBe(
    "rolling restart of nodes 1, 2, down for 4.5 s each",
  );
  expect(faultText({ ...fault, what: "loss", part: 0.3 })).toBe(
    "connections of node 2 break, 30 % of them a second, for 4.5 s",
  );
});
