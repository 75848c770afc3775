/**
 * The simulator as a program, `npm run simulate -- [flags]`: its help, its arguments, and its exit code.
 *
 * It takes its arguments and reports its failures as `anteroom` does.
 */

import { parseArguments } from "../../cmd/args.ts";
import type { Entry } from "../../cmd/command.ts";
import { EXIT } from "../../cmd/exit.ts";
import { Failure } from "../../cmd/failure.ts";
import { entryLines, flagLines } from "../../cmd/help.ts";
import { type Io, processIo } from "../../cmd/io.ts";
import { problemList } from "../../cmd/print.ts";
import { OPTIONS } from "./options.ts";
import { SCENARIOS } from "./scenarios.ts";
import { simulate } from "./simulate.ts";

const CALL = "npm run simulate --";

/** Runs the simulator with `args` and returns its exit code. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  if (args.includes("--help") || args.includes("-h")) {
    io.answer(helpText());
    return EXIT.ok;
  }
  const { flags, positionals, problems } = parseArguments(args, OPTIONS, CALL);
  const superfluous = positionals.map((path) => ({
    path,
    problem: "is an argument too many",
    repair: `write ${CALL} [flags]`,
  }));
  try {
    return await simulate({ command: "simulate", flags, positionals, problems: [...problems, ...superfluous], io });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    io.talk(error.problems.length > 0 ? problemList(error.problems, error.message) : `simulate: ${error.message}`);
    if (error.hint !== undefined) io.talk(`    ${error.hint}`);
    return error.exit;
  }
}

function helpText(): string {
  return [
    "Runs whole nodes on a virtual clock, and checks the promises.",
    "",
    `Usage: ${CALL} [flags]`,
    "",
    "The nodes are those of anteroom serve, with time, network and disks in memory; a seed",
    "gives the same run on any machine. The exit code is 3 when a check fails.",
    "",
    ...flagLines(OPTIONS.filter(({ hidden }) => !hidden)),
    "",
    "Scenarios:",
    ...entryLines(scenarioEntries()),
  ].join("\n");
}

function scenarioEntries(): readonly Entry[] {
  return [
    ...SCENARIOS.map(({ name, summary }) => ({ term: name, text: summary })),
    {
      term: "churn",
      text: "3 to 5 nodes with 1, 10 or 100 rooms that leave, are lost and come new: nothing grows",
    },
  ];
}

if (import.meta.main) process.exitCode = await run(process.argv.slice(2), processIo());
