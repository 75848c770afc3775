/**
 * The admin address of a host with several workers: one address, whichever of them is up.
 *
 * Everything goes to the first worker that is up, but `/metrics`, which is that of all workers: each sample gets the
 * label `worker`, and a worker that does not answer shows in `anteroom_worker_up`. Workers have tokens of their own;
 * the host's is that of the first one.
 */

import type { Address } from "../../node/config/readers.ts";
import type { Settings } from "../../node/config/settings.ts";
import { ADMIN_FROM_FIELD, ADMIN_HOST_FIELD, withKnownHost } from "../../node/operator/access/host-check.ts";
import { APPLY_BYTES_MAX } from "../../node/operator/api/rooms.ts";
import { failure } from "../../node/operator/calls/api-answers.ts";
import { isOfType } from "../../node/operator/calls/json-body.ts";
import { JSON_LINES } from "../../node/operator/calls/json-lines.ts";
import { claimPort } from "../../node/process/claim-port.ts";
import { listenMetrics } from "../../node/process/listeners.ts";
import { listening } from "../../node/process/listening.ts";
import type { Up } from "../child.ts";
import { mergedMetrics } from "./merged-metrics.ts";

export interface HostAdminParts {
  readonly settings: Pick<Settings, "admin" | "adminHosts" | "metrics" | "workers">;
  /** The workers that are up, by number. */
  readonly up: () => ReadonlyMap<number, Up>;
  /** The admin token of a worker. */
  readonly tokenOf: (worker: number) => string;
}

export interface HostAdmin {
  readonly address: Address;
  readonly stop: () => void;
}

/** A worker that is frozen must not hold up the metrics of the others; Prometheus waits for 10 s. */
const METRICS_MS = 5_000;

/** As long as a worker's own answers may take: leaving waits for an heir. */
const ANSWER_SECONDS = 120;

/** Listens on the host's admin address. Throws `ListenError`. */
export function startHostAdmin(parts: HostAdminParts): HostAdmin {
  const { settings } = parts;
  const address = claimPort(settings.admin, "admin");
  const server = listening(address, "admin", (hostname) =>
    Bun.serve({
      hostname,
      port: address.port,
      development: false,
      idleTimeout: ANSWER_SECONDS,
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      fetch: (request, server) => {
        const from = server.requestIP(request)?.address ?? "unknown";
        return withKnownHost(settings, (checked) => answer(checked, from, parts))(request);
      },
    }),
  );
  const scrape = settings.metrics && listenMetrics(settings.metrics, () => metrics(parts));
  return {
    address,
    stop: () => {
      void server.stop(true);
      void scrape?.stop(true);
    },
  };
}

async function answer(request: Request, from: string, parts: HostAdminParts): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === "/metrics" && request.method === "GET") {
    return new Response(await metrics(parts), { headers: { "Content-Type": "text/plain; version=0.0.4" } });
  }
  const workers = [...parts.up()];
  let last = noWorker();
  for (const [worker, up] of pathname === "/readyz" ? workers : workers.slice(0, 1)) {
    last = await forward(request, up, { from, token: parts.tokenOf(worker), hostToken: parts.tokenOf(1) });
    if (last.ok) break;
  }
  return last;
}

interface Passing {
  /** The address from which it came. */
  readonly from: string;
  readonly token: string;
  readonly hostToken: string;
}

/** Passes a request on to a worker, with that worker's token where it came with the host's. */
async function forward(request: Request, { admin }: Up, { from, token, hostToken }: Passing): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const headers = new Headers(request.headers);
  headers.set(ADMIN_HOST_FIELD, headers.get("Host") ?? admin);
  headers.set("Host", admin);
  headers.set(ADMIN_FROM_FIELD, from);
  if (headers.get("Authorization") === `Bearer ${hostToken}`) headers.set("Authorization", `Bearer ${token}`);
  // Lines are answered while they come.
  const isStream = isOfType(headers.get("Content-Type"), JSON_LINES);
  try {
    // The worker checks the token: what is kept of others until then has a bound.
    const body = isStream ? request.body : await bytesOf(request);
    if (body === undefined) return failure("too-large", `Cannot read a body of more than ${APPLY_BYTES_MAX} bytes`);
    return await fetch(`http://${admin}${pathname}${search}`, {
      method: request.method,
      headers,
      ...(body && { body }),
      signal: request.signal,
      redirect: "manual",
      proxy: false,
    });
  } catch {
    // It has ended since: whether it has done what was asked is not known.
    return noWorker();
  }
}

/** The body; undefined if it is too large for every call that takes no lines. */
async function bytesOf({ body }: Request): Promise<Uint8Array<ArrayBuffer> | null | undefined> {
  if (body === null) return null;
  const parts: Uint8Array[] = [];
  let count = 0;
  for await (const part of body) {
    count += part.length;
    if (count > APPLY_BYTES_MAX) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function noWorker(): Response {
  return failure("no-worker", "Cannot answer as no worker of this host answers: they are being restarted");
}

async function metrics({ up, settings }: HostAdminParts): Promise<string> {
  const workers = up();
  const numbers = Array.from({ length: settings.workers }, (_, at) => at + 1);
  const texts = await Promise.all(
    numbers.map(async (worker) => [worker, await metricsOf(workers.get(worker))] as const),
  );
  return mergedMetrics(new Map(texts));
}

async function metricsOf(up: Up | undefined): Promise<string | undefined> {
  if (up === undefined) return undefined;
  try {
    const response = await fetch(`http://${up.admin}/metrics`, {
      proxy: false,
      signal: AbortSignal.timeout(METRICS_MS),
    });
    return response.ok ? await response.text() : undefined;
  } catch {
    // Reported as a worker that is down.
    return undefined;
  }
}
