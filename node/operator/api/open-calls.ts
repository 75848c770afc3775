/**
 * Calls that need no token: health, metrics, and the description of the API, which has no secrets. They answer whatever
 * a prober puts behind the path.
 */

import type { Hono } from "hono";
import { type Operation, operation } from "../calls/operation.ts";
import type { AdminEnv } from "../logs/audit.ts";
import { openApi } from "./openapi.ts";

const OPEN = { method: "GET", topic: "node", scope: undefined } as const;
const TEXT = "text/plain";
const PLAIN = { "Content-Type": `${TEXT}; charset=utf-8` };

const HEALTH = operation({
  ...OPEN,
  id: "getHealth",
  path: "/healthz",
  summary: "200 as long as the process runs (liveness)",
  answer: { description: "the process runs", type: TEXT },
});

const READINESS = operation({
  ...OPEN,
  id: "getReadiness",
  path: "/readyz",
  summary:
    "200, or 503 with the reason (readiness): the node joins or drains, too few voters of the mesh that it has joined answer, the disk refuses writes, or the data directory is gone",
  answer: { description: "the node may get requests", type: TEXT },
  otherwise: { status: 503, description: "why it should get no new ones", type: TEXT },
});

const METRICS = operation({
  ...OPEN,
  id: "getMetrics",
  path: "/metrics",
  summary: "Prometheus text format",
  answer: { description: "the metrics", type: TEXT },
});

const DESCRIPTION = operation({
  ...OPEN,
  id: "getDescription",
  path: "/v1/openapi.json",
  summary: "this API as an OpenAPI 3.1 document",
  answer: { description: "the document", type: "application/json" },
});

export const OPEN_OPERATIONS = [HEALTH, READINESS, METRICS, DESCRIPTION];

export interface OpenRoutes {
  readonly metrics: () => Promise<string>;
  /** Why this node should get no new requests; undefined while it should. */
  readonly notReady: () => string | undefined;
  readonly operations: readonly Operation[];
}

export function openRoutes(app: Hono<AdminEnv>, { metrics, notReady, operations }: OpenRoutes): void {
  /** Made when it is asked for first: it takes some ms. */
  let description: string | undefined;

  app.get(HEALTH.path, (c) => c.text("ok\n", 200, PLAIN));
  app.get(READINESS.path, (c) => {
    const reason = notReady();
    return reason === undefined ? c.text("ready\n", 200, PLAIN) : c.text(`not ready: ${reason}\n`, 503, PLAIN);
  });
  app.get(METRICS.path, async (c) => c.body(await metrics(), 200, { "Content-Type": "text/plain; version=0.0.4" }));
  app.get(DESCRIPTION.path, (c) => {
    description ??= JSON.stringify(openApi(operations));
    return c.body(description, 200, { "Content-Type": "application/json" });
  });
}
