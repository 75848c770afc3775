import { expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import { at, FakeRoomNode, gaugeOf, ROOM, roomAt, SELF } from "./fake-room-node.ts";
import { RoomsWorld } from "./rooms-world.ts";

test("while nobody waits no line is reported, and gates admit without asking the ticket counter", () => {
  const world = new RoomsWorld(["sjc", "sjc", "sjc"], { totalActiveUsers: 30, newUsersPerMinute: 30 });
  const gate = world.nodes.findIndex(({ id }) => world.node(0).room.counters()[0] !== id);
  const sent: string[] = [];
  world.loses = ({ kind }) => {
    sent.push(kind);
    return false;
  };
  const kindsIn = (ms: number): ReadonlySet<string> => {
    sent.length = 0;
    world.pass(ms);
    return new Set(sent);
  };
  world.pass(20_000);
  expect(kindsIn(60_000).has("line")).toBe(false);
  for (let visitor = 0; visitor < 5; visitor++) world.arrive(gate);
  expect(kindsIn(1_000).has("ask")).toBe(false);
  for (let visitor = 0; visitor < 40; visitor++) world.arrive(gate);
  expect(kindsIn(1_000).has("line")).toBe(true);
  // Nobody polls again: those who wait count as gone after a while.
  world.pass(1_200_000);
  expect(kindsIn(60_000).has("line")).toBe(false);
  world.arrive(gate);
  expect(kindsIn(1_000).has("ask")).toBe(false);
});

test("a line whose counter falls silent is known until later gauges say that nobody waits", () => {
  const others = Array.from({ length: 99 }, (_, index) => `node-${index}` as NodeId);
  const roomNode = new FakeRoomNode();
  roomNode.localities = new Map([["here", [SELF, ...others]]]);
  roomNode.others = others;
  for (const other of others) roomNode.gauges.set(other, gaugeOf(0));
  const meshRoom = roomAt(roomNode, {}, { nowMs: at(0) });
  const [counter = SELF] = meshRoom.counters();
  expect(counter).not.toBe(SELF);
  const line = { horizon: 0, lastKey: 3, ranges: [[1, 3, 3]] } as const;
  meshRoom.receive(counter, { kind: "line", room: ROOM, line, isParting: false }, at(1));
  meshRoom.tick(at(15));
  expect(meshRoom.waitingHere).toBe(3);
  roomNode.gauges.set(counter, gaugeOf(0));
  meshRoom.tick(at(16));
  expect(meshRoom.waitingHere).toBe(0);
});
