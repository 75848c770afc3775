/**
 * Keeps a data directory from being used in two ways: by one node, and by workers with directories of their own in it.
 *
 * A start in the other way would find no state and create a second mesh in front of the same site: all sessions would
 * end, and the limits would count from nothing.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../failure.ts";
import { workerDirectory } from "./worker-flags.ts";

/** Throws `Failure` when `data` holds the state of the other way. */
export function checkLayout(data: string, workers: number): void {
  const first = join(data, workerDirectory(1));
  const isOfOne = existsSync(join(data, "mesh.key"));
  const isOfWorkers = existsSync(first);
  if (workers > 1 && isOfOne) {
    throw new Failure(`Cannot start ${workers} workers in ${data} as it belongs to a single node`, {
      hint: `start it without --workers; or make that node the first worker: mkdir ${first} && mv ${data}/*.* ${first}/`,
    });
  }
  if (workers === 1 && isOfWorkers && !isOfOne) {
    throw new Failure(`Cannot start a single node in ${data} as it belongs to workers`, {
      hint: `start it with --workers, or name the directory of one of them, such as --data ${first}`,
    });
  }
}
