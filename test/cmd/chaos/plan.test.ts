import { describe, expect, test } from "vitest";
import {
  drawPlan,
  endOf,
  endsInRemoval,
  FAULT_KINDS,
  type Fault,
  faultText,
  isRemoval,
  isTooHarsh,
  planDocument,
  restMs,
} from "../../../cmd/chaos/plan.ts";
import { parsePlan } from "../../../cmd/chaos/plan-file.ts";

const five = { seed: 1, nodes: 5, durationMs: 300_000, leaseMs: 4_000, idleMs: 35_000 };
const bounds = { nodes: 5, durationMs: 300_000 };

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
        expect(isTooHarsh(plan, { nodes, survivesMs: 10_000 })).toBe(false);
        for (const fault of plan) expect(endOf(fault)).toBeLessThanOrEqual(300_000 - restMs(4_000));
      }
  });

  test("does to one node only what can be done to one, and wipes none that nobody could remove", () => {
    const kinds = (nodes: number) => new Set(drawPlan({ ...five, nodes }).map(({ what }) => what));
    expect(kinds(1)).toEqual(new Set(["kill", "pause", "restart"]));
    expect(kinds(2).has("wipe")).toBe(false);
  });

  test("can be written to a file and read back", () => {
    const plan = drawPlan(five);
    expect(parsePlan(JSON.stringify(planDocument(plan)), bounds)).toEqual({ ok: true, value: plan });
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

test("a plan is too harsh with half of the nodes at once, or longer than sessions last", () => {
  const cut = (nodes: number[], forMs: number, atMs = 0): Fault => ({ atMs, what: "cut", nodes, forMs });
  const mesh = { nodes: 5, survivesMs: 20_000 };
  expect(isTooHarsh([cut([1, 2], 20_000)], mesh)).toBe(false);
  expect(isTooHarsh([cut([1, 2], 20_001)], mesh)).toBe(true);
  expect(isTooHarsh([cut([1, 2, 3], 1_000)], mesh)).toBe(true);
  expect(isTooHarsh([cut([1, 2], 5_000), cut([3], 5_000, 4_000)], mesh)).toBe(true);
  expect(isTooHarsh([cut([1, 2], 5_000), cut([3], 5_000, 5_000)], mesh)).toBe(false);
  const rolling: Fault = { atMs: 0, what: "restart", nodes: [1, 2, 3, 4, 5], forMs: 500 };
  expect(isTooHarsh([rolling], mesh)).toBe(false);
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

describe("a plan file", () => {
  test("is a list of faults in YAML, in any order", () => {
    const text = `
- { at: 40s, what: cut, nodes: [1, 2], for: 15s }
- at: 20s
  what: delay
  node: 3
  for: 2.5s
  by: 200ms
- { at: 1m, what: loss, node: 5, for: 5s }
`;
    expect(parsePlan(text, bounds)).toEqual({
      ok: true,
      value: [
        { atMs: 20_000, what: "delay", nodes: [3], forMs: 2_500, byMs: 200 },
        { atMs: 40_000, what: "cut", nodes: [1, 2], forMs: 15_000 },
        { atMs: 60_000, what: "loss", nodes: [5], forMs: 5_000, part: 0.3 },
      ],
    });
  });

  test.each([
    ["", "", "is empty", "write a list"],
    ["kill: 3", "", "is not a list", "write a list"],
    ["- kill", "[0]", "is not a fault", "write a list"],
    ["- { at: 20, what: kill, node: 1, for: 1s }", "[0].at", "has no unit", "write 20s or 20ms"],
    ["- { at: 2s, what: kil, node: 1, for: 1s }", "[0].what", "is not known here", "write kill or pause"],
    ["- { at: 2s, what: kill, node: 6, for: 1s }", "[0].node", "names what is not one of the 5 nodes", "from 1 to 5"],
    ["- { at: 2s, what: kill, nodes: [one], for: 1s }", "[0].nodes", "names what is not one of the 5", "from 1 to 5"],
    ["- { at: 2s, what: kill, for: 1s }", "[0].nodes", "is missing", "write node: 1"],
    ["- { at: 2s, what: kill, node: 1 }", "[0].for", "is missing", "for: 10s"],
    ["- { at: 2s, what: kill, node: 1, four: 1s, for: 1s }", "[0].four", "is not a known key", "did you mean for?"],
    ["- { at: 2s, what: cut, node: 1, for: 1s, by: 2ms }", "[0].by", "means nothing for cut", "what: delay"],
    ["- { at: 2s, what: loss, node: 1, for: 1s, part: 30 }", "[0].part", "is not a part", "up to 1"],
    ["- { at: 299s, what: kill, node: 1, for: 2s }", "[0].at", "is over only 301 s after the start", "--duration"],
    ["- { at: 2s, at: 3s }", "line 1, column 13", "the key occurs twice", "remove one"],
  ])("%j: %s %s", (text, path, problem, repair) => {
    const plan = parsePlan(text, bounds);
    expect(plan.ok ? [] : plan.problems).toContainEqual(
      expect.objectContaining({
        path,
        problem: expect.stringContaining(problem),
        repair: expect.stringContaining(repair),
      }),
    );
  });
});
