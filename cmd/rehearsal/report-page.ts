/** The report of a run as text for a terminal, and as a page with plots. */

import { expectedVisitors } from "../crowd/arrivals.ts";
import { BUSY } from "../crowd/starved.ts";
import type { Page, PageTable, Plot } from "../plot-page.ts";
import { capital, count, number, span } from "../print.ts";
import type { LoadOptions } from "./options.ts";
import type { LoadReport, ResponseTimes } from "./report.ts";
import type { Run, Sample } from "./run.ts";
import { ASKED } from "./tally.ts";

type Verdict = Page["verdict"];

/** Over how long admissions are counted for their rate: a minute of the room is as long. */
const RATE_SECONDS = 60;

/** What the run comes to, the most important first. */
export function verdictOf(report: LoadReport): Verdict {
  const { not_judged_because: reasons, expected, proof_of_work_asked: proofs, cut_short: isCutShort } = report;
  const notJudged = report.busy ? capital(BUSY) : "Not judged";
  return [
    ...reasons.map((text) => ({ text, look: "bad" as const })),
    ...(isCutShort ? [{ text: "The run was ended before its time.", look: "bad" as const }] : []),
    ...expected.map(({ name, value, limit, ok, judged }) => ({
      text: `${ok ? "Holds" : judged ? "Does not hold" : notJudged}: ${name}: ${figure(value)}, at most ${figure(limit)} expected.`,
      look: ok ? ("good" as const) : judged ? ("bad" as const) : ("plain" as const),
    })),
    ...(proofs > 0
      ? [
          {
            text: `${count(proofs, "visitor")} were asked for a proof of work, which is not made here. Switch it off in the room, and measure again.`,
            look: "bad" as const,
          },
        ]
      : []),
    ...errorsOf(report),
    { text: lineOf(report), look: "plain" },
  ];
}

function errorsOf({ errors, requests, error_rate: rate, unanswered, sent_back: sentBack }: LoadReport): Verdict {
  const kinds = Object.entries(errors).sort(([, one], [, other]) => other - one);
  return [
    ...(kinds.length > 0
      ? [
          {
            text: `${figure(100 * rate)} % of ${number(requests)} requests failed: ${kinds.map(([kind, times]) => `${kind} (${number(times)})`).join(", ")}.`,
            look: "bad" as const,
          },
        ]
      : []),
    ...(unanswered.count > 0
      ? [
          {
            text: `${count(unanswered.count, "request")} had no answer when the run ended, the oldest for ${span(unanswered.longest_ms / 1_000)}.`,
            look: "plain" as const,
          },
        ]
      : []),
    ...(sentBack > 0
      ? [{ text: `${count(sentBack, "time")} a visitor inside was sent back into the line.`, look: "bad" as const }]
      : []),
  ];
}

function lineOf({ put_in_line: joined, waited_seconds: waited, overtaken, waiting_max: most }: LoadReport): string {
  if (joined === 0) return "Nobody had to wait.";
  const times =
    waited === null
      ? ""
      : ` Half of those who came in from the line had waited up to ${span(waited.p50)}, 95 of 100 up to ${span(waited.p95)}.`;
  const passed =
    overtaken === 0
      ? " Nobody was overtaken."
      : ` ${count(overtaken, "visitor")} waited on after one who came later was in.`;
  return `${count(joined, "visitor")} had to wait, ${number(most)} at once at most.${times}${passed}`;
}

/** All figures as a table. */
export function figuresOf(report: LoadReport): PageTable {
  const { waited_seconds: waited, response_ms: times, generator } = report;
  const rows: readonly (readonly [string, string])[] = [
    ["arrived", number(report.arrived)],
    ["admitted", number(report.admitted)],
    ["had to wait", number(report.put_in_line)],
    ["abandoned the line", number(report.abandoned)],
    ["left after their stay", number(report.left)],
    ["left after errors", number(report.lost_to_errors)],
    ["still in line at the end", number(report.still_waiting)],
    ["still on the site at the end", number(report.still_inside)],
    ["inside at once, at most", number(report.inside_max)],
    ["in line at once, at most", number(report.waiting_max)],
    ["overtaken", number(report.overtaken)],
    ["sent back into the line", number(report.sent_back)],
    [
      "waited (25, 50, 75, 95 of 100)",
      waited === null ? "–" : [waited.p25, waited.p50, waited.p75, waited.p95].map(span).join(", "),
    ],
    ["requests", number(report.requests)],
    ["errors", number(Object.values(report.errors).reduce((sum, each) => sum + each, 0))],
    ["waiting page (p50, p95, p99, worst)", timesText(times.waiting_page)],
    ["poll (p50, p95, p99, worst)", timesText(times.poll)],
    ["site (p50, p95, p99, worst)", timesText(times.site)],
    ["generator late (p99, worst)", `${figure(generator.late_p99_ms)}, ${figure(generator.late_worst_ms)} ms`],
  ];
  return {
    columns: [{ title: "WHAT" }, { title: "FIGURE", align: "right" }],
    rows: rows.map(([name, value]) => [capital(name), value]),
  };
}

