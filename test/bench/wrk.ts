/**
 * The load: wrk with one thread and a fixed number of connections, each sending its next request when it has its
 * answer.
 *
 * Latencies are therefore those of a server that is kept as busy as it can be, not of one at rest. The script
 * `load.lua` makes the requests and prints the result as JSON.
 */

import { join } from "node:path";
import { installed } from "./programs.ts";

export interface Load {
  readonly url: string;
  /** File of cookies, one `name=value` a line, taken in turn; undefined for requests without one. */
  readonly cookies: string | undefined;
  /** Request fields as `Name: value`. */
  readonly fields: readonly string[];
  readonly seconds: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly durationMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers with a status of 400 and above. */
  readonly badStatus: number;
  readonly socketErrors: number;
}

/** Enough that one core is never without a request to work on; more only lengthen the latencies. */
export const CONNECTIONS = 64;

/** Puts `load` on a server and returns what came of it. Throws when wrk fails. */
export async function applyLoad(load: Load): Promise<LoadResult> {
  const options = ["-t1", `-c${CONNECTIONS}`, `-d${load.seconds}s`, "-s", join(import.meta.dirname, "load.lua")];
  const command = [installed("wrk") ?? "wrk", ...options, load.url, "--", load.cookies ?? "-", ...load.fields];
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "pipe" });
  const [output, complaint] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  const result = /^RESULT (.*)$/m.exec(output)?.[1];
  if ((await child.exited) !== 0 || result === undefined) {
    throw new Error(`Cannot measure as wrk failed: ${complaint || output}`);
  }
  return JSON.parse(result) as LoadResult;
}
