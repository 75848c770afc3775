/**
 * `anteroom pass ROOM`: passes for a room, one from flags, or one for each key in a file.
 *
 * All problems of a file are reported before the first pass is made. An empty line is one: a pass without a key is good
 * for any number of visitors, and that is never what it means.
 */

import { isObject } from "../node/config/is-object.ts";
import { type Problem, problemAt } from "../node/config/problem.ts";
import { PASS_EXPIRES, parsePassOrder } from "../node/cookie/pass-order.ts";
import { type AdminClient, adminClient, answerField } from "./admin-client.ts";
import { flagValue, type Invocation, isOn, type Option } from "./command.ts";
import { EXIT } from "./exit.ts";
import { Failure } from "./failure.ts";
import { number } from "./print.ts";
import { readInput, shownPath } from "./read-input.ts";

export const PASS_OPTIONS: readonly Option[] = [
  {
    flag: "key",
    placeholder: "KEY",
    help: "who it is for, such as an order number: it is good for one visitor at a time",
  },
  {
    flag: "keys",
    placeholder: "FILE",
    help: "one pass for each line, which is its key; - is stdin. Prints key, tab and pass",
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
];

/** Passes of one call: the node makes them in some ms. */
const BATCH_MAX = 1_000;

/** Problems of a file that are shown; the rest is counted. */
const PROBLEMS_MAX = 20;

const NONE_MADE = "no pass was made";

type Order = Readonly<Record<string, string>>;

export async function pass(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const [room = ""] = invocation.positionals;
  const file = flagValue(invocation, "keys");
  const given = givenFields(invocation);
  const url = linkBase(invocation);
  const orders = file === undefined ? [given] : ordersOf(invocation, file, given);
  const client = adminClient(invocation);
  for (let from = 0; from < orders.length; from += BATCH_MAX) {
    const batch = orders.slice(from, from + BATCH_MAX);
    const passes = await makePasses(client, room, batch);
    const lines = passes.map((made, at) => {
      const text = linkOf(url, String(made.pass));
      if (isOn(invocation, "json")) return JSON.stringify({ ...made, ...(url && { url: text }) });
      return file === undefined ? text : `${batch[at]?.key}\t${text}`;
    });
    await io.write(`${lines.join("\n")}\n`);
  }
  if (file !== undefined) io.talk(`Made passes for room ${room}: ${number(orders.length)}.`);
  return EXIT.ok;
}

/** The fields that flags give: of the one pass, or of all. */
function givenFields(invocation: Invocation): Order {
  const [key, lane, expires] = ["key", "lane", "expires"].map((flag) => flagValue(invocation, flag));
  return {
    ...(key !== undefined && { key }),
    ...(lane !== undefined && { lane }),
    ...(expires !== undefined && { expires }),
    ...(isOn(invocation, "staff") && { staff: "true" }),
  };
}

/** One order for each line of a file. Throws `Failure` with the problems of all. */
function ordersOf({ io }: Invocation, path: string, given: Order): readonly Order[] {
  if (given.key !== undefined) {
    const problem = { problem: "comes with --keys", repair: "leave one of them out" };
    throw new Failure(NONE_MADE, { problems: [problemAt("--key", given.key, problem)] });
  }
  const text = readInput(io, path);
  if (!text.ok) throw new Failure(NONE_MADE, { problems: text.problems });
  const keys = text.value.replace(/^\ufeff/, "").split(/\r?\n/);
  if (keys.at(-1) === "") keys.pop();
  const problems = keys.flatMap((key, at) => problemsOf({ ...given, key }, `${shownPath(path)}: line ${at + 1}`));
  if (problems.length === 0) return keys.map((key) => ({ ...given, key }));
  const more = problems.length > PROBLEMS_MAX ? `, and ${problems.length - PROBLEMS_MAX} more problems` : "";
  throw new Failure(`${NONE_MADE}${more}`, { problems: problems.slice(0, PROBLEMS_MAX) });
}

function problemsOf(order: Order, path: string): readonly Problem[] {
  if (order.key === "") return [problemAt(path, "", { problem: "is empty", repair: "write a key, or no line" })];
  const parsed = parsePassOrder(order, { path, nowMs: Date.now() });
  return parsed.ok ? [] : parsed.problems;
}

async function makePasses(
  client: AdminClient,
  room: string,
  orders: readonly Order[],
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const answer = await client.call("POST", `/v1/rooms/${encodeURIComponent(room)}/passes`, { passes: orders });
  const passes = answerField(answer, "passes");
  if (Array.isArray(passes) && passes.length === orders.length && passes.every(isObject)) return passes;
  throw new Failure("Cannot read the answer as it has not one pass for each that was asked for", {
    hint: "check the address given with --admin",
  });
}

function linkBase(invocation: Invocation): URL | undefined {
  const text = flagValue(invocation, "url");
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  const problem = { problem: "is not an address", repair: "write one such as https://shop.example.com/" };
  throw new Failure(NONE_MADE, { problems: [problemAt("--url", text, problem)] });
}

function linkOf(url: URL | undefined, text: string): string {
  if (url === undefined) return text;
  const link = new URL(url);
  link.searchParams.set("anteroom_pass", text);
  return link.href;
}
