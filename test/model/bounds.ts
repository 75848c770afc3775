/**
 * How far the models are explored: by default so far that it takes seconds; with `ANTEROOM_MODEL=full` for minutes, and
 * with up to 2 GB of memory. Each run says how many states there were.
 */

import { expect } from "vitest";
import type { WorldExplored } from "./explore.ts";

export const IS_FULL = process.env.ANTEROOM_MODEL === "full";
/** Of the histories that are taken for a known state, one in so many is checked to be one. */
export const RECHECK_EVERY = IS_FULL ? 10 : 50;

/**
 * A model of fewer states has come to a standstill: the code has changed, and what was to happen does not happen any
 * more.
 */
const STATES_MIN = 2_000;

/** Expects that much has happened and no law is broken; else the shortest way there is shown. */
export function holds(name: string, explored: WorldExplored): void {
  const { states, transitions, depth, locals, counterexample } = explored;
  console.log(
    `${name}: ${states} states, ${transitions} transitions, ${depth} deep, from ${locals} states of single nodes`,
  );
  expect(states).toBeGreaterThan(counterexample === undefined ? STATES_MIN : 0);
  expect(counterexample === undefined ? [] : [...counterexample.trace, counterexample.law]).toEqual([]);
}
