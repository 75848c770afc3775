import { describe, expect, test, vi } from "vitest";
import { fakeIo } from "../cmd/fake-io.ts";
import type { FaultPlan } from "../sim/fault-kinds.ts";
import { run } from "../sim/main.ts";
import type { Scenario } from "../sim/scenario.ts";

// A world that no node can keep its promise in: with minutes this short, a clock that is 1.9 s off is past the grace
// and too little to be noticed. And one in which nothing happens, so that tests of the command are fast.
vi.mock("../sim/scenarios.ts", async (original) => {
  const real = await original<typeof import("../sim/scenarios.ts")>();
  return {
    ...real,
    SCENARIOS: [...real.SCENARIOS, { name: "quick", summary: "" }, { name: "hopeless", summary: "" }],
    scenarioOf: (name: string, seed: number): Scenario => {
      const base = real.scenarioOf(name === "quick" || name === "hopeless" ? "old-disks" : name, seed);
      if (name === "quick") return { ...base, name, minutes: 3, plan: () => ({ clocks: [], faults: [] }) };
      const room = { ...base.room, newUsersPerMinute: 10 };
      // It breaks after half of them.
      const less = { minutes: 6, rate: () => 15, stayMinutes: 1 };
      return name === "hopeless" ? { ...base, name, room, ...less, plan: hopeless } : base;
    },
  };
});

const WRONG = { what: "step clock", node: 0, byMs: 1_900, forMs: 40_000, atMs: 12_000 } as const;

/** The wrong clock among faults that do no harm. */
function hopeless(): FaultPlan {
  const harmless = [2_000, 4_000, 6_000, 20_000, 25_000, 30_000, 35_000].map((atMs) => ({
    what: "heal links" as const,
    atMs,
  }));
  return { clocks: [], faults: [...harmless, WRONG] };
}

const lastLine = (text: string): string => text.trimEnd().split("\n").at(-1) ?? "";

/** Runs the simulator with the words of `line`. */
async function simulator(line: string) {
  const { io, written } = fakeIo();
  const exit = await run(line.split(" "), io);
  return { exit, answer: written.answer, talk: written.talk };
}

describe("simulate", () => {
  test("of a world that keeps all promises ends with 0", async () => {
    const { exit, answer, talk } = await simulator("--scenario quick");
    // A run of more than 5 s says how far it is: on a busy machine.
    expect([exit, talk.replace(/^\d of 3 minutes\n/gm, "")]).toEqual([0, ""]);
    expect(answer).toContain("runs that broke a promise");
    expect(answer).not.toContain("FAILED");
  });

  test.each([
    ["--scenario nonsense", "--scenario"],
    ["--seed -1 --seeds 0", "--seeds"],
    ["--seeds 2 --log", "--log"],
    ["--scenraio flash", "did you mean --scenario?"],
  ])("%s is wrong usage, exit 2", async (flags, told) => {
    const { exit, answer, talk } = await simulator(flags);
    expect({ exit, answer }).toEqual({ exit: 2, answer: "" });
    expect(talk).toContain(told);
  });

  test("--json has the verdict as the last line, and nothing else on stdout", async () => {
    const { exit, answer, talk } = await simulator("--scenario quick --seed 4 --json");
    expect(exit).toBe(0);
    expect(answer.trimEnd().split("\n")).toHaveLength(1);
    expect(JSON.parse(lastLine(answer))).toMatchObject({
      scenario: "quick",
      first_seed: 4,
      seeds: 1,
      ok: true,
      failed: [],
    });
    expect(talk).toContain("PROMISE");
  });

  test("of a world that breaks a promise ends with 3, the shortest plan that does, and the line that repeats it", async () => {
    const { exit, answer } = await simulator("--scenario hopeless --seed 1");
    expect(exit).toBe(3);
    expect(answer).toContain("Seed 1 fails: seed 1, ");
    expect(answer).toContain("It still fails with 1 fault of 8:\n  12.0 s step clock node 0 byMs 1900 forMs 40000\n");
    expect(answer).toContain("Repeat it: npm run simulate -- --scenario hopeless --seed 1 --log");
  });
});
