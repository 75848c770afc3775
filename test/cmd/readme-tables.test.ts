import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { COMMANDS } from "../../cmd/commands.ts";
import { commandsMarkdown, fieldsMarkdown, settingsMarkdown } from "../../cmd/readme-tables.ts";

test("the tables name every command, every room field, and every setting that is not hidden", () => {
  expect(commandsMarkdown(COMMANDS).split("\n")).toHaveLength(COMMANDS.length + 2);
  expect(settingsMarkdown()).toContain("| `--tls-cert FILE` | `ANTEROOM_TLS_CERT` | `tls_cert` |");
  expect(fieldsMarkdown()).toContain("| `session_duration` | `5` |");
  expect(settingsMarkdown()).not.toContain("minute");
});

test.runIf(existsSync("README.md"))("the README holds the tables as they are in the code", () => {
  const readme = readFileSync("README.md", "utf8");
  expect(readme).toContain(settingsMarkdown());
  expect(readme).toContain(fieldsMarkdown());
  expect(readme).toContain(commandsMarkdown(COMMANDS));
});
