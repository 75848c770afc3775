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

test("the pages in docs/ hold the tables as they are in the code", () => {
  const settings = readFileSync("docs/settings.md", "utf8");
  expect(settings).toContain(commandsMarkdown(COMMANDS));
  expect(settings).toContain(settingsMarkdown());
  expect(readFileSync("docs/rooms.md", "utf8")).toContain(fieldsMarkdown());
  expect(readFileSync("docs/rooms.md", "utf8")).toContain(eventFieldsMarkdown());
  expect(readFileSync("docs/tokens.md", "utf8")).toContain(scopesMarkdown(OPERATIONS));
});
