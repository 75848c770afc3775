/**
 * `anteroom serve`: runs one node until it is stopped, or several with `--workers`.
 *
 * SIGHUP reads the rooms file again and, if all of it is valid, applies it, and the same with certificates. SIGTERM and
 * SIGINT let running requests finish within the drain timeout; a second one ends the process at once. A node that has
 * left the mesh ends by itself.
 */

import { join } from "node:path";
import { parseAddress, toText } from "../../mesh/seed-addresses.ts";
import { problemText } from "../../node/config/problem.ts";
import { addressText } from "../../node/config/readers.ts";
import type { Settings } from "../../node/config/settings.ts";
import type { Log } from "../../node/log.ts";
import { proxyRule } from "../../node/operator/outbound-proxy.ts";
import { nodeNameOf } from "../../node/own-hosts.ts";
import { ListenError } from "../../node/process/listening.ts";
import { RoomsRefused, type RunningNode, startNode } from "../../node/process/node.ts";
import { NotStored } from "../../node/storage/disk-watch.ts";
import { DataDirectoryError, hasMesh } from "../../node/storage/identity.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit.ts";
import { Failure } from "../failure.ts";
import type { Io } from "../io.ts";
import { problemList } from "../print.ts";
import { loadRooms, type RoomsFile } from "../room/load-rooms.ts";
import { endNow, watchUncaught } from "../uncaught.ts";
import { VERSION } from "../version.ts";
import { checkLayout } from "../workers/data-layout.ts";
import { listenDetails, serveWithWorkers } from "../workers/workers.ts";
import { CertificateWatch } from "./certificate-watch.ts";
import { certificateRows, certificateWarnings } from "./certificates.ts";
import { type Configuration, loadConfiguration } from "./load.ts";
import { type LogOutputs, logOutputs } from "./log-outputs.ts";
import { LookupWatch, lookupFolder } from "./lookup-files.ts";
import { memoryBytesMax, openFilesMax, processFigures } from "./process-figures.ts";
import { type StopOrders, takeOrders } from "./stop-orders.ts";

/** Files that are neither a client's nor an origin's connection: store, log, admin API, other nodes. */
const FILES_APART = 256;

/** With fewer connections a flood would hurt; the operator learns how to raise the limit. */
const CONNECTIONS_ENOUGH = 10_000;

/** Assumed limit where the system cannot be asked. */
const FILES_UNKNOWN = 4_096;

/** How long the last lines of the log may take. Longer, and a stop with a stuck reader takes as long. */
const LAST_LINES_MS = 1_000;

/**
 * What tools for logs and timers send, and what by itself would end the process. SIGHUP is among them, as it may come
 * before the node is up, or while it stops.
 */
