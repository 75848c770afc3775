import { describe, expect, test } from "vitest";
import { Outages } from "../../../node/admission/outages.ts";

const MINUTE_MS = 60_000;
const TICK_MS = 500;

/** After these spans: minutes in which the node may admit, then minutes in which it may not, and so on. */
function after(...spans: number[]): { readonly outages: Outages; readonly nowMs: number } {
  const outages = new Outages(MINUTE_MS);
  let nowMs = 0;
  for (const [index, minutes] of spans.entries())
    for (const endMs = nowMs + minutes * MINUTE_MS; nowMs < endMs; nowMs += TICK_MS)
      outages.note(index % 2 === 0, nowMs);
  return { outages, nowMs };
}

/** Outage within a wait of so many minutes, after these spans. */
function within(minutes: number, ...spans: number[]): number {
  const { outages, nowMs } = after(...spans);
  return outages.within(minutes, nowMs);
}

describe("the outages of a wait", () => {
  test("are none where there was none", () => {
    expect(within(10)).toBe(0);
    expect(within(10, 20)).toBe(0);
  });

  test("are as long as a start lasts, and no longer", () => {
    expect(within(10, 0, 5)).toBeCloseTo(5, 1);
    expect(within(10, 0, 5, 10)).toBe(0);
  });

  test("are as long as the present one has been, even for the next in line", () => {
    expect(within(0, 20, 3)).toBeCloseTo(3, 1);
    expect(within(0, 20, 3, 0.1)).toBe(0);
  });

  test("come as often as they did of late", () => {
    const minutes = Array.from({ length: 60 }, () => 0.5);
    expect(within(10, ...minutes, 0.01)).toBeGreaterThan(7);
    expect(within(10, ...minutes, 0.01)).toBeLessThan(10);
    expect(within(10, ...minutes, 120)).toBeLessThan(0.3);
  });

  test("make no wait more than four times as long, however long they were", () => {
    expect(within(10, 1, 600, 0.01)).toBeCloseTo(30, 0);
  });

  test("do not count twice when a clock goes back, nor for a process that slept", () => {
    const { outages, nowMs } = after(20, 1);
    outages.note(true, nowMs);
    const before = outages.within(10, nowMs);
    outages.note(true, nowMs - 30_000);
    expect(outages.within(10, nowMs - 30_000)).toBeCloseTo(before, 6);
    outages.note(false, nowMs + 600_000);
    outages.note(true, nowMs + 600_000);
    expect(outages.within(10, nowMs + 600_000)).toBeLessThan(before + 1);
  });
});
