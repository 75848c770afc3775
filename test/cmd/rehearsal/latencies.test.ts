import { expect, test } from "vitest";
import { seededRandom } from "../../../cmd/crowd/random.ts";
import { Latencies } from "../../../cmd/rehearsal/latencies.ts";

test("percentiles are those of the sorted values within 1 %, and the worst is exact to a microsecond", () => {
  const random = seededRandom(1);
  const values = Array.from({ length: 20_000 }, () => Math.exp(8 * random()));
  const latencies = new Latencies();
  for (const value of values) latencies.add(value);
  const sorted = values.toSorted((one, other) => one - other);
  const { worst = 0, ...percentiles } = latencies.percentiles ?? {};
  for (const [name, value] of Object.entries(percentiles)) {
    const exact = sorted[Math.ceil((Number(name.slice(1)) / 100) * sorted.length) - 1] ?? 0;
    expect(Math.abs(value / exact - 1)).toBeLessThan(0.0101);
  }
  expect(worst).toBeCloseTo(sorted.at(-1) ?? 0, 2);
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
  expect(latencies.percentiles).toMatchObject({ p50: 0.001, worst: 0.001 });
});
