import { expect, test } from "vitest";
import type { StarvedFigures } from "../../../cmd/crowd/starved.ts";
import type { VisitorStory } from "../../../cmd/demo/crowd.ts";
import { hasFailed, type SummarySource, summaryOf, summaryText } from "../../../cmd/demo/summary.ts";

const PLAIN = { color: false, width: 80 };
const IN: VisitorStory = { hasWaited: false, wasIn: true, waitedMs: 0, end: "left", thrownOut: false };
const WAITED: VisitorStory = { ...IN, hasWaited: true, waitedMs: 4_200 };

const QUIET: StarvedFigures = {
  waited_percent: 2,
  process: "the demo",
  worst_second_percent: 4,
  longest_lag_ms: 11,
  late_timers_percent: 0,
  is_starved: false,
};
const STARVED: StarvedFigures = { ...QUIET, waited_percent: 71, worst_second_percent: 80, is_starved: true };

const ONE: SummarySource = {
  came: 4,
  stories: [IN, WAITED, { ...WAITED, wasIn: false, end: "impatient" }, { ...WAITED, wasIn: false, end: "errors" }],
  stillWaiting: 2,
  peakInside: 9,
  limit: 10,
  peakAdmitted: 5,
  perMinute: 5,
  nodes: 1,
  localities: ["default"],
  killed: undefined,
  use: 0.972,
  useOfWhole: 0.876,
  starved: QUIET,
};

test("the summary of one gate does not mention nodes", () => {
  expect(summaryText(summaryOf(ONE), PLAIN)).toBe(`The spike has passed.
  came                    4 visitors
  admitted at once        1
  admitted from the line  1  half within 5 s, nine in ten within 5 s, longest wait 5 s
  left the line           1
  still in line           2
  failed                  1
  most inside             9 of 10, within the limit, counted by the shop
  most in a minute        5 of 5, within the limit
  slots in use            88 % (must be at least 50 %) while visitors waited
The table above counts slots. A slot is held for a while after its visitor's last request.`);
});

test("a run that keeps the limits by standing still does not pass", () => {
  const summary = summaryOf({ ...ONE, useOfWhole: 0.2, use: 1 });
  expect(summary).toMatchObject({ never_over: true, used_enough: false, use_of_room: 20, use_within_reach: 100 });
  expect(summaryText(summary, PLAIN)).toContain("Too few slots were in use while visitors waited.");
  expect(hasFailed(summary)).toBe(true);
});

test("the same on a busy machine is not judged, and says why", () => {
  const summary = summaryOf({ ...ONE, useOfWhole: 0.2, use: 0.3, starved: STARVED, nodes: 3 });
  expect(summary).toMatchObject({ never_over: true, used_enough: false, judged: false, busy: STARVED });
  const text = summaryText(summary, PLAIN);
  expect(text).toContain("The spike has passed.");
  expect(text).toContain("\n  slots in use            20 % (not judged: the machine was busy) while visitors waited\n");
  expect(text).toContain("\n  within reach            30 % (not judged: the machine was busy): not at a lost node\n");
  expect(text).toContain(
    "\nThe machine was busy: the demo waited for a core 71 % of its time, 80 % of a second at worst;",
  );
  expect(hasFailed(summary)).toBe(false);
});

test("a busy machine hides no good result, and excuses no exceeded limit", () => {
  const well = summaryOf({ ...ONE, starved: STARVED });
  expect(well).toMatchObject({ judged: true });
  expect(summaryText(well, PLAIN)).toContain("88 % (must be at least 50 %)");
  const exceeded = [
    { ...ONE, starved: STARVED, peakInside: 11 },
    { ...ONE, starved: STARVED, peakAdmitted: 6 },
    { ...ONE, starved: STARVED, peakInside: 11, useOfWhole: 0.2 },
  ];
  for (const source of exceeded) {
    expect(hasFailed(summaryOf(source))).toBe(true);
    expect(summaryText(summaryOf(source), PLAIN)).toContain("A limit was exceeded.");
  }
});

test("a mesh names its nodes, the killed one, and that no session was lost", () => {
  const source = { ...ONE, nodes: 5, localities: ["sjc", "lon"], killed: "node 77aa91b2 in lon" };
  const text = summaryText(summaryOf(source), PLAIN);
  expect(text).toContain("\n  nodes                   5 in sjc, lon\n");
  expect(text).toContain("\n  killed half way         node 77aa91b2 in lon\n");
  expect(text).toContain("\n  sessions lost           none\n");
  expect(text).toContain("\n  within reach            97 % (must be at least 60 %): not at a lost node\n");
});

test("lost sessions and an exceeded limit are reported for any number of nodes", () => {
  const summary = summaryOf({ ...ONE, stories: [{ ...IN, thrownOut: true }], peakInside: 11 });
  expect(summary).toMatchObject({ thrown_out: 1, never_over: false, killed: null });
  const text = summaryText(summary, PLAIN);
  expect(text).toContain("A limit was exceeded.");
  expect(text).toContain("\n  sessions lost           1\n");
  expect(text).toContain("11 of 10, OVER THE LIMIT");
});
