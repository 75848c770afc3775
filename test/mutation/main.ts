/**
 * Whether the net holds: each mutant runs until it is caught, in a process of its own; one run without any must pass.
 *
 * `bun test/mutation/main.ts [WORD...]` takes all mutants, or those with one of the words in their names. Exits with 1
 * and a list if one is not caught within its budget, or if the control is. A mutant that throws is caught too; the
 * table says so.
 */

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { EXIT } from "../../cmd/exit.ts";
import { type Caught, catchMutant } from "./catch.ts";
import { type Mutant, mutated, type Net } from "./mutant.ts";
import { MUTANTS } from "./mutants.ts";

/** Processes at once, or AT_ONCE of the environment: more only take each other's cores where tests usually run. */
const AT_ONCE = Number(process.env.AT_ONCE ?? 2);
const ROOT = resolve(import.meta.dirname, "../..");

/** What must pass with nothing planted: all that any mutant is caught by. */
const CONTROL = { name: "nothing is wrong (control)" };

interface Outcome {
  readonly name: string;
  readonly by: Net;
  readonly isControl: boolean;
  readonly caught: Caught | undefined;
  readonly seconds: number;
}

const words = process.argv.slice(2);
const chosen = MUTANTS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
for (const mutant of chosen) check(mutant);
const jobs = [
  ...chosen.map((mutant) => () => outcomeOf(mutant.name, mutant.by, false)),
  ...controls(chosen).map((net) => () => outcomeOf(CONTROL.name, net, true)),
];
const startMs = performance.now();
const outcomes: Outcome[] = [];
await Promise.all(Array.from({ length: AT_ONCE }, work));
const missed = outcomes.filter(({ isControl, caught }) => isControl === (caught !== undefined));
console.log(`\n${outcomes.length} runs in ${Math.round((performance.now() - startMs) / 1_000)} s`);
for (const { name, isControl, by } of missed)
  console.log(isControl ? `The control fails: ${netText(by)}` : `Not caught: ${name} (${netText(by)})`);
process.exitCode = missed.length === 0 ? EXIT.ok : EXIT.failed;

async function work(): Promise<void> {
  for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
    const outcome = await job();
    outcomes.push(outcome);
    const { name, caught, by, seconds } = outcome;
    const how = caught === undefined ? `not caught: ${netText(by)}` : caught.by;
    console.log(`${name.padEnd(72)} ${seconds.toFixed(1).padStart(6)} s  ${how}`);
  }
}

async function outcomeOf(name: string, by: Net, isControl: boolean): Promise<Outcome> {
  const fromMs = performance.now();
  const caught = await catchMutant(isControl ? undefined : name, by);
  return { name, by, isControl, caught, seconds: (performance.now() - fromMs) / 1_000 };
}

/** A mutant that cannot be planted, or is no program, must not count as caught. */
function check(mutant: Mutant): void {
  const text = mutated(mutant, readFileSync(join(ROOT, mutant.file), "utf8"));
  new Bun.Transpiler({ loader: "ts" }).transformSync(text);
}

/** Each net once, with the most seeds that any mutant is given. */
function controls(mutants: readonly Mutant[]): Net[] {
  const nets = new Map<string, Net>();
  for (const { by } of mutants) {
    const key = by.kind === "law" ? by.test : `${by.kind} ${by.scenario}`;
    const known = nets.get(key);
    if (known === undefined || (by.kind !== "law" && known.kind !== "law" && by.seeds > known.seeds)) nets.set(key, by);
  }
  return [...nets.values()];
}

function netText(net: Net): string {
  return net.kind === "law" ? net.test : `${net.kind} of ${net.scenario}, 1 to ${net.seeds}`;
}
