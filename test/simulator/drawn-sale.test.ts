/**
 * The sale of `simulate --scenario draw-100000` with 5,000 visitors: nobody loses a session, and nothing is stranded.
 *
 * A visitor who was let in by a question of the page in the last second of a minute has a bit more than a minute to ask
 * again, and the page of one far back asks about once a minute: of 5,000 such visitors two lost their sessions here
 * before they browsed on as visitors inside.
 */

import { expect, test } from "vitest";
import { run } from "../sim/run.ts";
import { drawnSale } from "../sim/sale-scenarios.ts";

const VISITORS = 5_000;

test("a drawn sale without faults keeps all promises", () => {
  const { broken, oracle } = run({ scenario: drawnSale(VISITORS), seed: 1 });
  expect(broken).toBeUndefined();
  expect([...oracle.thrownOutBy]).toEqual([]);
  expect(oracle.counts.admitted).toBe(oracle.counts.arrived);
});
