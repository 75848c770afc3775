/**
 * What `/metrics` shows, in the Prometheus text format: base units, and the label `room` on everything that is of a
 * room. Counters and gauges are of this node alone, but for `anteroom_idle_…` and the limits, which are the whole
 * room's.
 */

import type { LiveRoom } from "../../rooms/live-room.ts";
import { MetricFamilies } from "./metric-family.ts";
import { type NodeMetricsParts, nodeMetrics } from "./node-metrics.ts";
import { originMetrics } from "./origin-metrics.ts";
import { roomMetrics } from "./room-metrics.ts";

export interface MetricsOptions extends NodeMetricsParts {
  readonly rooms: () => readonly LiveRoom[];
}

/** All metrics, each read when it is asked for. */
export function createMetrics(options: MetricsOptions): MetricFamilies {
  const families = new MetricFamilies(options.rooms);
  roomMetrics(families, options);
  originMetrics(families, options);
  nodeMetrics(families, options);
  return families;
}
