/**
 * A run as one page with plots: nothing is loaded from outside, so that it can be sent to somebody.
 */

import mustache from "mustache";
import plotScript from "uplot/dist/uPlot.iife.min.js" with { type: "text" };
import plotStyle from "uplot/dist/uPlot.min.css" with { type: "text" };
import { type Check, checksTable } from "../checks.ts";
import type { Sample } from "./oracle.ts";
import page from "./report.html" with { type: "text" };
import type { RunResult } from "./run.ts";
import type { Scenario } from "./scenarios.ts";

export interface Plot {
  readonly title: string;
  /** What the vertical axis counts. */
  readonly unit: string;
  /** Seconds since the start, for all lines. */
  readonly at: readonly number[];
  readonly lines: readonly {
    readonly name: string;
    readonly values: readonly (number | null)[];
    readonly isLimit: boolean;
  }[];
}

/** Points per line: more are not seen and make the page heavy. */
const POINTS_MAX = 1_500;

export function plotPage(parts: {
  readonly title: string;
  readonly intro: string;
  readonly table: string;
  readonly plots: readonly Plot[];
}): string {
  // A page's script ends at its first closing tag, wherever that stands.
  const data = JSON.stringify(parts.plots).replaceAll("<", "\\u003c");
  const filled = mustache.render(String(page), parts);
  // By functions: a dollar sign in a replacement text has a meaning of its own.
  return filled
    .replace("<!--plotStyle-->", () => `<style>${plotStyle}</style>`)
    .replace("<!--plotScript-->", () => `<script>${plotScript}</script>`)
    .replace('id="data">', (tag) => tag + data);
}

/** The page of one run. */
export function reportPage({
  scenario,
  result,
  checks,
}: {
  readonly scenario: Scenario;
  readonly result: RunResult;
  readonly checks: readonly Check[];
}): string {
  const { samples } = result.oracle;
  const step = Math.max(1, Math.ceil(samples.length / POINTS_MAX));
  const shown = samples.filter((_, index) => index % step === 0);
  const at = shown.map(({ atMs }) => atMs / 1_000);
  return plotPage({
    title: `Scenario ${scenario.name}, seed ${result.seed}`,
    intro: introOf(scenario),
    table: checksTable(checks, { color: false, width: 200 }),
    plots: [
      {
        title: "Visitors inside, against the limit",
        unit: "visitors",
        at,
        lines: [
          { name: "limit", values: shown.map(({ limit }) => limit), isLimit: true },
          { name: "inside", values: shown.map(({ inside }) => inside), isLimit: false },
        ],
      },
      {
        title: "Visitors waiting",
        unit: "visitors",
        at,
        lines: [{ name: "waiting", values: shown.map(({ waiting }) => waiting), isLimit: false }],
      },
      admittedPlot(samples, scenario),
      waitPlot(result, scenario),
    ],
  });
}

function introOf({ summary, localities, minuteMs, minutes, room }: Scenario): string {
  const nodes = `${localities.length} nodes in ${[...new Set(localities)].join(", ")}`;
  const limits = `${room.totalActiveUsers} inside at once, ${room.newUsersPerMinute} new ones a minute`;
  return `${summary}. ${nodes}; ${limits}; ${minutes} minutes of ${minuteMs / 1_000} s.`;
}

/** Admissions per minute, by locality. */
function admittedPlot(samples: readonly Sample[], { localities, minuteMs, room }: Scenario): Plot {
  const perMinute = Math.round(minuteMs / 1_000);
  const minutes = Array.from({ length: Math.ceil(samples.length / perMinute) }, (_, minute) =>
    samples.slice(minute * perMinute, (minute + 1) * perMinute),
  );
  const admitted = (minute: readonly Sample[], locality: string): number =>
    minute.reduce((sum, sample) => sum + (sample.admitted[locality] ?? 0), 0);
  return {
    title: "Let in per minute, by locality",
    unit: "visitors",
    at: minutes.map((_, minute) => (minute * minuteMs) / 1_000),
    lines: [
      { name: "limit of all", values: minutes.map(() => room.newUsersPerMinute ?? null), isLimit: true },
      ...[...new Set(localities)].map((locality) => ({
        name: locality,
        values: minutes.map((minute) => admitted(minute, locality)),
        isLimit: false,
      })),
    ],
  };
}

const PERCENTILES = [
  ["half", 0.5],
  ["90 %", 0.9],
  ["99 %", 0.99],
] as const;

/** How long those had waited who came in, by the minute they came in. */
function waitPlot({ oracle, virtualMs }: RunResult, { minuteMs }: Scenario): Plot {
  const minutes = Array.from({ length: Math.ceil(virtualMs / minuteMs) }, (): number[] => []);
  for (const { atMs, ms } of oracle.waits) minutes[Math.floor(atMs / minuteMs)]?.push(ms / 1_000);
  for (const waits of minutes) waits.sort((one, other) => one - other);
  return {
    title: "Wait of those let in",
    unit: "seconds",
    at: minutes.map((_, minute) => (minute * minuteMs) / 1_000),
    lines: PERCENTILES.map(([name, part]) => ({
      name,
      values: minutes.map((waits) => waits[Math.floor(part * (waits.length - 1))] ?? null),
      isLimit: false,
    })),
  };
}
