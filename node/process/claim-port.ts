/**
 * Makes sure that a port is free before a server that would share it listens there.
 *
 * Sockets that share a port (SO_REUSEPORT) join any others of the same user that do so too, and Bun's HTTP server
 * always shares: started twice, one host would silently answer for two nodes on one port. A socket that does not share
 * is refused while any other listens there, so this opens one first and closes it again.
 */

import { readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { basename } from "node:path";
import type { Address } from "../config/readers.ts";
import { ListenError, listening } from "./listening.ts";

/**
 * The address with its port, which the system chooses for port 0. `what` is used in the reason. Throws `ListenError`
 * when it is taken.
 */
export function claimPort(address: Address, what = "gate"): Address {
  const server = listening(address, what, (hostname) =>
    Bun.listen({ hostname, port: address.port, socket: { data: () => undefined } }),
  );
  const { port } = server;
  server.stop(true);
  return { ...address, port };
}

/** The kernel's list of the unix sockets in use, a line each that ends with the path; Linux only. */
const SOCKETS_IN_USE = "/proc/net/unix";

/**
 * Removes the file of a socket that nobody uses, as a process that was killed leaves it: the runtime would silently
 * replace any file. Throws `ListenError` when it is in use, or is no socket. Does nothing for other addresses.
 */
export function claimUnixPath({ unix }: Address): void {
  if (unix === undefined) return;
  const stat = statSync(unix, { throwIfNoEntry: false });
  if (stat === undefined) return;
  const fail = (reason: string): ListenError =>
    new ListenError(`Cannot listen for the gate on unix:${unix} as ${reason}`, "EADDRINUSE", undefined);
  if (!stat.isSocket()) throw fail("it is a file that is no socket");
  if (isInUse(realpathSync(unix))) throw fail("another process listens there");
  rmSync(unix);
}

/** Whether a process listens at the file of this path, under whichever name of its folder: /var/run is often /run. */
function isInUse(path: string): boolean {
  return pathsInUse().some((used) => basename(used) === basename(path) && realPathOf(used) === path);
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    // It was removed, or lies in a folder that this user may not read: it is not the one that was found.
    return undefined;
  }
}

function pathsInUse(): readonly string[] {
  try {
    const lines = readFileSync(SOCKETS_IN_USE, "utf8").split("\n");
    return lines.flatMap((line) => /\s(\/.*)/.exec(line)?.[1] ?? []);
  } catch (error) {
    // Other systems have no such list: the file counts as left over.
    if ((error as { code?: string }).code === "ENOENT") return [];
    throw error;
  }
}
