/**
 * `anteroom pass ROOM`: passes for a room, one from flags, or one for each row of a CSV file.
 *
 * A file is read twice: all its problems are reported before the first pass is made; stdin, once, up to its first
 * problem. Rows go to the node and come back with their passes in one stream, so a million take no more memory than a
 * thousand. Other columns of the file are copied.
 */

import { CsvError, parse } from "csv-parse";
import { isObject } from "../../node/config/is-object.ts";
import { type Problem, problemAt } from "../../node/config/problem.ts";
import { PASS_EXPIRES, PASS_FIELDS, parsePassOrder } from "../../node/cookie/pass-order.ts";
import { messageOf } from "../../node/message-of.ts";
import { type AdminClient, adminClient, roomPath } from "../admin-client.ts";
import { flagValue, type Invocation, isOn, type Option } from "../command.ts";
import { EXIT } from "../exit.ts";
import { codeOf, Failure } from "../failure.ts";
import type { Io } from "../io.ts";
import { columnProblems } from "./pass-columns.ts";
import { waveOrder } from "./wave-order.ts";

/** A room mostly has one wave at a time. */
const WAVE = "wave";

export const PASS_OPTIONS: readonly Option[] = [
  {
    flag: "key",
    placeholder: "KEY",
    help: "who it is for, such as an order number: it is good for one visitor at a time",
  },
  {
    flag: "expires",
    placeholder: "TIME",
    fallback: PASS_EXPIRES,
    help: "a span (12h, 30d) or a time (2027-01-31T18:00:00Z)",
  },
  {
    flag: "lane",
    placeholder: "N",
    help: "its lane in line, 1 to 9: the room's lanes say which part of the slots it gets",
  },
  { flag: "staff", help: "its bearer bypasses the room: no line, no slot, not counted" },
  { flag: "url", placeholder: "URL", help: "print links to this address in place of bare passes" },
  { flag: "csv", placeholder: "FILE", help: "one pass for each row; columns key, lane, expires and staff; - is stdin" },
  {
    flag: "wave",
    placeholder: "RATE",
    help: "the rows' passes are good in steps: 500/10m is 500 now and 500 more every 10 minutes, 500/50/10m grows by 50 %",
  },
  { flag: "wave-name", placeholder: "NAME", fallback: WAVE, help: "what the wave is called in this room" },
  {
    flag: "wave-start",
    placeholder: "TIME",
    help: "when the first step is, such as 2027-01-31T18:00:00Z; now without it",
  },
  { flag: "pause", placeholder: "WAVE", help: "make no pass: no more of the wave's begin to be good" },
  {
    flag: "resume",
    placeholder: "WAVE",
    help: "go on with it: the next step is when it is due, or at once if overdue",
  },
  { flag: "end", placeholder: "WAVE", help: "forget it: all its passes are good" },
];

/** Problems of a file that are shown; the rest is counted. */
const PROBLEMS_MAX = 20;

const NOTES = { none: "no pass was made" } as const;

type Row = Readonly<Record<string, string>>;

export async function pass(invocation: Invocation): Promise<number> {
  const ordered = await waveOrder(invocation);
  if (ordered !== undefined) return ordered;
  const [room = ""] = invocation.positionals;
  const csv = flagValue(invocation, "csv");
  const given = givenFields(invocation);
  const url = linkBase(invocation);
  const wave = waveGiven(invocation);
  const client = adminClient(invocation);
  if (csv === undefined) {
    const [made] = (await Array.fromAsync(madePasses(client, room, [given]))).flat();
    if (made === undefined) throw unanswered();
    const text = linkOf(url, String(made.pass));
    invocation.io.answer(isOn(invocation, "json") ? JSON.stringify({ ...made, ...(url && { url: text }) }) : text);
    return EXIT.ok;
  }
  if (given.key !== undefined) {
    const problem = { problem: "comes with --csv, whose rows have keys of their own", repair: "leave one of them out" };
    throw new Failure(NOTES.none, { problems: [problemAt("--key", given.key, problem)] });
  }
  const count = csv === "-" ? undefined : await checkFile(invocation.io, csv, given);
  // Before its passes: those of a wave that the room does not have are good.
  if (wave !== undefined) await client.call("POST", `${roomPath(room)}/wave`, { ...wave, count });
  await makeAll(invocation, { csv, given, room, url, client, wave: wave?.wave });
  if (wave !== undefined) {
    invocation.io.talk(
      `Watch wave ${wave.wave} with anteroom status; pause it with: anteroom pass ${room} --pause ${wave.wave}`,
    );
  }
  return EXIT.ok;
}

