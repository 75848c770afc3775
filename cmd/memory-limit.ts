/**
 * How much memory this process may use: what its container allows, else all of the host's.
 */

import { totalmem } from "node:os";

/** In bytes. */
export function memoryBytesMax(): number {
  // 0 where nothing is known of a limit; more than there is where there is none.
  const allowed = process.constrainedMemory();
  return allowed > 0 ? Math.min(allowed, totalmem()) : totalmem();
}
