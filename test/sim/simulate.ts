/**
 * `npm run simulate`: whole nodes on a virtual clock, from one seed, and whether the promises held.
 *
 * Many seeds run on all cores. A failing seed is run again with fewer faults until no more can be left out; the rest is
 * printed, with the command that repeats the seed.
 */

import { allHold, type Check, checksTable } from "../../cmd/checks.ts";
import { type Invocation, isOn } from "../../cmd/command.ts";
import { EXIT } from "../../cmd/exit.ts";
import { Failure } from "../../cmd/failure.ts";
import type { Io } from "../../cmd/io.ts";
import { readOptions } from "../../cmd/option-table.ts";
import { count, number, span, tableOptions } from "../../cmd/print.ts";
import { type Problem, problemAt } from "../../node/config/problem.ts";
import { oneOf } from "../../node/config/readers.ts";
import { churn } from "./churn.ts";
import type { FaultPlan } from "./fault-kinds.ts";
import { faultText } from "./fault-plan.ts";
import { runHere, runMany } from "./many.ts";
import { TABLE } from "./options.ts";
import { queueingText } from "./queueing.ts";
import { planOf, run } from "./run.ts";
import type { Scenario } from "./scenario.ts";
import { SCENARIOS, scenarioOf } from "./scenarios.ts";
import { type SeedResult, seedResult } from "./seed-result.ts";
import { shrink } from "./shrink.ts";
import { verdictOf } from "./verdict.ts";

const readName = oneOf(...SCENARIOS.map(({ name }) => name), "churn");

/**
 * Runs of a failing seed with fewer faults, and the longest time for them: a run of a large world takes half a minute.
 */
const SHRINK_TRIES = 150;
const SHRINK_MS = 60_000;
/** A longer run reports its progress. */
const LONG_MS = 5_000;
/** Failing seeds that are shown. */
const SHOWN_MAX = 5;

export async function simulate(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const { values, problems } = readOptions(TABLE, invocation);
  const all: Problem[] = [...invocation.problems, ...problems];
  const named = readName(values.scenario);
  if ("complaint" in named) all.push(problemAt("--scenario", values.scenario, named.complaint));
  if (values.log && values.seeds > 1)
    all.push(problemAt("--log", "true", { problem: "needs a single seed", repair: "leave --seeds out" }));
  if (all.length > 0) throw new Failure("nothing was simulated", { problems: all });
  const { scenario: name, seed: first, seeds } = values;
  if (name === "churn") return longChurn(invocation, first, values);
  if (isOn(invocation, "lines")) {
    for (const result of runHere({ scenario: name, first, count: seeds })) io.answer(JSON.stringify(result));
    return EXIT.ok;
  }
  const scenario = scenarioOf(name, first);
  const say = values.json ? io.talk : io.answer;
  const startMs = performance.now();
  say(headline(scenario, first, seeds));

  let results: SeedResult[];
  let queueing: string | undefined;
  if (seeds === 1) {
    const log = (atMs: number, text: string): void => say(`${(atMs / 1_000).toFixed(3).padStart(9)} s  ${text}`);
    const passed = progress(io, { total: scenario.minutes, what: "minute", afterMs: LONG_MS });
    const result = run({ scenario, seed: first, passed, ...(values.log && { log }) });
    queueing = queueingText(result.oracle.samples, scenario);
    results = [seedResult(result)];
  } else results = await runMany({ scenario: name, first, count: seeds }, progress(io, { total: seeds, what: "seed" }));

  const checks = verdictOf(results, scenario);
  const ms = performance.now() - startMs;
  const virtualMs = results.reduce((sum, result) => sum + result.virtual_ms, 0);
  say(`\n${checksTable(checks, tableOptions(io))}`);
  say(`\n${span(virtualMs / 1_000)} simulated in ${span(ms / 1_000)}: ${timesText(virtualMs / ms)} times real time`);
  if (queueing !== undefined) say(`Queueing: ${queueing}.`);
  for (const failed of results.filter(({ broken }) => broken !== null).slice(0, SHOWN_MAX))
    explain(failed, scenario, say);
  if (values.json) io.answer(JSON.stringify(verdict({ name, first, seeds }, checks, results)));
  return allHold(checks) ? EXIT.ok : EXIT.checkFailed;
}

