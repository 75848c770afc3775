import { expect, test } from "vitest";
import { accountOf, type NodeId } from "../../../../mesh/core/ids.ts";
import { slotsOf } from "../../../../mesh/core/ledger/shares.ts";
import { at, FakeRoomNode, gaugeOf, M, ROOM, roomAt, SELF } from "./fake-room-node.ts";

const OTHER = "other" as NodeId;

test("slots that could not be given do not count as sent: they are given a second later, once", () => {
  const roomNode = new FakeRoomNode();
  roomNode.localities = new Map([["here", [SELF, OTHER]]]);
  roomNode.others = [OTHER];
  roomNode.gauges.set(OTHER, gaugeOf(0));
  let mayGive = false;
  roomNode.mayGiveTo = () => mayGive;
  const meshRoom = roomAt(roomNode, {}, { nowMs: at(0) });
  const givenAt = (second: number): number => {
    meshRoom.tick(at(second));
    return slotsOf(10, roomNode.ledger.unitsOf(accountOf(OTHER), { room: ROOM, resource: "active", minute: M }));
  };
  expect(givenAt(1)).toBe(0);
  mayGive = true;
  expect(givenAt(2)).toBe(5);
  expect(givenAt(3)).toBe(5);
});

test("a room without visitors is looked at every ten seconds while its node is at rest, and each time once it has one", () => {
  const roomNode = new FakeRoomNode();
  roomNode.localities = new Map([["here", [SELF, OTHER]]]);
  roomNode.others = [OTHER];
  roomNode.gauges.set(OTHER, gaugeOf(0));
  let looks = 0;
  roomNode.mayGiveTo = () => {
    looks += 1;
    return false;
  };
  const meshRoom = roomAt(roomNode, {}, { nowMs: at(0) });
  const looksIn = (from: number, to: number): number => {
    looks = 0;
    for (let second = from; second < to; second++) meshRoom.tick(at(second), true);
    return looks;
  };
  const [once, always] = [looksIn(0, 10), looksIn(10, 20)];
  expect([once, always]).toEqual([1, 1]);
  meshRoom.admission.sessions.admit("visitor", at(20));
  expect(looksIn(20, 30)).toBe(10);
});
