/**
 * `anteroom load`: visitors that behave like people, sent to one's own staging site, and what they saw.
 *
 * Nothing but the given site is sent anything, and nothing is left behind there but what visitors leave.
 */

import type { Invocation } from "./command.ts";
import { SYSTEM_CLOCK } from "./crowd/clock.ts";
import { timeOf } from "./crowd/timeline.ts";
import { EXIT } from "./exit.ts";
import { Failure } from "./failure.ts";
import { untilStopped } from "./interrupt.ts";
import type { Io } from "./io.ts";
import { verdictLines, writePage } from "./plot-page.ts";
import { number, table, tableOptions } from "./print.ts";
import { type LoadOptions, readLoadOptions } from "./rehearsal/options.ts";
import { type LoadReport, loadReport } from "./rehearsal/report.ts";
import { arrivalsText, figuresOf, loadPage, verdictOf } from "./rehearsal/report-page.ts";
import { rehearse, type Sample } from "./rehearsal/run.ts";

/** Lines of progress in a whole run, and the shortest time between two. */
const LINES = 40;
const LINE_SECONDS_MIN = 2;

export async function load(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const read = readLoadOptions(invocation);
  const problems = [...invocation.problems, ...(read.ok ? [] : read.problems)];
  if (!read.ok || problems.length > 0) throw new Failure("no visitor was sent", { problems });
  const options = read.value;
  io.talk(
    `${options.url}: ${arrivalsText(options)}. The run ends after ${timeOf(options.durationMs / 1_000)} at most; Ctrl-C ends it now.`,
  );
  const run = await untilStopped((signal) =>
    rehearse({ options, signal, onSample: progress(options, io), clock: SYSTEM_CLOCK }),
  );
  const report = loadReport(run, options);
  io.answer(options.json ? JSON.stringify(report) : textOf(report, io));
  writePage(options.html, io.talk, () => loadPage(report, run, options));
  return exitOf(report);
}

/** A busy machine fails nothing. A run that sent or heard too little for its expectations gives no verdict. */
export function exitOf({ ok, judged, busy, expected, cut_short: isCutShort }: LoadReport): number {
  if (!ok) return EXIT.checkFailed;
  if (expected.length > 0 && !judged && !busy) return EXIT.notJudged;
  return isCutShort ? EXIT.failed : EXIT.ok;
}

/** Says now and then how the run goes. */
function progress({ durationMs }: LoadOptions, io: Io): (sample: Sample) => void {
  const everySeconds = Math.max(LINE_SECONDS_MIN, durationMs / 1_000 / LINES);
  let nextSeconds = 0;
  return ({ seconds, arrived, admitted, inside, waiting, failed, p95Ms }) => {
    if (seconds < nextSeconds) return;
    nextSeconds = seconds + everySeconds - 1;
    const site = p95Ms.site === null ? "–" : `${number(p95Ms.site)} ms`;
    const figures = [
      `arrived ${number(arrived)}`,
      `admitted ${number(admitted)}`,
      `inside ${number(inside)}`,
      `waiting ${number(waiting)}`,
      `errors ${number(failed)}`,
      `site p95 ${site}`,
    ];
    io.talk(`${timeOf(seconds).padStart(6)}  ${figures.join("  ")}`);
  };
}

function textOf(report: LoadReport, io: Io): string {
  const options = tableOptions(io);
  const { columns, rows } = figuresOf(report);
  return ["", ...verdictLines(verdictOf(report), options.width), "", table(columns, rows, options)].join("\n");
}