function timesText(times: number): string {
  return times < 10 ? times.toFixed(1) : number(times);
}

function headline({ name, localities, minutes, minuteMs }: Scenario, first: number, seeds: number): string {
  const which = seeds === 1 ? `seed ${first}` : `seeds ${first} to ${first + seeds - 1}`;
  const size = name.startsWith("harsh") ? "" : `, ${count(localities.length, "node")}`;
  return `Scenario ${name}, ${which}${size}: ${minutes} minutes of ${minuteMs / 1_000} s each, then rest.`;
}

function verdict(
  { name, first, seeds }: { readonly name: string; readonly first: number; readonly seeds: number },
  checks: readonly Check[],
  results: readonly SeedResult[],
) {
  const failed = results.flatMap(({ seed, broken }) => (broken === null ? [] : { seed, broken }));
  return { scenario: name, first_seed: first, seeds, ok: allHold(checks), failed, checks };
}

/** A bar on a terminal, a line for every tenth elsewhere; nothing if the work is done within `afterMs`. */
function progress(
  io: Io,
  { total, what, afterMs = 0 }: { readonly total: number; readonly what: string; readonly afterMs?: number },
): () => void {
  const startMs = performance.now();
  let done = 0;
  let tenths = 0;
  return () => {
    done += 1;
    if (performance.now() - startMs < afterMs) return;
    if (io.terminal.isTerminal) {
      const width = 40;
      const filled = Math.round((width * done) / total);
      const end = done === total ? "\n" : "";
      io.draw(`\r${"█".repeat(filled)}${"░".repeat(width - filled)} ${number(done)} of ${count(total, what)}${end}`);
    } else if (Math.floor((10 * done) / total) > tenths) {
      tenths = Math.floor((10 * done) / total);
      io.talk(`${number(done)} of ${count(total, what)}`);
    }
  };
}

/** The faults to which a failing seed reduces, and the command that repeats it. */
function explain({ seed, broken }: SeedResult, { name }: Scenario, say: (text: string) => void): void {
  say(`\nSeed ${seed} fails: ${broken}`);
  const scenario = scenarioOf(name, seed);
  const plan = planOf(scenario, seed);
  if (plan.faults.length > 0) {
    const endMs = performance.now() + SHRINK_MS;
    const fails = (shorter: FaultPlan): boolean =>
      performance.now() < endMs && run({ scenario, seed, plan: shorter }).broken !== undefined;
    const { faults, clocks } = shrink(plan, fails, SHRINK_TRIES);
    say(`It still fails with ${count(faults.length, "fault")} of ${plan.faults.length}:`);
    for (const fault of faults) say(`  ${faultText(fault)}`);
    if (clocks.length > 0) say("  and with wrong clocks");
  }
  say(`Repeat it: npm run simulate -- --scenario ${name} --seed ${seed} --log`);
}

function longChurn(
  { io }: Invocation,
  seed: number,
  { json, changes }: { readonly json: boolean; readonly changes: number },
): number {
  const passed = progress(io, { total: changes, what: "change", afterMs: LONG_MS });
  const { headline, checks } = churn(seed, { changes, passed });
  const ok = allHold(checks);
  const say = json ? io.talk : io.answer;
  say(`Scenario churn, seed ${seed}: ${headline}.\n\n${checksTable(checks, tableOptions(io))}`);
  if (json) io.answer(JSON.stringify({ scenario: "churn", first_seed: seed, seeds: 1, ok, checks }));
  return ok ? EXIT.ok : EXIT.checkFailed;
}
