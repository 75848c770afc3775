/** The life of whole nodes: what a start does about the rooms file, and what an ordered stop leaves to the others. */

import { expect, test } from "vitest";
import { ROOM, type SimNode } from "../../sim/sim-node.ts";
import { World } from "../../sim/world.ts";

const TIMES = { minuteMs: 60_000, leaseMs: 30_000 };
const room = { totalActiveUsers: 60, newUsersPerMinute: 600, sessionDuration: 5 };

function worldOf(localities: readonly string[]) {
  const world = new World({ seed: 1, localities, ...TIMES, room });
  world.pass(8_000);
  return { world, nodes: world.nodes as [SimNode, SimNode] };
}

function free({ peer }: SimNode): number {
  return peer?.rooms.get(ROOM)?.gauge(peer.roomMs).active ?? 0;
}

test("a node that stops in order leaves its free slots to the others at once", () => {
  const { world, nodes } = worldOf(["sjc", "lon"]);
  const [one, other] = nodes;
  expect([one, other].map(free)).toEqual([30, 30]);
  one.stop();
  world.pass(500);
  expect(free(other)).toBe(60);
});

test("a rooms file that a full disk does not take is applied once it does", () => {
  const { world, nodes } = worldOf(["sjc", "lon"]);
  const [one] = nodes;
  const limits = () => nodes.map((node) => node.rooms.of(ROOM)?.totalActiveUsers);
  const declared = one.rooms.declared(ROOM);
  if (declared === undefined) throw new Error("Broken: it knows the room");
  one.crash();
  one.fileRooms = [{ ...declared, totalActiveUsers: 90 }];
  one.start();
  one.disk.isFull = true;
  world.pass(5_000);
  expect(limits()).toEqual([60, 60]);
  one.disk.isFull = false;
  world.pass(2_000);
  expect(limits()).toEqual([90, 90]);
});

test("a node whose clock most others contradict is not ready until it is right; of two, both stay ready", () => {
  for (const localities of [
    ["sjc", "lon", "fra"],
    ["sjc", "lon"],
  ]) {
    const { world, nodes } = worldOf(localities);
    const ready = () => nodes.map(({ isReady }) => isReady);
    const all = localities.map(() => true);
    const isOutvoted = localities.length > 2;
    expect(ready()).toEqual(all);
    nodes[0].skewMs += 60_000;
    world.pass(5_000);
    expect([ready(), nodes[0].peer?.members.clocks.isOff(nodes[0].now)]).toEqual([all.with(0, !isOutvoted), true]);
    nodes[0].skewMs -= 60_000;
    world.pass(10_000);
    expect(ready()).toEqual(all);
  }
});
