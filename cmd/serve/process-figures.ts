/** What is known of this process, for its metrics. */

import { readdirSync } from "node:fs";
import type { ProcessFigures } from "../../node/operator/metrics/node-metrics.ts";
import { openFilesMax } from "../open-files.ts";

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

function openFilesNow(): number | undefined {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    // Not Linux: the metric is left out.
    return undefined;
  }
}
