/**
 * `anteroom completion`: scripts with which bash, zsh and fish complete commands and flags, made from the table of
 * commands.
 */

import { oneOf } from "../node/config/readers.ts";
import type { Command, Invocation, Option } from "./command.ts";
import { EXIT } from "./exit.ts";
import { Failure } from "./failure.ts";

const readShell = oneOf("bash", "zsh", "fish");

/** Flags of all commands. */
const HELP: Option = { flag: "help", help: "show flags, defaults and examples" };

/** The table is an argument because it has this command in it. */
export function completionOf(commands: () => readonly Command[]) {
  return async ({ io, positionals: [shell = ""] }: Invocation): Promise<number> => {
    const reading = readShell(shell);
    if ("complaint" in reading) {
      const problem = { path: "SHELL", value: JSON.stringify(shell), ...reading.complaint };
      throw new Failure("cannot write a completion", { exit: EXIT.usage, problems: [problem] });
    }
    io.answer(SCRIPTS[reading.value](commands()));
    return EXIT.ok;
  };
}

const SCRIPTS = { bash, zsh, fish } as const;

function bash(commands: readonly Command[]): string {
  return `# bash completion for anteroom
_anteroom() {
  local word=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} words
  case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${cases(commands, (flags) => `words=${quoted(flags)}`)}
    *) words=${quoted(firstWords(commands).join(" "))} ;;
  esac
  case "\${COMP_WORDS[1]}" in
${groups(commands)
  .map(([group, members]) => `    ${group}) [ "$COMP_CWORD" -eq 2 ] && words=${quoted(members.join(" "))} ;;`)
  .join("\n")}
  esac
  [ "$COMP_CWORD" -eq 1 ] && words=${quoted(firstWords(commands).join(" "))}
  case "$previous" in
    ${pathFlags(commands).join("|")}) COMPREPLY=($(compgen -f -- "$word")); return ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _anteroom anteroom`;
}

function zsh(commands: readonly Command[]): string {
  return `#compdef anteroom
# zsh completion for anteroom
autoload -U +X bashcompinit && bashcompinit
${bash(commands)}`;
}

function fish(commands: readonly Command[]): string {
  const lines = commands.flatMap(({ name, summary, options }) => {
    const [first = "", second] = name.split(" ");
    const seen =
      second === undefined
        ? `__fish_seen_subcommand_from ${first}`
        : `__fish_seen_subcommand_from ${first}; and __fish_seen_subcommand_from ${second}`;
    const own =
      second === undefined
        ? `complete -c anteroom -f -n __fish_use_subcommand -a ${first} -d ${quoted(summary)}`
        : `complete -c anteroom -f -n '__fish_seen_subcommand_from ${first}; and not __fish_seen_subcommand_from ${secondWords(commands, first).join(" ")}' -a ${second} -d ${quoted(summary)}`;
    const flags = shown(options).map(({ flag, placeholder, help }) => {
      const value = placeholder === undefined ? "" : placeholder === "FILE" || placeholder === "DIR" ? " -r -F" : " -x";
      return `complete -c anteroom -n '${seen}' -l ${flag}${value} -d ${quoted(help)}`;
    });
    return [own, ...flags];
  });
  const first = groups(commands).map(
    ([group]) => `complete -c anteroom -f -n __fish_use_subcommand -a ${group} -d ${quoted(`commands for ${group}`)}`,
  );
  return ["# fish completion for anteroom", ...first, ...lines].join("\n");
}

function cases(commands: readonly Command[], body: (flags: string) => string): string {
  return commands
    .map(({ name, options }) => {
      const pattern = name.includes(" ") ? quoted(name) : `${quoted(`${name} `)}*`;
      const flags = shown(options).map(({ flag }) => `--${flag}`);
      return `    ${pattern}) ${body(flags.join(" "))} ;;`;
    })
    .join("\n");
}

function shown(options: readonly Option[]): readonly Option[] {
  return [...options.filter(({ hidden }) => !hidden), HELP];
}

function firstWords(commands: readonly Command[]): readonly string[] {
  return [...new Set(commands.map(({ name }) => name.split(" ")[0] ?? ""))];
}

function secondWords(commands: readonly Command[], first: string): readonly string[] {
  return commands.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name.slice(first.length + 1));
}

function groups(commands: readonly Command[]): readonly (readonly [string, readonly string[]])[] {
  return firstWords(commands)
    .map((first) => [first, secondWords(commands, first)] as const)
    .filter(([, members]) => members.length > 0);
}

/** Flags whose value is a path. */
function pathFlags(commands: readonly Command[]): readonly string[] {
  const paths = commands.flatMap(({ options }) =>
    options.filter(({ placeholder }) => placeholder === "FILE" || placeholder === "DIR"),
  );
  return [...new Set(paths.map(({ flag }) => `--${flag}`))];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
