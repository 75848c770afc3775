/**
 * Each call of anteroom that a document shows is one that the command line takes: the command exists, and so do its
 * flags. The same holds for the simulator.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { COMMANDS } from "../../../cmd/commands.ts";
import { OPTIONS as SIMULATOR_OPTIONS } from "../../sim/options.ts";

const PAGES = ["README.md", "ARCHITECTURE.md", "SECURITY.md", "CONTRIBUTING.md"].concat(
  readdirSync("docs")
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name)),
);
const CODE = /```[\s\S]*?```|`[^`\n]+`/g;
/** To the end of the line, of the code span, or of the shell command. `npm start --` runs the demo. */
const CALL = /(?:^|[`(\s/[])(anteroom|npm start --) ([a-z-][^`\n;|#)]*)/gm;
const FLAG = /--([a-z][a-z0-9-]*)/g;

const spans = PAGES.flatMap((page) =>
  (
    readFileSync(page, "utf8")
      .replace(/\\\n\s*/g, "")
      .match(CODE) ?? []
  ).map((code) => ({ page, code: typed(code) })),
);
const calls = spans.flatMap(({ page, code }) =>
  [...code.matchAll(CALL)].map(([, program, rest = ""]) => ({
    page,
    call: program === "anteroom" ? rest : `demo ${rest}`,
  })),
);

test("the documents show calls of most commands", () => {
  const shown = new Set(calls.flatMap(({ call }) => commandOf(call)?.name ?? []));
  expect(shown.size).toBeGreaterThan(COMMANDS.length / 2);
});

test("each call in a document names a command, and flags that it has", () => {
  const wrong = calls.flatMap(({ page, call }) => {
    const command = commandOf(call);
    if (command === undefined) return [`${page}: anteroom ${call}`];
    const known = new Set(["help", ...command.options.map(({ flag }) => flag)]);
    return [...call.matchAll(FLAG)]
      .filter(([, flag = ""]) => !known.has(flag))
      .map(([, flag]) => `${page}: anteroom ${command.name} has no --${flag}`);
  });
  expect(wrong).toEqual([]);
});

test("each call of the simulator in a document has flags that it knows", () => {
  const known = new Set(SIMULATOR_OPTIONS.map(({ flag }): string => flag));
  const flags = spans.flatMap(({ code }) =>
    [...code.matchAll(/npm run simulate -- ([^`\n;|#)]*)/g)].flatMap(([, rest = ""]) =>
      [...rest.matchAll(FLAG)].map(([, flag = ""]) => flag),
    ),
  );
  expect(flags).toContain("seeds");
  expect(flags.filter((flag) => !known.has(flag))).toEqual([]);
});

test("each flag that stands alone in a document is one of some command, or of the simulator", () => {
  const options = [...COMMANDS.flatMap(({ options }) => options), ...SIMULATOR_OPTIONS];
  const known = new Set(["help", ...options.map(({ flag }) => flag)]);
  const wrong = spans
    .filter(({ code }) => code.startsWith("`--"))
    .flatMap(({ page, code }) =>
      [...code.slice(1, -1).matchAll(FLAG)]
        .filter(([, flag = ""]) => !known.has(flag))
        .map(([, flag]) => `${page}: --${flag}`),
    );
  expect(wrong).toEqual([]);
});

/** Without the output that a console block shows below what is typed. */
function typed(code: string): string {
  return code.startsWith("```console") ? (code.match(/^ *\$ .*$/gm) ?? []).join("\n") : code;
}

/** The longest name wins: `room list` before `room`. */
function commandOf(call: string) {
  const words = call.trim().split(/\s+/);
  return (
    COMMANDS.find(({ name }) => name === words.slice(0, 2).join(" ")) ?? COMMANDS.find(({ name }) => name === words[0])
  );
}
