/**
 * What the gate takes without load and with a long line: binary, start, memory.
 */

import { statSync } from "node:fs";
import { join } from "node:path";
import { startGate } from "./gate-server.ts";
import { median } from "./statistics.ts";
import { cookiesOf, NAVIGATION, newcomers, visitAll } from "./visitors.ts";

export interface Footprint {
  readonly binaryBytes: number;
  /** From starting the process to its first answer, each start. */
  readonly startMs: readonly number[];
  /** Resident memory a second after the start, each start. */
  readonly restingBytes: readonly number[];
  readonly waiting: number;
  /** Growth of resident memory by `waiting` visitors who joined the line, and the whole after it, each run. */
  readonly waitingBytes: readonly number[];
  readonly withWaitingBytes: readonly number[];
}

const WAITING = 100_000;

/** Before memory is read: what was needed for a moment only is given back by then. */
const SETTLE_MS = 3_000;

/** Measures the gate in `binary` with `starts` starts and `lines` times a line of 100,000. */
export async function footprint(
  binary: string,
  place: { readonly folder: string; readonly originPort: number; readonly starts: number; readonly lines: number },
): Promise<Footprint> {
  const { folder, originPort, starts, lines } = place;
  const started = [];
  for (let run = 0; run < starts; run++) {
    started.push(await start(binary, { folder: join(folder, `start-${run}`), originPort }));
  }
  const lined = [];
  for (let run = 0; run < lines; run++) {
    lined.push(await line(binary, { folder: join(folder, `line-${run}`), originPort }));
  }
  return {
    binaryBytes: statSync(binary).size,
    startMs: started.map(({ startMs }) => startMs),
    restingBytes: started.map(({ restingBytes }) => restingBytes),
    waiting: WAITING,
    waitingBytes: lined.map(({ before, after }) => after - before),
    withWaitingBytes: lined.map(({ after }) => after),
  };
}

/** One line per measure, for people. */
export function footprintLines(measured: Footprint): string[] {
  const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
  return [
    `binary: ${mb(measured.binaryBytes)}`,
    `start to first answer: ${median(measured.startMs).toFixed(0)} ms`,
    `resting memory: ${mb(median(measured.restingBytes))} resident`,
    `100,000 waiting visitors: ${mb(median(measured.waitingBytes))} more, ${mb(median(measured.withWaitingBytes))} resident in all`,
  ];
}

async function start(binary: string, place: { readonly folder: string; readonly originPort: number }) {
  const startedMs = performance.now();
  const { server } = await startGate([binary], place);
  const startMs = performance.now() - startedMs;
  await Bun.sleep(1_000);
  const restingBytes = server.memory();
  await server.stop();
  return { startMs, restingBytes };
}

async function line(binary: string, place: { readonly folder: string; readonly originPort: number }) {
  const { server, url, outcomes } = await startGate([binary], place);
  await cookiesOf(url("full"), 1);
  await Bun.sleep(SETTLE_MS);
  // From a gate at rest: what the runtime takes to serve so many at all counts as theirs.
  const before = server.memory();
  await visitAll({ url: url("full"), fields: NAVIGATION }, newcomers(WAITING), () => undefined);
  await Bun.sleep(SETTLE_MS);
  const after = server.memory();
  const joined = (await outcomes("full")).get("joined");
  await server.stop();
  if (joined !== WAITING) throw new Error(`Cannot measure the line as ${WAITING} must have joined: ${joined} have`);
  return { before, after };
}
