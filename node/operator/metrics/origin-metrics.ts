/** Metrics of origins: up or down, load, failures, retries, rollouts. */

import type { Gate } from "../../gate/gate.ts";
import type { Target } from "../../origin/target.ts";
import type { LiveRoom } from "../../rooms/live-room.ts";
import type { MetricFamilies } from "./metric-family.ts";

export interface OriginMetricsParts {
  readonly rooms: () => readonly LiveRoom[];
  readonly gate: Gate;
  readonly clock: () => number;
}

export function originMetrics(families: MetricFamilies, { rooms, gate, clock }: OriginMetricsParts): void {
  const labels = ["room", "origin"] as const;
  const targetsOf = (each: (at: Record<"room" | "origin", string>, target: Target) => void): void => {
    for (const { room, origin } of rooms())
      for (const target of origin.all) each({ room: room.name, origin: target.url }, target);
  };
  for (const [name, help, read] of [
    ["origin_up", "Whether the origin is up, as this node sees it.", ({ health }) => (health.isUp ? 1 : 0)],
    [
      "origin_changed_timestamp_seconds",
      "Since when the origin is up or down, as Unix time.",
      ({ health }) => health.sinceMs / 1_000,
    ],
    ["origin_weight", "Weight of the origin, as declared.", ({ weight }) => weight],
    ["origin_sessions", "Sessions seen here in the last minute.", (target) => target.sessions(clock())],
  ] as const satisfies readonly (readonly [string, string, (target: Target) => number])[]) {
    families.gauges(name, { help, labels }, (set) => targetsOf((at, target) => set(at, read(target))));
  }
  families.counter("origin_requests_total", { help: "Requests sent to an origin.", labels }, (add) =>
    targetsOf((at, { requests }) => add(at, requests)),
  );
  families.counter(
    "origin_request_failures_total",
    { help: "Requests to an origin without an answer, or with a status of 500 and above.", labels },
    (add) => targetsOf((at, { failures }) => add(at, failures)),
  );
  families.counter("origin_failures_total", { help: "Requests that an origin failed.", labels: ["kind"] }, (add) => {
    for (const [kind, count] of Object.entries(gate.failures)) add({ kind }, count);
  });
  families.roomCount("origin_retries_total", "Requests sent a second time.", ({ counts }) => counts.retries);
  families.roomCount(
    "origin_retries_refused_total",
    "Requests not sent a second time because the budget was used up.",
    ({ counts }) => counts.retriesRefused,
  );
  families.roomGauge(
    "rollout_ratio",
    "Part of new sessions that follow a rollout, 0 to 1.",
    (live) => live.origin.percent(clock()) / 100,
  );
}
