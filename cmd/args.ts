/**
 * Arguments as flags and the rest: `--flag value`, `--flag=value`, `--switch`, and `--` before arguments that only look
 * like flags.
 *
 * All problems are collected: an unknown flag (with the near miss), a missing value, a value too many. An argument that
 * looks like a flag is never taken for the value of the one before it.
 */

import { parseArgs } from "node:util";
import { nearMiss } from "../node/config/near-miss.ts";
import type { Problem } from "../node/config/problem.ts";
import type { Invocation, Option } from "./command.ts";

export type Arguments = Pick<Invocation, "flags" | "positionals" | "problems">;

/** Sorts `args`; `help` is the command to ask for help in repairs. */
export function parseArguments(args: readonly string[], options: readonly Option[], help: string): Arguments {
  const flags = new Map<string, string[]>();
  const positionals: string[] = [];
  const problems: Problem[] = [];
  const known = options.map(({ flag }) => flag);
  const parts = partsOf(args);
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    const { index, text, flag, attached } = part;
    if (flag === undefined) {
      positionals.push(text);
      continue;
    }
    const option = options.find((candidate) => candidate.flag === flag);
    if (option === undefined) {
      const near = nearMiss(flag, known);
      problems.push(unknownFlag(text, near, help));
      // The value of a misspelt flag is not a second problem.
      if (attached === undefined && options.find((candidate) => candidate.flag === near)?.placeholder)
        takeValue(parts, index);
      continue;
    }
    const value = option.placeholder === undefined ? (attached ?? "true") : (attached ?? takeValue(parts, index));
    const complaint = complaintOf(option, value, flags.get(flag));
    if (complaint !== undefined) problems.push({ path: `--${flag}`, ...complaint });
    else flags.set(flag, [...(flags.get(flag) ?? []), value ?? ""]);
  }
  return { flags, positionals, problems };
}

/** An argument; if it is a flag, its name and the value after `=`. */
interface Part {
  readonly index: number;
  readonly text: string;
  readonly flag?: string;
  readonly attached?: string | undefined;
}

/**
 * The parser of Node.js knows no flags, so it takes no argument for the value of the one before it, and sees plain
 * arguments only: it would read `-5` and `-listen` as several flags of one letter.
 */
function partsOf(args: readonly string[]): Part[] {
  const plain = args.map((arg) => (arg === "--" ? arg : looksLikeFlag(arg) ? arg.replace(/^-(?!-)/, "--") : "value"));
  const { tokens } = parseArgs({ args: plain, strict: false, allowPositionals: true, tokens: true });
  return tokens.flatMap((token): Part[] => {
    const { index } = token;
    const text = args[index] ?? "";
    if (token.kind === "option") return [{ index, text, flag: token.name, attached: token.value }];
    return token.kind === "positional" ? [{ index, text }] : [];
  });
}

function looksLikeFlag(arg: string): boolean {
  return /^--./.test(arg) || /^-[A-Za-z]/.test(arg);
}

/** The next of `parts`, if it can be the value of the flag at `index`: not a flag, and not after `--`. */
function takeValue(parts: Part[], index: number): string | undefined {
  const [next] = parts;
  return next?.flag === undefined && next?.index === index + 1 ? parts.shift()?.text : undefined;
}

function unknownFlag(arg: string, near: string | undefined, help: string): Problem {
  return {
    path: arg.split("=", 1)[0] ?? arg,
    problem: "is not a known flag",
    repair: near === undefined ? `${help} --help lists the flags` : `did you mean --${near}?`,
  };
}

function complaintOf(option: Option, value: string | undefined, earlier: readonly string[] | undefined) {
  if (value === undefined) return { problem: "has no value", repair: `write --${option.flag} ${option.placeholder}` };
  if (option.placeholder === undefined && value !== "true" && value !== "false") {
    return { value, problem: "is a switch", repair: `write --${option.flag} or --${option.flag}=false` };
  }
  if (earlier !== undefined && !option.repeatable) {
    return { value, problem: `is given twice, first as ${earlier[0]}`, repair: "give it once" };
  }
  return undefined;
}
