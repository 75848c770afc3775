/**
 * Where a store's file lies: machine, device and file. A copy lies elsewhere, also on the same machine and under the
 * same name.
 *
 * Undefined if that is unknown: then no start can show that its disk is the one of the run before.
 */

import { readFileSync, statSync } from "node:fs";

const MACHINE_ID = "/etc/machine-id";

export function diskPlace(path: string, machineIdPath = MACHINE_ID): string | undefined {
  try {
    const { dev, ino } = statSync(path);
    return `${readFileSync(machineIdPath, "utf8").trim()} ${dev} ${ino}`;
  } catch {
    // The start continues; the node then cannot report what it held after it was removed.
    return undefined;
  }
}
