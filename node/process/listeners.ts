/**
 * The two sockets of a node for HTTP: the gate's, for visitors, and the admin API's, for operators.
 */

import type { Address } from "../config/readers.ts";
import type { Settings } from "../config/settings.ts";
import type { Gate } from "../gate/gate.ts";
import { clientOf, parseCidr } from "../http/client.ts";
import { type HttpListener, listen } from "../http/listener.ts";
import type { Exchange, ExchangeEnd } from "../http/message.ts";
import { ADMIN_FROM_FIELD, ADMIN_HOST_FIELD, withKnownHost } from "../operator/access/host-check.ts";
import { type AccessLine, accessFields, combinedLine } from "../operator/logs/access-log.ts";
import type { OnFault } from "../operator/logs/faults.ts";
import { shownTarget } from "../operator/logs/shown-target.ts";
import type { Tracer } from "../operator/tracing/tracer.ts";
import { nodeNameOf } from "../own-hosts.ts";
import { claimPort, claimUnixPath } from "./claim-port.ts";
import { listening } from "./listening.ts";
import type { NodeOptions } from "./node-options.ts";

interface GateParts {
  readonly gate: Gate;
  readonly onFault: OnFault;
  /** Hears the end of each request that is traced. */
  readonly tracer: Tracer | undefined;
}

export function listenGate(options: NodeOptions, { gate, onFault, tracer }: GateParts): HttpListener {
  const { settings, tls, originTls, connectionsMax, log } = options;
  const { listen: address, connectTimeoutMs, originTimeoutMs, accessLog } = settings;
  const trusted = settings.trustedProxies.map(parseCidr);
  const access = accessLog ? accessLogOf(options) : undefined;
  claimUnixPath(address);
  return listening(address, "gate", (hostname) =>
    listen({
      hostname,
      port: address.port,
      ...(settings.worker > 0 && { reusePort: true }),
      unix: address.unix,
      tls,
      http1Only: settings.http1Only,
      balancers: settings.proxyProtocol ? trusted : undefined,
      ...(originTls !== undefined && { originTls }),
      limits: { connectionsMax, connectMs: connectTimeoutMs, originMs: originTimeoutMs },
      onExchange: (exchange) => gate.handle(exchange),
      onError: (error) => onFault(error, "internal error in a request"),
      onRefusal: ({ status, reason }) => log.debug({ status, reason }, "request refused"),
      onEnd: (exchange, end) => {
        access?.(exchange, end);
        tracer?.ended(exchange, end);
      },
    }),
  );
}

/** Answers a request that came from an address; `host` is the Host by which it came to the process of the host. */
export type AdminFetch = (
  request: Request,
  from: { readonly from: string; readonly host?: string },
) => Response | Promise<Response>;

export function listenAdmin(settings: Settings, fetch: AdminFetch) {
  const { port } = claimPort(settings.admin, "admin");
  return listening(settings.admin, "admin", (hostname) =>
    // Leaving waits for an heir.
    Bun.serve({
      hostname,
      port,
      development: false,
      idleTimeout: 120,
      // Each call has a limit of its own, and passes have none.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      fetch: (request, server) => {
        const address = server.requestIP(request)?.address ?? "unknown";
        // The process of the host passes on what came to it.
        const isPassedOn = settings.worker > 0;
        const from = (isPassedOn ? request.headers.get(ADMIN_FROM_FIELD) : null) ?? address;
        const host = isPassedOn ? request.headers.get(ADMIN_HOST_FIELD) : null;
        return withKnownHost(settings, (checked) => fetch(checked, { from, ...(host !== null && { host }) }))(request);
      },
    }),
  );
}

/** The address for metrics alone, if there is one; a worker leaves it to the process of its host. */
export function scrapeServer({ metrics: address, worker }: Settings, metrics: () => Promise<string>) {
  if (address === undefined || worker > 0) return undefined;
  return listenMetrics(address, metrics);
}

/** Answers `GET /metrics`, and nothing else: it may be open to a network that must not reach the admin API. */
export function listenMetrics(address: Address, metrics: () => Promise<string>) {
  const { port } = claimPort(address, "admin");
  return listening(address, "admin", (hostname) =>
    Bun.serve({
      hostname,
      port,
      development: false,
      fetch: async (request) => {
        if (new URL(request.url).pathname !== "/metrics") return new Response("not found\n", { status: 404 });
        return new Response(await metrics(), { headers: { "Content-Type": METRICS_TYPE } });
      },
    }),
  );
}

const METRICS_TYPE = "text/plain; version=0.0.4";

/** Writes a line of the access log in the format that the settings name. */
function accessLogOf({ settings, log, clock, steadyClock, writeAccess }: NodeOptions) {
  const trusted = settings.trustedProxies.map(parseCidr);
  const node = nodeNameOf(settings);
  return (exchange: Exchange, end: ExchangeEnd): void => {
    const { address, secure } = clientOf(exchange, trusted, settings.clientAddressField);
    const scheme = secure ? "https" : "http";
    const startedMs = exchange.trail?.startedMs;
    const line: AccessLine = {
      exchange,
      end,
      client: address,
      scheme,
      node,
      nowMs: clock(),
      target: shownTarget(exchange.request.target),
      durationMs: startedMs === undefined ? undefined : steadyClock() - startedMs,
    };
    if (settings.accessLogFormat === "combined") writeAccess?.(combinedLine(line));
    else log.info(accessFields(line), "access");
  };
}
