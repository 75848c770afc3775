/**
 * The programs that the benchmark runs besides anteroom, and the processes it starts.
 *
 * A server runs on core 0 with all its threads, everything else on core 1, so that what is measured is one core of the
 * server and nothing else. Only processes started here are ended, by their id.
 */

import { readFileSync } from "node:fs";
import { cpuMsOf } from "./statistics.ts";

export type Program = "wrk" | "nginx" | "haproxy" | "taskset" | "redis-server";

const SERVER_CORE = "0";
const LOAD_CORE = "1";

/** Where a process runs: on the core of what is measured, with the load, or wherever the system puts it. */
export type Core = "server" | "load" | "any";

/** Longest wait for anything: what hangs must end, and what a busy machine slows down must not fail. */
const WAIT_MS_MAX = 300_000;

/** Path of a program, or undefined when it is not installed. Servers often lie outside a user's PATH. */
export function installed(program: Program): string | undefined {
  return Bun.which(program, { PATH: `${process.env.PATH ?? ""}:/usr/sbin:/usr/local/sbin` }) ?? undefined;
}

/** Whether servers and load can have a core each. */
export function canPin(): boolean {
  return installed("taskset") !== undefined && navigator.hardwareConcurrency >= 2;
}

/** Puts this process, and so all that it starts without `onServerCore`, on the load's core. */
export function moveToLoadCore(): void {
  if (canPin()) Bun.spawnSync([installed("taskset") ?? "", "-a", "-c", "-p", LOAD_CORE, String(process.pid)]);
}

const running = new Set<Server>();

/** Ends all servers that are still running. */
export async function stopAll(): Promise<void> {
  await Promise.all(Array.from(running, (server) => server.stop()));
}

/** Does `act`. When it fails, whatever it started is ended before the error goes on. */
export async function endingOnFailure<Value>(act: () => Promise<Value>): Promise<Value> {
  const before = new Set(running);
  try {
    return await act();
  } catch (error) {
    await Promise.all([...running].filter((server) => !before.has(server)).map((server) => server.stop()));
    throw error;
  }
}

/** A server under test. */
export class Server {
  readonly #child: Bun.Subprocess;

  /** `heard` gets what the process reports over the channel between processes; with it, its complaints are shown. */
  constructor(command: readonly string[], core: Core, heard?: (message: unknown) => void) {
    this.#child = Bun.spawn([...pinnedTo(core), ...command], {
      env: { PATH: process.env.PATH ?? "" },
      stdin: "ignore",
      stdout: "ignore",
      stderr: heard === undefined ? "ignore" : "inherit",
      ...(heard !== undefined && { serialization: "json" as const, ipc: heard }),
    });
    running.add(this);
  }

  /** Settled when the process has ended, in whatever way. */
  get exited(): Promise<number> {
    return this.#child.exited;
  }

  /** CPU time so far in ms, all threads; steps of 10 ms. */
  cpuMs(): number {
    ticks ??= ticksPerSecond();
    return cpuMsOf(readFileSync(`/proc/${this.#child.pid}/stat`, "latin1"), ticks);
  }

  /** Resident memory in bytes. */
  memory(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, "latin1");
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1_024;
  }

  /** Waits for the first answer at `url`; throws when the process ends before, or none comes. */
  async ready(url: string): Promise<void> {
    const answers = async (): Promise<boolean> => {
      if (this.#child.exitCode !== null) throw new Error(`Cannot measure as ${url} ended with ${this.#child.exitCode}`);
      try {
        await (await fetch(url)).body?.cancel();
        return true;
      } catch {
        // Not listening yet: asked again in a moment.
        return false;
      }
    };
    await until(`an answer of ${url}`, answers, 1);
  }

  /** Ends the process and waits for its end. */
  async stop(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.exited;
    running.delete(this);
  }
}

/** Starts a process that tells one thing over the channel between processes: it, and what it tells. */
export async function toldBy<Message>(command: readonly string[], core: Core): Promise<[Server, Message]> {
  const told = Promise.withResolvers<Message>();
  const server = new Server(command, core, (message) => told.resolve(message as Message));
  void server.exited.then((code) => told.reject(new Error(`Cannot measure as ${command[0]} ended with ${code}`)));
  return [server, await told.promise];
}

/** Waits until `isSo`, looking every `everyMs`. Throws when it takes too long; `what` says what was waited for. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, everyMs = 10): Promise<void> {
  const endMs = performance.now() + WAIT_MS_MAX;
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error(`Cannot measure as ${what} must come about in ${WAIT_MS_MAX} ms`);
    await Bun.sleep(everyMs);
  }
}

let ticks: number | undefined;

/**
 * Ports that no system gives out by itself: neither to a connection nor to who listens on port 0. So nobody takes one
 * before its server does.
 */
const PORTS = { first: 10_000, count: 20_000 };

/** A port on loopback on which nothing listens. */
export function freePort(): number {
  for (;;) {
    const port = PORTS.first + Math.floor(Math.random() * PORTS.count);
    try {
      Bun.listen({ hostname: "127.0.0.1", port, socket: { data() {} } }).stop(true);
      return port;
    } catch {
      // Taken: another one is tried.
    }
  }
}

/** What stands before a command so that it runs there; processes start where this one is, which is the load's core. */
function pinnedTo(core: Core): string[] {
  if (!canPin() || core === "load") return [];
  const cores = core === "server" ? SERVER_CORE : `0-${navigator.hardwareConcurrency - 1}`;
  return [installed("taskset") ?? "", "-c", cores];
}

function ticksPerSecond(): number {
  const getconf = Bun.which("getconf");
  // Linux counts in hundredths of a second on every machine of today.
  return getconf === null ? 100 : Number(Bun.spawnSync([getconf, "CLK_TCK"]).stdout.toString());
}
