/** `anteroom analytics`: what happened in a room, step by step, on all nodes. */

import type { Analytics, Point } from "../node/operator/analytics/analytics.ts";
import { adminClient, answerField } from "./admin-client.ts";
import { type Command, flagValue, type Invocation, isOn, ONE, type Option } from "./command.ts";
import { EXIT } from "./exit.ts";
import { Failure } from "./failure.ts";
import { CLIENT_OPTIONS, JSON_OPTION } from "./options.ts";
import { type Column, count, number, span, table } from "./print.ts";

/** A week of minutes of a large mesh is read in parts. */
const ANSWER_MAX_MS = 60_000;

/** The span of time that a command is about. */
export const SPAN_OPTIONS: readonly Option[] = [
  { flag: "from", placeholder: "TIME", help: "the beginning: -2h, -7d, or 2026-11-27T10:00:00Z", fallback: "-24h" },
  { flag: "to", placeholder: "TIME", help: "the end, in the same form", fallback: "now" },
  {
    flag: "step",
    placeholder: "SPAN",
    help: "length of a step: 1m, 15m, 1h, 1d; by default as long as suits the span",
  },
];

export const ANALYTICS_COMMAND: Command = {
  name: "analytics",
  synopsis: "NAME [--from TIME] [--to TIME] [--step SPAN] [--json]",
  positionals: ONE,
  summary: "show what happened in a room",
  notes: [
    "The figures of all nodes for each step of the span, for up to 30 days, also of a room that was deleted meanwhile. " +
      "What is missing is named below the table. docs/analytics.md says what each figure is.",
  ],
  options: [...SPAN_OPTIONS, { flag: "csv", help: "answer in CSV" }, JSON_OPTION, ...CLIENT_OPTIONS],
  examples: ["anteroom analytics shop --from -2h --step 15m", "anteroom analytics shop --from -7d --csv > shop.csv"],
  run: analytics,
};

async function analytics(invocation: Invocation): Promise<number> {
  const { io, positionals } = invocation;
  const [name = ""] = positionals;
  const [isCsv, isJson] = [isOn(invocation, "csv"), isOn(invocation, "json")];
  if (isCsv && isJson) {
    const problem = { path: "--csv", problem: "is given together with --json", repair: "leave one of them out" };
    throw new Failure("Cannot show the analytics", { problems: [problem] });
  }
  const text = await analyticsText(invocation, name, isCsv ? "csv" : "json");
  if (isCsv || isJson) {
    io.answer(text.trimEnd());
    return EXIT.ok;
  }
  const read = JSON.parse(text) as Analytics;
  io.answer(shown(read, { color: io.terminal.color, width: io.terminal.size().columns }));
  for (const { node, name: called = node, from, to } of read.missing)
    io.talk(`Missing: ${called} from ${from} to ${to}. It is filled in when that node is back.`);
  return EXIT.ok;
}

/** What the node answers for the span that the flags name. Throws `Failure`. */
async function analyticsText(invocation: Invocation, name: string, format: "csv" | "json"): Promise<string> {
  const query = new URLSearchParams({ format });
  for (const flag of ["from", "to", "step"]) {
    const value = flagValue(invocation, flag);
    if (value !== undefined) query.set(flag, value);
  }
  const client = adminClient(invocation, { answerMaxMs: ANSWER_MAX_MS });
  return client.callForText("GET", `/v1/rooms/${encodeURIComponent(name)}/analytics?${query}`);
}

/** The same, read. Throws `Failure`. */
export async function readAnalytics(invocation: Invocation, name: string): Promise<Analytics> {
  const read: unknown = JSON.parse(await analyticsText(invocation, name, "json"));
  answerField(read, "totals");
  return read as Analytics;
}

const COLUMNS: readonly Column[] = [
  { title: "FROM (UTC)" },
  ...["INSIDE", "LIMIT", "ADMITTED", "WAITING", "WAIT 50 %", "95 %", "GAVE UP", "NO SHOW"].map(
    (title): Column => ({ title, align: "right" }),
  ),
  { title: "HELD BACK", cutTo: 8 },
];

/** Steps in which something happened, and the whole span below them. */
function shown({ points, totals, room, from, to }: Analytics, options: { color: boolean; width: number }): string {
  const busy = points.filter(({ inside, waiting, ...each }) => inside + waiting + each.admitted + each.rejected > 0);
  if (busy.length === 0) return `Nothing happened in room ${room} from ${from} to ${to}.`;
  const rows = busy.map((point) => [point.at.slice(0, 16).replace("T", " "), ...figures(point)]);
  const notes = `${count(totals.admitted, "visitor")} admitted in ${count(busy.length, "step")} of ${number(points.length)}`;
  return `${table(COLUMNS, [...rows, ["all", ...figures(totals)]], options)}\n\n${notes}`;
}

function figures(of: Omit<Point, "at">): string[] {
  const { inside, limit, admitted, waiting, waited_seconds: waited, abandoned, no_shows: noShows } = of;
  const held = Object.entries(of.held_back).map(([reason, seconds]) => `${reason} ${span(seconds)}`);
  return [
    ...[number(inside), limit === null ? "" : number(limit), number(admitted), number(waiting)],
    ...[waited === null ? "" : span(waited.p50), waited === null ? "" : span(waited.p95)],
    ...[number(abandoned), number(noShows), held.join(", ")],
  ];
}