function timesText(times: ResponseTimes | null): string {
  if (times === null) return "–";
  return `${[times.p50, times.p95, times.p99, times.worst].map(figure).join(", ")} ms`;
}

export function loadPage(report: LoadReport, { samples }: Run, options: LoadOptions): Page {
  const { waited_seconds: waited } = report;
  return {
    title: "Rehearsal of a sale",
    lead: `${report.url}: ${arrivalsText(options)}, ${span(report.seconds)}, seed ${report.seed}.`,
    verdict: verdictOf(report),
    facts: [
      { name: "arrived", value: number(report.arrived) },
      { name: "admitted", value: number(report.admitted) },
      { name: "inside at most", value: number(report.inside_max) },
      { name: "in line at most", value: number(report.waiting_max) },
      { name: "half waited up to", value: waited === null ? "–" : span(waited.p50) },
      { name: "requests that failed", value: `${figure(100 * report.error_rate)} %` },
    ],
    plots: plotsOf(samples),
    table: figuresOf(report),
    notes: [
      "All figures are what visitors saw. Response times are measured from the moment at which a request was due.",
      "Inside: on the site, with a session that is still good. The room also counts visitors who have left, until their session ends.",
    ],
    footer: "Measured by anteroom load, with visitors that are programs.",
  };
}

/** The plan in words. */
export function arrivalsText({ arrivals }: Pick<LoadOptions, "arrivals">): string {
  if (arrivals.kind === "at-once") return `${count(arrivals.visitors, "visitor")} at once`;
  const { from, to } = arrivals;
  const rate = from === to ? `${number(from)} visitors a minute` : `${number(from)} to ${number(to)} visitors a minute`;
  return `${rate}, about ${number(expectedVisitors(arrivals))} in all`;
}

function plotsOf(samples: readonly Sample[]): Plot[] {
  const base = { at: samples.map(({ seconds }) => seconds), isOfDay: false };
  const line = (name: string, of: (sample: Sample, at: number) => number | null) => ({
    name,
    values: samples.map(of),
    isLimit: false,
  });
  return [
    {
      ...base,
      title: "Visitors inside",
      unit: "visitors",
      without: "Nobody came in.",
      lines: [line("inside", ({ inside }) => inside)],
    },
    {
      ...base,
      title: "Visitors waiting",
      unit: "visitors",
      without: "Nobody had to wait.",
      lines: [line("waiting", ({ waiting }) => waiting)],
    },
    {
      ...base,
      title: "Arrived and admitted",
      unit: "visitors a minute",
      without: "Nobody came.",
      lines: [
        line("arrived", (_, at) => perMinute(samples, at, ({ arrived }) => arrived)),
        line("admitted", (_, at) => perMinute(samples, at, ({ admitted }) => admitted)),
      ],
    },
    {
      ...base,
      title: "Response times, 95 of 100",
      unit: "ms",
      without: "Nothing was answered.",
      lines: ASKED.map((asked) => line(asked, ({ p95Ms }) => p95Ms[asked])),
    },
    {
      ...base,
      title: "Requests that failed, in all",
      unit: "requests",
      without: "No request failed.",
      lines: [line("failed", ({ failed }) => failed)],
    },
  ];
}

/** How much a count has grown in the minute before a sample, or since the start, for a whole minute. */
function perMinute(samples: readonly Sample[], at: number, of: (sample: Sample) => number): number {
  const now = samples[at];
  if (now === undefined) return 0;
  const before = samples.findLast(({ seconds }) => seconds <= now.seconds - RATE_SECONDS);
  const seconds = Math.min(RATE_SECONDS, now.seconds - (before?.seconds ?? 0));
  return seconds <= 0 ? 0 : ((of(now) - (before === undefined ? 0 : of(before))) * 60) / Math.max(seconds, 1);
}

function figure(value: number): string {
  return value >= 100 ? number(value) : String(Number(value.toPrecision(3)));
}
