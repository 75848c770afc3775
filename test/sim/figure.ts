/** Figures of a verdict that are only reported, and parts in percent. */

import { atMost, type Check } from "../../cmd/checks.ts";

/** A figure without a limit. */
export function figure(promise: Check["promise"], name: string, value: number, unit?: string): Check {
  return atMost({ promise, name, value, limit: null, ...(unit && { unit }) });
}

/** 0 of nothing. */
export function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : (100 * part) / whole;
}
