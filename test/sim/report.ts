/** A run as one page with plots. */

import { type Check, checksParts } from "../../cmd/checks.ts";
import { type Page, type Plot, plotPage } from "../../cmd/plot-page.ts";
import { capital, number, span } from "../../cmd/print.ts";
import { shownSpan, shownTime, timeText } from "./clock.ts";
import type { Sample } from "./oracle.ts";
import { queueingOf } from "./queueing.ts";
import type { RunResult } from "./run.ts";
import type { Scenario } from "./scenario.ts";

/** Points per line: more are not seen and make the page heavy. */
const POINTS_MAX = 1_500;

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
  return plotPage({
    title: `A waiting room, simulated: ${scenario.name}`,
    lead: leadOf(scenario, result.seed),
    facts: factsOf(result, scenario),
    plots: [
      ...momentPlots(result.oracle.samples, scenario),
      admittedPlot(result.oracle.samples, scenario),
      waitPlot(result, scenario),
    ],
    table: checksParts(checks),
    notes: [],
  });
}

/** The times of queueing as text. */
export function queueingText(samples: readonly Sample[], scenario: Scenario): string {
  const times = queueingOf(samples, scenario.minuteMs).map(({ fromMs, toMs, isOpen }) => {
    const until = isOpen ? "to the end" : `to ${timeText(toMs, scenario)}`;
    return `from ${timeText(fromMs, scenario)} ${until}`;
  });
  return times.length === 0 ? "nobody had to wait" : times.join("; ");
}

/** Localities that a page names one by one. */
const NAMED_MAX = 12;

function leadOf({ summary, localities, minuteMs, minutes, startsAtMs, ...rest }: Scenario, seed: number): string {
  const places = [...new Set(localities)];
  const nodes = `${localities.length} nodes in ${places.length > NAMED_MAX ? `${places.length} localities` : places.join(", ")}`;
  const rooms = roomsOf(rest).map(
    (room) => `${room.totalActiveUsers} inside at once and ${room.newUsersPerMinute} new ones a minute`,
  );
  const limits = rooms.length === 1 ? rooms : `in ${rooms.length} rooms: ${rooms.join(", ")}`;
  const length = startsAtMs !== undefined ? span(60 * minutes) : `${minutes} minutes of ${minuteMs / 1_000} s`;
  return `${capital(summary)}. ${nodes} allow ${limits}, for ${length}. Seed ${seed}.`;
}

function roomsOf({
  room,
  more = [],
  late = [],
}: Pick<Scenario, "room" | "more" | "late">): readonly Scenario["room"][] {
  return [room, ...more, ...late];
}

/** A visitor admitted sooner did not wait in line: a gate may take 0.4 s to fetch slots. */
const QUEUED_MS = 500;

function factsOf({ oracle }: RunResult, scenario: Scenario): Page["facts"] {
  const { counts, samples } = oracle;
  const waits = oracle.waits.flatMap(({ ms }) => (ms < QUEUED_MS ? [] : ms)).sort((one, other) => one - other);
  const within = (part: number) => span(shownSpan(partOf(waits, part), scenario));
  const limit = samples.reduce((most, sample) => Math.max(most, sample.limit), 0);
  return [
    { name: "visitors came", value: number(counts.arrived) },
    { name: "let in", value: number(counts.admitted) },
    { name: `inside at most, of ${number(limit)}`, value: number(counts.insideMax) },
    { name: "in line at most", value: number(samples.reduce((most, { waiting }) => Math.max(most, waiting), 0)) },
    { name: "waited and came in", value: number(waits.length) },
    { name: "half of them waited up to", value: within(0.5) },
    { name: "nine in ten of them up to", value: within(0.9) },
    { name: "queueing", value: queueingText(samples, scenario), look: "long" },
  ];
}

