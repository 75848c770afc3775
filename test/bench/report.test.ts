import { describe, expect, test } from "vitest";
import { aimLines, aims } from "./report.ts";
import type { Measured } from "./rounds.ts";

const round = (perSecond: number, cpuMicros: number): Measured => ({
  ...{ requests: perSecond, durationMs: 1_000, p50Ms: 1.26, p99Ms: 4, badStatus: 0, socketErrors: 0 },
  ...{ perSecond, cpuMicros, busy: 0.987 },
});

describe("report", () => {
  test("aims are judged by what was measured, and left out where nothing was", () => {
    const results = new Map([
      ["waiting poll", [round(80, 1)]],
      ["HAProxy, static page of the poll's size", [round(100, 0.5)]],
      ["visitor inside", [round(30, 1)]],
      ["nginx, plain proxy", [round(100, 1)]],
    ]);
    expect(aimLines(aims(results, [120e6]))).toEqual([
      "met     waiting poll at least 0.8 of HAProxy's static page: 0.800 (by CPU per request: 0.50)",
      "missed  visitor inside at least 0.4 of nginx as a plain proxy: 0.300 (by CPU per request: 1.0)",
      "missed  100,000 waiting visitors under 100 MB: 120",
    ]);
  });
});
