/**
 * The limit on open files of this process: every connection is one.
 */

import { readFileSync } from "node:fs";

/** The soft limit, or undefined where the system does not report it (only Linux does in a file). */
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
