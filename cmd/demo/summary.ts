/**
 * The result of a demo run: how many came, how long they waited, and whether a limit was exceeded. The shop counts the
 * most inside, and the nodes count admissions in a minute and slots in use.
 *
 * An exceeded limit fails on any machine. How well slots were used needs processes that got their CPU time: of a starved
 * run it is reported, and not judged.
 */

import { BUSY, type StarvedFigures, starvedText } from "../crowd/starved.ts";
import { count, number, type Style, span, styled, type TableOptions } from "../print.ts";
import type { VisitorStory } from "./crowd.ts";

/** The `--json` line; spans in seconds, parts in percent. */
export type Summary = ReturnType<typeof summaryOf>;

export interface SummarySource {
  readonly came: number;
  readonly stories: readonly VisitorStory[];
  readonly stillWaiting: number;
  readonly peakInside: number;
  readonly limit: number;
  readonly peakAdmitted: number;
  readonly perMinute: number;
  readonly nodes: number;
  readonly localities: readonly string[];
  readonly killed: string | undefined;
  /** Parts of 1. */
  readonly use: number;
  readonly useOfWhole: number;
  readonly starved: StarvedFigures;
}

/**
 * Least use of slots while visitors waited, in percent: a visitor who is called comes with the next poll, a third of a
 * minute later. A run that keeps the limits by standing still does not pass.
 */
const USE_MIN = { withinReach: 60, ofRoom: 50 };

export function summaryOf(source: SummarySource) {
  const { stories, peakInside, limit, peakAdmitted, perMinute } = source;
  const [withinReach, ofRoom] = [source.use, source.useOfWhole].map((part) => Number((100 * part).toFixed(1))) as [
    number,
    number,
  ];
  const isEnough = withinReach >= USE_MIN.withinReach && ofRoom >= USE_MIN.ofRoom;
  const inside = stories.filter(({ wasIn }) => wasIn);
  const waits = inside.filter(({ hasWaited }) => hasWaited).map(({ waitedMs }) => waitedMs / 1_000);
  waits.sort((one, other) => one - other);
  const at = (part: number): number => Number((waits[Math.floor(part * (waits.length - 1))] ?? 0).toFixed(1));
  return {
    came: source.came,
    straight_in: inside.length - waits.length,
    waited: waits.length,
    gave_up: stories.filter(({ end }) => end === "impatient").length,
    still_waiting: source.stillWaiting,
    failed: stories.filter(({ end, wasIn }) => end === "errors" && !wasIn).length,
    thrown_out: stories.filter(({ thrownOut }) => thrownOut).length,
    wait_seconds: waits.length === 0 ? null : { p50: at(0.5), p90: at(0.9), max: at(1) },
    peak_inside: peakInside,
    total_active_users: limit,
    peak_admitted_in_minute: peakAdmitted,
    new_users_per_minute: perMinute,
    never_over: peakInside <= limit && peakAdmitted <= perMinute,
    use_within_reach: withinReach,
    use_of_room: ofRoom,
    used_enough: isEnough,
    judged: isEnough || !source.starved.is_starved,
    busy: source.starved,
    nodes: source.nodes,
    localities: source.localities,
    killed: source.killed ?? null,
  };
}

/** Whether the run shows a fault of the gate. */
export function hasFailed({ never_over: neverOver, used_enough: isEnough, judged: isJudged }: Summary): boolean {
  return !neverOver || (isJudged && !isEnough);
}

/** Why the table shows more visitors inside than the shop has counted. */
const SLOTS_NOTE = "The table above counts slots. A slot is held for a while after its visitor's last request.";

/** The summary for a person, without a line end at its end. */
export function summaryText(summary: Summary, { color }: TableOptions): string {
  const { wait_seconds: wait, never_over: neverOver, failed, still_waiting: stillWaiting, judged: isJudged } = summary;
  const waits =
    wait === null
      ? ""
      : `  half within ${span(wait.p50)}, nine in ten within ${span(wait.p90)}, longest wait ${span(wait.max)}`;
  const verdict = (peak: number, limit: number): string => {
    const [text, style]: [string, Style] = peak <= limit ? ["within the limit", "cyan"] : ["OVER THE LIMIT", "red"];
    return `${number(peak)} of ${number(limit)}, ${styled(text, style, color)}`;
  };
  const used = (percent: number, least: number): string => {
    if (!isJudged) return `${Math.round(percent)} % (${BUSY})`;
    return `${styled(`${Math.round(percent)} %`, percent >= least ? "cyan" : "red", color)} (must be at least ${least} %)`;
  };
  const lines: [string, string][] = [
    ["came", count(summary.came, "visitor")],
    ["admitted at once", number(summary.straight_in)],
    ["admitted from the line", `${number(summary.waited)}${waits}`],
    ["left the line", number(summary.gave_up)],
    ...(stillWaiting > 0 ? [["still in line", number(stillWaiting)] as [string, string]] : []),
    ...(failed > 0 ? [["failed", styled(number(failed), "red", color)] as [string, string]] : []),
    ...meshLines(summary, color),
    ["most inside", `${verdict(summary.peak_inside, summary.total_active_users)}, counted by the shop`],
    ["most in a minute", `${verdict(summary.peak_admitted_in_minute, summary.new_users_per_minute)}`],
    ["slots in use", `${used(summary.use_of_room, USE_MIN.ofRoom)} while visitors waited`],
    ...(summary.nodes === 1
      ? []
      : [
          ["within reach", `${used(summary.use_within_reach, USE_MIN.withinReach)}: not at a lost node`] as [
            string,
            string,
          ],
        ]),
  ];
  const passed = hasFailed(summary) ? "Too few slots were in use while visitors waited." : "The spike has passed.";
  const heading = styled(neverOver ? passed : "A limit was exceeded.", "bold", color);
  return [
    heading,
    ...lines.map(([name, value]) => `  ${name.padEnd(24)}${value}`),
    ...(summary.busy.is_starved ? [`The machine was busy: ${starvedText(summary.busy)}.`] : []),
    SLOTS_NOTE,
  ].join("\n");
}

/** What only a mesh has to say. */
function meshLines({ nodes, localities, killed, thrown_out: thrownOut }: Summary, color: boolean): [string, string][] {
  const out: [string, string] = ["sessions lost", thrownOut === 0 ? "none" : styled(number(thrownOut), "red", color)];
  if (nodes === 1) return thrownOut === 0 ? [] : [out];
  return [
    ["nodes", `${number(nodes)} in ${localities.join(", ")}`],
    ...(killed === null ? [] : [["killed half way", killed] as [string, string]]),
    out,
  ];
}
