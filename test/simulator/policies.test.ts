import { describe, expect, test } from "vitest";
import { comparePolicies, type PolicyResult } from "../sim/policies.ts";

const { verdict, broken } = comparePolicies(1);

function of(policy: PolicyResult["policy"]): PolicyResult {
  const result = verdict.find((each) => each.policy === policy);
  if (result === undefined) throw new Error(`Cannot judge ${policy} as it was not run`);
  return result;
}

describe("the policies on the same arrivals", () => {
  test("WR-10 even division queues some 20 to 30 % below the limit, and keeps it in a spike", () => {
    expect(of("even").queues_at).toBeGreaterThan(0.6);
    expect(of("even").queues_at).toBeLessThan(0.85);
    expect(of("even").most_inside).toBeLessThanOrEqual(1);
  });

  test("WR-12, WR-14 the adapted division queues later, and passes the limit in a spike everywhere at once", () => {
    expect(of("adaptive").queues_at).toBeGreaterThan(of("even").queues_at);
    expect(of("adaptive").most_inside).toBeGreaterThan(1.1);
    expect(of("adaptive").most_inside).toBeGreaterThan(of("even").most_inside);
  });

  test("WR-15 counters queue at the limit and never pass it", () => {
    expect(of("counter").queues_at).toBeGreaterThan(0.99);
    expect(of("counter").most_inside).toBeLessThanOrEqual(1);
    expect(broken).toEqual([]);
  });

  test("WR-17 only counters cost time: under 10 ms in the locality, 60 to 70 ms over an ocean", () => {
    for (const policy of ["even", "adaptive"] as const) expect(of(policy).without_hop).toBe(1);
    const { without_hop: withoutHop, hop_ms: hopMs, ocean_ms: oceanMs } = of("counter");
    expect(withoutHop).toBeGreaterThan(0.5);
    expect(withoutHop).toBeLessThan(1);
    expect(hopMs).toBeGreaterThan(0);
    expect(hopMs).toBeLessThan(10);
    expect(oceanMs).toBeGreaterThanOrEqual(60);
    expect(oceanMs).toBeLessThan(80);
  });
});
