/** What a node does while nobody comes, and how soon it notices a silent ticket counter once somebody does. */

import { expect, test, vi } from "vitest";
import { ROOM, type SimNode } from "../../sim/sim-node.ts";
import { World } from "../../sim/world.ts";

const room = { totalActiveUsers: 3, newUsersPerMinute: 100, sessionDuration: 5, refreshIntervalSeconds: 2 };

/** Three nodes of one locality that have come to rest, the ticket counter first. */
function nodesAtRest() {
  const world = new World({ seed: 1, localities: ["sjc", "sjc", "sjc"], minuteMs: 60_000, leaseMs: 30_000, room });
  world.pass(80_000);
  const isCounter = ({ identity }: SimNode) => identity === countersAt(world.nodes[0])[0];
  const counter = world.nodes.find(isCounter) as SimNode;
  const gate = world.nodes.find((node) => !isCounter(node)) as SimNode;
  return { world, counter, gate };
}

function countersAt(node: SimNode | undefined): readonly string[] {
  return node?.peer?.rooms.get(ROOM)?.counters() ?? [];
}

function come(world: World, visitors: number): void {
  for (let visitor = 0; visitor < visitors; visitor++) world.arrive({ locality: "sjc", staysMs: 600_000 });
}

function membersOf({ peer }: SimNode) {
  if (peer === undefined) throw new Error("unreachable");
  return peer.members;
}

test("a node at rest looks at its members once a second, and ten times while visitors wait", () => {
  const { world, counter } = nodesAtRest();
  const tick = vi.spyOn(membersOf(counter), "tick");
  world.pass(10_000);
  expect(tick.mock.calls.length).toBeLessThanOrEqual(10);
  expect(tick.mock.calls.length).toBeGreaterThan(7);
  come(world, 10);
  world.pass(2_000);
  tick.mockClear();
  world.pass(10_000);
  expect(tick.mock.calls.length).toBeGreaterThan(90);
});

test("nodes at rest send each other little, and a gate watches its ticket counter once a visitor has come", () => {
  const { world, gate, counter } = nodesAtRest();
  const near = vi.spyOn(membersOf(gate), "interestingNodes");
  const framesOf = () => gate.peer?.counts.framesOut ?? 0;
  const before = framesOf();
  world.pass(20_000);
  // To each of two others every 5 s a ping and a pong; every 10 s a digest.
  expect(framesOf() - before).toBeLessThanOrEqual(18);
  expect(near.mock.lastCall?.[0]).toBeUndefined();
  come(world, 10);
  world.pass(1_000);
  expect(near.mock.lastCall?.[0]?.has(counter.identity)).toBe(true);
});

test("while visitors come, another node is the ticket counter within 1.5 s of the first who asks a silent one", () => {
  const { world, gate, counter } = nodesAtRest();
  for (const other of world.nodes) {
    if (other === counter) continue;
    world.network.cut(counter.identity, other.identity);
    world.network.cut(other.identity, counter.identity);
  }
  come(world, 20);
  world.pass(1_500);
  expect(countersAt(gate)[0]).not.toBe(counter.identity);
});
