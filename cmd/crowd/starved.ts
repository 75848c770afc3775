/**
 * Whether the processes of a run got the CPU time that they needed: starved nodes break promises about time as a hung
 * host would, and that proves nothing about the nodes. Demo and chaos judge by it.
 *
 * For each process the kernel counts how long it was ready to run and did not (`/proc/PID/schedstat`, Linux only); in
 * this process, late timers show it too, on any system. Time in which a process is stopped, or has nothing to do, does
 * not count.
 */

import { readFileSync } from "node:fs";

export interface StarvedFigures {
  /** The part of its running time in which the worst-off process waited for a core, in percent; null if unknown. */
  readonly waited_percent: number | null;
  /** That process. */
  readonly process: string;
  /** The same in its worst second. */
  readonly worst_second_percent: number | null;
  /** The latest timer of this process, and how many of its timers came too late for their turn, in percent. */
  readonly longest_lag_ms: number;
  readonly late_timers_percent: number;
  readonly is_starved: boolean;
}

/** A process of the run and its name for people; without a pid it does not run now. */
export interface Watched {
  readonly name: string;
  readonly pid: number | undefined;
}

/** What a verdict says in place of a failure that a starved run explains. */
export const BUSY = "not judged: the machine was busy";

/** Short against any timeout of a node, long against the cost of reading some small files. */
const LOOK_MS = 100;
const READ_MS = 1_000;

/** A timer that is late by half of its interval has missed its turn. */
const LATE_MS = LOOK_MS / 2;

/**
 * Above these a run proves nothing. Timers of a node are some hundred ms apart, and a lease lasts two to three seconds:
 * a process that waits for a seventh of the time, or for most of a second, may answer too late without a fault. Three
 * nodes that two cores are for alone waited 2 % of it, 4 % of the worst second, and their timers were 11 ms late; five
 * that shared them with a load of 17 waited 50 % of it and all of the worst second. Timers count where the kernel says
 * nothing, or does not know that its own host is busy.
 */
const STARVED = { waitedPercent: 15, worstSecondPercent: 60, lagMs: 500, latePercent: 10 };

interface Waits {
  readonly pid: number;
  readonly atMs: number;
  readonly waitedMs: number;
}

export class Starved {
  readonly #processes: () => readonly Watched[];
  readonly #waitedMsOf: (pid: number) => number | undefined;
  /** By name: the last reading of its process, and sums over all its processes. */
  readonly #last = new Map<string, Waits>();
  readonly #sums = new Map<string, { waitedMs: number; ranMs: number }>();
  #worstSecond = 0;
  #longestLagMs = 0;
  #looks = 0;
  #lateLooks = 0;
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

  /** Call it every 100 ms. */
  look(nowMs: number): void {
    const lagMs = nowMs - (this.#lookedMs ?? nowMs - LOOK_MS) - LOOK_MS;
    this.#longestLagMs = Math.max(this.#longestLagMs, lagMs);
    this.#looks += 1;
    if (lagMs >= LATE_MS) this.#lateLooks += 1;
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
    const latePercent = this.#looks === 0 ? 0 : (100 * this.#lateLooks) / this.#looks;
    const isStarved =
      worst.percent >= STARVED.waitedPercent ||
      this.#worstSecond >= STARVED.worstSecondPercent ||
      longestLagMs >= STARVED.lagMs ||
      latePercent >= STARVED.latePercent;
    return {
      waited_percent: isKnown ? Math.round(worst.percent) : null,
      process: worst.name,
      worst_second_percent: isKnown ? Math.round(this.#worstSecond) : null,
      longest_lag_ms: longestLagMs,
      late_timers_percent: Math.round(latePercent),
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
export function starvedText({ longest_lag_ms: lagMs, late_timers_percent: late, ...figures }: StarvedFigures): string {
  const lag = `${late} % of the timers of this process were late, by up to ${lagMs} ms`;
  const { waited_percent: waited, worst_second_percent: second, process } = figures;
  return waited === null
    ? lag
    : `${process} waited for a core ${waited} % of its time, ${second} % of a second at worst; ${lag}`;
}

/** Ms for which the main thread of a process was ready to run and did not; undefined if it is gone or unknown. */
function waitedMsOfProcess(pid: number): number | undefined {
  try {
    const [, waitedNs] = readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ");
    return waitedNs === undefined ? undefined : Number(waitedNs) / 1e6;
  } catch {
    // The process is gone, or this is not Linux: it is left out, and timers still show it.
    return undefined;
  }
}
