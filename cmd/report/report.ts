/**
 * `anteroom report`: what the figures of a room come to, in words, as a page for its owner, and step by step for
 * programs.
 */

import type { Analytics } from "../../node/operator/analytics/analytics.ts";
import { adminClient, answerField, roomPath } from "../admin-client.ts";
import { flagValue, type Invocation, isOn } from "../command.ts";
import { EXIT } from "../exit.ts";
import { Failure } from "../failure.ts";
import { verdictLines, writePage } from "../plot-page.ts";
import { wrap } from "../print.ts";
import { reportOf } from "./report-page.ts";

/** A week of minutes of a large mesh is read in parts. */
const ANSWER_MAX_MS = 60_000;

export async function report(invocation: Invocation): Promise<number> {
  const { io, positionals } = invocation;
  const [name = ""] = positionals;
  const [isCsv, isJson, html] = [isOn(invocation, "csv"), isOn(invocation, "json"), flagValue(invocation, "html")];
  if (isCsv && (isJson || html !== undefined)) {
    const problem = { path: "--csv", problem: "is given together with --json or --html", repair: "leave one out" };
    throw new Failure("Cannot make the report", { problems: [problem] });
  }
  const zone = zoneOf(flagValue(invocation, "time-zone"));
  const client = adminClient(invocation, { answerMaxMs: ANSWER_MAX_MS });
  const path = pathOf(invocation, name, isCsv ? "csv" : "json");
  if (isCsv) {
    io.answer((await client.callForText("GET", path)).trimEnd());
    return EXIT.ok;
  }
  const read = (await client.call("GET", path)) as Analytics;
  answerField(read, "totals");
  const page = reportOf(read, { title: flagValue(invocation, "title") ?? `Waiting room ${name}`, zone });
  if (isJson) io.answer(JSON.stringify({ ...read, ...verdictJson(page) }, undefined, 2));
  else io.answer(textOf(page, io.terminal.size().columns));
  writePage(html ?? "", isJson ? io.talk : io.answer, () => page);
  return EXIT.ok;
}

/** Where a room's figures are, for the span that the flags name. */
function pathOf(invocation: Invocation, name: string, format: "csv" | "json"): string {
  const query = new URLSearchParams({ format });
  for (const flag of ["from", "to", "step"]) {
    const value = flagValue(invocation, flag);
    if (value !== undefined) query.set(flag, value);
  }
  return `${roomPath(name)}/analytics?${query}`;
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

function verdictJson({ verdict }: ReturnType<typeof reportOf>) {
  return { verdict: verdict.map(({ text }) => text), ok: verdict.every(({ look }) => look !== "bad") };
}

function textOf({ title, lead, verdict, facts }: ReturnType<typeof reportOf>, width: number): string {
  const names = facts.map(({ name }) => name.length);
  const wide = Math.max(...names);
  return [
    title,
    wrap(lead, width),
    "",
    ...verdictLines(verdict, width),
    "",
    ...facts.map(({ name, value }) => `${name.padEnd(wide)}  ${value}`),
  ].join("\n");
}
