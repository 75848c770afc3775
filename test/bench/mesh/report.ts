/**
 * The report on several nodes: what a gate asks of another one, what a mesh costs and how soon all of it knows, and the
 * aims.
 */

import { table } from "../../../cmd/print.ts";
import type { Aim } from "../report.ts";
import { median, medianRatio, quantile } from "../statistics.ts";
import { type Asked, INCREMENT, TICKET } from "./asked.ts";
import type { MeshResults } from "./main.ts";
import { NODES } from "./whole.ts";

type Field = Exclude<keyof Asked, "name">;

/** Medians over the rounds, in the order in which they were asked. */
export function askedTable(asked: readonly Asked[]): string {
  const rows = [...new Set(asked.map(({ name }) => name))].map((name) => [
    name,
    ...(["p50Ms", "p99Ms"] as const).map((field) => median(roundsOf(asked, name, field)).toFixed(2)),
  ]);
  const columns = ["p50 ms", "p99 ms"].map((title) => ({ title, align: "right" }) as const);
  const title = "asked of another process, one at a time";
  return table([{ title }, ...columns], rows, { color: false, width: 1_000 });
}

/** What was aimed at and what was measured, as far as it was. */
export function meshAims({ asked, whole }: Pick<MeshResults, "asked" | "whole">): Aim[] {
  const ratio = medianRatio(roundsOf(asked, TICKET, "p50Ms"), roundsOf(asked, INCREMENT, "p50Ms"));
  const p99Ms = median(roundsOf(asked, TICKET, "p99Ms"));
  const seenMs = quantile(whole?.seenMs ?? [], 0.99);
  const idle = (whole?.idleCore ?? Number.NaN) * 100;
  return [
    { text: "ticket p50 at most 3 times Redis INCR's", measured: ratio, isMet: ratio <= 3 },
    { text: "ticket p99 under 5 ms", measured: p99Ms, isMet: p99Ms < 5 },
    {
      text: `an admission seen everywhere, of ${NODES} nodes, p99 under 1,000 ms`,
      ...{ measured: seenMs, isMet: seenMs < 1_000 },
    },
    { text: `idle node of ${NODES} under 3 % of a core`, measured: idle, isMet: idle < 3 },
  ].filter(({ measured }) => !Number.isNaN(measured));
}

function roundsOf(asked: readonly Asked[], wanted: string, field: Field): number[] {
  return asked.filter(({ name }) => name === wanted).map((round) => round[field]);
}
