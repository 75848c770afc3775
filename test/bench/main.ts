/**
 * `npm run bench`: measures the gate and what it is compared with, then several nodes (mesh/main.ts), in one run.
 *
 * All variants take turns in each round, each in a fresh process pinned to one core, the load on another; the table
 * shows medians over the rounds, `--json FILE` keeps every raw value. What is not installed is skipped, visibly. It
 * takes ten to fifteen minutes, with `--quick` two; a machine that does nothing else meanwhile is half of a good
 * measurement.
 */

import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArguments } from "../../cmd/args.ts";
import { EXIT } from "../../cmd/exit.ts";
import { flagLines } from "../../cmd/help.ts";
import { count, number, problemList } from "../../cmd/print.ts";
import { messageOf } from "../../node/message-of.ts";
import { type Footprint, footprint, footprintLines } from "./footprint.ts";
import { type Machine, machine, machineLine } from "./machine.ts";
import { type MeshLengths, measureMesh, meshLines } from "./mesh/main.ts";
import { meshAims } from "./mesh/report.ts";
import { startOrigin } from "./other-servers.ts";
import { endingOnFailure, installed, moveToLoadCore, type Program, stopAll } from "./programs.ts";
import { aimLines, aims, resultTable } from "./report.ts";
import { type Lengths, measureRounds } from "./rounds.ts";
import { type Variant, variants } from "./variants.ts";
import { CONNECTIONS } from "./wrk.ts";

const OPTIONS = [
  { flag: "quick", help: "a few seconds per variant: for a look, not for comparing" },
  { flag: "json", placeholder: "FILE", help: "write all raw values there" },
  { flag: "only", placeholder: "TEXT", help: "only what has TEXT in its name, such as mesh, and no footprint" },
  {
    flag: "against",
    placeholder: "BINARY",
    help: "another build of anteroom, one node, measured in turn with this one",
  },
  { flag: "help", help: "these lines" },
] as const;

const USAGE = ["Usage: npm run bench -- [flags]", "", ...flagLines(OPTIONS)].join("\n");

interface Plan {
  readonly lengths: Lengths;
  readonly mesh: MeshLengths;
  readonly starts: number;
  readonly lines: number;
  readonly json: string | undefined;
  readonly only: string | undefined;
  readonly against: string | undefined;
}

const QUICK = {
  ...{ lengths: { rounds: 1, warmUpSeconds: 1, seconds: 3 }, starts: 3, lines: 1 },
  mesh: { rounds: 1, askSeconds: 0.5, settleSeconds: 1, seconds: 2, seenSeconds: 4 },
};
const FULL = {
  ...{ lengths: { rounds: 5, warmUpSeconds: 3, seconds: 8 }, starts: 10, lines: 3 },
  mesh: { rounds: 5, askSeconds: 1, settleSeconds: 3, seconds: 10, seenSeconds: 25 },
};

const BINARY = resolve(import.meta.dirname, "../../dist/anteroom");

async function main(args: readonly string[]): Promise<number> {
  if (args.includes("--help") || args.includes("-h")) {
    console.log(USAGE);
    return EXIT.ok;
  }
  const plan = planOf(args);
  if (plan === undefined) return EXIT.usage;
  const folder = mkdtempSync(join(tmpdir(), "anteroom-bench-"));
  const cleanUp = async (): Promise<void> => {
    await stopAll();
    rmSync(folder, { recursive: true, force: true });
  };
  process.once("SIGINT", () => void cleanUp().then(() => process.exit(1)));
  try {
    moveToLoadCore();
    return await bench(plan, folder);
  } finally {
    await cleanUp();
  }
}

/** What is asked for; undefined, and said why, when it cannot be done. */
function planOf(args: readonly string[]): Plan | undefined {
  const { flags, positionals, problems } = parseArguments(args, OPTIONS, "npm run bench --");
  const value = (flag: string): string | undefined => flags.get(flag)?.[0];
  const against = value("against");
  const missing = [BINARY, "/proc/self/stat", ...(against === undefined ? [] : [against])]
    .filter((path) => !existsSync(path))
    .map((path) => ({ path, problem: "is missing", repair: REPAIRS[path] ?? "name an existing file" }));
  const tooMany = positionals.map((path) => ({ path, problem: "is an argument too many", repair: "leave it out" }));
  const all = [...problems, ...tooMany, ...missing];
  if (all.length === 0) {
    return { ...(flags.has("quick") ? QUICK : FULL), json: value("json"), only: value("only"), against };
  }
  console.error(problemList(all, "nothing was measured"));
  return undefined;
}

