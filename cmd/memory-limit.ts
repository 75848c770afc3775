/**
 * How much memory this process may use: what its container allows, otherwise all of the host's.
 */

import { totalmem } from "node:os";

/** In bytes. */
export function memoryBytesMax(): number {
  // 0 where no limit is known; more than the host has where there is none.
  const allowed = process.constrainedMemory();
  return allowed > 0 ? Math.min(allowed, totalmem()) : totalmem();
}
