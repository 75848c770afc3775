import { describe, expect, test } from "vitest";
import { plotPage } from "../../cmd/plot-page.ts";
import { reportPage } from "../sim/report.ts";
import { type RunResult, run } from "../sim/run.ts";
import type { Scenario } from "../sim/scenario.ts";
import { scenarioOf } from "../sim/scenarios.ts";
import { seedResult } from "../sim/seed-result.ts";
import { verdictOf } from "../sim/verdict.ts";

function small(change: Partial<Scenario>): Scenario {
  const scenario = scenarioOf("steady", 1);
  if (scenario === undefined) throw new Error("unreachable");
  const room = { totalActiveUsers: 20, newUsersPerMinute: 10, sessionDuration: 2, refreshIntervalSeconds: 20 };
  return { ...scenario, name: "small", localities: ["sjc", "lon"], minutes: 5, room, rate: () => 20, ...change };
}

function pageOf(scenario: Scenario): { readonly page: string; readonly result: RunResult } {
  const result = run({ scenario, seed: 1 });
  return {
    page: reportPage({ scenario, result, checks: verdictOf([seedResult(result, scenario)], scenario) }),
    result,
  };
}

/** What the page's script draws. */
function plotsIn(page: string): { title: string; unit: string; lines: { name: string; values: number[] }[] }[] {
  return JSON.parse(/id="data">(.*?)<\/script>/s.exec(page)?.[1] ?? "").plots;
}

describe("the page of a run", () => {
  const { page, result } = pageOf(small({}));

  test("has the four plots, each with its unit and lines", () => {
    expect(plotsIn(page).map(({ title, unit, lines }) => [title, unit, lines.map(({ name }) => name)])).toEqual([
      ["Visitors inside, against the limit", "visitors", ["limit", "inside"]],
      ["Visitors waiting", "visitors", ["waiting"]],
      ["Let in per minute, by locality", "visitors a minute", ["limit of all together", "sjc", "lon"]],
      [
        "How long those let in had waited",
        expect.stringMatching(/^(seconds|minutes), at most$/),
        ["half", "9 in 10", "99 in 100"],
      ],
    ]);
  });

  test("plots what was seen: the peak, and all who were admitted", () => {
    const [inside, , admitted] = plotsIn(page);
    expect(Math.max(...(inside?.lines[1]?.values ?? []))).toBe(result.oracle.counts.insideMax);
    const shown = admitted?.lines.slice(1).flatMap(({ values }) => values) ?? [];
    expect(shown.reduce((sum, value) => sum + value, 0)).toBe(result.oracle.counts.admitted);
  });

  test("reports the facts and all checks", () => {
    expect(page).toContain(`<dt>visitors came</dt><dd>${result.oracle.counts.arrived}</dd>`);
    expect(page).toContain("runs that broke a promise</td>");
    expect(page).not.toContain("{{");
  });

  test("loads nothing from outside", () => {
    const withoutScripts = page.replace(/<script>.*?<\/script>/gs, "");
    expect(withoutScripts).not.toMatch(/\b(src|href|srcset|action)\s*=|url\(|@import/i);
    expect(page).not.toMatch(
      /\b(fetch|XMLHttpRequest|WebSocket|EventSource|importScripts)\s*\(|import\(|https?:\/\/(?!github\.com\/leeoniya)/,
    );
  });

  test("is the same for the same seed", () => {
    expect(pageOf(small({})).page).toBe(page);
  });
});

test("where nobody waits the page says so in place of empty plots", () => {
  const { page } = pageOf(small({ rate: () => 2 }));
  expect(page.match(/Nobody had to wait\./g)).toHaveLength(2);
  expect(plotsIn(page)).toHaveLength(2);
  expect(page).toContain("<dd>nobody had to wait</dd>");
});

test("text of a scenario ends no script and is no markup", () => {
  const title = "</script><b>&$&";
  const page = plotPage({
    ...{ title, lead: title, facts: [], notes: [title], table: { columns: [{ title }], rows: [[title]] } },
    plots: [{ title, unit: title, at: [0], isOfDay: false, lines: [{ name: title, values: [1], isLimit: false }] }],
  });
  expect(page).not.toContain("</script><b>");
  expect(plotsIn(page)[0]?.title).toBe(title);
});
