/**
 * Looks at each tick how hard-pressed this process is: how late the tick comes, and how much memory there is.
 *
 * Tests with real processes start them with `--pressure off`: what they check must hold on a busy machine too, where
 * late timers would make the gate turn visitors away.
 */

import type { Settings } from "../config/settings.ts";
import type { Pressure } from "../gate/pressure.ts";
import type { NodeOptions } from "./node-options.ts";

/**
 * Between two looks at the memory, which the system tells in a file: ten of them a second were 2 % of all that a node
 * does at rest. Doubled, a node that fills its memory within seconds sheds load too late.
 */
const MEMORY_MS = 500;

type LookParts = Pick<NodeOptions, "clock" | "steadyClock" | "memoryBytes" | "memoryBytesMax" | "log"> & {
  readonly settings: Pick<Settings, "pressure">;
};

/** What is to be done at each tick, which comes so many ms late. */
export function pressureLook(parts: LookParts, pressure: Pressure): (lateMs: number) => void {
  const { settings, clock, steadyClock, memoryBytes, memoryBytesMax, log } = parts;
  if (settings.pressure === "off") return () => undefined;
  let memory = { bytes: memoryBytes(), atMs: steadyClock() };
  return (lagMs) => {
    const steadyMs = steadyClock();
    if (steadyMs - memory.atMs >= MEMORY_MS) memory = { bytes: memoryBytes(), atMs: steadyMs };
    const change = pressure.look({ lagMs, memory: memory.bytes / memoryBytesMax }, clock());
    if (change !== undefined) log.warn({}, change);
  };
}
