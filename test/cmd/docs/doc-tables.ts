/**
 * The tables of commands, settings and room fields as the pages in docs/ show them; a test compares the two.
 *
 * To print one: `bun -e 'import * as t from "./test/cmd/docs/doc-tables.ts"; console.log(t.settingsMarkdown())'`.
 */

import type { Command } from "../../../cmd/command.ts";
import { eventFieldHelp } from "../../../node/config/event-schema.ts";
import { fieldHelp } from "../../../node/config/room-schema.ts";
import { fileKeyOf, flagOf, SETTING_KEYS, settingOf, variableOf } from "../../../node/config/settings-table.ts";
import { SCOPES } from "../../../node/operator/access/principal.ts";
import type { Operation } from "../../../node/operator/calls/operation.ts";

/** One row per setting: flag, variable, key, default, what it sets. */
export function settingsMarkdown(): string {
  const rows = SETTING_KEYS.map((key) => ({ key, ...settingOf(key) })).filter(({ hidden }) => !hidden);
  return markdown(
    ["flag", "environment", "config file", "default", "what it sets"],
    rows.map(({ key, placeholder, fallback, help }) => [
      code(placeholder === undefined ? `--${flagOf(key)}` : `--${flagOf(key)} ${placeholder}`),
      code(variableOf(key)),
      key === "config" ? "" : code(fileKeyOf(key)),
      fallback === undefined ? "" : code(fallback),
      help,
    ]),
  );
}

/** One row per field of a room: name, default, what it means. */
export function fieldsMarkdown(): string {
  return markdown(
    ["field", "default", "what it means"],
    fieldHelp().map(({ field, help, fallback }) => [code(field), fallback === undefined ? "" : code(fallback), help]),
  );
}

/** One row per field of an event: name, what it means. */
export function eventFieldsMarkdown(): string {
  return markdown(
    ["field", "what it means"],
    eventFieldHelp().map(({ field, help }) => [code(field), help]),
  );
}

/** One row per command: how it is called, what it does. */
export function commandsMarkdown(commands: readonly Command[]): string {
  return markdown(
    ["command", "what it does"],
    commands.map(({ name, synopsis, summary }) => [code(`anteroom ${name} ${synopsis}`.trimEnd()), summary]),
  );
}

/** One row per scope: the calls of the admin API that take it. */
export function scopesMarkdown(operations: readonly Pick<Operation, "method" | "path" | "scope">[]): string {
  return markdown(
    ["scope", "calls"],
    SCOPES.map((scope) => {
      const calls = operations.filter((operation) => operation.scope === scope);
      return [code(scope), calls.map(({ method, path }) => code(`${method} ${path}`)).join(", ")];
    }),
  );
}

function code(text: string): string {
  return `\`${text}\``;
}

function markdown(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [titles, titles.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`).join("\n");
}
