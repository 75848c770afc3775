/**
 * A room's figures as a report for its owner: first what they come to, then what happened when, then all numbers.
 */

import type { Analytics, Point } from "../../node/operator/analytics/analytics.ts";
import type { Page, PageTable, Plot } from "../plot-page.ts";
import { capital, count, number, span } from "../print.ts";

export interface ReportOptions {
  readonly title: string;
  /** A time zone of the IANA's list, such as Europe/Berlin. */
  readonly zone: string;
}

export type Verdict = Page["verdict"];

type Figures = Analytics["totals"];

/** Times of waiting, and gaps, that are named one by one. */
const NAMED_MAX = 3;

/** Localities with a line of their own in the plot: nobody tells more colours apart. */
const LOCALITIES_MAX = 6;

/** Seconds from which on waits are plotted in minutes. */
const MINUTES_FROM = 300;

/** Why admission was held back, in words. */
const HELD: Readonly<Record<string, string>> = {
  hold: "held by the operator",
  prequeue: "before an event",
  lease: "a node without a majority of the others",
  ramp: "a limit that rose step by step",
  paced: "admission at an even pace",
  down: "the site was down",
  failing: "the site failed",
  slow: "the site was slow",
  other: "other reasons",
};

export function reportOf(read: Analytics, { title, zone }: ReportOptions): Page {
  const { room, from, to, step_seconds: stepSeconds, totals } = read;
  return {
    title,
    lead: `Room ${room}, ${rangesIn(zone, { year: "numeric" })(from, to)} (${zone}), in steps of ${span(stepSeconds)}.`,
    verdict: verdictOf(read, zone),
    facts: factsOf(totals),
    plots: plotsOf(read),
    table: tableOf(totals),
    notes: [
      "Inside and waiting are averages of a minute, added up over all nodes; at most means the highest minute.",
      "Gave up: left the line, or stopped asking before their turn. Did not come: were called and did not come.",
    ],
    zone,
    footer: "Counted by all nodes of the waiting room, minute by minute. Made by anteroom.",
  };
}

/** What the figures come to, the most important first. */
export function verdictOf(read: Analytics, zone: string): Verdict {
  const { totals, missing } = read;
  const range = rangesIn(zone);
  const gaps = missing.map(({ node, name = node, from, to }) => `${name}, ${range(from, to)}`);
  const missed: Verdict =
    gaps.length === 0
      ? []
      : [{ look: "bad", text: `The figures are not complete: minutes are missing of ${someOf(gaps)}.` }];
  if (totals.admitted + totals.joined + totals.inside_max === 0)
    return [{ look: "plain", text: "No visitor came in this time." }, ...missed];
  return [limitOf(totals), ...lineOf(read, zone), ...heldOf(totals), ...missed];
}

function limitOf({
  inside_max: most,
  limit,
  minutes_over_limit: minutes,
  over_limit_max: over,
}: Figures): Verdict[number] {
  if (limit === null)
    return { look: "plain", text: `At most ${count(Math.round(most), "visitor")} were inside at once.` };
  if (minutes === 0)
    return {
      look: "good",
      text: `The limit was kept at all times: at most ${number(most)} visitors were inside, of ${number(limit)}.`,
    };
  const text =
    `In ${count(minutes, "minute")} more visitors were inside than the limit allowed, at most ${number(over)} more. ` +
    "A lowered limit ends no session, and an opened room has none.";
  return { look: "bad", text };
}

function lineOf({ points, totals, step_seconds: stepSeconds }: Analytics, zone: string): Verdict {
  const range = rangesIn(zone);
  const times = spansOf(points, ({ waiting_max: waiting }) => waiting > 0).map(([first, last]) =>
    range(first.at, Date.parse(last.at) + 1_000 * stepSeconds),
  );
  const { waited_seconds: waited, waiting_max: waiting, abandoned, no_shows: noShows, joined } = totals;
  if (times.length === 0) {
    // Nodes look once a second: a shorter wait is in no average.
    const text = joined === 0 ? "Nobody had to wait." : "Nobody waited for longer than a moment.";
    return [{ look: "good", text }];
  }
  const line = `At most ${count(waiting, "visitor")} waited at once (${someOf(times)}).`;
  const half =
    waited === null
      ? ""
      : ` Half of those who came in from the line had waited up to ${span(waited.p50)}, 95 of 100 up to ${span(waited.p95)}.`;
  const left: Verdict =
    abandoned + noShows === 0 || joined === 0
      ? []
      : [
          {
            look: "plain",
            text: `Of ${count(joined, "visitor")} who joined the line, ${number(abandoned)} gave up and ${number(noShows)} did not come when it was their turn.`,
          },
        ];
  return [{ look: "plain", text: line + half }, ...left];
}

function heldOf({ held_back: held }: Figures): Verdict {
  const reasons = Object.entries(held).filter(([, seconds]) => seconds > 0);
  if (reasons.length === 0) return [];
  const words = reasons.map(([reason, seconds]) => `${HELD[reason] ?? reason} (${span(seconds)})`);
  return [{ look: "plain", text: `Visitors in line were held back: ${words.join(", ")}.` }];
}

