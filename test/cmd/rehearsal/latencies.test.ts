import { expect, test } from "vitest";
import { seededRandom } from "../../../cmd/crowd/random.ts";
import { Latencies } from "../../../cmd/rehearsal/latencies.ts";

test("percentiles are those of the sorted values within 1 %, and the worst is exact", () => {
  const random = seededRandom(1);
  const values = Array.from({ length: 20_000 }, () => Math.exp(8 * random()));
  const latencies = new Latencies();
  for (const value of values) latencies.add(value);
  const sorted = values.toSorted((one, other) => one - other);
  for (const part of [0.25, 0.5, 0.75, 0.95, 0.99]) {
    const exact = sorted[Math.ceil(part * sorted.length) - 1] ?? 0;
    expect(Math.abs(latencies.at(part) / exact - 1)).toBeLessThan(0.0101);
  }
  expect(latencies.percentiles?.worst).toBe(sorted.at(-1));
});

test("without values there are none; one value is all percentiles, and nothing is above the worst", () => {
  const latencies = new Latencies();
  expect(latencies.percentiles).toBeNull();
  latencies.add(20_000);
  const { p25 = 0, p99 = 0 } = latencies.percentiles ?? {};
  expect(p99).toBeLessThanOrEqual(20_000);
  expect(p25).toBe(p99);
  latencies.clear();
  latencies.add(-3);
  expect(latencies.percentiles).toMatchObject({ p50: 0, worst: 0 });
});
