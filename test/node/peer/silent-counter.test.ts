/** How soon a gate notices that its ticket counter is silent. */

import { expect, test } from "vitest";
import { ROOM } from "../../sim/sim-node.ts";
import { World } from "../../sim/world.ts";

const room = { totalActiveUsers: 3, newUsersPerMinute: 100, sessionDuration: 5, refreshIntervalSeconds: 2 };

test("while visitors come, another node is the ticket counter within 1.5 s", () => {
  const world = new World({ seed: 1, localities: ["sjc", "sjc", "sjc"], minuteMs: 60_000, leaseMs: 30_000, room });
  world.pass(15_000);
  const counterAt = (index: number): string | undefined => world.nodes[index]?.peer?.rooms.get(ROOM)?.counters()[0];
  const counter = counterAt(0) ?? "";
  const gates = world.nodes.flatMap(({ identity }, index) => (identity === counter ? [] : [index]));
  for (const { identity } of world.nodes) {
    if (identity === counter) continue;
    world.network.cut(counter, identity);
    world.network.cut(identity, counter);
  }
  for (let visitor = 0; visitor < 20; visitor++) world.arrive({ locality: "sjc", staysMs: 600_000 });
  world.pass(1_500);
  expect(gates.map(counterAt)).not.toContain(counter);
});