const SIGNALS_OF_OTHERS = ["SIGHUP", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGVTALRM", "SIGPROF", "SIGIO"] as const;

/** The exit code of the process when a node ended by itself. */
const END_EXITS = { left: EXIT.ok, stopped: EXIT.ok, replaced: EXIT.failed, "new-identity": undefined } as const;

export async function serve(invocation: Invocation): Promise<number> {
  for (const signal of SIGNALS_OF_OTHERS) process.on(signal, () => undefined);
  const configuration = loadConfiguration(invocation);
  if (!configuration.ok) {
    invocation.io.talk(problemList(configuration.problems, "nothing was started"));
    return EXIT.usage;
  }
  const { settings } = configuration.value;
  if (!settings.ephemeral) checkLayout(settings.data, settings.workers);
  const outputs = logOutputs(settings, process);
  const exit =
    settings.workers > 1
      ? await serveWithWorkers({ invocation, configuration: configuration.value, log: outputs.log })
      : await serveOne(configuration.value, invocation.io, outputs);
  // A reader that does not take the last lines keeps no process.
  setTimeout(() => process.exit(exit), LAST_LINES_MS).unref();
  return exit;
}

/** Runs one node after another: one whose identity is over continues as a new one. */
async function serveOne(configuration: Configuration, io: Io, outputs: LogOutputs): Promise<number> {
  const { log } = outputs;
  // Before anything is started: an unhandled signal would end the process at once.
  const orders = takeOrders();
  watchUncaught(log);
  let exit: number | undefined;
  while (exit === undefined) exit = await serveUntilEnd({ configuration, io, outputs, orders });
  log.info({}, "stopped");
  orders.end();
  return exit;
}

interface Serving {
  readonly configuration: Configuration;
  readonly io: Io;
  readonly outputs: LogOutputs;
  readonly orders: StopOrders;
}

/** Runs a node to its end; the exit code, or undefined when a new one should replace it. */
async function serveUntilEnd({ configuration, io, outputs, orders }: Serving): Promise<number | undefined> {
  const { settings } = configuration;
  const { log } = outputs;
  const founds = isFounder(settings);
  const lookups = await LookupWatch.begin(lookupFolder(settings), log);
  const node = await start(configuration, outputs, lookups);
  const watch = certificateWatch({ configuration, io, log, node });
  const reload = (): void => {
    const hasCertificates = watch?.reload("SIGHUP") ?? true;
    const isAsked = settings.rooms !== undefined || watch === undefined;
    const hasRooms = !isAsked || reloadRooms({ node, settings, io, log });
    node.reloaded(hasCertificates && hasRooms);
  };
  process.on("SIGHUP", reload);
  const stopWatch = watch?.start();
  const stopLookups = lookups.start();
  tellWhere({ node, settings, log, orders, founds });
  if (settings.ephemeral && settings.token === undefined) io.talk(`admin token of this run: ${node.token}`);

  const end = await Promise.race([orders.stop, node.ended]);
  process.off("SIGHUP", reload);
  stopWatch?.();
  stopLookups();
  if (typeof end === "string") {
    log.info({ reason: end, drain_seconds: settings.drainTimeoutMs / 1_000 }, "stopping: running requests finish");
    await node.drain(settings.drainTimeoutMs);
    return EXIT.ok;
  }
  if (end.kind === "left" || end.kind === "stopped") orders.tell({ told: "left" });
  return END_EXITS[end.kind];
}

interface Watched extends Pick<Serving, "configuration" | "io"> {
  readonly log: Log;
  readonly node: RunningNode;
}

/** Keeps the node's certificates as the files have them; undefined when there are none. */
function certificateWatch({ configuration, io, log, node }: Watched): CertificateWatch | undefined {
  const { settings, certificates } = configuration;
  if (certificates.texts.size === 0) return undefined;
  for (const warning of certificateWarnings(certificateRows(settings, certificates), Date.now())) log.warn({}, warning);
  return new CertificateWatch({
    paths: settings,
    io,
    log,
    clock: Date.now,
    inUse: certificates,
    replace: ({ tls, originTls }) => node.replaceTls(tls, originTls),
  });
}

interface Whereabouts {
  readonly node: RunningNode;
  readonly settings: Settings;
  readonly log: Log;
  readonly orders: StopOrders;
  /** Whether it is the first node of a new mesh. */
  readonly founds: boolean;
}

/** Reports that the node is up, and at which addresses. */
function tellWhere({ node, settings, log, orders, founds }: Whereabouts): void {
  const [meshAddress = ""] = node.meshAddresses;
  const meshPort = settings.mesh.port === 0 ? (parseAddress(meshAddress)?.port ?? 0) : settings.mesh.port;
  const addresses = {
    gate: addressText({ ...settings.listen, port: node.gatePort }),
    admin: addressText({ ...settings.admin, port: node.adminPort }),
    mesh: addressText({ ...settings.mesh, port: meshPort }),
  };
  log.info(
    {
      version: VERSION,
      gate: addresses.gate,
      admin: addresses.admin,
      mesh_address: addresses.mesh,
      data: settings.ephemeral ? "none (ephemeral)" : settings.data,
      mesh: node.meshId,
      name: nodeNameOf(settings),
      node_id: node.nodeId,
      locality: settings.locality,
      rooms: node.status().rooms.map(({ name }) => name),
    },
    "anteroom is up",
  );
  if (founds) {
    log.info(
      {
        mesh_key: join(settings.data, "mesh.key"),
        next_host: `anteroom serve --origin URL --join ${toText(meshAddress)} --mesh-key mesh.key`,
      },
      "created a mesh: for each other host, copy mesh_key there (mode 0600) and run next_host",
    );
  }
  orders.tell({ told: "up", node: node.nodeId, ...addresses });
}

async function start(
  configuration: Configuration,
  { log, writeAccess, dropped }: LogOutputs,
  lookups: LookupWatch,
): Promise<RunningNode> {
  const { settings, rooms, rows, certificates, people } = configuration;
  try {
    return await startNode({
      settings,
      settingRows: rows,
      rooms,
      version: VERSION,
      tls: certificates.tls,
      originTls: certificates.originTls,
      connectionsMax: connectionsMax(settings, log),
      log,
      writeAccess,
      clock: Date.now,
      steadyClock: () => performance.now(),
      memoryBytes: () => process.memoryUsage.rss(),
      memoryBytesMax: memoryBytesMax(),
      people,
      lookups: lookups.now,
      proxyOf: proxyRule(process.env),
      processFigures: () => ({ ...processFigures(), logLinesDropped: dropped() }),
      endNow,
    });
  } catch (error) {
    if (error instanceof DataDirectoryError) throw new Failure(error.message, { hint: error.hint, cause: error });
    if (error instanceof NotStored) throw new Failure(error.message, { hint: error.hint, cause: error });
    if (error instanceof RoomsRefused) throw new Failure(error.message, { problems: error.problems, cause: error });
    if (error instanceof ListenError) {
      throw new Failure(error.message, listenDetails(error));
    }
    throw error;
  }
}

/** Whether a start with these settings makes a new mesh that others can join. */
function isFounder({ ephemeral, join: seeds, meshKey, data }: Settings): boolean {
  return !ephemeral && seeds.length === 0 && meshKey === undefined && !hasMesh(data);
}

/** Half of what files allow: an admitted visitor needs a connection to us and one to the origin. */
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

/** A rooms file with problems changes nothing. */
function reloadRooms({ node, settings, io, log }: Running): boolean {
  if (settings.rooms === undefined) {
    log.warn({}, "SIGHUP: there is no rooms file to read again (--rooms)");
    return true;
  }
  const rooms = loadRooms(io, settings.rooms, { isReadAgain: true });
  const problems = rooms.ok ? applyRooms(node, rooms.value, log) : rooms.problems.map(problemText);
  if (problems.length > 0) log.error({ problems }, "SIGHUP: rooms file refused: the rooms stay as they were");
  return problems.length === 0;
}

/** Applies rooms, all or none; returns the objection as text. */
function applyRooms(node: RunningNode, { rooms, located }: RoomsFile, log: Log): readonly string[] {
  try {
    const applied = node.applyRooms(rooms);
    if (!applied.ok) return located(applied.refusal.problems).map(problemText);
    log.info({ results: applied.value }, "SIGHUP: rooms file applied");
    return [];
  } catch (error) {
    // The process continues: a disk that is full now refuses nothing that was stored before.
    if (!(error instanceof NotStored)) throw error;
    return [error.message];
  }
}
