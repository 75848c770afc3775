import { describe, expect, test } from "vitest";
import { arrivalsOf } from "../../../cmd/crowd/arrivals.ts";
import type { Client, Outcome } from "../../../cmd/crowd/http-client.ts";
import { seededRandom } from "../../../cmd/crowd/random.ts";
import { Latencies } from "../../../cmd/rehearsal/latencies.ts";
import { type LoadOptions, readLoadOptions } from "../../../cmd/rehearsal/options.ts";
import { type LoadReport, loadReport } from "../../../cmd/rehearsal/report.ts";
import { verdictOf } from "../../../cmd/rehearsal/report-page.ts";
import { rehearse } from "../../../cmd/rehearsal/run.ts";
import { Tally } from "../../../cmd/rehearsal/tally.ts";
import { exitOf } from "../../../cmd/rehearsal.ts";
import { VirtualClock } from "./virtual-clock.ts";

function optionsOf(url: string, given: Readonly<Record<string, string>>): LoadOptions {
  const flags = new Map(Object.entries({ "i-own-this-site": "true", ...given }).map(([key, value]) => [key, [value]]));
  const options = readLoadOptions({ flags, positionals: [url] });
  if (!options.ok) throw new Error(JSON.stringify(options.problems));
  return options.value;
}

const OK = { kind: "answer", status: 200, headers: ["Content-Type", "text/html"], body: Buffer.from("shop") } as const;

/** Answers a request; undefined for never. */
type Answer = (url: string, clock: VirtualClock) => Promise<Outcome> | undefined;

/** A run on a virtual clock, at a site that answers so. */
async function reportOf(
  answer: Answer,
  given: Readonly<Record<string, string>>,
  clock = new VirtualClock(),
): Promise<LoadReport> {
  const options = optionsOf("http://shop.example/", given);
  const connect = (): Client => {
    const { promise: ended, resolve } = Promise.withResolvers<Outcome>();
    return {
      get: (url) => Promise.race([ended, answer(url, clock) ?? ended]),
      end: () => resolve({ kind: "ended" }),
    };
  };
  const parts = { options, signal: new AbortController().signal, onSample: () => {}, clock, connect };
  return loadReport(await clock.run(rehearse(parts)), options);
}

test("visitors arrive on schedule at a site that does not answer, and the time that they waited for it shows", async () => {
  const opensMs = 1_500;
  const open: Answer = (_, clock) =>
    new Promise((done) => clock.after(Math.max(0, opensMs - clock.steadyMs()), () => done(OK)));
  const report = await reportOf(open, { rate: "600", duration: "2500ms", stay: "0s", seed: "7" });
  // A closed loop would have sent one before the site opened, and would have seen one slow answer.
  const plan = [...arrivalsOf({ kind: "rate", from: 600, to: 600, forMs: 2_500 }, seededRandom(7))];
  const early = plan.filter((atMs) => atMs < opensMs).length;
  expect(early).toBeGreaterThan(5);
  expect(report).toMatchObject({ arrived: plan.length, admitted: plan.length, judged: true });
  const worst = opensMs - Math.min(...plan);
  expect(report.response_ms.site?.worst).toBeCloseTo(worst, -1);
  // And not of one request only.
  expect(report.response_ms.site?.p95).toBeGreaterThan(500);
});

test("after a pause of its machine the generator sends all that is due, and says that it was late", async () => {
  const clock = new VirtualClock();
  clock.after(1_000, () => clock.standStill(700));
  const report = await reportOf(
    () => Promise.resolve(OK),
    { rate: "600", duration: "3s", stay: "0s", seed: "7" },
    clock,
  );
  const plan = [...arrivalsOf({ kind: "rate", from: 600, to: 600, forMs: 3_000 }, seededRandom(7))];
  expect(report.arrived).toBe(plan.length);
  expect(report).toMatchObject({ judged: false, busy: true });
  expect(report.generator.late_worst_ms).toBeGreaterThan(600);
});

test("requests without an answer at the end of the run are said, with the age of the oldest", async () => {
  const never = (): undefined => undefined;
  const short = await reportOf(never, { "at-once": "3", duration: "1s" });
  expect(short).toMatchObject({ arrived: 3, admitted: 0, requests: 0, judged: false });
  expect(short.unanswered).toEqual({ count: 3, longest_ms: 1_000 });
  const long = await reportOf(never, { "at-once": "3", duration: "2500ms", "max-error-rate": "0.5", "p95-ms": "1000" });
  expect(long).toMatchObject({ requests: 3, ok: false, error_rate: 1, errors: { "no answer by the end": 3 } });
  expect(long.expected.map(({ ok }) => ok)).toEqual([false, false]);
});

test("a circle of redirects ends, as one error", async () => {
  const again: Answer = () => Promise.resolve({ ...OK, status: 302, headers: ["Location", "/again"] });
  const report = await reportOf(again, { "at-once": "1", duration: "1s" });
  expect(report.errors).toEqual({ "too many redirects": 1 });
});

describe("a generator that was late, or had no connections left, says that its figures are not the site's", () => {
  const options = optionsOf("http://127.0.0.1/", { "p95-ms": "100", "max-error-rate": "0.1", "max-inside": "2" });
  /** A run of one answer after so many ms, with so many visitors inside at once. */
  const reportWith = ({ lateMs = 20, answerMs = 3, inside = 0, unsent = 0, isCutShort = false }) => {
    const [tally, lateness] = [new Tally(), new Latencies()];
    lateness.add(lateMs);
    tally.answered("site", answerMs);
    if (answerMs > 100) tally.error("timeout");
    for (let request = 0; request < unsent; request++) tally.error("no socket");
    for (let visitor = 0; visitor < inside; visitor++) tally.enters();
    return loadReport({ tally, seconds: 1, samples: [], isCutShort, lateness }, options);
  };
  const verdict = (report: LoadReport) => verdictOf(report).map(({ text }) => text.split(":").slice(0, 2).join(":"));

  test("in time, what does not hold fails", () => {
    expect(reportWith({})).toMatchObject({ ok: true, judged: true, not_judged_because: [], busy: false });
    const slow = reportWith({ answerMs: 400 });
    expect(slow).toMatchObject({ ok: false, judged: true });
    expect(verdict(slow)).toContain("Does not hold: part of the requests that failed");
    expect([exitOf(reportWith({})), exitOf(slow)]).toEqual([0, 3]);
  });

  test("late, times and errors are not judged", () => {
    const late = reportWith({ lateMs: 700, answerMs: 400 });
    expect(late.not_judged_because[0]).toContain("The load generator was late by up to 700 ms");
    expect(late).toMatchObject({ ok: true, judged: false, busy: true });
    expect(verdict(late)).toContain("Not judged: the machine was busy");
    expect([exitOf(late), exitOf(reportWith({ lateMs: 700, isCutShort: true }))]).toEqual([0, 1]);
  });

  test("late, a limit that was exceeded fails all the same", () => {
    expect([2, 3].map((inside) => exitOf(reportWith({ lateMs: 700, inside })))).toEqual([0, 3]);
  });

  test("without connections there is no verdict, unless a limit was exceeded", () => {
    const refused = reportWith({ unsent: 1, answerMs: 400 });
    expect(refused).toMatchObject({ ok: true, judged: false, busy: false });
    expect(refused.not_judged_because).toEqual([expect.stringContaining("no connection left for 1 request:")]);
    expect([exitOf(refused), exitOf(reportWith({ unsent: 1, inside: 3 }))]).toEqual([5, 3]);
  });
});
