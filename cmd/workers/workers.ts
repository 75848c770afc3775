/**
 * `anteroom serve --workers N`: one process that keeps N others, each a node of the same locality on a port that all
 * share.
 *
 * Each worker has its own directory in the data directory, and a mesh port. This process has the admin address and
 * passes requests to any worker that is up. SIGTERM, SIGINT and SIGHUP reach all of them; a second SIGTERM or SIGINT
 * ends all at once.
 */

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addressText, readAddress } from "../../node/config/readers.ts";
import type { Log } from "../../node/log.ts";
import { messageOf } from "../../node/message-of.ts";
import { claimPort } from "../../node/process/claim-port.ts";
import { ListenError } from "../../node/process/listening.ts";
import { startChild, type Up } from "../child.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit.ts";
import { Failure } from "../failure.ts";
import type { Configuration } from "../serve/load.ts";
import { startHostAdmin } from "./host-admin.ts";
import { Supervisor } from "./supervisor.ts";
import { type Host, siblingAddress, workerDirectory, workerFlags, workerSecrets } from "./worker-flags.ts";

/** What to do when the process cannot listen on an address. */
const LISTEN_HINTS: Readonly<Record<string, string>> = {
  EADDRINUSE: "stop what listens there, or choose another address",
  EACCES: "give this user the right (CAP_NET_BIND_SERVICE), or choose a port above 1023",
  EADDRNOTAVAIL: "choose an address that this host has",
};

/** The cause of a failure to listen, and what to do about it where that is known. */
export function listenDetails(error: ListenError): { readonly hint?: string; readonly cause: ListenError } {
  const hint = LISTEN_HINTS[error.code];
  return { ...(hint !== undefined && { hint }), cause: error };
}

export interface WorkersRun {
  readonly invocation: Invocation;
  readonly configuration: Configuration;
  readonly log: Log;
}

/** Runs the workers until all have ended; the exit code. */
export async function serveWithWorkers({ invocation, configuration, log }: WorkersRun): Promise<number> {
  const { settings } = configuration;
  const data = settings.ephemeral ? temporaryData() : settings.data;
  try {
    const host = { settings, flags: invocation.flags, gate: listenable(() => claimPort(settings.listen)), data };
    warnOfMore(host, log);
    return await serveHost(host, invocation, log);
  } finally {
    if (settings.ephemeral) rmSync(data, { recursive: true, force: true });
  }
}

async function serveHost(host: Host, { io }: Invocation, log: Log): Promise<number> {
  const { settings, gate, data } = host;
  const keyOf = (worker: number): string => join(data, workerDirectory(worker), "mesh.key");
  const tokenOf = (worker: number): string =>
    settings.token ?? readFileSync(join(data, workerDirectory(worker), "admin.token"), "utf8").trim();
  const numbers = Array.from({ length: settings.workers }, (_, at) => at + 1);
  const supervisor = new Supervisor({
    workers: settings.workers,
    hasMesh: (worker) => existsSync(keyOf(worker)),
    start: (worker, others, { isFirst }) => {
      const meshKey = settings.meshKey ?? numbers.map(keyOf).find(existsSync);
      const joining = { siblings: others.map(meshAddressOf), meshKey, roomsAtStart: isFirst };
      return startChild(["serve", ...workerFlags(host, worker, joining)], { environment: workerSecrets(host) });
    },
    leave: (worker, up) => askToLeave(up, tokenOf(worker)),
    allUp: () => {
      const addresses = { gate: addressText(gate), admin: addressText(admin.address) };
      log.info({ workers: settings.workers, ...addresses, data }, "all workers are up");
      if (settings.ephemeral && settings.token === undefined) io.talk(`admin token of this run: ${tokenOf(1)}`);
    },
    pause: (ms) => Bun.sleep(ms),
    clock: () => performance.now(),
    log,
  });
  const admin = listenable(() => startHostAdmin({ settings, up: () => supervisor.up, tokenOf }));
  try {
    return await runUntilStopped(supervisor, log);
  } finally {
    admin.stop();
  }
}

async function runUntilStopped(supervisor: Supervisor, log: Log): Promise<number> {
  let orders = 0;
  const stop = (signal: NodeJS.Signals): void => {
    orders += 1;
    if (orders === 1) {
      log.info({ signal }, "stopping all workers");
      supervisor.stop();
      return;
    }
    supervisor.kill();
    process.exit(EXIT.failed);
  };
  const reload = (): void => supervisor.reload();
  process.on("SIGTERM", stop).on("SIGINT", stop).on("SIGHUP", reload);
  try {
    return await supervisor.run();
  } finally {
    process.off("SIGTERM", stop).off("SIGINT", stop).off("SIGHUP", reload);
  }
}

function listenable<Server>(listen: () => Server): Server {
  try {
    return listen();
  } catch (error) {
    if (!(error instanceof ListenError)) throw error;
    throw new Failure(error.message, listenDetails(error));
  }
}

/** For a host that keeps nothing: workers need a directory while they run. */
function temporaryData(): string {
  try {
    return mkdtempSync(join(tmpdir(), "anteroom-workers-"));
  } catch (error) {
    throw new Failure(`Cannot make a directory for the workers while they run: ${messageOf(error)}`, {
      hint: "name a folder that this user may write in the environment variable TMPDIR",
      cause: error,
    });
  }
}

/** Workers of an earlier, larger number still own shares. */
function warnOfMore({ settings: { workers }, data }: Host, log: Log): void {
  const next = join(data, workerDirectory(workers + 1));
  if (!existsSync(next)) return;
  log.warn(
    { directory: next, workers },
    "more workers ran here before, and their shares are idle: start as many again, or remove them with anteroom forget",
  );
}

function meshAddressOf({ mesh }: Up): string {
  const reading = readAddress(mesh);
  return "value" in reading ? siblingAddress(reading.value) : mesh;
}

async function askToLeave({ admin }: Up, token: string): Promise<void> {
  const reading = readAddress(admin);
  const address = "value" in reading ? siblingAddress(reading.value) : admin;
  const response = await fetch(`http://${address}/v1/leave`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    proxy: false,
    redirect: "manual",
  });
  if (!response.ok) throw new Error(await response.text());
}
