/** What this process uses, for its metrics, and what it may use. */

import { readdirSync, readFileSync } from "node:fs";
import { totalmem } from "node:os";
import type { ProcessFigures } from "../../node/operator/metrics/node-metrics.ts";

const STARTED_MS = Date.now() - performance.now();

export function processFigures(): ProcessFigures {
  const { user, system } = process.cpuUsage();
  const [openFiles, most] = [openFilesNow(), openFilesMax()];
  return {
    cpuSeconds: (user + system) / 1_000_000,
    startSeconds: STARTED_MS / 1_000,
    ...(openFiles !== undefined && { openFiles }),
    ...(most !== undefined && { openFilesMax: most }),
  };
}

/**
 * The soft limit on open files: every connection is one. Undefined where the system does not report it (only Linux does
 * in a file).
 */
export function openFilesMax(): number | undefined {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    const soft = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
    if (soft === undefined) return undefined;
    return soft === "unlimited" ? Number.MAX_SAFE_INTEGER : Number(soft);
  } catch {
    // Not Linux: the caller takes a careful guess.
    return undefined;
  }
}

/** How much memory it may use, in bytes: what its container allows, otherwise all of the host's. */
export function memoryBytesMax(): number {
  // 0 where no limit is known; more than the host has where there is none.
  const allowed = process.constrainedMemory();
  return allowed > 0 ? Math.min(allowed, totalmem()) : totalmem();
}

function openFilesNow(): number | undefined {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    // Not Linux: the metric is left out.
    return undefined;
  }
}