/** The fields that flags give: of the one pass, or of all rows that do not have their own. */
function givenFields(invocation: Invocation): Row {
  const [key, lane, expires] = ["key", "lane", "expires"].map((flag) => flagValue(invocation, flag));
  return {
    ...(key !== undefined && { key }),
    ...(lane !== undefined && { lane }),
    ...(expires !== undefined && { expires }),
    ...(isOn(invocation, "staff") && { staff: "true" }),
  };
}

/** The wave that flags start; undefined without one. */
function waveGiven(
  invocation: Invocation,
): { readonly wave: string; readonly rate: string; readonly start?: string } | undefined {
  const [rate, name, start] = ["wave", "wave-name", "wave-start"].map((flag) => flagValue(invocation, flag));
  const [path, value] =
    rate !== undefined ? ["--wave", rate] : name !== undefined ? ["--wave-name", name] : ["--wave-start", start];
  if (value === undefined) return undefined;
  if (rate !== undefined && flagValue(invocation, "csv") !== undefined)
    return { wave: name ?? WAVE, rate, ...(start !== undefined && { start }) };
  const problem = {
    problem: "needs --wave RATE, and --csv FILE with the rows",
    repair: "write these too, or leave it out",
  };
  throw new Failure(NOTES.none, { problems: [problemAt(path ?? "", value, problem)] });
}

/** How many rows the file has; all its problems are reported first. */
async function checkFile(io: Io, path: string, given: Row): Promise<number> {
  const problems: Problem[] = [];
  let wrong = 0;
  let rows = 0;
  for await (const { row, place } of rowsOf(io, path)) {
    rows += 1;
    for (const problem of problemsOfRow(row, place, given)) {
      wrong += 1;
      if (problems.length < PROBLEMS_MAX) problems.push(problem);
    }
  }
  if (wrong === 0) return rows;
  const more = wrong > problems.length ? `, and ${wrong - problems.length} more problems` : "";
  throw new Failure(`${NOTES.none}${more}`, { problems });
}

interface Making {
  readonly csv: string;
  readonly given: Row;
  readonly room: string;
  readonly url: URL | undefined;
  readonly client: AdminClient;
  /** The wave whose passes they are. */
  readonly wave?: string | undefined;
}

async function makeAll({ io }: Invocation, { csv, given, room, url, client, wave }: Making): Promise<void> {
  /** Rows that were sent, and are not answered yet. */
  const sent: Row[] = [];
  let wrong: Failure | undefined;
  const orders = async function* (): AsyncGenerator<Row> {
    try {
      for await (const { row, place } of rowsOf(io, csv)) {
        const problems = problemsOfRow(row, place, given);
        if (problems.length > 0) throw new Failure(NOTES.none, { problems });
        sent.push(row);
        yield orderOf(row, given);
      }
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      // What was sent before is answered first.
      wrong = error;
    }
  };
  let made = 0;
  try {
    for await (const passes of madePasses(client, room, orders(), wave)) {
      const rows = sent.splice(0, passes.length);
      if (made === 0) await io.write(csvLine([...Object.keys(rows[0] ?? {}), url === undefined ? "pass" : "link"]));
      const lines = rows.map((row, at) => csvLine([...Object.values(row), linkOf(url, String(passes[at]?.pass))]));
      await io.write(lines.join(""));
      made += rows.length;
    }
  } catch (error) {
    if (error instanceof Failure && made > 0) error.message += `; ${made} passes were made before`;
    throw error;
  }
  if (wrong !== undefined)
    throw new Failure(made === 0 ? NOTES.none : `${made} passes were made, and no more`, { problems: wrong.problems });
  if (sent.length > 0) throw unanswered();
  io.talk(`${made} ${made === 1 ? "pass" : "passes"} made for room ${room}.`);
}

interface Read {
  readonly row: Row;
  /** For messages: file and line. */
  readonly place: string;
}

