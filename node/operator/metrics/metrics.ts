/**
 * What `/metrics` shows, in the Prometheus text format: base units, and the label `room` on everything that is of a
 * room. Counters and gauges are of this node alone, but for `anteroom_idle_…` and the limits, which are the whole
 * room's.
 */

import type { LiveRoom } from "../../rooms/live-room.ts";
import { type Family, MetricFamilies } from "./metric-family.ts";
import { type NodeMetricsParts, nodeMetrics } from "./node-metrics.ts";
import { originMetrics } from "./origin-metrics.ts";
import { roomMetrics } from "./room-metrics.ts";

export interface MetricsOptions extends NodeMetricsParts {
  readonly rooms: () => readonly LiveRoom[];
}

export interface Metrics {
  /** In the Prometheus text format. */
  readonly text: () => Promise<string>;
  readonly families: () => Promise<Family[]>;
}

/** All metrics, each read when it is asked for. */
export function createMetrics(options: MetricsOptions): Metrics {
  const families = new MetricFamilies(options.rooms);
  const fresh = roomMetrics(families, options);
  originMetrics(families, options);
  nodeMetrics(families, options);
  return {
    text: () => {
      fresh();
      return families.text();
    },
    families: () => {
      fresh();
      return families.all();
    },
  };
}
