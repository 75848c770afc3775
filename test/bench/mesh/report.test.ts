import { describe, expect, test } from "vitest";
import { aimLines } from "../report.ts";
import { type Asked, INCREMENT, TICKET } from "./asked.ts";
import type { Lost } from "./lost.ts";
import { askedTable, lostLine, machineWarnings, meshAims, wholeTable } from "./report.ts";
import type { Whole } from "./whole.ts";

const asked = (name: string, p50Ms: number, p99Ms: number): Asked => ({
  ...{ name, count: 1_000, p50Ms, p99Ms, askerMicros: 200.4, askedMicros: 300 },
  ...{ perSecond: 40_000, askerMicrosAtOnce: 9, askedMicrosAtOnce: 14.26 },
});

const whole = (nodes: number, core: number, seenMs: readonly number[]): Whole => {
  const cost = { wireBytes: 32_210, core, coreMax: 0.05, machineBusy: 0.5 };
  return { nodes, joinMs: [500, 700, 600], idle: cost, loaded: cost, seenMs, machineBusySeeing: 0.81 };
};

const lost: Lost = { nodes: 3, room: 300, inside: 100, held: 30, free: 90, letIn: 110, usable: 0.7 };

describe("report on several nodes", () => {
  test("questions are shown as medians over the rounds, in their order", () => {
    const rounds = [asked(TICKET, 0.3, 2), asked(INCREMENT, 0.05, 0.4), asked(TICKET, 0.2, 1), asked(TICKET, 0.9, 9)];
    expect(askedTable(rounds).split("\n").slice(1)).toEqual([
      "measure                p50 ms  p99 ms  CPU µs here  CPU µs there      /s  CPU µs here  CPU µs there",
      "ticket, to the answer    0.30    2.00          200           300  40,000          9.0          14.3",
      "Redis INCR               0.05    0.40          200           300  40,000          9.0          14.3",
    ]);
  });

  test("a mesh is a line, and bytes that the system does not tell are a question mark", () => {
    const unknown = { ...whole(3, 0.01, [50, 100]), idle: { ...whole(3, 0.01, []).idle, wireBytes: undefined } };
    expect(wholeTable([unknown]).split("\n").slice(2)).toEqual([
      "nodes  join ms     idle: core  kB/s     load: core  kB/s  seen p50 ms  p99 ms  machine busy %",
      "    3      600  1.0 % (5.0 %)     ?  1.0 % (5.0 %)  32.2           50     100      50, 50, 81",
    ]);
  });

  test("what a lost node left is a line", () => {
    expect(lostLine(lost)).toBe(
      "Of 3 nodes, a room of 300 with 100 inside: kill -9 of the richest (30 slots held, 90 free), 35 s later 110 new visitors got in, 70.0 % usable",
    );
  });

  test("a mesh that had to wait for the machine is named", () => {
    expect(machineWarnings([whole(30, 0.01, [])])[0]).toMatch(
      /^The machine, or other work on it, was the limit of meshes of 30:/,
    );
    expect(machineWarnings([{ ...whole(3, 0.01, []), machineBusySeeing: 0.5 }])).toEqual([]);
  });

  test("aims are judged by what was measured, and left out where nothing was", () => {
    const rounds = [asked(TICKET, 0.3, 2), asked(INCREMENT, 0.05, 0.4)];
    expect(
      aimLines(
        meshAims({
          skipped: [],
          failed: [],
          asked: rounds,
          losts: [lost],
          wholes: [whole(3, 0.5, [9_000]), whole(10, 0.02, [999])],
        }),
      ),
    ).toEqual([
      "missed  ticket p50 at most 3 times Redis INCR's: 6.00",
      "met     ticket p99 under 5 ms: 2.00",
      "met     an admission seen everywhere, of 10 nodes, p99 under 1,000 ms: 999",
      "missed  usable 35 s after kill -9 of the richest of 3 nodes, at least 93 %: 70.0",
      "met     idle node of 10 under 3 % of a core: 2.00",
    ]);
    expect(meshAims({ skipped: [], failed: [], asked: [asked(TICKET, 0.3, 7)], losts: [], wholes: [] })).toEqual([
      { text: "ticket p99 under 5 ms", measured: 7, isMet: false },
    ]);
  });
});
