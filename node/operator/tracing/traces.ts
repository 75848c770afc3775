/** Traces of a node: what decides and records, and the way to the collector; none without `--otlp-endpoint`. */

import { randomBytes } from "node:crypto";
import type { Log } from "../../log.ts";
import type { ProxyOf } from "../outbound-proxy.ts";
import { spanSerializer } from "./span.ts";
import { SpanQueue } from "./span-queue.ts";
import { Tracer } from "./tracer.ts";

export interface TracesOptions {
  readonly endpoint: string | undefined;
  readonly sample: number;
  /** The node's name, for people. */
  readonly node: string;
  readonly version: string;
  readonly clock: () => number;
  readonly steadyMs: () => number;
  readonly proxyOf: ProxyOf;
  readonly log: Log;
}

export interface Traces {
  readonly tracer: Tracer;
  readonly queue: SpanQueue;
}

export function tracesOf(options: TracesOptions): Traces | undefined {
  const { endpoint, node, version, proxyOf, log } = options;
  if (endpoint === undefined) return undefined;
  const process = { "service.name": "anteroom", "service.version": version, "service.instance.id": node };
  const later = (ms: number, act: () => void): void => void setTimeout(act, ms).unref();
  const queue = new SpanQueue({ endpoint, serialize: spanSerializer(process, version), proxyOf, log, later });
  const add = queue.add.bind(queue);
  return { queue, tracer: new Tracer({ ...options, random: Math.random, newId, add }) };
}

function newId(digits: number): string {
  const id = randomBytes(digits / 2).toString("hex");
  // All zero would mean none.
  return /[^0]/.test(id) ? id : newId(digits);
}
