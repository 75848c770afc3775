/**
 * Arguments as flags and the rest: `--flag value`, `--flag=value`, `--switch`, and `--` before arguments that only look
 * like flags.
 *
 * All problems are collected: an unknown flag (with the near miss), a missing value, a value too many. An argument that
 * looks like a flag is never taken for the value of the one before it.
 */

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
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === "--") {
      positionals.push(...rest);
      break;
    }
    if (!looksLikeFlag(arg)) {
      positionals.push(arg);
      continue;
    }
    const [, flag = "", attached] = /^--?([^=]*)(?:=(.*))?$/s.exec(arg) ?? [];
    const option = options.find((candidate) => candidate.flag === flag);
    if (option === undefined) {
      const near = nearMiss(flag, known);
      problems.push(unknownFlag(arg, near, help));
      // The value of a misspelt flag is not a second problem.
      if (attached === undefined && options.find((candidate) => candidate.flag === near)?.placeholder) takeValue(rest);
      continue;
    }
    const value = attached ?? (option.placeholder === undefined ? "true" : takeValue(rest));
    const complaint = complaintOf(option, value, flags.get(flag));
    if (complaint !== undefined) problems.push({ path: `--${flag}`, ...complaint });
    else flags.set(flag, [...(flags.get(flag) ?? []), value ?? ""]);
  }
  return { flags, positionals, problems };
}

function looksLikeFlag(arg: string): boolean {
  return /^--./.test(arg) || /^-[A-Za-z]/.test(arg);
}

/** The next argument, if it can be a value: not a flag, and not `--`. */
function takeValue(rest: string[]): string | undefined {
  const [next] = rest;
  return next === undefined || next === "--" || looksLikeFlag(next) ? undefined : rest.shift();
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
