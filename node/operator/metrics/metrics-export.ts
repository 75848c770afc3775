/**
 * Sends all metrics to an OpenTelemetry collector, each minute and once more at the end of the process, under the names
 * and labels that they have at `/metrics`. The serializer is OpenTelemetry's own.
 */

import { JsonMetricsSerializer } from "@opentelemetry/otlp-transformer";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { messageOf } from "../../message-of.ts";
import { LAST_EXPORT_MAX_MS, type Otlp, OtlpCollector } from "../otlp-collector.ts";
import type { Family } from "./metric-family.ts";

/** As OpenTelemetry's periodic reader has it: halved, a collector stores twice as many points. */
const EXPORT_MS = 60_000;
const EXPORT_MAX_MS = 10_000;

/** Of the enum DataPointType in OpenTelemetry's SDK. */
const TYPES = { histogram: 0, gauge: 2, counter: 3 } as const;
/** Of the enum AggregationTemporality: counts of the whole run. */
const CUMULATIVE = 1;
/** Of the enum ValueType. */
const DOUBLE = 1;

export interface MetricsExportParts {
  readonly families: () => Promise<readonly Family[]>;
  /** Unix ms. */
  readonly clock: () => number;
}

export class MetricsExport {
  readonly #otlp: Otlp;
  readonly #parts: MetricsExportParts;
  readonly #collector: OtlpCollector;
  readonly #startedMs: number;
  #isClosed = false;

  constructor(otlp: Otlp, parts: MetricsExportParts) {
    this.#otlp = otlp;
    this.#parts = parts;
    this.#collector = new OtlpCollector(otlp, "metrics");
    this.#startedMs = parts.clock();
    this.#callLater();
  }

  /** Sends the last counts, if the collector takes them soon. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#send(LAST_EXPORT_MAX_MS);
  }

  #callLater(): void {
    this.#otlp.later(EXPORT_MS, () => {
      if (!this.#isClosed) void this.#send(EXPORT_MAX_MS).finally(() => this.#callLater());
    });
  }

  async #send(waitMs: number): Promise<void> {
    try {
      const families = await this.#parts.families();
      await this.#collector.send(this.#serialize(families), waitMs);
    } catch (error) {
      // A metric that cannot be read costs the minute's metrics, and never the process.
      this.#otlp.log.error({ error: messageOf(error) }, "the metrics could not be read for the collector");
    }
  }

  #serialize(families: readonly Family[]): Uint8Array | undefined {
    const times = { startTime: hrTime(this.#startedMs), endTime: hrTime(this.#parts.clock()) };
    return JsonMetricsSerializer.serializeRequest({
      resource: resourceFromAttributes(this.#otlp.resource),
      scopeMetrics: [
        {
          scope: { name: "anteroom", version: this.#otlp.version },
          metrics: families.map((family) => metricOf(family, times)),
        },
      ],
    });
  }
}

type Times = { readonly startTime: [number, number]; readonly endTime: [number, number] };

function metricOf(family: Family, times: Times) {
  const { name, help, type } = family;
  // The name says the unit, as everywhere in Prometheus.
  const common = {
    descriptor: { name, description: help, unit: "", valueType: DOUBLE },
    aggregationTemporality: CUMULATIVE,
  };
  if (type !== "histogram") {
    const dataPoints = family.values.map(({ labels, value }) => ({ ...times, attributes: labels, value }));
    return type === "gauge"
      ? { ...common, dataPointType: TYPES.gauge, dataPoints }
      : { ...common, dataPointType: TYPES.counter, isMonotonic: true, dataPoints };
  }
  const dataPoints = family.values.map(({ labels, value: { bounds, counts, sumSeconds } }) => ({
    ...times,
    attributes: labels,
    value: {
      buckets: { boundaries: [...bounds], counts: [...counts] },
      sum: sumSeconds,
      count: counts.reduce((sum, count) => sum + count, 0),
    },
  }));
  return { ...common, dataPointType: TYPES.histogram, dataPoints };
}

/** Seconds and nanoseconds. */
function hrTime(ms: number): [number, number] {
  return [Math.floor(ms / 1_000), (Math.floor(ms) % 1_000) * 1_000_000];
}
