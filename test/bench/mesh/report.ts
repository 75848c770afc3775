/**
 * The report on several nodes: what a gate asks of another one, what a mesh costs and how soon all of it knows, and the
 * aims.
 */

import { number, table } from "../../../cmd/print.ts";
import type { Aim } from "../report.ts";
import { median, medianRatio, quantile } from "../statistics.ts";
import { type Asked, AT_ONCE, INCREMENT, TICKET } from "./asked.ts";
import type { MeshResults } from "./main.ts";
import { type Cost, SEEN_LOOK_MS_PER_NODE, VISITORS_PER_SECOND, type Whole } from "./whole.ts";

/** Nodes of the mesh that the aims are about. */
const AIMED_NODES = 10;

const WHOLE_SHOWN = { color: false, width: 1_000 } as const;

/** Medians over the rounds, in the order in which they were asked. */
export function askedTable(asked: readonly Asked[]): string {
  const rows = [...new Set(asked.map(({ name }) => name))].map((name) => {
    const of = (field: Exclude<keyof Asked, "name">): number => median(roundsOf(asked, name, field));
    return [
      ...[name, of("p50Ms").toFixed(2), of("p99Ms").toFixed(2)],
      ...[of("askerMicros").toFixed(0), of("askedMicros").toFixed(0), number(of("perSecond"))],
      ...[of("askerMicrosAtOnce").toFixed(1), of("askedMicrosAtOnce").toFixed(1)],
    ];
  });
  const titles = ["p50 ms", "p99 ms", "CPU µs here", "CPU µs there", "/s", "CPU µs here", "CPU µs there"];
  const columns = titles.map((title) => ({ title, align: "right" }) as const);
  return [
    `Asked of a process beside this one: one at a time, then ${number(AT_ONCE)} at once`,
    table([{ title: "measure" }, ...columns], rows, WHOLE_SHOWN),
  ].join("\n");
}

/** One line per mesh. */
export function wholeTable(wholes: readonly Whole[]): string {
  const cost = ({ core, coreMax, wireBytes }: Cost): string[] => [
    `${percent(core)} (${percent(coreMax)})`,
    wireBytes === undefined ? "?" : (wireBytes / 1_000).toFixed(1),
  ];
  const rows = wholes.map(({ nodes, idle, loaded, seenMs, machineBusySeeing }) => [
    ...[String(nodes), ...cost(idle), ...cost(loaded)],
    ...[quantile(seenMs, 0.5).toFixed(0), quantile(seenMs, 0.99).toFixed(0)],
    [idle.machineBusy, loaded.machineBusy, machineBusySeeing].map((busy) => (busy * 100).toFixed(0)).join(", "),
  ]);
  const titles = ["nodes", "idle: core", "kB/s", "load: core", "kB/s", "seen p50 ms", "p99 ms", "machine busy %"];
  return [
    `Meshes, per node: part of a core (most of one node) and bytes sent, at rest and with ${VISITORS_PER_SECOND} new visitors a second in all;`,
    `under that load, from a visitor's request at one node to all others' knowing, looked for every ${SEEN_LOOK_MS_PER_NODE} ms × nodes`,
    table(
      titles.map((title) => ({ title, align: "right" })),
      rows,
      WHOLE_SHOWN,
    ),
  ].join("\n");
}

/** What was aimed at and what was measured, as far as it was. */
export function meshAims({ asked, wholes }: MeshResults): Aim[] {
  const ratio = medianRatio(roundsOf(asked, TICKET, "p50Ms"), roundsOf(asked, INCREMENT, "p50Ms"));
  const p99Ms = median(roundsOf(asked, TICKET, "p99Ms"));
  const ten = wholes.find(({ nodes }) => nodes === AIMED_NODES);
  const seenMs = quantile(ten?.seenMs ?? [], 0.99);
  const idle = (ten?.idle.core ?? Number.NaN) * 100;
  return [
    { text: "ticket p50 at most 3 times Redis INCR's", measured: ratio, isMet: ratio <= 3 },
    { text: "ticket p99 under 5 ms", measured: p99Ms, isMet: p99Ms < 5 },
    { text: "an admission seen everywhere, of 10 nodes, p99 under 1,000 ms", measured: seenMs, isMet: seenMs < 1_000 },
    { text: "idle node of 10 under 3 % of a core", measured: idle, isMet: idle < 3 },
  ].filter(({ measured }) => !Number.isNaN(measured));
}

function roundsOf(asked: readonly Asked[], wanted: string, field: Exclude<keyof Asked, "name">): number[] {
  return asked.filter(({ name }) => name === wanted).map((round) => round[field]);
}

function percent(part: number): string {
  return `${(part * 100).toFixed(1)} %`;
}
