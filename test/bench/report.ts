/**
 * The report: a table of medians, and the aims with what was measured.
 */

import { number, table } from "../../cmd/print.ts";
import type { Measured } from "./rounds.ts";
import { median, medianRatio } from "./statistics.ts";

export type Results = ReadonlyMap<string, readonly Measured[]>;

export interface Aim {
  readonly text: string;
  readonly measured: number;
  /** The same ratio by CPU per request: what would be left if nothing but the servers were the limit. */
  readonly measuredByCpu?: number;
  readonly isMet: boolean;
}

const COLUMNS = [
  { title: "measure" },
  { title: "requests/s", align: "right" },
  { title: "p50 ms", align: "right" },
  { title: "p99 ms", align: "right" },
  { title: "CPU µs/request", align: "right" },
  { title: "core busy", align: "right" },
] as const;

/**
 * The table of medians. Where a core was busy for less than most of the time, the server was not the limit: compare CPU
 * per request there. `skipped` gives names and why they were not measured.
 */
export function resultTable(results: Results, skipped: ReadonlyMap<string, string>): string {
  const rows = Array.from(results, ([name, rounds]) => {
    const of = (field: "perSecond" | "p50Ms" | "p99Ms" | "cpuMicros" | "busy"): number =>
      median(rounds.map((round) => round[field]));
    return [
      name,
      number(of("perSecond")),
      of("p50Ms").toFixed(1),
      of("p99Ms").toFixed(1),
      of("cpuMicros").toFixed(1),
      `${Math.round(of("busy") * 100)} %`,
    ];
  });
  const skippedRows = Array.from(skipped, ([name, why]) => [name, `skipped: ${why}`]);
  const width = Math.max(...[...results.keys(), ...skipped.keys()].map((name) => name.length));
  return [
    table(COLUMNS, rows, { color: false, width: 1_000 }),
    ...skippedRows.map(([name = "", why]) => `${name.padEnd(width)}  ${why}`),
  ].join("\n");
}

/** What was aimed at and what was measured, as far as it was. */
export function aims(results: Results, waitingBytes: readonly number[]): Aim[] {
  const rounds = (name: string, field: "perSecond" | "cpuMicros"): number[] =>
    results.get(name)?.map((round) => round[field]) ?? [];
  const ratio = (name: string, base: string): { measured: number; measuredByCpu: number } => ({
    measured: medianRatio(rounds(name, "perSecond"), rounds(base, "perSecond")),
    measuredByCpu: medianRatio(rounds(base, "cpuMicros"), rounds(name, "cpuMicros")),
  });
  const poll = ratio("waiting poll", "HAProxy, static page of the poll's size");
  const inside = ratio("visitor inside", "nginx, plain proxy");
  const haproxyLane = medianRatio(
    rounds("lane: HAProxy with the fast lane", "cpuMicros"),
    rounds("lane: HAProxy, plain proxy", "cpuMicros"),
  );
  const queued = median(rounds("new visitor, queued", "cpuMicros"));
  const waitingMb = median(waitingBytes) / 1e6;
  return [
    { text: "waiting poll at least 0.8 of HAProxy's static page", ...poll, isMet: poll.measured >= 0.8 },
    { text: "visitor inside at least 0.4 of nginx as a plain proxy", ...inside, isMet: inside.measured >= 0.4 },
    { text: "new visitor queued under 50 µs of CPU, HTTP and page included", measured: queued, isMet: queued < 50 },
    {
      text: "a request of a visitor inside costs HAProxy with the fast lane at most 1.35 of plain HAProxy's CPU",
      ...{ measured: haproxyLane, isMet: haproxyLane <= 1.35 },
    },
    { text: "100,000 waiting visitors under 100 MB", measured: waitingMb, isMet: waitingMb < 100 },
  ].filter(({ measured }) => !Number.isNaN(measured));
}

/** The aims, one a line. */
export function aimLines(measured: readonly Aim[]): string[] {
  return measured.map(({ text, measured: value, measuredByCpu, isMet }) => {
    const byCpu = measuredByCpu === undefined ? "" : ` (by CPU per request: ${measuredByCpu.toPrecision(2)})`;
    const shown = value < 1_000 ? value.toPrecision(3) : number(value);
    return `${isMet ? "met   " : "missed"}  ${text}: ${shown}${byCpu}`;
  });
}
