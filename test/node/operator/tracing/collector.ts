/** A collector of traces and metrics that notes what it gets, and what a node needs to send to one. */

import { onTestFinished } from "vitest";

export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly status: { readonly code: number };
}

export interface Exported {
  readonly path: string;
  readonly type: string | null;
  readonly resource: Readonly<Record<string, unknown>>;
  readonly spans: readonly OtlpSpan[];
}

/** One export of metrics. */
export interface ExportedMetrics {
  readonly path: string;
  readonly resource: Readonly<Record<string, unknown>>;
  readonly metrics: readonly OtlpMetric[];
}

interface OtlpPoint {
  readonly attributes: OtlpSpan["attributes"];
  readonly startTimeUnixNano: string;
  readonly timeUnixNano: string;
  readonly asDouble?: number;
  readonly bucketCounts?: readonly number[];
  readonly explicitBounds?: readonly number[];
  readonly count?: number;
  readonly sum?: number;
}

export interface OtlpMetric {
  readonly name: string;
  readonly description: string;
  readonly gauge?: { readonly dataPoints: readonly OtlpPoint[] };
  readonly sum?: Record<"isMonotonic" | "aggregationTemporality", unknown> & {
    readonly dataPoints: readonly OtlpPoint[];
  };
  readonly histogram?: { readonly dataPoints: readonly OtlpPoint[] };
}

interface Resource {
  readonly resource: { readonly attributes: OtlpSpan["attributes"] };
}

interface Body {
  readonly resourceSpans?: readonly (Resource & {
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  })[];
  readonly resourceMetrics?: readonly (Resource & {
    readonly scopeMetrics: readonly { readonly metrics: readonly OtlpMetric[] }[];
  })[];
}

/** `answer` makes the collector's answers; it ends with the test. */
export function startCollector(
  answer: () => Response | Promise<Response> = () => Response.json({}),
  hostname = "127.0.0.1",
) {
  const exports: Exported[] = [];
  const metrics: ExportedMetrics[] = [];
  const server = Bun.serve({
    hostname,
    port: 0,
    fetch: async (request) => {
      const { resourceSpans = [], resourceMetrics = [] } = (await request.json()) as Body;
      for (const { resource, scopeMetrics } of resourceMetrics)
        metrics.push({
          path: new URL(request.url).pathname,
          resource: valuesOf(resource.attributes),
          metrics: scopeMetrics.flatMap((scope) => scope.metrics),
        });
      for (const { resource, scopeSpans } of resourceSpans)
        exports.push({
          path: new URL(request.url).pathname,
          type: request.headers.get("content-type"),
          resource: valuesOf(resource.attributes),
          spans: scopeSpans.flatMap(({ spans }) => spans),
        });
      return answer();
    },
  });
  onTestFinished(() => server.stop(true));
  return { exports, metrics, url: `http://${hostname}:${server.port}`, stop: () => server.stop(true) };
}

/** Parts of what sends to `endpoint`; what it logs, and what it leaves for later. */
export function sendingTo(endpoint: string) {
  const logged: string[] = [];
  const note = (level: string) => (_: unknown, message: string) => void logged.push(`${level} ${message}`);
  const log = { error: note("error"), warn: note("warn"), info: note("info"), debug: note("debug") };
  const later: { readonly ms: number; readonly act: () => void }[] = [];
  const otlp = {
    ...{ endpoint, resource: { "service.name": "anteroom" }, version: "1.2.3", log, proxyOf: () => false as const },
    later: (ms: number, act: () => void) => void later.push({ ms, act }),
  };
  return { otlp, logged, later };
}

/** Attributes by name. */
export function valuesOf(attributes: OtlpSpan["attributes"]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
