/**
 * Each variant of the benchmark, for a moment: what it starts works, and its visitors get the answers that are meant.
 */

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { minuteOf } from "../../mesh/core/minute.ts";
import { startOrigin } from "./other-servers.ts";
import { installed, stopAll } from "./programs.ts";
import { type Measured, measureRounds } from "./rounds.ts";
import { variants } from "./variants.ts";
import { visitAll } from "./visitors.ts";
import type { Load, LoadResult } from "./wrk.ts";

const VISITORS = { waiting: 20, inside: 20 };
const REQUESTS = 40;
const MINUTE_MS = 60_000;
const LENGTHS = { rounds: 1, warmUpSeconds: 0, seconds: 0 };

let folder = "";
let originPort = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "anteroom-bench-"));
  ({ port: originPort } = await startOrigin(join(folder, "origin")));
});

afterAll(async () => {
  await stopAll();
  rmSync(folder, { recursive: true, force: true });
});

/** The load without wrk: each cookie in turn, a few requests in all. */
async function apply({ url, cookies: file, fields }: Load): Promise<LoadResult> {
  const cookies = file === undefined ? [undefined] : readFileSync(file, "utf8").trim().split("\n");
  const startedMs = performance.now();
  await visitAll(
    { url, fields },
    Array.from({ length: REQUESTS }, (_, at) => cookies[at % cookies.length]),
    () => undefined,
  );
  const durationMs = performance.now() - startedMs;
  return { requests: REQUESTS, durationMs, p50Ms: 0, p99Ms: 0, badStatus: 0, socketErrors: 0 };
}

/** CPU time is read from there. */
const hasCounters = existsSync("/proc/self/stat");

for (const [at, { name, needs }] of variants([], 0).entries()) {
  const lacking = needs.filter((program) => installed(program) === undefined);
  const title = lacking.length === 0 ? name : `${name} (needs ${lacking.join(", ")})`;
  test.skipIf(!hasCounters || lacking.length > 0)(title, async () => {
    const chosen = variants([inject("binary")], originPort, VISITORS).slice(at, at + 1);
    const measured = async (): Promise<Measured[] | undefined> => {
      const minute = minuteOf(Date.now(), MINUTE_MS);
      const place = { lengths: LENGTHS, folder: mkdtempSync(join(folder, "round-")), apply };
      const { results, failed } = await measureRounds(chosen, place, () => undefined);
      const why = failed.get(name);
      // After a minute's edge sessions are checked in, which is no request as it is meant: measured again.
      if (why !== undefined && minuteOf(Date.now(), MINUTE_MS) === minute) throw new Error(why);
      return results.get(name);
    };
    let results = await measured();
    while (results === undefined) results = await measured();
    expect(results).toMatchObject([{ requests: REQUESTS }]);
  });
}