function factsOf({ waited_seconds: waited, ...totals }: Figures): Page["facts"] {
  const limit = totals.limit === null ? "" : `, of ${number(totals.limit)}`;
  return [
    { name: "admitted", value: number(totals.admitted) },
    { name: "joined the line", value: number(totals.joined) },
    { name: `inside at most${limit}`, value: number(totals.inside_max) },
    { name: "in line at most", value: number(totals.waiting_max) },
    { name: "half waited up to", value: waited === null ? "–" : span(waited.p50) },
    { name: "95 of 100 waited up to", value: waited === null ? "–" : span(waited.p95) },
    { name: "gave up", value: number(totals.abandoned) },
  ];
}

function plotsOf({ points, totals, step_seconds: stepSeconds }: Analytics): Plot[] {
  const base = { at: points.map(({ at }) => Date.parse(at) / 1_000), isOfDay: true };
  const line = (name: string, of: (point: Point) => number | null) => ({
    name,
    values: points.map(of),
    isLimit: false,
  });
  const perMinute = 60 / stepSeconds;
  const localities = Object.keys(totals.localities);
  const longest = points.reduce((most, { waited_seconds: waited }) => Math.max(most, waited?.p95 ?? 0), 0);
  const unit = longest >= MINUTES_FROM ? 60 : 1;
  const waited = (name: string, key: "p25" | "p50" | "p75" | "p95") =>
    line(name, ({ waited_seconds: each }) => (each === null ? null : each[key] / unit));
  return [
    {
      ...base,
      title: "Visitors inside, against the limit",
      unit: "visitors",
      without: "Nobody came in.",
      lines: [
        { name: "limit", values: points.map(({ limit }) => limit), isLimit: true },
        line("inside", (point) => point.inside_max),
      ],
    },
    {
      ...base,
      title: "Visitors waiting",
      unit: "visitors",
      without: "Nobody had to wait.",
      lines: [line("waiting", (point) => point.waiting_max)],
    },
    {
      ...base,
      title: "Admitted per minute",
      unit: "visitors a minute",
      without: "Nobody came in.",
      lines:
        localities.length < 2 || localities.length > LOCALITIES_MAX
          ? [line("all", ({ admitted }) => admitted * perMinute)]
          : localities.map((name) => line(name, ({ localities: by }) => (by[name]?.admitted ?? 0) * perMinute)),
    },
    {
      ...base,
      title: "How long those admitted had waited",
      unit: unit === 60 ? "minutes, at most" : "seconds, at most",
      lines: [
        waited("25 of 100", "p25"),
        waited("half", "p50"),
        waited("75 of 100", "p75"),
        waited("95 of 100", "p95"),
      ],
      without: "Nobody had to wait.",
    },
    {
      ...base,
      title: "Left the line, per minute",
      unit: "visitors a minute",
      without: "Nobody gave up.",
      lines: [
        line("gave up", ({ abandoned }) => abandoned * perMinute),
        line("did not come", (point) => point.no_shows * perMinute),
      ],
    },
  ];
}

function tableOf(totals: Figures): PageTable {
  const { waited_seconds: waited, held_back: held, localities } = totals;
  const figures: readonly (readonly [string, string])[] = [
    ["admitted", number(totals.admitted)],
    ...Object.entries(localities).map(([name, { admitted }]) => [`admitted in ${name}`, number(admitted)] as const),
    ["joined the line", number(totals.joined)],
    ["gave up", number(totals.abandoned)],
    ["did not come when called", number(totals.no_shows)],
    ["of these two, came back later", number(totals.returned)],
    ["turned away (neither slot nor place)", number(totals.rejected)],
    ["requests that bypassed the room", number(totals.bypassed)],
    ["sessions that the site called complete", number(totals.completed)],
    ["sessions that the site revoked", number(totals.revoked)],
    ...(waited === null
      ? []
      : (["p25", "p50", "p75", "p95"] as const).map(
          (key) => [`${key.slice(1)} of 100 waited up to`, span(waited[key])] as const,
        )),
    ...Object.entries(held).map(
      ([reason, seconds]) => [`held back: ${HELD[reason] ?? reason}`, span(seconds)] as const,
    ),
  ];
  return {
    columns: [{ title: "what" }, { title: "figure", align: "right" }],
    rows: figures.map(([name, value]) => [capital(name), value]),
  };
}

/** First and last of each run of points for which `is` holds. */
function spansOf(points: readonly Point[], is: (point: Point) => boolean): [first: Point, last: Point][] {
  const spans: [Point, Point][] = [];
  let isOpen = false;
  for (const point of points) {
    const last = spans.at(-1);
    if (!is(point)) isOpen = false;
    else if (isOpen && last !== undefined) last[1] = point;
    else {
      spans.push([point, point]);
      isOpen = true;
    }
  }
  return spans;
}

function someOf(texts: readonly string[]): string {
  if (texts.length <= NAMED_MAX) return texts.join("; ");
  return `${texts.slice(0, NAMED_MAX).join("; ")}; and ${count(texts.length - NAMED_MAX, "more time")}`;
}

/** Spans of time as text, such as 27 Nov, 10:00 – 11:34. */
function rangesIn(zone: string, more: Intl.DateTimeFormatOptions = {}) {
  const parts = { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" } as const;
  const format = new Intl.DateTimeFormat("en-GB", { ...parts, ...more, timeZone: zone });
  return (from: string, to: string | number): string => format.formatRange(new Date(from), new Date(to));
}
