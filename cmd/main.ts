/**
 * The start of the process: finds the command, runs it, and turns its outcome into an exit code.
 *
 * Only this file reads `process.argv`. An unexpected error is printed with its stack: it is a defect of
 * anteroom, and a bug report needs the stack.
 */

import { didYouMean } from "../node/config/near-miss.ts";
import type { Problem } from "../node/config/problem.ts";
import { parseArguments } from "./args.ts";
import type { Command, Invocation } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { EXIT } from "./exit.ts";
import { Failure } from "./failure.ts";
import { commandHelp, overview } from "./help.ts";
import { hideSecretArguments } from "./hidden-arguments.ts";
import { type Io, processIo } from "./io.ts";
import { problemList } from "./print.ts";
import { VERSION } from "./version.ts";

/** Runs `anteroom` with `args` and returns its exit code. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const words = args[0] === "help" ? [...args.slice(1), "--help"] : args;
  const wantsHelp = words.slice(0, endOfFlags(words)).some((word) => word === "--help" || word === "-h");
  const command = COMMANDS.find(({ name }) => name.split(" ").every((word, index) => words[index] === word));
  if (command === undefined) return withoutCommand(words, wantsHelp, io);
  if (wantsHelp) return answer(await commandHelp(command), io);
  const rest = words.slice(command.name.split(" ").length);
  const parsed = parseArguments(rest, command.options, `anteroom ${command.name}`);
  const problems = [...parsed.problems, ...wrongCount(command, parsed.positionals)];
  if (problems.length > 0 && !command.reportsProblems) {
    return complain(problemList(problems, `cannot run anteroom ${command.name}`), io);
  }
  return runCommand(command, { ...parsed, problems, command: command.name, io });
}

async function runCommand(command: Command, invocation: Invocation): Promise<number> {
  try {
    return await command.run(invocation);
  } catch (error) {
    // Expected errors are Failures; any other is a defect and ends the process with its stack.
    if (!(error instanceof Failure)) throw error;
    const { io } = invocation;
    io.talk(error.problems.length > 0 ? problemList(error.problems, error.message) : `anteroom: ${error.message}`);
    if (error.hint !== undefined) io.talk(`    ${error.hint}`);
    return error.exit;
  }
}

/** Help or a complaint for words that name no command. */
async function withoutCommand(words: readonly string[], wantsHelp: boolean, io: Io): Promise<number> {
  const [first = "", second = ""] = words;
  if (first === "" || first.startsWith("-")) {
    if (first === "--version") return answer(versionText(), io);
    if (first === "--licenses") return answer((await import("./licenses.ts")).licenses(), io);
    if (wantsHelp) return answer(overview(COMMANDS), io);
    return complain(first === "" ? overview(COMMANDS) : unknownCommand(first, "", firstWords()), io);
  }
  const members = COMMANDS.filter(({ name }) => name.startsWith(`${first} `));
  if (members.length === 0) return complain(unknownCommand(first, "", firstWords()), io);
  if (wantsHelp) return answer(overview(COMMANDS, first), io);
  if (second === "" || second.startsWith("-")) return complain(overview(COMMANDS, first), io);
  const known = members.map(({ name }) => name.slice(first.length + 1));
  return complain(unknownCommand(second, ` ${first}`, known), io);
}

function versionText(): string {
  return `anteroom ${VERSION} (Bun ${Bun.version}, ${process.platform} ${process.arch})`;
}

function endOfFlags(words: readonly string[]): number {
  const dashes = words.indexOf("--");
  return dashes === -1 ? words.length : dashes;
}

function firstWords(): string[] {
  return [...new Set(COMMANDS.map(({ name }) => name.split(" ")[0] ?? name))];
}

function unknownCommand(word: string, group: string, known: readonly string[]): string {
  const repair = didYouMean(word, known, `known are ${known.join(", ")}`);
  return `anteroom: ${word} is not a command of anteroom${group}\n    ${repair}`;
}

function wrongCount({ name, synopsis, positionals: { min, max } }: Command, given: readonly string[]): Problem[] {
  const repair = `write anteroom ${name} ${synopsis}`.trimEnd();
  if (given.length < min) return [{ path: synopsis.split(" ")[given.length] ?? "", problem: "is missing", repair }];
  return given.slice(max).map((path) => ({ path, problem: "is an argument too many", repair }));
}

function answer(text: string, io: Io): number {
  io.answer(text);
  return EXIT.ok;
}

function complain(text: string, io: Io): number {
  io.talk(text);
  return EXIT.usage;
}

if (import.meta.main) {
  // Whoever writes hears of its own failures: a log that cannot be written ends no node.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  const args = process.argv.slice(2);
  hideSecretArguments(args);
  process.exitCode = await run(args, processIo());
}
