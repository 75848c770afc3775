/**
 * `anteroom serve`: runs one node until it is told to stop.
 *
 * SIGHUP reads the rooms file again and, if all of it is well, puts it in force. SIGTERM and SIGINT let running requests
 * finish within the drain timeout; a second one ends the process at once.
 */

import { readFileSync } from "node:fs";
import { problemText } from "../node/config/problem.ts";
import { addressText } from "../node/config/readers.ts";
import type { Settings } from "../node/config/settings.ts";
import { DataDirectoryError } from "../node/identity.ts";
import { createLog, type Log } from "../node/log.ts";
import { ListenError, RoomsRefused, type RunningNode, startNode } from "../node/node.ts";
import type { Invocation } from "./command.ts";
import { EXIT } from "./exit.ts";
import { Failure } from "./failure.ts";
import type { Io } from "./io.ts";
import { type Configuration, loadConfiguration, loadRooms } from "./load.ts";
import { openFilesMax } from "./open-files.ts";
import { problemList } from "./print.ts";
import { VERSION } from "./version.ts";

/** Files that are neither a client's nor an origin's connection: store, log, admin API. */
const FILES_APART = 256;

/** Below so many connections a flood would be felt; the operator is told how to raise the limit. */
const CONNECTIONS_ENOUGH = 10_000;

/** What the system allows where it cannot be asked. */
const FILES_UNKNOWN = 4_096;

const LISTEN_HINTS: Readonly<Record<string, string>> = {
  EADDRINUSE: "stop what listens there, or choose another address",
  EACCES: "give this user the right (CAP_NET_BIND_SERVICE), or choose a port above 1023",
};

export async function serve(invocation: Invocation): Promise<number> {
  const configuration = loadConfiguration(invocation);
  if (!configuration.ok) {
    invocation.io.talk(problemList(configuration.problems, "nothing was started"));
    return EXIT.usage;
  }
  const { io } = invocation;
  const { settings } = configuration.value;
  const log = createLog({
    level: settings.logLevel,
    format: settings.logFormat,
    write: (line) => void process.stderr.write(line),
  });
  const node = start(configuration.value, log);
  // Before the node says that it is up: a signal that nobody handles would end it.
  const stopped = untilStopped({ node, settings, io, log });
  log.info(
    {
      version: VERSION,
      gate: addressText({ ...settings.listen, port: node.gatePort }),
      admin: addressText({ ...settings.admin, port: node.adminPort }),
      data: settings.ephemeral ? "none (ephemeral)" : settings.data,
      mesh: node.meshId,
      rooms: node.status().rooms.map(({ name }) => name),
    },
    "anteroom is up",
  );
  if (settings.ephemeral && settings.token === undefined) io.talk(`admin token of this run: ${node.token}`);
  await stopped;
  return EXIT.ok;
}

function start({ settings, rooms }: Configuration, log: Log): RunningNode {
  try {
    return startNode({
      settings,
      rooms,
      version: VERSION,
      tls: settings.tls && {
        cert: readFileSync(settings.tls.cert, "utf8"),
        key: readFileSync(settings.tls.key, "utf8"),
      },
      originCa: settings.originCa === undefined ? undefined : readFileSync(settings.originCa, "utf8"),
      connectionsMax: connectionsMax(settings, log),
      log,
      clock: Date.now,
      memoryBytes: () => process.memoryUsage.rss(),
    });
  } catch (error) {
    if (error instanceof DataDirectoryError) throw new Failure(error.message, { hint: error.hint, cause: error });
    if (error instanceof RoomsRefused) throw new Failure(error.message, { problems: error.problems, cause: error });
    if (error instanceof ListenError) {
      throw new Failure(error.message, { hint: LISTEN_HINTS[error.code] ?? "choose another address", cause: error });
    }
    throw error;
  }
}

/** Half of what files allow: a visitor inside needs a connection to us and one to the origin. */
function connectionsMax({ maxConnections }: Settings, log: Log): number {
  const openFiles = openFilesMax() ?? FILES_UNKNOWN;
  const possible = Math.max(1, Math.floor((openFiles - FILES_APART) / 2));
  const connections = maxConnections === 0 ? possible : maxConnections;
  if (connections < CONNECTIONS_ENOUGH || connections > possible) {
    log.warn(
      { open_files: openFiles, connections },
      "few connections possible for a flood: raise the limit on open files (ulimit -n 65536, LimitNOFILE=)",
    );
  }
  return connections;
}

interface Running {
  readonly node: RunningNode;
  readonly settings: Settings;
  readonly io: Io;
  readonly log: Log;
}

async function untilStopped({ node, settings, io, log }: Running): Promise<void> {
  const reload = (): void => reloadRooms({ node, settings, io, log });
  process.on("SIGHUP", reload);
  const signal = await new Promise<string>((resolve) => {
    process.once("SIGTERM", () => resolve("SIGTERM"));
    process.once("SIGINT", () => resolve("SIGINT"));
  });
  for (const again of ["SIGTERM", "SIGINT"] as const) process.once(again, () => process.exit(EXIT.failed));
  log.info({ signal, drain_seconds: settings.drainTimeoutMs / 1_000 }, "stopping: running requests finish");
  await node.drain(settings.drainTimeoutMs);
  process.off("SIGHUP", reload);
  log.info({}, "stopped");
}

/** A rooms file with problems changes nothing. */
function reloadRooms({ node, settings, io, log }: Running): void {
  if (settings.rooms === undefined) {
    log.warn({}, "SIGHUP: there is no rooms file to read again (--rooms)");
    return;
  }
  const rooms = loadRooms(io, settings.rooms);
  const applied = rooms.ok ? node.applyRooms(rooms.value) : undefined;
  if (rooms.ok && applied?.ok) {
    log.info({ results: applied.value }, "SIGHUP: rooms file applied");
    return;
  }
  const problems = rooms.ok ? (applied?.ok === false ? applied.refusal.problems : []) : rooms.problems;
  log.error({ problems: problems.map(problemText) }, "SIGHUP: rooms file refused, the rooms stay as they were");
}
