import { describe, expect, test } from "vitest";
import { aimLines } from "../report.ts";
import { type Asked, INCREMENT, TICKET } from "./asked.ts";
import { meshAims } from "./report.ts";
import type { Whole } from "./whole.ts";

const asked = (name: string, p50Ms: number, p99Ms: number): Asked => ({
  ...{ name, count: 1_000, p50Ms, p99Ms, askerMicros: 200.4, askedMicros: 300 },
  ...{ perSecond: 40_000, askerMicrosAtOnce: 9, askedMicrosAtOnce: 14.26 },
});

const whole = (nodes: number, core: number, seenMs: readonly number[]): Whole => {
  const cost = { wireBytes: 32_210, core, coreMax: 0.05, machineBusy: 0.5 };
  return { nodes, idle: cost, loaded: cost, seenMs, machineBusySeeing: 0.81 };
};

describe("report on several nodes", () => {
  test("aims are judged by what was measured, and left out where nothing was", () => {
    const rounds = [asked(TICKET, 0.3, 2), asked(INCREMENT, 0.05, 0.4)];
    expect(
      aimLines(
        meshAims({
          skipped: [],
          failed: [],
          asked: rounds,
          wholes: [whole(3, 0.5, [9_000]), whole(10, 0.02, [999])],
        }),
      ),
    ).toEqual([
      "missed  ticket p50 at most 3 times Redis INCR's: 6.00",
      "met     ticket p99 under 5 ms: 2.00",
      "met     an admission seen everywhere, of 10 nodes, p99 under 1,000 ms: 999",
      "met     idle node of 10 under 3 % of a core: 2.00",
    ]);
    expect(meshAims({ skipped: [], failed: [], asked: [asked(TICKET, 0.3, 7)], wholes: [] })).toEqual([
      { text: "ticket p99 under 5 ms", measured: 7, isMet: false },
    ]);
  });
});
