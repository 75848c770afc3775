/**
 * Many seeds on all cores: each part of them in its own process, which prints a line per seed.
 */

import { availableParallelism } from "node:os";
import { join } from "node:path";
import { run } from "./run.ts";
import { scenarioOf } from "./scenarios.ts";
import { type SeedResult, seedResult } from "./seed-result.ts";

export interface Seeds {
  readonly scenario: string;
  readonly first: number;
  readonly count: number;
}

/** Fewer are not worth the start of a process. */
const PER_PROCESS_MIN = 8;

/** Runs the seeds, telling of each as it is done; the results in the order of the seeds. Throws if a process fails. */
export async function runMany(seeds: Seeds, onResult: (result: SeedResult) => void): Promise<SeedResult[]> {
  const processes = Math.min(availableParallelism(), Math.floor(seeds.count / PER_PROCESS_MIN));
  const results: SeedResult[] = [];
  const note = (result: SeedResult): void => {
    results.push(result);
    onResult(result);
  };
  if (processes < 2) for (const result of runHere(seeds)) note(result);
  else
    await Promise.all(Array.from({ length: processes }, (_, index) => runThere(partOf(seeds, index, processes), note)));
  return results.sort((one, other) => one.seed - other.seed);
}

/** Runs the seeds in this process, one after the other. */
export function* runHere({ scenario: name, first, count }: Seeds): Generator<SeedResult> {
  for (let seed = first; seed < first + count; seed++) {
    yield seedResult(run({ scenario: scenarioOf(name, seed), seed }));
  }
}

function partOf({ first, count, ...rest }: Seeds, index: number, parts: number): Seeds {
  const from = first + Math.floor((index * count) / parts);
  return { ...rest, first: from, count: first + Math.floor(((index + 1) * count) / parts) - from };
}

/** Simulates in a process of its own, telling of each line of JSON that it prints. Throws if the process fails. */
async function runThere({ scenario, first, count }: Seeds, onResult: (result: SeedResult) => void): Promise<void> {
  const flags = ["--scenario", scenario, "--seed", `${first}`, "--seeds", `${count}`];
  const program = [process.execPath, join(import.meta.dirname, "main.ts")];
  const child = Bun.spawn([...program, "--lines", ...flags], { stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  let rest = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onResult(JSON.parse(line));
  }
  const code = await child.exited;
  if (code !== 0) throw new Error(`Cannot simulate ${flags.join(" ")}: the process for that ended with ${code}`);
}
