/**
 * What a run comes to: whether its figures are the site's, what was expected and does not hold, and all figures.
 *
 * Times and errors that a late generator saw are not judged. A limit that was exceeded is: a slot is held for five
 * seconds longer than its session, so only a generator that is later than that counts somebody inside whose slot is
 * free.
 */

import { count, number } from "../print.ts";
import type { LoadOptions } from "./options.ts";
import type { Run } from "./run.ts";
import { ASKED, type AskedFor, type Tally } from "./tally.ts";

/** One thing that the run was to show. */
export interface Expectation {
  readonly name: string;
  readonly value: number;
  readonly limit: number;
  readonly ok: boolean;
  /** False for times and errors of a run whose figures are not the site's. */
  readonly judged: boolean;
}

/** The `--json` line. */
export type LoadReport = ReturnType<typeof loadReport>;

export type ResponseTimes = NonNullable<LoadReport["response_ms"]["site"]>;

/**
 * Above these the figures are not the site's. A page that is answered within 100 ms feels immediate: half of that, in
 * one of a hundred requests, would be seen in its 99th percentile. A pause of half a second is a wave of requests at
 * once.
 */
const LATE_MS = { p99: 50, worst: 500 } as const;

export function loadReport({ tally, lateness, seconds, isCutShort }: Run, options: LoadOptions) {
  const late = lateness.percentiles;
  const [lateP99, lateWorst] = [rounded(late?.p99 ?? 0), rounded(late?.worst ?? 0)];
  const isBusy = lateP99 > LATE_MS.p99 || lateWorst > LATE_MS.worst;
  const unsent = tally.errors.get("no socket") ?? 0;
  const reasons = [
    ...(isBusy
      ? [
          `The load generator was late by up to ${number(lateWorst)} ms (1 of 100 times by ${number(lateP99)} ms or more): ` +
            "figures of this run are not the site's. Run it on a machine with idle cores, or with fewer visitors.",
        ]
      : []),
    ...(tally.requests === 0 ? ["No request was answered, and none was overdue: there is nothing to judge."] : []),
    ...(unsent > 0
      ? [
          `This host had no connection left for ${count(unsent, "request")}: the load was less than planned. Raise its limit on open ` +
            "files, or run it with fewer visitors.",
        ]
      : []),
  ];
  const expected = expectationsOf(tally, options, reasons.length === 0);
  const waits = tally.waits.percentiles;
  const times = (asked: AskedFor) => {
    const found = tally.times[asked].percentiles;
    if (found === null) return null;
    const { p50, p95, p99, worst } = found;
    const count = tally.times[asked].count;
    return { count, p50: rounded(p50), p95: rounded(p95), p99: rounded(p99), worst: rounded(worst) };
  };
  return {
    ok: expected.every(({ ok, judged }) => ok || !judged),
    judged: reasons.length === 0,
    not_judged_because: reasons,
    busy: isBusy,
    cut_short: isCutShort,
    url: options.url,
    seed: options.seed,
    seconds: rounded(seconds),
    arrived: tally.arrived,
    admitted: tally.admitted,
    put_in_line: tally.joined,
    abandoned: tally.abandoned,
    left: tally.left,
    lost_to_errors: tally.lostToErrors,
    sent_elsewhere: tally.sentElsewhere,
    still_waiting: tally.stillWaiting,
    still_inside: tally.stillInside,
    sent_back: tally.sentBack,
    overtaken: tally.overtakes.counts.visitors,
    proof_of_work_asked: tally.proofAsked,
    inside_max: tally.insidePeak,
    waiting_max: tally.waitingPeak,
    waited_seconds: waits && {
      p25: rounded(waits.p25 / 1_000),
      p50: rounded(waits.p50 / 1_000),
      p75: rounded(waits.p75 / 1_000),
      p95: rounded(waits.p95 / 1_000),
    },
    requests: tally.requests,
    error_rate: tally.errorRate,
    errors: Object.fromEntries(tally.errors),
    unanswered: { count: tally.unansweredCount, longest_ms: rounded(tally.unansweredMs) },
    response_ms: { waiting_page: times("waiting page"), poll: times("poll"), site: times("site") },
    generator: { late_p99_ms: lateP99, late_worst_ms: lateWorst },
    expected,
  };
}

function expectationsOf(tally: Tally, expected: LoadOptions, isJudged: boolean): Expectation[] {
  const atMost = (name: string, value: number, limit: number, judged = isJudged): Expectation => ({
    name,
    value,
    limit,
    ok: value <= limit,
    judged,
  });
  const { p95Ms } = expected;
  return [
    ...(expected.errorRate === undefined
      ? []
      : [atMost("part of the requests that failed", tally.errorRate, expected.errorRate)]),
    ...(p95Ms === undefined
      ? []
      : ASKED.flatMap((asked) => {
          const value = tally.times[asked].percentiles?.p95;
          return value === undefined ? [] : [atMost(`ms for 95 of 100 answers: ${asked}`, rounded(value), p95Ms)];
        })),
    ...(expected.inside === undefined
      ? []
      : [atMost("visitors inside at once", tally.insidePeak, expected.inside, true)]),
  ];
}

/** Three digits, as no figure here is better than that. */
function rounded(value: number): number {
  return value >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}