/** Who was inside and who waited; each point is the most of a stretch, so that no peak is left out. */
function momentPlots(samples: readonly Sample[], scenario: Scenario): Plot[] {
  const step = Math.max(1, Math.ceil(samples.length / POINTS_MAX));
  const stretches = Array.from({ length: Math.ceil(samples.length / step) }, (_, index) =>
    samples.slice(index * step, (index + 1) * step),
  );
  const at = stretches.map(([first]) => shownTime(first?.atMs ?? 0, scenario));
  const most = (of: (sample: Sample) => number): number[] =>
    stretches.map((stretch) => stretch.reduce((highest, sample) => Math.max(highest, of(sample)), 0));
  const isOfDay = scenario.startsAtMs !== undefined;
  return [
    {
      ...{ title: "Visitors inside, against the limit", unit: "visitors", at, isOfDay },
      lines: [
        { name: "limit", values: most(({ limit }) => limit), isLimit: true },
        { name: "inside", values: most(({ inside }) => inside), isLimit: false },
      ],
      without: "Nobody came in.",
    },
    {
      ...{ title: "Visitors waiting", unit: "visitors", at, isOfDay },
      lines: [{ name: "waiting", values: most(({ waiting }) => waiting), isLimit: false }],
      without: "Nobody had to wait.",
    },
  ];
}

/** Admissions per minute, by locality; in a long run the mean of some minutes. */
function admittedPlot(samples: readonly Sample[], scenario: Scenario): Plot {
  const { localities, minuteMs } = scenario;
  const limit = roomsOf(scenario).reduce((sum, { newUsersPerMinute = 0 }) => sum + newUsersPerMinute, 0);
  const minutes = minutesPerPoint(scenario);
  const perPoint = Math.round((minutes * minuteMs) / 1_000);
  const places = [...new Set(localities)];
  // What is left over is a part of a point: it would look like a fall.
  const points = Array.from({ length: Math.floor(samples.length / perPoint) }, (_, point) =>
    samples.slice(point * perPoint, (point + 1) * perPoint),
  );
  const admitted = (point: readonly Sample[], locality: string): number =>
    point.reduce((sum, sample) => sum + (sample.admitted[locality] ?? 0), 0) / minutes;
  return {
    title: "Let in per minute, by locality",
    unit: "visitors a minute",
    at: points.map((_, point) => shownTime(point * minutes * minuteMs, scenario)),
    isOfDay: scenario.startsAtMs !== undefined,
    lines: [
      { name: "limit of all together", values: points.map(() => limit), isLimit: true },
      ...(places.length > NAMED_MAX ? [places] : places.map((locality) => [locality])).map((some) => ({
        name: some.length === 1 ? (some[0] ?? "") : "all localities",
        values: points.map((point) => some.reduce((sum, locality) => sum + admitted(point, locality), 0)),
        isLimit: false,
      })),
    ],
    without: "Nobody came in.",
  };
}

const PERCENTILES = [
  ["half", 0.5],
  ["9 in 10", 0.9],
  ["99 in 100", 0.99],
] as const;

/** Seconds from which on waits are shown in minutes. */
const MINUTES_FROM = 300;

/** How long admitted visitors had waited, by the time of their admission. */
function waitPlot({ oracle, virtualMs }: RunResult, scenario: Scenario): Plot {
  const pointMs = minutesPerPoint(scenario) * scenario.minuteMs;
  const points = Array.from({ length: Math.ceil(virtualMs / pointMs) }, (): number[] => []);
  for (const { atMs, ms } of oracle.waits)
    points[Math.floor(atMs / pointMs)]?.push(ms < QUEUED_MS ? 0 : shownSpan(ms, scenario));
  for (const waits of points) waits.sort((one, other) => one - other);
  const longest = points.reduce((most, waits) => Math.max(most, waits.at(-1) ?? 0), 0);
  const unitSeconds = longest >= MINUTES_FROM ? 60 : 1;
  return {
    title: "How long those let in had waited",
    unit: unitSeconds === 60 ? "minutes, at most" : "seconds, at most",
    at: points.map((_, point) => shownTime(point * pointMs, scenario)),
    isOfDay: scenario.startsAtMs !== undefined,
    lines: PERCENTILES.map(([name, part]) => ({
      name,
      values: points.map((waits) => (waits.length === 0 ? null : partOf(waits, part) / unitSeconds)),
      isLimit: false,
    })),
    without: "Nobody had to wait.",
  };
}

/** Points of what is counted over a time: with more, a long run is a thicket. */
const COUNTED_POINTS_MAX = 200;

function minutesPerPoint({ minutes }: Scenario): number {
  return Math.max(1, Math.ceil(minutes / COUNTED_POINTS_MAX));
}

/** The wait that a part of `sorted` stayed within; 0 for none. */
function partOf(sorted: readonly number[], part: number): number {
  return sorted[Math.floor(part * (sorted.length - 1))] ?? 0;
}
