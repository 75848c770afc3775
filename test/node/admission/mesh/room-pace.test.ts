/**
 * What a room's pace learns about all nodes: the same whether each of them is heard, or one digest of a locality.
 */

import { expect, test, vi } from "vitest";
import type { Minute } from "../../../../mesh/core/ids.ts";
import { rampOf } from "../../../../node/config/ramp.ts";
import { at, FakeRoomNode, gaugeOf, M, nodes, roomAt, SELF } from "./fake-room-node.ts";

const [NEAR, FAR, FARTHER] = nodes("near", "far", "farther") as [never, never, never];

/** A paced room with a ramp at this node, which has let one visitor in; one neighbour has let two in. */
function open() {
  const roomNode = new FakeRoomNode();
  roomNode.localities = new Map([
    ["here", [SELF, NEAR]],
    ["there", [FAR, FARTHER]],
  ]);
  roomNode.gauges.set(NEAR, { ...gaugeOf(0), inside: 5, admitted: 2, rampStartMs: at(-300) });
  const limits = { totalActiveUsers: 100, newUsersPerMinute: 100, ramp: rampOf("60/min/50/5") };
  const room = roomAt(roomNode, limits, { nowMs: at(0), createdMs: 0 });
  room.admission.sessions.admit("visitor", at(0));
  const told = vi.spyOn(room.pace, "tick");
  const scene = () => {
    room.tick(at(1));
    return told.mock.lastCall?.[0];
  };
  return { roomNode, room, scene };
}

const ALL = { inside: 1 + 5 + 70 + 30, admitted: 1 + 2 + 8 + 4, isLine: true };

test("a room's pace hears of each node, of the line, and of the latest start of the ramp", () => {
  const { roomNode, room, scene } = open();
  roomNode.gauges.set(FAR, { ...gaugeOf(0, [[M, 9]]), inside: 70, admitted: 8, rampStartMs: at(-60) });
  roomNode.gauges.set(FARTHER, { ...gaugeOf(0), inside: 30, admitted: 4, rampStartMs: at(-90) });
  expect(scene()).toMatchObject(ALL);
  expect(room.pace.startMs).toBe(at(-60));
});

test("it counts nodes that are up, and their admissions only in their minute", () => {
  const { roomNode, scene } = open();
  roomNode.gauges.set(FARTHER, { ...gaugeOf(0), inside: 100, admitted: 12, minute: (M - 1) as Minute });
  expect(scene()).toMatchObject({ inside: 106, admitted: 3 });
  roomNode.localities = new Map([["here", [SELF, NEAR]]]);
  expect(scene()).toMatchObject({ inside: 6, admitted: 3 });
});
