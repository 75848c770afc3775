/** `anteroom report`: what the owner of a room gets after a sale: what its figures come to, on one page. */

import type { Analytics } from "../node/operator/analytics/analytics.ts";
import { readAnalytics, SPAN_OPTIONS } from "./analytics.ts";
import { type Command, flagValue, type Invocation, isOn, ONE } from "./command.ts";
import { EXIT } from "./exit.ts";
import { Failure } from "./failure.ts";
import { CLIENT_OPTIONS, JSON_OPTION } from "./options.ts";
import { plotPage } from "./plot-page.ts";
import { wrap } from "./print.ts";
import { reportOf } from "./report-page.ts";
import { writePage } from "./write-page.ts";

export const REPORT_COMMAND: Command = {
  name: "report",
  synopsis: "NAME [--from TIME] [--to TIME] [--html FILE] [flags]",
  positionals: ONE,
  summary: "say what a room's figures come to, with a page for its owner",
  notes: [
    "The verdict comes first: whether the limit was kept, who waited and for how long, and what held visitors back. With --html it " +
      "also writes one page with plots, which loads nothing from outside and prints.",
  ],
  options: [
    ...SPAN_OPTIONS,
    { flag: "html", placeholder: "FILE", help: "write the page to this file" },
    { flag: "title", placeholder: "TEXT", help: "heading of the page; by default the name of the room" },
    {
      flag: "time-zone",
      placeholder: "ZONE",
      help: "of all times, such as Europe/Berlin; by default that of this host",
    },
    JSON_OPTION,
    ...CLIENT_OPTIONS,
  ],
  examples: [
    "anteroom report shop --from -1d --html sale.html",
    'anteroom report shop --from 2026-11-27T09:00:00Z --html sale.html --title "Winter sale" --time-zone Europe/Berlin',
  ],
  run: report,
};

async function report(invocation: Invocation): Promise<number> {
  const { io, positionals } = invocation;
  const [name = ""] = positionals;
  const zone = zoneOf(flagValue(invocation, "time-zone"));
  const read = await readAnalytics(invocation, name);
  const title = flagValue(invocation, "title") ?? `Waiting room ${name}`;
  const page = reportOf(read, { title, zone });
  if (isOn(invocation, "json")) io.answer(JSON.stringify(jsonOf(read, page.verdict ?? []), undefined, 2));
  else io.answer(textOf(page, io.terminal.size().columns));
  const say = isOn(invocation, "json") ? io.talk : io.answer;
  writePage(flagValue(invocation, "html") ?? "", say, () => plotPage(page));
  return EXIT.ok;
}

function zoneOf(given: string | undefined): string {
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone: given }).resolvedOptions().timeZone;
  } catch {
    const repair = "write one of the IANA's time zones, such as Europe/Berlin or UTC";
    const problem = { path: "--time-zone", value: given ?? "", problem: "is not a time zone", repair };
    throw new Failure("Cannot make the report", { problems: [problem] });
  }
}

function jsonOf({ points, ...rest }: Analytics, verdict: readonly { readonly text: string; readonly look: string }[]) {
  return { ...rest, verdict: verdict.map(({ text }) => text), ok: verdict.every(({ look }) => look !== "bad") };
}

const MARKS = { good: "ok", plain: "-", bad: "!" } as const;

function textOf({ title, lead, verdict = [], facts }: ReturnType<typeof reportOf>, width: number): string {
  const names = facts.map(({ name }) => name.length);
  const wide = Math.max(...names);
  return [
    title,
    wrap(lead, width),
    "",
    ...verdict.map(({ text, look }) => wrap(`${MARKS[look].padEnd(2)} ${text}`, width, "   ")),
    "",
    ...facts.map(({ name, value }) => `${name.padEnd(wide)}  ${value}`),
  ].join("\n");
}
