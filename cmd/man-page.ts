/**
 * `anteroom man-page`: the manual page (roff), made from the table of commands.
 */

import type { Command, Invocation } from "./command.ts";
import { EXIT, EXIT_MEANINGS } from "./exit.ts";
import { VERSION } from "./version.ts";

/** The table is an argument because it has this command in it. */
export function manPageOf(commands: () => readonly Command[]) {
  return async ({ io }: Invocation): Promise<number> => {
    io.answer(manPage(commands()));
    return EXIT.ok;
  };
}

function manPage(commands: readonly Command[]): string {
  return [
    `.TH ANTEROOM 1 "" "anteroom ${VERSION}" "User Commands"`,
    ".SH NAME",
    "anteroom \\- a virtual waiting room in front of a website",
    ".SH SYNOPSIS",
    ".B anteroom",
    ".I COMMAND",
    "[arguments]",
    ".SH COMMANDS",
    ...commands.flatMap(commandPart),
    ".SH EXIT STATUS",
    ...EXIT_MEANINGS.flatMap(([code, meaning]) => [".TP", `.B ${code}`, roff(meaning)]),
    ".SH ENVIRONMENT",
    roff("Each flag of anteroom serve is also a variable: --tls-cert is ANTEROOM_TLS_CERT."),
  ].join("\n");
}

function commandPart({ name, synopsis, summary, notes = [], options }: Command): string[] {
  const flags = options.filter(({ hidden }) => !hidden);
  return [
    `.SS ${roff(`anteroom ${name} ${synopsis}`.trimEnd())}`,
    roff(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`),
    ...notes.flatMap((note) => [".PP", roff(note)]),
    ...flags.flatMap(({ flag, placeholder, help, fallback }) => [
      ".TP",
      `.B ${roff(`--${flag}${placeholder === undefined ? "" : ` ${placeholder}`}`)}`,
      roff(fallback === undefined ? help : `${help} (default ${fallback})`),
    ]),
  ];
}

/** A line may not begin with a dot or a quote, and hyphens of flags are to stay hyphens. */
function roff(text: string): string {
  const escaped = text.replaceAll("\\", "\\e").replaceAll("-", "\\-");
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}
