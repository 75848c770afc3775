/**
 * Where the numbers come from: without machine and versions a measurement says nothing.
 */

import { cpus, release, totalmem, type } from "node:os";
import { canPin, installed } from "./programs.ts";

export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly kernel: string;
  readonly anteroom: string;
  readonly bun: string;
  readonly nginx: string;
  readonly haproxy: string;
  readonly wrk: string;
  readonly redis: string;
  /** Whether server and load had a core each. */
  readonly pinned: boolean;
}

/** The machine and the versions of what runs on it; `binary` is the anteroom that is measured. */
export function machine(binary: string): Machine {
  const cores = cpus();
  return {
    processor: cores[0]?.model ?? "unknown",
    cores: cores.length,
    memoryBytes: totalmem(),
    kernel: `${type()} ${release()}`,
    anteroom: said([binary, "--version"], /(\d+\.\d+\.\d+\S*)/),
    bun: Bun.version,
    nginx: said([installed("nginx"), "-v"], /nginx\/(\S+)/),
    haproxy: said([installed("haproxy"), "-v"], /version (\S+)/),
    wrk: said([installed("wrk"), "-v"], /wrk (?:\S+\/)?(\d\S*)/),
    redis: said([installed("redis-server"), "--version"], /v=(\S+)/),
    pinned: canPin(),
  };
}

/** One line for people. */
export function machineLine(machine: Machine): string {
  const { processor, cores, memoryBytes, kernel, anteroom, bun, nginx, haproxy, wrk, redis } = machine;
  const memory = `${Math.round(memoryBytes / 2 ** 30)} GiB`;
  return `${processor}, ${cores} cores, ${memory}; ${kernel}; anteroom ${anteroom}, Bun ${bun}, nginx ${nginx}, HAProxy ${haproxy}, wrk ${wrk}, Redis ${redis}`;
}

/** What `pattern` finds in the output of a command, whatever its exit code. */
function said([program, ...args]: readonly (string | undefined)[], pattern: RegExp): string {
  if (program === undefined) return "not installed";
  const { stdout, stderr } = Bun.spawnSync([program, ...args.map(String)]);
  return pattern.exec(`${stdout}${stderr}`)?.[1] ?? "unknown";
}
