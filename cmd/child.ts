/**
 * Nodes as child processes of this one: the workers of a host, and the nodes of demo and chaos.
 *
 * A child gets its orders from its arguments and from signals, and reports over the channel between the processes that
 * it is up, or has left the mesh. When this process dies in any way, the channel closes and the child stops in good
 * order.
 */

import { closeSync, openSync } from "node:fs";
import { join } from "node:path";

/** A child that is ready for visitors, with its addresses. */
export interface Up {
  readonly told: "up";
  readonly node: string;
  /** Addresses that it listens on, as text. */
  readonly gate: string;
  readonly admin: string;
  readonly mesh: string;
}

/** What a child reports. `left`: it has left the mesh for good and is about to end. */
export type Told = Up | { readonly told: "left" };

export interface Child {
  readonly pid: number;
  /** Settled when it is up for the first time; undefined when it ended without being up. */
  readonly up: Promise<Up | undefined>;
  /** Its last report; it may continue as another node, at other addresses. */
  readonly latest: Up | undefined;
  /** How it ended: the exit code, or null when a signal ended it. */
  readonly exited: Promise<number | null>;
  /** Whether it has left the mesh. */
  readonly hasLeft: boolean;
  /**
   * SIGTERM stops in good order, SIGHUP reads the rooms file again, SIGKILL ends at once, SIGSTOP and SIGCONT freeze
   * and thaw. A child that is gone ignores them all.
   */
  readonly kill: (signal: "SIGTERM" | "SIGHUP" | "SIGKILL" | "SIGSTOP" | "SIGCONT") => void;
}

export interface ChildOptions {
  /** File to whose end its errors and its log go; ours without it. */
  readonly log?: string | undefined;
  /** Variables in addition to ours. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts `anteroom` with `args`, with our environment and output. */
export function startChild(args: readonly string[], { log, environment = {} }: ChildOptions = {}): Child {
  const { promise: up, resolve } = Promise.withResolvers<Up | undefined>();
  let latest: Up | undefined;
  let hasLeft = false;
  const stderr = log === undefined ? "inherit" : openSync(log, "a");
  const process = Bun.spawn([...ownCommand(), ...args], {
    env: { ...globalThis.process.env, ...environment },
    stdin: "ignore",
    stdout: "inherit",
    stderr,
    serialization: "json",
    ipc: (message: Told) => {
      if (message.told === "left") {
        hasLeft = true;
        return;
      }
      latest = message;
      resolve(message);
    },
  });
  if (typeof stderr === "number") closeSync(stderr);
  const exited = process.exited.then(() => {
    resolve(undefined);
    return process.exitCode;
  });
  return {
    pid: process.pid,
    up,
    exited,
    get latest() {
      return latest;
    },
    get hasLeft() {
      return hasLeft;
    },
    kill: (signal) => {
      if (process.exitCode === null && process.signalCode === null) process.kill(signal);
    },
  };
}

/** How this program is started: the binary alone, or the runtime with our sources. */
function ownCommand(): string[] {
  const isBinary = import.meta.dirname.startsWith("/$bunfs/");
  return isBinary ? [process.execPath] : [process.execPath, join(import.meta.dirname, "main.ts")];
}
