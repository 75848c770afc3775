/** The metrics of a node in memory, with figures of a process that does not exist. */

import { Pressure } from "../../../../node/gate/pressure.ts";
import { createMetrics } from "../../../../node/operator/metrics/metrics.ts";
import type { GateWorld } from "../../gate/gate-world.ts";

export function renderOf(world: GateWorld): () => Promise<string> {
  return metricsOf(world).text;
}

export function metricsOf(world: GateWorld) {
  const metrics = createMetrics({
    version: "1.2.3",
    gate: world.gate,
    rooms: () => world.rooms.all(),
    peer: world.peer,
    clock: () => world.nowMs,
    connections: () => 12,
    connectionsMax: 4_000,
    memoryBytes: () => 34_000_000,
    memoryBytesMax: 64_000_000,
    isReady: () => true,
    disk: { errors: 3, trouble: undefined },
    reload: () => ({ isOk: false, atMs: 5_000 }),
    certificates: () => [{ name: "shop.example", untilMs: 90_000 }],
    process: () => ({ cpuSeconds: 1.5, startSeconds: 7, openFiles: 20, openFilesMax: 1_024 }),
    spans: { exported: 7, dropped: { queue_full: 1, unreachable: 2, refused: 3 } },
    pressure: new Pressure(world.nowMs),
    notices: {
      sender: {
        figures: [{ webhook: { name: "chat", id: "wh_1" }, counts: { delivered: 9, failed: 2, dead: 1, waiting: 3 } }],
      },
      pushes: { counts: { delivered: 5, failed: 4, dropped: 1 } },
    },
  });
  return { text: () => metrics.text(), families: () => metrics.all() };
}
