/**
 * Supervises the workers of a host: starts them, restarts one that ends unexpectedly, and ends when all have ended.
 *
 * The first to start is one that already has a mesh, so that no worker ever creates a second one; the others join it
 * once it is up. A worker that cannot even start the first time ends all, with its exit code: that is a mistake of the
 * operator, not a crash. When one has left the mesh, the others leave too: it is the host that leaves.
 */

import type { Log } from "../../node/log.ts";
import type { Child, Up } from "../child.ts";
import { EXIT } from "../exit.ts";

export interface SupervisorParts {
  readonly workers: number;
  /** Whether a worker's data directory belongs to a mesh. */
  readonly hasMesh: (worker: number) => boolean;
  /** Starts a worker that joins the `others`, which are up. `isFirst`: the first start of all on this host. */
  readonly start: (worker: number, others: readonly Up[], how: { readonly isFirst: boolean }) => Child;
  /** Asks a worker to leave the mesh. Throws when it does not. */
  readonly leave: (worker: number, up: Up) => Promise<void>;
  /** Called once, when all are up. */
  readonly allUp: () => void;
  readonly pause: (ms: number) => Promise<void>;
  readonly clock: () => number;
  readonly log: Log;
}

/**
 * How long to wait before a worker that ended by itself is started again. The first time at once, for a crash is mostly
 * one of a kind, and the worker is up before a visitor's browser has given up; then ever longer, so that one that cannot
 * run costs next to nothing. Longer, and a host that was repaired stays short of a worker; shorter, and its log fills.
 */
const RESTART_MS = { first: 100, most: 10_000 };

/** A run as long as this was no failed start: the waits begin again. */
const GOOD_RUN_MS = 60_000;

interface Worker {
  readonly child: Child;
  readonly startedMs: number;
  hasEnded: boolean;
}

export class Supervisor {
  readonly #parts: SupervisorParts;
  readonly #workers = new Map<number, Worker>();
  /** Why no more workers are started. */
  #ending: "stop" | "leave" | undefined;
  readonly #endingNow = Promise.withResolvers<void>();
  #exit: number = EXIT.ok;
  #starts = 0;
  /** Whether an order to read the rooms file again has found no worker. */
  #isReloadDue = false;

  constructor(parts: SupervisorParts) {
    this.#parts = parts;
  }

  /** Runs until all workers have ended; the exit code. */
  async run(): Promise<number> {
    const all = Array.from({ length: this.#parts.workers }, (_, at) => at + 1);
    const first = all.find((worker) => this.#parts.hasMesh(worker)) ?? 1;
    const rest = all.filter((worker) => worker !== first);
    const isUp =
      (await this.#begin(first)) && (await Promise.all(rest.map((worker) => this.#begin(worker)))).every(Boolean);
    if (!isUp && this.#ending === undefined) {
      this.#parts.log.error({}, "a worker did not start: stopping all");
      this.#exit = EXIT.failed;
      this.stop();
    }
    if (this.#ending === undefined) this.#parts.allUp();
    await Promise.all(Array.from(this.#workers.keys(), (worker) => this.#keep(worker)));
    return this.#exit;
  }

  /** Stops all in good order. */
  stop(): void {
    this.#endBy("stop");
    this.#tellAll("SIGTERM");
  }

  /** Ends all at once. */
  kill(): void {
    this.#endBy("stop");
    this.#tellAll("SIGKILL");
  }

  /**
   * Makes one that is up read the rooms file again, for all: they are one mesh. If none is up, the next one does it.
   */
  reload(): void {
    const up = [...this.#workers].find(([worker]) => this.#upOf(worker) !== undefined);
    this.#isReloadDue = up === undefined;
    up?.[1].child.kill("SIGHUP");
  }

  /** The workers that are up, by number. */
  get up(): ReadonlyMap<number, Up> {
    const numbers = Array.from(this.#workers.keys()).sort((one, other) => one - other);
    return new Map(
      numbers.flatMap((number) => {
        const up = this.#upOf(number);
        return up === undefined ? [] : [[number, up] as const];
      }),
    );
  }

  #upOf(number: number): Up | undefined {
    const worker = this.#workers.get(number);
    return worker === undefined || worker.hasEnded ? undefined : worker.child.latest;
  }

  #endBy(ending: "stop" | "leave"): void {
    this.#ending ??= ending;
    this.#endingNow.resolve();
  }

  #tellAll(signal: "SIGTERM" | "SIGKILL"): void {
    for (const { child } of this.#workers.values()) child.kill(signal);
  }

  /** Starts a worker; whether it is up. */
  async #begin(number: number): Promise<boolean> {
    if (this.#ending !== undefined) return false;
    const others = Array.from(this.#workers.keys()).flatMap((other) =>
      other === number ? [] : (this.#upOf(other) ?? []),
    );
    const child = this.#parts.start(number, others, { isFirst: this.#starts === 0 });
    this.#starts += 1;
    this.#parts.log.info({ worker: number, pid: child.pid }, "worker started");
    this.#workers.set(number, { child, startedMs: this.#parts.clock(), hasEnded: false });
    const isUp = (await child.up) !== undefined;
    if (isUp && this.#isReloadDue) this.reload();
    return isUp;
  }

  /** Follows a worker until its last end. */
  async #keep(number: number): Promise<void> {
    const { log, pause, clock } = this.#parts;
    let nextMs = RESTART_MS.first;
    for (let worker = this.#workers.get(number); worker !== undefined; worker = this.#workers.get(number)) {
      const code = await worker.child.exited;
      worker.hasEnded = true;
      if (worker.child.hasLeft && this.#ending === undefined) await this.#leaveToo(number);
      if (this.#ending !== undefined) {
        this.#exit = Math.max(this.#exit, code ?? EXIT.ok);
        return;
      }
      const waitMs = clock() - worker.startedMs >= GOOD_RUN_MS ? RESTART_MS.first : nextMs;
      nextMs = Math.min(RESTART_MS.most, 2 * waitMs);
      log.error({ worker: number, code, wait_ms: waitMs }, "worker ended unexpectedly: it is restarted");
      await Promise.race([pause(waitMs), this.#endingNow.promise]);
      if (this.#ending !== undefined) return;
      await this.#begin(number);
    }
  }

  /** In sequence, so that each hands over to a node that stays, or to one whose turn comes. */
  async #leaveToo(first: number): Promise<void> {
    this.#endBy("leave");
    const { log, leave } = this.#parts;
    log.info({ worker: first }, "a worker left the mesh: the others follow");
    for (const [number, { child }] of this.#workers) {
      if (number === first || child.hasLeft) continue;
      const up = this.#upOf(number);
      try {
        if (up === undefined) throw new Error("it is not up");
        await leave(number, up);
      } catch (error) {
        // Its share is idle until it is started again, or removed.
        log.error({ worker: number, error: String(error) }, "worker did not leave the mesh: stopping it");
        child.kill("SIGTERM");
        this.#exit = EXIT.failed;
      }
    }
  }
}
