/**
 * What the gate needs of the process around it: timers, chance, and a clock for durations. A simulation has its own.
 */

import { randomBytes } from "node:crypto";

export interface Surroundings {
  after(ms: number, act: () => void): void;
  /** An id that no visitor has had and that cannot be guessed. */
  newId(): string;
  /** Ms that never go back. */
  steadyMs(): number;
}

const ID_BYTES = 16;

export const PROCESS: Surroundings = {
  after: (ms, act) => void setTimeout(act, ms),
  newId: () => randomBytes(ID_BYTES).toString("base64url"),
  steadyMs: () => performance.now(),
};
