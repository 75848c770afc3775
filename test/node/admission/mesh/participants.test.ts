import { describe, expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import { Participants } from "../../../../node/admission/mesh/counters.ts";
import { FakeRoomNode, gaugeOf, nodes, ROOM, SELF } from "./fake-room-node.ts";

const [A, B] = nodes("a", "b") as [NodeId, NodeId];

function open() {
  const roomNode = new FakeRoomNode();
  roomNode.localities = new Map([
    ["here", [SELF, A]],
    ["there", [B]],
  ]);
  const participants = new Participants(ROOM, roomNode);
  const here = () => {
    participants.refresh();
    return participants.nodes().get("here");
  };
  return { roomNode, participants, here };
}

describe("who takes part in handing out slots", () => {
  test("not a node that says that it may not act, nor this one if it may not", () => {
    const { roomNode, here } = open();
    roomNode.gauges.set(A, { ...gaugeOf(5), mayAct: false });
    expect(here()).toEqual([SELF]);
    roomNode.isActing = false;
    expect(here()).toEqual([SELF, A]);
    roomNode.gauges.set(A, gaugeOf(5));
    expect(here()).toEqual([A]);
  });

  test("slots are sent only to who takes part and has said what it has", () => {
    const { roomNode, participants } = open();
    expect(participants.mayReceive(A)).toBe(false);
    roomNode.gauges.set(A, gaugeOf(0));
    expect(participants.mayReceive(A)).toBe(true);
    roomNode.young.add(A);
    participants.refresh();
    expect(participants.mayReceive(A)).toBe(false);
  });
});