async function* rowsOf(io: Io, path: string): AsyncGenerator<Read> {
  const shown = path === "-" ? "stdin" : path;
  let problems: readonly Problem[] = [];
  const columns = (names: string[]): string[] => {
    problems = columnProblems(names, shown);
    return names;
  };
  const reader = parse({ columns, bom: true, info: true, skip_empty_lines: true, max_record_size: 65_536 });
  const checkColumns = (): void => {
    if (problems.length > 0) throw new Failure(NOTES.none, { problems });
  };
  try {
    const source = io.stream(path);
    source.on("error", (error) => reader.destroy(error));
    source.pipe(reader);
    for await (const { record, info } of reader as AsyncIterable<{ record: Row; info: { lines: number } }>) {
      checkColumns();
      yield { row: record, place: `${shown}: line ${info.lines}` };
    }
    checkColumns();
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (error instanceof CsvError) {
      const repair = "write a first line with the names of the columns, and as many values in each line";
      const problem = { problem: `cannot be read as CSV: ${error.message}`, repair };
      throw new Failure(NOTES.none, { problems: [problemAt(shown, undefined, problem)], cause: error });
    }
    const problem = codeOf(error) === "ENOENT" ? "does not exist" : `cannot be read: ${messageOf(error)}`;
    throw new Failure(NOTES.none, {
      problems: [problemAt(shown, undefined, { problem, repair: "name a CSV file that this user may read, or -" })],
      cause: error,
    });
  }
}

function problemsOfRow(row: Row, place: string, given: Row): readonly Problem[] {
  const parsed = parsePassOrder(orderOf(row, given), { path: place, nowMs: Date.now() });
  const problems = parsed.ok ? [] : parsed.problems;
  return row.key === "" && row.staff !== "true" && given.staff === undefined ? [...problems, noKey(place)] : problems;
}

/** A pass without a key is good for any number of visitors: that is never what an empty cell means. */
function noKey(place: string): Problem {
  const problem = { problem: "is empty", repair: "write a key, or leave the column out for passes without one" };
  return problemAt(`${place}.key`, "", problem);
}

/** The columns of a row that say something about its pass. */
function orderOf(row: Row, given: Row): Row {
  const own = PASS_FIELDS.flatMap((field) => (row[field] ? [[field, row[field]] as const] : []));
  return { ...given, ...Object.fromEntries(own) };
}

/** What ends an answer early. */
interface LastLine {
  readonly problems?: readonly Problem[];
  readonly more_problems?: number;
}

/** The passes that the node makes of orders, some at a time, as they come. */
async function* madePasses(
  client: AdminClient,
  room: string,
  orders: Iterable<Row> | AsyncIterable<Row>,
  wave?: string,
): AsyncGenerator<readonly Readonly<Record<string, unknown>>[]> {
  const path = `${roomPath(room)}/passes${wave === undefined ? "" : `?${new URLSearchParams({ wave })}`}`;
  for await (const lines of client.lines(path, orders)) {
    const passes = lines.filter(isObject).filter(({ pass }) => typeof pass === "string");
    yield passes;
    if (passes.length === lines.length) continue;
    const { problems, more_problems: more } = Object(lines[passes.length]) as LastLine;
    if (problems === undefined) throw unanswered();
    const others = more === undefined ? "" : `, and there are ${more} more problems`;
    throw new Failure(`The node made no more passes${others}`, { problems });
  }
}

function unanswered(): Failure {
  return new Failure("Cannot read the answer as it has not one pass for each that was asked for", {
    hint: "check the address given with --admin",
  });
}

function linkBase(invocation: Invocation): URL | undefined {
  const text = flagValue(invocation, "url");
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  const problem = { problem: "is not an address", repair: "write one such as https://shop.example.com/" };
  throw new Failure(NOTES.none, { problems: [problemAt("--url", text, problem)] });
}

function linkOf(url: URL | undefined, text: string): string {
  if (url === undefined) return text;
  const link = new URL(url);
  link.searchParams.set("anteroom_pass", text);
  return link.href;
}

/** RFC 4180: a value with a comma, a quote or a line break stands in quotes. */
function csvLine(values: readonly string[]): string {
  return `${values.map((value) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)).join(",")}\n`;
}
