/** Traces of a node: what decides and records, and the way to the collector; none without `--otlp-endpoint`. */

import { randomBytes } from "node:crypto";
import { type Otlp, OtlpCollector } from "../otlp-collector.ts";
import { spanSerializer } from "./span.ts";
import { SpanQueue } from "./span-queue.ts";
import { Tracer } from "./tracer.ts";

export interface TracesOptions {
  readonly sample: number;
  readonly clock: () => number;
  readonly steadyMs: () => number;
}

export interface Traces {
  readonly tracer: Tracer;
  readonly queue: SpanQueue;
}

export function tracesOf(otlp: Otlp | undefined, options: TracesOptions): Traces | undefined {
  if (otlp === undefined) return undefined;
  const { resource, version, later } = otlp;
  const collector = new OtlpCollector(otlp, "traces");
  const queue = new SpanQueue({ collector, serialize: spanSerializer(resource, version), later });
  const add = queue.add.bind(queue);
  return { queue, tracer: new Tracer({ ...options, random: Math.random, newId, add }) };
}

function newId(digits: number): string {
  const id = randomBytes(digits / 2).toString("hex");
  // All zero would mean none.
  return /[^0]/.test(id) ? id : newId(digits);
}
