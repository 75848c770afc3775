/**
 * Help: an overview of all commands, of the commands under one word, and one screen per command.
 */

import type { Command, Entry, Option } from "./command.ts";
import { wrap } from "./print.ts";

/** Help is formatted for a terminal of 80 columns, wherever it is printed. */
const WIDTH = 80;

/** The text of `anteroom --help`; with `group`, of `anteroom room --help`. */
export function overview(commands: readonly Command[], group?: string): string {
  const shown = commands.filter(({ name }) => group === undefined || name.startsWith(`${group} `));
  const usage = `Usage: anteroom ${group ?? "COMMAND"} ${group === undefined ? "" : "COMMAND "}[arguments]`;
  return [
    ...(group === undefined ? ["anteroom: a virtual waiting room in front of your website", ""] : []),
    usage,
    "",
    ...entryLines(shown.map(({ name, summary }) => ({ term: name, text: summary }))),
    "",
    `anteroom ${group === undefined ? "COMMAND" : `${group} COMMAND`} --help shows flags, defaults and examples.`,
    ...(group === undefined
      ? [
          "anteroom --version shows the version.",
          "anteroom --licenses shows the licences of all that it contains.",
          "Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 check failed.",
        ]
      : []),
  ].join("\n");
}

/** The text of `anteroom room create --help`. */
export async function commandHelp(command: Command): Promise<string> {
  const { name, synopsis, summary, notes = [], options, examples } = command;
  const list = await command.list?.();
  const shown = options.filter(({ hidden }) => !hidden);
  return [
    wrap(`anteroom ${name}: ${summary}`, WIDTH),
    "",
    `Usage: anteroom ${name} ${synopsis}`.trimEnd(),
    ...notes.flatMap((note) => ["", wrap(note, WIDTH)]),
    ...(shown.length === 0 ? [] : ["", ...flagLines(shown)]),
    ...(list === undefined ? [] : ["", list.title, ...entryLines(list.entries)]),
    "",
    examples.length === 1 ? "Example:" : "Examples:",
    ...examples.map((example) => `  ${example}`),
  ].join("\n");
}

/** The flags with what they do, for a program that has no commands too. */
export function flagLines(options: readonly Option[]): string[] {
  return ["Flags:", ...entryLines(options.map(optionEntry))];
}

function optionEntry({ flag, placeholder, help, fallback, repeatable }: Option): Entry {
  const term = `--${flag}${placeholder === undefined ? "" : ` ${placeholder}${repeatable ? "…" : ""}`}`;
  return { term, text: help, ...(fallback !== undefined && { fallback }) };
}

/** Names in one column and what they mean in another. */
export function entryLines(list: readonly Entry[]): string[] {
  const column = Math.max(...list.map(({ term }) => term.length)) + 4;
  const indent = " ".repeat(column);
  return list.map(({ term, text, fallback }) => {
    const preset = fallback === undefined ? "" : ` (default ${fallback})`;
    return wrap(`  ${term}`.padEnd(column) + text + preset, WIDTH, indent);
  });
}
