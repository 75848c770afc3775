/**
 * Whether the processes of a run got the CPU that they needed: nodes that are kept from running break promises of time as a hung host
 * would, and that says nothing of the nodes.
 *
 * Of each process the kernel counts how long it was ready to run and did not (`/proc/PID/schedstat`, Linux only); of the own one it shows also
 * in timers that fire late. What a process waits for because it is stopped, or because it has nothing to do, is not in it.
 */

import { readFileSync } from "node:fs";

export interface StarvedFigures {
  /** Of the time that it ran, the part in which the process that was worst off waited for a core, in percent; null where nothing tells. */
  readonly waited_percent: number | null;
  /** Which one that was. */
  readonly process: string;
  /** The same in its worst second. */
  readonly worst_second_percent: number | null;
  /** The longest that a timer of this process was late. */
  readonly longest_lag_ms: number;
  readonly is_starved: boolean;
}

/** A process of the run, and what people call it; without a pid it does not run now. */
export interface Watched {
  readonly name: string;
  readonly pid: number | undefined;
}

/** Short against what a node may take for anything, long against the cost of reading some small files. */
const LOOK_MS = 100;
const READ_MS = 1_000;

/**
 * From which on a run says nothing. Timers of a node are some hundred ms apart, and a lease lasts two to three seconds: who waits for a
 * seventh of all time, or for most of a second, may answer too late without a fault. Three nodes that two cores are for alone waited 2 % of it, 4 % of the worst
 * second, and their timers were 11 ms late; five that shared them with a load of 17 waited 50 % of it and all of the worst second.
 */
const STARVED = { waitedPercent: 15, worstSecondPercent: 60, lagMs: 500 };

interface Waits {
  readonly pid: number;
  readonly atMs: number;
  readonly waitedMs: number;
}

export class Starved {
  readonly #processes: () => readonly Watched[];
  readonly #waitedMsOf: (pid: number) => number | undefined;
  /** By name: what was read last of its process, and sums over all its processes. */
  readonly #last = new Map<string, Waits>();
  readonly #sums = new Map<string, { waitedMs: number; ranMs: number }>();
  #worstSecond = 0;
  #longestLagMs = 0;
  #lookedMs: number | undefined;
  #readMs = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(processes: () => readonly Watched[], waitedMsOf = waitedMsOfProcess) {
    this.#processes = processes;
    this.#waitedMsOf = waitedMsOf;
  }

  start(): void {
    this.#timer = setInterval(() => this.look(performance.now()), LOOK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** To be called every 100 ms. */
  look(nowMs: number): void {
    this.#longestLagMs = Math.max(this.#longestLagMs, nowMs - (this.#lookedMs ?? nowMs - LOOK_MS) - LOOK_MS);
    this.#lookedMs = nowMs;
    if (nowMs - this.#readMs < READ_MS) return;
    this.#readMs = nowMs;
    for (const { name, pid } of this.#processes()) this.#read(name, pid, nowMs);
  }

  get figures(): StarvedFigures {
    const parts = Array.from(this.#sums, ([name, { waitedMs, ranMs }]) => ({
      name,
      percent: (100 * waitedMs) / ranMs,
    }));
    const worst = parts.reduce((most, each) => (each.percent > most.percent ? each : most), { name: "", percent: 0 });
    const isKnown = parts.length > 0;
    const longestLagMs = Math.round(this.#longestLagMs);
    const isStarved =
      worst.percent >= STARVED.waitedPercent ||
      this.#worstSecond >= STARVED.worstSecondPercent ||
      longestLagMs >= STARVED.lagMs;
    return {
      waited_percent: isKnown ? Math.round(worst.percent) : null,
      process: worst.name,
      worst_second_percent: isKnown ? Math.round(this.#worstSecond) : null,
      longest_lag_ms: longestLagMs,
      is_starved: isStarved,
    };
  }

  #read(name: string, pid: number | undefined, atMs: number): void {
    const waitedMs = pid === undefined ? undefined : this.#waitedMsOf(pid);
    const before = this.#last.get(name);
    if (pid === undefined || waitedMs === undefined) {
      this.#last.delete(name);
      return;
    }
    this.#last.set(name, { pid, atMs, waitedMs });
    // A new process counts from nothing.
    if (before?.pid !== pid) return;
    const [waited, ran] = [waitedMs - before.waitedMs, atMs - before.atMs];
    const sum = this.#sums.getOrInsertComputed(name, () => ({ waitedMs: 0, ranMs: 0 }));
    sum.waitedMs += waited;
    sum.ranMs += ran;
    this.#worstSecond = Math.max(this.#worstSecond, (100 * waited) / ran);
  }
}

/** The figures as a clause. */
export function starvedText({ longest_lag_ms: lagMs, ...figures }: StarvedFigures): string {
  const lag = `timers of this process were up to ${lagMs} ms late`;
  const { waited_percent: waited, worst_second_percent: second, process } = figures;
  return waited === null
    ? lag
    : `${process} waited for a core ${waited} % of its time, ${second} % of a second at worst; ${lag}`;
}

/** Ms for which the main thread of a process was ready to run and did not; undefined where it is gone, or nothing tells. */
function waitedMsOfProcess(pid: number): number | undefined {
  try {
    const [, waitedNs] = readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ");
    return waitedNs === undefined ? undefined : Number(waitedNs) / 1e6;
  } catch {
    // The process is gone, or this is no Linux: it is left out, and the timers still tell.
    return undefined;
  }
}
