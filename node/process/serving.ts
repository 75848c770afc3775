/** What a node serves: the gate, the admin API, metrics, and what they do at each tick. */

import type { ServerTls } from "../http/server-certificates.ts";
import type { OriginTls } from "../http/upstream.ts";
import { faultHandler } from "../operator/logs/faults.ts";
import { certificateEnds } from "../operator/metrics/certificate-ends.ts";
import { createMetrics } from "../operator/metrics/metrics.ts";
import { MetricsExport } from "../operator/metrics/metrics-export.ts";
import type { Reload } from "../operator/metrics/node-metrics.ts";
import { HealthChecks } from "../rooms/health-checks.ts";
import { httpProbe } from "../rooms/origin-probe.ts";
import { Rollouts } from "../rooms/rollouts.ts";
import { unlessRefused } from "../storage/disk-watch.ts";
import { nodeAdmin, type Served } from "./admin-app.ts";
import { listenAdmin, listenGate, scrapeServer } from "./listeners.ts";
import type { NodeOptions } from "./node-options.ts";
import { pressureLook } from "./pressure-look.ts";

/** Opens the gate and the admin API, and begins to ask origins how they are. */
export async function openSockets(options: NodeOptions, served: Served) {
  const { shell, transport, status, loopName, traces, history, notices } = served;
  const { settings, log, clock, originTls } = options;
  const { peer, rooms, gate, pressure } = shell;
  const fault = faultHandler(log, options.endNow);
  /** Closes what is open already; if one address cannot be had, the others are let go of. */
  const opened: (() => unknown)[] = [];
  try {
    const listener = listenGate(options, { gate, onFault: fault, tracer: traces?.tracer });
    opened.push(() => listener.stop());
    const startedMs = clock();
    let reload: Reload = { isOk: true, atMs: startedMs };
    let certificates = certificateEnds(options.tls);
    const allMetrics = createMetrics({
      version: options.version,
      gate,
      rooms: () => rooms.all(),
      peer,
      clock,
      connections: () => listener.connections,
      connectionsMax: options.connectionsMax,
      memoryBytes: options.memoryBytes,
      memoryBytesMax: options.memoryBytesMax,
      pressure,
      isReady: () => shell.notReady === undefined,
      disk: shell.disk,
      history,
      reload: () => reload,
      certificates: () => certificates,
      spans: traces?.queue,
      notices,
      process: options.processFigures ?? (() => ({ cpuSeconds: 0, startSeconds: startedMs / 1_000 })),
    });
    const metrics = (): Promise<string> => {
      served.metricsRead();
      return allMetrics.text();
    };
    const families = (): ReturnType<typeof allMetrics.all> => {
      served.metricsRead();
      return allMetrics.all();
    };
    const metricsExport = served.otlp && new MetricsExport(served.otlp, { families, clock });
    const scrape = scrapeServer(settings, metrics);
    opened.push(() => scrape?.stop(true));
    const probes = new AbortController();
    let probedTls = originTls;
    const probe = httpProbe({
      originTls: () => probedTls,
      originSecret: settings.originSecret,
      loopName,
      stop: probes.signal,
    });
    const common = { probe, clock: () => peer.roomMs, log };
    const health = new HealthChecks({ ...common, rooms: () => rooms.all(), random: Math.random });
    const rollouts = new Rollouts({
      ...common,
      rooms,
      minuteMs: settings.minuteMs,
      rank: () => [...peer.roomNode.alive().values()].flat().sort().indexOf(peer.roomNode.self),
    });
    const app = nodeAdmin(options, served, { metrics, rollouts, gatePort: listener.port });
    const admin = listenAdmin(settings, app.fetch);
    opened.push(() => admin.stop(true));
    shell.everyTick(pressureLook(options, pressure));
    shell.withHousekeeping(() => health.tick());
    shell.withHousekeeping(() => void unlessRefused(() => rollouts.tick()));
    shell.withHousekeeping(() => notices.tellCalled(rooms.all(), shell.commit));
    shell.withHousekeeping(() => {
      if (notices.isDue(clock())) notices.look(status.now());
    });
    return {
      ports: { gatePort: listener.port, adminPort: admin.port ?? 0 },
      reloaded: (isOk: boolean) => {
        reload = { isOk, atMs: clock() };
      },
      drain: (deadlineMs: number) => listener.drain(deadlineMs),
      lastMetrics: () => metricsExport?.close(),
      replaceTls: (tls: ServerTls | undefined, forOrigins: OriginTls | undefined) => {
        listener.replaceTls(tls, forOrigins);
        certificates = certificateEnds(tls);
        probedTls = forOrigins;
      },
      stop: async () => {
        notices.close();
        probes.abort();
        await scrape?.stop(true);
        await admin.stop(true);
      },
    };
  } catch (error) {
    for (const close of opened) close();
    shell.halt();
    await transport.stop();
    throw error;
  }
}
