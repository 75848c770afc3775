/** The report of a run as text. */

import { expectedVisitors } from "../crowd/arrivals.ts";
import type { Page, PageTable } from "../plot-page.ts";
import { capital, count, number, span } from "../print.ts";
import type { LoadOptions } from "./options.ts";
import type { LoadReport, ResponseTimes } from "./report.ts";

type Verdict = Page["verdict"];

/** What the run comes to, the most important first. */
export function verdictOf(report: LoadReport): Verdict {
  const { not_judged_because: reasons, proof_of_work_asked: proofs, cut_short: isCutShort } = report;
  return [
    ...reasons.map((text) => ({ text, look: "bad" as const })),
    ...(isCutShort ? [{ text: "The run was ended before its time.", look: "bad" as const }] : []),
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

/** The plan in words. */
export function arrivalsText({ arrivals }: Pick<LoadOptions, "arrivals">): string {
  if (arrivals.kind === "at-once") return `${count(arrivals.visitors, "visitor")} at once`;
  const { from, to } = arrivals;
  const rate = from === to ? `${number(from)} visitors a minute` : `${number(from)} to ${number(to)} visitors a minute`;
  return `${rate}, about ${number(expectedVisitors(arrivals))} in all`;
}

function figure(value: number): string {
  return value >= 100 ? number(value) : String(Number(value.toPrecision(3)));
}
