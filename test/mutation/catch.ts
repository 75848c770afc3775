/**
 * Runs one net over one mutant in a child process, and says what caught it.
 *
 * The child is stopped at the first seed that breaks a promise. One that ends by itself without an answer has thrown.
 */

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { EXIT } from "../../cmd/exit.ts";
import type { Net } from "./mutant.ts";

export interface Caught {
  /** What was noticed, after how many seeds. */
  readonly by: string;
}

const ROOT = resolve(import.meta.dirname, "../..");
/** A mutant that stands still, or whose net needs longer on this machine, is not caught. */
const PATIENCE_MS = 600_000;
/** The exit code of a process that ran out of it: it was ended by SIGTERM. */
const OUT_OF_PATIENCE = 143;
/** Seeds judged together; more would be run by processes of their own, which know nothing of the mutant. */
const VERDICT_SEEDS_MAX = 15;

interface VitestReport {
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly title: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** Undefined if nothing was noticed. */
export function catchMutant(name: string | undefined, net: Net): Promise<Caught | undefined> {
  switch (net.kind) {
    case "seeds":
      return bySeeds(name, net);
    case "verdict":
      return byVerdict(name, net);
    case "law":
      return byLaw(name, net.test);
  }
}

async function bySeeds(name: string | undefined, { scenario, seeds }: { scenario: string; seeds: number }) {
  const child = simulate(name, ["--lines", "--scenario", scenario, "--seeds", `${seeds}`]);
  let rest = "";
  let count = 0;
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      count += 1;
      const { broken } = JSON.parse(line) as { broken: string | null };
      if (broken === null) continue;
      child.kill();
      await child.exited;
      return { by: `seed ${count}: ${broken.replace(/^seed \d+, /, "")}` };
    }
  }
  return thrown(await child.exited, child.stderr, `seed ${count + 1}`);
}

async function byVerdict(name: string | undefined, { scenario, seeds }: { scenario: string; seeds: number }) {
  if (seeds > VERDICT_SEEDS_MAX)
    throw new RangeError(`Cannot judge seeds together as there may be ${VERDICT_SEEDS_MAX}: current value is ${seeds}`);
  const child = simulate(name, ["--json", "--scenario", scenario, "--seeds", `${seeds}`]);
  const answer = await new Response(child.stdout).text();
  if (answer === "") return thrown(await child.exited, child.stderr, "verdict");
  const { checks } = JSON.parse(answer) as { checks: { name: string; value: number; limit: number; ok: boolean }[] };
  const [failed] = checks.filter(({ ok }) => !ok);
  return failed && { by: `verdict: ${failed.name}: ${failed.value.toFixed(3)}, limit ${failed.limit}` };
}

async function byLaw(name: string | undefined, test: string): Promise<Caught | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "mutation-"));
  const report = join(folder, "report.json");
  const vitest = join(ROOT, "node_modules/.bin/vitest");
  const config = join(ROOT, "test/mutation/vitest.config.ts");
  const options = ["--config", config, "--bail", "1", "--reporter", "json", "--outputFile", report];
  const child = start(name, ["--bun", vitest, "run", ...options, test]);
  const code = await child.exited;
  if (!existsSync(report)) return thrown(code === 0 ? EXIT.failed : code, child.stderr, test);
  const { testResults } = JSON.parse(readFileSync(report, "utf8")) as VitestReport;
  rmSync(folder, { recursive: true });
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.find(({ status }) => status === "failed");
  if (failed !== undefined)
    return { by: `law: ${failed.title}: ${failed.failureMessages[0]?.split("\n")[0]?.replace(/^Error: /, "")}` };
  return code === 0 ? undefined : { by: `law: ${testResults[0]?.message.split("\n")[0]}` };
}

async function thrown(code: number, stderr: ReadableStream<Uint8Array>, where: string): Promise<Caught | undefined> {
  if (code === 0 || code === OUT_OF_PATIENCE) return undefined;
  const lines = (await new Response(stderr).text()).split("\n");
  const error = lines.find((line) => /\w*Error\b/.test(line)) ?? lines.findLast((line) => line.trim() !== "");
  return { by: `${where}: threw: ${error?.trim() ?? `exit code ${code}`}` };
}

function simulate(name: string | undefined, args: readonly string[]) {
  const preload = join(ROOT, "test/mutation/preload.ts");
  return start(name, ["--preload", preload, join(ROOT, "test/sim/main.ts"), "--seed", "1", ...args]);
}

function start(name: string | undefined, args: readonly string[]) {
  const { MUTANT: _, ...environment } = process.env;
  return Bun.spawn([process.execPath, ...args], {
    cwd: ROOT,
    env: { ...environment, ...(name !== undefined && { MUTANT: name }) },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: PATIENCE_MS,
  });
}
