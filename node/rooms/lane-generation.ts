/**
 * The generation of the fast lane's keys: one number for the mesh, in a register of its own, so that no rooms file
 * changes it.
 *
 * Gates sign with one generation, and a proxy's snippet accepts it and the next one. So proxies accept a key before any
 * gate signs with it.
 */

import type { Register } from "../../mesh/core/replica/registers.ts";

/** The first one, which needs no register. */
const FIRST = 1;

/** Snippets write nine digits at most. */
const GENERATION_MAX = 999_999_998;

/** The generation in its register; the first one if there is none that can be read. */
export function laneGenerationIn(register: Register | undefined): number {
  const generation = Number(register?.document ?? FIRST);
  return Number.isInteger(generation) && generation >= FIRST && generation <= GENERATION_MAX ? generation : FIRST;
}

export function laneGenerationRegister(generation: number, nowMs: number): Omit<Register, "stamp"> {
  return { firstName: "", document: String(Math.min(generation, GENERATION_MAX)), createdMs: nowMs };
}
