import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { COMMANDS } from "../../../cmd/commands.ts";
import { OPERATIONS } from "../../../node/operator/api/operations.ts";
import {
  commandsMarkdown,
  eventFieldsMarkdown,
  fieldsMarkdown,
  scopesMarkdown,
  settingsMarkdown,
} from "./doc-tables.ts";

test("the tables name every command, every room field, and every setting that is not hidden", () => {
  expect(commandsMarkdown(COMMANDS).split("\n")).toHaveLength(COMMANDS.length + 2);
  expect(settingsMarkdown()).toContain("| `--tls-cert FILE` | `ANTEROOM_TLS_CERT` | `tls_cert` |");
  expect(fieldsMarkdown()).toContain("| `session_duration` | `5` |");
  expect(settingsMarkdown()).not.toContain("minute");
});

test("the pages in docs/ hold the tables as they are in the code", () => {
  const settings = readFileSync("docs/settings.md", "utf8");
  expect(settings).toContain(commandsMarkdown(COMMANDS));
  expect(settings).toContain(settingsMarkdown());
  expect(readFileSync("docs/rooms.md", "utf8")).toContain(fieldsMarkdown());
  expect(readFileSync("docs/rooms.md", "utf8")).toContain(eventFieldsMarkdown());
  expect(readFileSync("docs/tokens.md", "utf8")).toContain(scopesMarkdown(OPERATIONS));
});
