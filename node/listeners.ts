/**
 * The two sockets of a node for HTTP: the gate's, for visitors, and the admin API's, for operators.
 */

import { claimPort, claimUnixPath } from "./claim-port.ts";
import type { Settings } from "./config/settings.ts";
import type { Gate } from "./gate/gate.ts";
import { withoutPass } from "./gate/shown-pass.ts";
import { clientOf, parseCidr } from "./http/client.ts";
import { type HttpListener, listen } from "./http/listener.ts";
import type { Exchange, ExchangeEnd } from "./http/message.ts";
import { listening } from "./listening.ts";
import type { Log } from "./log.ts";
import type { NodeOptions } from "./node-options.ts";
import type { OnFault } from "./operator/faults.ts";
import { withKnownHost } from "./operator/host-check.ts";

export function listenGate(options: NodeOptions, gate: Gate, onFault: OnFault): HttpListener {
  const { settings, tls, originTls, connectionsMax, log } = options;
  const { listen: address, connectTimeoutMs, originTimeoutMs, accessLog } = settings;
  const trusted = settings.trustedProxies.map(parseCidr);
  claimUnixPath(address, "gate");
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
      ...(accessLog && {
        onEnd: (exchange: Exchange, end: ExchangeEnd) =>
          logAccess(log, exchange, end, clientOf(exchange, trusted).address),
      }),
    }),
  );
}

export function listenAdmin(settings: Settings, fetch: (request: Request) => Response | Promise<Response>) {
  const { port } = claimPort(settings.admin, "admin");
  return listening(settings.admin, "admin", (hostname) =>
    // Leaving waits for an heir.
    Bun.serve({
      hostname,
      port,
      development: false,
      idleTimeout: 120,
      fetch: withKnownHost(settings, fetch),
    }),
  );
}

function logAccess(log: Log, { id, request, visitor }: Exchange, end: ExchangeEnd, client: string): void {
  const { method, host } = request;
  // A pass is a secret of its visitor.
  const target = withoutPass(request.target);
  const { status, bytesSent, bytesReceived, aborted } = end;
  const ended = { status, bytes_sent: bytesSent, bytes_received: bytesReceived, aborted };
  log.info(
    { request: id, ...(visitor !== undefined && { visitor }), client, method, host, target, ...ended },
    "access",
  );
}
