/**
 * `anteroom capacity`: the nodes that a crowd needs, and what each of them needs. Asks no node.
 */

import type { Problem } from "../node/config/problem.ts";
import { ASSUMED, type Capacity, COSTS, type Crowd, capacityOf, MARGIN, NODES_MAX } from "./capacity-model.ts";
import { flagValue, type Invocation, isOn, type Option } from "./command.ts";
import { EXIT } from "./exit.ts";
import { Failure } from "./failure.ts";
import { count, number, table, wrap } from "./print.ts";

/** Visitors of a flag at most; rooms have limits of ten million. */
const VISITORS_MAX = 10_000_000;
/** A room's own bounds. */
const REFRESH_DEFAULT = 20;
const REFRESH_MAX = 600;

export const CAPACITY_OPTIONS: readonly Option[] = [
  { flag: "waiting", placeholder: "N", help: `visitors in line, 0 to ${number(VISITORS_MAX)}` },
  { flag: "inside", placeholder: "N", help: `visitors inside at once, 0 to ${number(VISITORS_MAX)}` },
  {
    flag: "per-minute",
    placeholder: "N",
    help: `visitors admitted per minute; by default all that are inside in ${ASSUMED.stayMinutes} minutes`,
  },
  {
    flag: "refresh",
    placeholder: "SECONDS",
    fallback: String(REFRESH_DEFAULT),
    help: "the room's refresh_interval_seconds",
  },
  { flag: "nodes", placeholder: "N", help: "check this many nodes; exit code 3 if they are too few" },
];

/** The crowds that docs/capacity.md has. */
export const SIZES: readonly Pick<Crowd, "waiting" | "inside">[] = [
  { waiting: 1_000, inside: 100 },
  { waiting: 10_000, inside: 1_000 },
  { waiting: 100_000, inside: 5_000 },
  { waiting: 300_000, inside: 20_000 },
  { waiting: 1_000_000, inside: 50_000 },
];

export async function capacity(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const { crowd, nodes } = readCrowd(invocation);
  const found = capacityOf(crowd, nodes);
  if (isOn(invocation, "json")) io.answer(JSON.stringify(jsonOf(crowd, found)));
  else io.answer(capacityText(crowd, found, io.terminal.size().columns));
  if (found.fits) return EXIT.ok;
  const enough = capacityOf(crowd);
  const advice = enough.fits ? `plan ${count(enough.nodes, "node")}` : "split the crowd over several sites";
  io.talk(`${count(found.nodes, "node")} cannot carry this crowd with the margin: ${advice}.`);
  return EXIT.checkFailed;
}

/** What the command prints. */
export function capacityText(crowd: Crowd, found: Capacity, width: number): string {
  const { waiting, inside, perMinute, refreshSeconds } = crowd;
  const heading = `${number(waiting)} in line and ${number(inside)} inside, ${number(perMinute)} admitted per minute, a poll every ${number(refreshSeconds)} s`;
  const columns = [{ title: "WHAT" }, { title: "EACH NODE", align: "right" as const }];
  const rows = [["nodes", number(found.nodes)], ...Object.entries(shown(found)).map(([what, text]) => [what, text])];
  const notes = [
    `With a margin of ${MARGIN}, and enough while one node is lost. A node is one process on one core: --workers runs several on a host.`,
    `Assumed: the line arrives within ${ASSUMED.arrivalSeconds} s, each visitor inside makes ${ASSUMED.requestsPerVisitorMinute} requests a minute through the gates, and each visitor keeps a connection. TLS and the bytes of the site itself come on top. Behind a proxy with few connections, connections and descriptors are far fewer.`,
  ];
  return [
    heading,
    "",
    table(columns, rows, { color: false, width }),
    "",
    ...notes.map((note) => wrap(note, width)),
  ].join("\n");
}

/** The table of docs/capacity.md. */
export function capacityMarkdown(): string {
  const rows = SIZES.map((size) => {
    const crowd = { ...size, perMinute: size.inside / ASSUMED.stayMinutes, refreshSeconds: REFRESH_DEFAULT };
    const found = capacityOf(crowd);
    return [number(size.waiting), number(size.inside), number(found.nodes), ...Object.values(shown(found))];
  });
  return markdown(
    ["in line", "inside", "nodes", "cores each", "memory each", "receives", "sends", "descriptors each"],
    rows,
  );
}

/** The costs with their sources. */
export function costsMarkdown(): string {
  return markdown(
    ["what", "figure", "source"],
    Object.values(COSTS).map(({ of, value, unit, source }) => [of, `${number(value)} ${unit}`, source]),
  );
}

function shown({ each }: Capacity) {
  const megabits = (bits: number) => `${number(Math.ceil(bits / 1e6))} Mbit/s`;
  return {
    cores: (Math.ceil(each.cores * 100) / 100).toFixed(2),
    memory: `${number(Math.ceil(each.memoryBytes / 1e6))} MB`,
    received: megabits(each.receivedBitsPerSecond),
    sent: megabits(each.sentBitsPerSecond),
    descriptors: number(each.descriptors),
  };
}

function jsonOf({ waiting, inside, perMinute, refreshSeconds }: Crowd, { nodes, fits, each }: Capacity) {
  return {
    ...{ waiting, inside, per_minute: perMinute, refresh_seconds: refreshSeconds, nodes, fits, margin: MARGIN },
    each: {
      cores: each.cores,
      memory_bytes: Math.ceil(each.memoryBytes),
      received_bits_per_second: Math.ceil(each.receivedBitsPerSecond),
      sent_bits_per_second: Math.ceil(each.sentBitsPerSecond),
      connections: each.connections,
      descriptors: each.descriptors,
    },
  };
}

function readCrowd(invocation: Invocation): { crowd: Crowd; nodes: number | undefined } {
  const problems: Problem[] = [];
  const read = (flag: string, min: number, max: number): number | undefined => {
    const text = flagValue(invocation, flag);
    if (text === undefined) return undefined;
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    const repair = `write a whole number from ${number(min)} to ${number(max)}, without commas`;
    problems.push({ path: `--${flag}`, value: text, problem: "is not in this range", repair });
    return undefined;
  };
  const needed = (flag: string): number => {
    if (flagValue(invocation, flag) === undefined) {
      problems.push({ path: `--${flag}`, problem: "is missing", repair: `write how many, such as --${flag} 5000` });
    }
    return read(flag, 0, VISITORS_MAX) ?? 0;
  };
  const waiting = needed("waiting");
  const inside = needed("inside");
  const perMinute = read("per-minute", 0, VISITORS_MAX) ?? Math.ceil(inside / ASSUMED.stayMinutes);
  const refreshSeconds = read("refresh", 1, REFRESH_MAX) ?? REFRESH_DEFAULT;
  const nodes = read("nodes", 1, NODES_MAX);
  if (problems.length > 0) throw new Failure("Cannot compute the capacity", { problems });
  return { crowd: { waiting, inside, perMinute, refreshSeconds }, nodes };
}

function markdown(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  return [titles, titles.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
