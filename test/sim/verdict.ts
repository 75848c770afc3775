/**
 * The result of many runs: one list of checks over all of them.
 *
 * A run that exceeds a strict limit ends there (`broken`); the other limits are shares of all visitor-seconds or slots,
 * because a small world's own share means little.
 */

import { atLeast, atMost, type Check } from "../../cmd/checks.ts";
import { doorChecks } from "./door-checks.ts";
import { figure, percent } from "./figure.ts";
import { fullerOf } from "./oracle.ts";
import type { Scenario } from "./scenario.ts";
import type { SeedResult } from "./seed-result.ts";
import { isHarsh, thrownOutChecks } from "./thrown-out-checks.ts";

/**
 * Of visitor-seconds in line, in percent, that may be spent beside a free slot: without faults, and with. The aim
 * without is 0.05, and steady demand keeps it. But counters of several localities divide slots by their last reports
 * about their lines: when many come free at once, some are called for a moment later (`crowd` shows it).
 */
const EARLY = { calm: 0.3, faulty: 3 };
/**
 * In percent of slots within reach: this much must be used or called while visitors wait. Slots of nodes that are down
 * are not within reach.
 */
const REACH = { calm: 99.5, faulty: 92 };
/**
 * The same of all slots of the room. A slot that was called for a visitor who comes in the next minute is lost to this
 * one.
 */
const USE = { calm: 98 };
/**
 * The same under harsh faults at double demand, in percent: what many runs have together, and three standard deviations
 * of one run. Seeds differ, and so do sets of them, by the root of their number less: with 200 runs of the same build
 * the use was 72.7 and its standard deviation 1.0, the part thrown out 12.3 and 0.6. With two more lost nodes in every
 * plan, seeds 1 to 200 had 66.8.
 */
const HARSH_USE = { usual: 67, spread: 45, aim: 82 };
/** This many runs of small rooms together mean something. */
const MANY = 20;
/**
 * In percent of admitted visitors: those who may have overtaken a line; a call that frees a slot may be a moment
 * behind.
 */
const OVERTAKING = 5;
/** Visitors who may be overtaken for longer than a poll interval, where the order of a line is promised. */
const OVERTAKEN_MAX = 0;
/** From healing to equal states. A node that lost its disk may have to wait for the operator's order. */
const REST_SECONDS = 5;

/** What runs have counted, and can be added up. */
type Count = Exclude<keyof SeedResult["counts"], "fullest">;

/** The checks over runs of one scenario. */
export function verdictOf(results: readonly SeedResult[], scenario: Scenario): Check[] {
  const sum = (of: (result: SeedResult) => number): number => results.reduce((total, each) => total + of(each), 0);
  const all = (count: Count): number => sum(({ counts }) => counts[count]);
  const broken = results.filter((result) => result.broken !== null);
  const isFaulty = scenario.faults !== undefined || scenario.plan !== undefined;
  const kind = isFaulty ? "faulty" : "calm";
  const admitted = all("admitted");
  const rests = results.flatMap(({ rested_ms: ms }) => ms ?? []).sort((a, b) => a - b);
  const nodeSeconds = sum(({ virtual_ms }) => virtual_ms / 1_000) * scenario.localities.length;
  const longest = Math.max(...results.map(({ overtakes }) => overtakes.longestMs)) / 1_000;
  const fullest = results.map(({ counts }) => counts.fullest).reduce(fullerOf);
  const checks: Check[] = [
    atMost({
      promise: "mesh",
      name: "runs that broke a promise",
      value: broken.length,
      limit: 0,
      ...(broken[0] && { note: broken[0].broken ?? "" }),
    }),
    atMost({ promise: "never over", name: "most inside at once", value: fullest.inside, limit: fullest.limit }),
    atMost({
      promise: "never over",
      name: "most let in a minute, of the limit",
      value: 100 * Math.max(...results.map(({ counts }) => counts.arrivalsMost)),
      limit: 100,
      unit: "%",
    }),
    atMost({
      promise: "never early",
      name: "in line beside a free slot",
      value: percent(all("earlySeconds"), all("waitedSeconds")),
      limit: isSmall(results) ? null : (scenario.earlyMax ?? EARLY[kind]),
      unit: "%",
    }),
  ];
  const [taken, idle] = [all("takenSeconds"), all("idleSeconds")];
  if (taken + idle > 0)
    checks.push(
      atLeast({
        promise: "never early",
        name: "slots within reach used or called while visitors wait",
        value: percent(taken, taken + idle),
        limit: isSmall(results) ? null : (scenario.useMin ?? REACH[kind]),
        unit: "%",
      }),
    );
  const [used, usable] = [all("usedSeconds"), all("usableSeconds")];
  if (usable > 0)
    checks.push(
      atLeast({
        promise: "never early",
        name: "slots of the whole room in use while visitors wait",
        value: percent(used, usable),
        unit: "%",
        ...wholeUse(results, scenario, isFaulty),
      }),
    );
  checks.push(
    ...thrownOutChecks(results, scenario),
    figure(
      "never lost",
      "ended by an order: revoked, or their room deleted",
      percent(all("endedByOrder"), admitted),
      "%",
    ),
    atMost({
      promise: "never lost",
      name: "let in past a line, of those let in",
      value: percent(all("overtook"), admitted),
      limit: scenario.faults === undefined ? OVERTAKING : null,
      unit: "%",
    }),
    atMost({
      promise: "never lost",
      name: "overtaken for longer than a poll interval",
      value: sum(({ overtakes }) => overtakes.beyondInterval),
      limit: scenario.keepsOrder === true ? OVERTAKEN_MAX : null,
      unit: "visitors",
      note: `${sum(({ overtakes }) => overtakes.visitors)} at all, up to ${longest.toFixed(1)} s`,
    }),
    ...doorChecks(results, isFaulty),
  );
  if (rests.length > 0)
    checks.push(
      figure("mesh", "equal states after healing, half of the runs", at(rests, 0.5) / 1_000, "s"),
      atMost({
        promise: "mesh",
        name: "equal states after healing, 90 % of the runs",
        value: at(rests, 0.9) / 1_000,
        limit: isFaulty && scenario.minuteMs < 60_000 ? null : REST_SECONDS,
        unit: "s",
      }),
    );
  checks.push(
    figure("mesh", "frames per node and second", sum(({ frames }) => frames) / nodeSeconds),
    figure("mesh", "bytes per node and second", sum(({ bytes }) => bytes) / nodeSeconds),
  );
  return checks;
}

function wholeUse(
  results: readonly SeedResult[],
  scenario: Scenario,
  isFaulty: boolean,
): Pick<Check, "limit" | "aim" | "note"> {
  const { pace, ramp } = scenario.room;
  if (pace === true || ramp !== undefined) return { limit: null, note: "not judged: slots are released one by one" };
  if (!isFaulty) return { limit: scenario.useMin ?? USE.calm };
  if (!isHarsh(results, scenario)) return { limit: null };
  const { usual, spread, aim } = HARSH_USE;
  return { limit: usual - spread / Math.sqrt(results.length), aim };
}

/** Few rooms of a few slots: one visitor is then a large share. */
function isSmall(results: readonly SeedResult[]): boolean {
  return results.length < MANY && results.every(({ counts }) => counts.insideMax < 50);
}

function at(sorted: readonly number[], part: number): number {
  return sorted[Math.floor(part * (sorted.length - 1))] ?? 0;
}