const REPAIRS: Readonly<Record<string, string>> = {
  [BINARY]: "npm run build",
  "/proc/self/stat": "measure on Linux, where the system tells what a process uses",
};

/** Returns the exit code. */
async function bench(plan: Plan, folder: string): Promise<number> {
  const { lengths, json, only, starts, lines } = plan;
  const binary = join(folder, "anteroom");
  // A build meanwhile must not change what is measured.
  copyFileSync(BINARY, binary);
  const { port: originPort } = await startOrigin(join(folder, "origin"));
  const measuredOn = machine(binary);
  console.log(heading(measuredOn, lengths));

  const wanted = chosen(plan, [binary], originPort);
  const skipped = new Map(wanted.flatMap(({ name, needs }) => skippedFor(name, needs)));
  const { results, failed } = await measureRounds(
    wanted.filter(({ name }) => !skipped.has(name)),
    { lengths, folder },
    (name, round, { perSecond, cpuMicros }) =>
      console.error(`round ${round}: ${name}: ${number(perSecond)}/s, ${cpuMicros.toFixed(1)} µs`),
  );
  for (const [name, why] of failed) skipped.set(name, `failed: ${why}`);
  const taken = only === undefined ? await footprintOrReason(binary, { folder, originPort, starts, lines }) : undefined;
  const blocks = [results.size + skipped.size === 0 ? [] : [resultTable(results, skipped)]];
  if (typeof taken === "string") blocks.push([`binary, start and memory  failed: ${taken}`]);
  else if (taken !== undefined) blocks.push(footprintLines(taken));
  for (const block of blocks.filter((lines) => lines.length > 0)) console.log(`${block.join("\n")}\n`);

  const mesh = await measureMesh(only ?? "", { binary, folder: join(folder, "mesh"), originPort }, plan.mesh);
  for (const line of meshLines(mesh)) console.log(line);
  const waitingBytes = typeof taken === "object" ? taken.waitingBytes : [];
  const aimed = [...aims(results, waitingBytes), ...meshAims(mesh)];
  console.log(aimLines(aimed).join("\n"));
  if (json !== undefined) {
    const raw = {
      ...{ machine: measuredOn, lengths, connections: CONNECTIONS, results: Object.fromEntries(results) },
      ...{ skipped: Object.fromEntries(skipped), footprint: taken, meshLengths: plan.mesh, mesh, aims: aimed },
    };
    writeFileSync(json, `${JSON.stringify(raw, null, 2)}\n`);
  }
  return mesh.failed.length + failed.size === 0 && typeof taken !== "string" ? EXIT.ok : EXIT.failed;
}

/** What was measured, or why not. */
async function footprintOrReason(...args: Parameters<typeof footprint>): Promise<Footprint | string> {
  try {
    return await endingOnFailure(() => footprint(...args));
  } catch (error) {
    // Saves what was measured already.
    return messageOf(error);
  }
}

/** The variants asked for; those of another build directly behind their own. */
function chosen({ only, against }: Plan, command: readonly string[], originPort: number): Variant[] {
  const others = against === undefined ? [] : variants([resolve(against)], originPort);
  return variants(command, originPort)
    .flatMap((variant, index) => {
      const other = others[index];
      return other?.isGate ? [variant, { ...other, name: `${other.name} (${against})` }] : [variant];
    })
    .filter(({ name }) => only === undefined || name.includes(only));
}

function skippedFor(name: string, needs: readonly Program[]): [name: string, why: string][] {
  const lacking = ["wrk" as const, ...needs].filter((program) => installed(program) === undefined);
  return lacking.length === 0 ? [] : [[name, `not installed (${lacking.join(", ")})`]];
}

function heading(measuredOn: Machine, { rounds, seconds, warmUpSeconds }: Lengths): string {
  const pinning = measuredOn.pinned
    ? "each server on core 0 with all its threads; load and origin on core 1"
    : "NOT PINNED (no taskset, or one core only): server and load take each other's time, compare with care";
  const each = `${seconds} s each after ${warmUpSeconds} s of warm-up, ${CONNECTIONS} connections; medians`;
  return `${machineLine(measuredOn)}\n${pinning}\n${count(rounds, "round")} of ${each}\n`;
}

process.exitCode = await main(process.argv.slice(2));
