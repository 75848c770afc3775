/** Lanes over nodes: the ticket counter gives the places, whatever the gate. */

import { expect, test } from "vitest";
import type { MeshDecision } from "../../../../node/admission/mesh/entrance.ts";
import { lanesOf } from "../../../../node/config/lane-fields.ts";
import { RoomsWorld } from "./rooms-world.ts";

function worldOf() {
  const world = new RoomsWorld(["sjc", "sjc", "sjc"], {
    totalActiveUsers: 10,
    newUsersPerMinute: 1_000,
    refreshIntervalSeconds: 20,
    lanes: lanesOf({ 1: 50 }),
  });
  world.pass(3_000);
  const places = new Map<string, { key: number; lane: number }>();
  const arrive = (node: number, lane: number): void => {
    const then = (id: string, decision: MeshDecision): void => {
      if (decision.kind === "waiting") places.set(id, { key: decision.place.key, lane });
    };
    world.arrive(node, then, lane);
    world.pass(50);
  };
  return { world, places, arrive };
}

test("a visitor by a lane gets a place by its share at any gate", () => {
  const { places, arrive } = worldOf();
  for (let visitor = 0; visitor < 40; visitor++) arrive(visitor % 3, 0);
  for (let visitor = 0; visitor < 6; visitor++) arrive(visitor % 3, 1);
  const order = [...places.values()].sort((one, other) => one.key - other.key).map(({ lane }) => lane);
  expect(order.slice(0, 14).filter((lane) => lane === 1)).toHaveLength(6);
});

test("slots are shared as told while both lanes wait, and no limit is exceeded", () => {
  const { world, places, arrive } = worldOf();
  for (let visitor = 0; visitor < 60; visitor++) arrive(visitor % 3, visitor % 3 === 0 ? 1 : 0);
  const admitted: number[] = [];
  world.configure({ totalActiveUsers: 26 });
  for (let second = 0; second < 20; second++) {
    for (const [id, { key, lane }] of places) {
      const then = ({ kind }: { kind: string }): void => {
        if (kind !== "admitted" || !places.delete(id)) return;
        admitted.push(lane);
      };
      world.poll(second % 3, id, key, then, lane);
    }
    world.pass(1_000);
    expect(world.inside()).toBeLessThanOrEqual(26);
  }
  expect(admitted).toHaveLength(16);
  expect(Math.abs(admitted.filter((lane) => lane === 1).length - 8)).toBeLessThanOrEqual(1);
});
