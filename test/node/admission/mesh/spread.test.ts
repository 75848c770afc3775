import { describe, expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import type { Both } from "../../../../node/admission/mesh/own-slots.ts";
import { Participants } from "../../../../node/admission/mesh/participants.ts";
import { evenGifts } from "../../../../node/admission/mesh/placement.ts";
import { Spread } from "../../../../node/admission/mesh/spread.ts";
import { at, FakeRoomNode, gaugeOf, nodes, ROOM, SELF } from "./fake-room-node.ts";

const [SIBLING, FAR, FARTHER, LAST] = nodes("sibling", "far", "farther", "last") as [NodeId, NodeId, NodeId, NodeId];
const LIMITS = { active: 60, arrivals: 24 };
const NOTHING = { active: 0, arrivals: 0 };

/** This node and a sibling here, two nodes there and one yonder, which have nothing unless told otherwise. */
function five(free: Readonly<Record<string, Both>> = {}) {
  const roomNode = new FakeRoomNode();
  roomNode.localities = new Map([
    ["here", [SELF, SIBLING]],
    ["there", [FAR, FARTHER]],
    ["yonder", [LAST]],
  ]);
  for (const node of [SIBLING, FAR, FARTHER, LAST]) roomNode.gauges.set(node, gaugeOf(free[node] ?? NOTHING));
  const participants = new Participants(ROOM, roomNode);
  const spread = new Spread({ id: ROOM, roomNode, participants });
  const sent = (own: Both, nowMs = at(0)) => {
    participants.refresh();
    return Object.fromEntries(spread.look(own, LIMITS, nowMs).sendings.map(({ to, slots }) => [to, slots]));
  };
  return { roomNode, spread, sent };
}

const active = (slots: number): Both => ({ active: slots, arrivals: 0 });

describe("free slots that cannot be used now", () => {
  test("are sent in one go to all who have less: siblings one by one, another locality as one", () => {
    expect(five().sent(active(50))).toEqual({ sibling: active(10), far: active(20), last: active(10) });
  });

  test("are arrivals where the room is full", () => {
    const { sent } = five();
    expect(sent({ active: 0, arrivals: 20 })).toMatchObject({ sibling: { active: 0, arrivals: 4 } });
  });

  test("are those beyond what there is of the other resource, wherever that lies", () => {
    const { sent } = five({ far: { active: 0, arrivals: 20 } });
    expect(sent(active(50))).toEqual({ sibling: active(6), far: active(12), last: active(6) });
    expect(five({ far: { active: 0, arrivals: 50 } }).sent(active(50))).toEqual({});
  });

  test("stay where they are while no node has much more than its part", () => {
    const others = { sibling: active(8), far: active(8), farther: active(8), last: active(8) };
    expect(five(others).sent(active(10))).toEqual({});
    expect(five(others).sent(active(18))).toEqual({ sibling: active(2), far: active(4), last: active(2) });
  });

  test("are sent by each rich node in its part", () => {
    expect(five({ last: active(25) }).sent(active(25))).toEqual({ sibling: active(5), far: active(10) });
  });

  test("are not sent once more before the receiver has said what it has", () => {
    const { roomNode, sent } = five();
    sent(active(50));
    expect(sent(active(10), at(1))).toEqual({});
    expect(sent(active(50), at(1))).toMatchObject({ sibling: active(8) });
    roomNode.gauges.set(SIBLING, gaugeOf(active(0)));
    expect(sent(active(50), at(2))).toMatchObject({ sibling: expect.anything() });
  });

  test("are sent once more when the receiver does not say so for long", () => {
    const { sent } = five();
    sent(active(50));
    expect(sent(active(50), at(10))).toEqual({ sibling: active(10), far: active(20), last: active(10) });
  });

  test("are not sent to who may not act", () => {
    const { roomNode, sent } = five();
    roomNode.gauges.set(SIBLING, { ...gaugeOf(0), mayAct: false });
    roomNode.gauges.set(LAST, { ...gaugeOf(0), mayAct: false });
    expect(sent(active(48))).toEqual({ far: active(32) });
  });

  test("are all sent away by a node that takes no part yet", () => {
    const { roomNode, sent } = five();
    roomNode.young.add(SELF);
    expect(sent(active(40))).toEqual({ sibling: active(10), far: active(20), last: active(10) });
  });
});

describe("gifts that make even", () => {
  test("are whole slots, and none is lost in rounding", () => {
    expect(evenGifts(3, [-0.75, -0.75, -0.75, -0.75])).toEqual([0, 1, 1, 1]);
    expect(evenGifts(10, [-2.5, -2.5, -2.5, -2.5])).toEqual([2, 3, 2, 3]);
  });

  test("are never more than what is lacking, nor than there is", () => {
    expect(evenGifts(10, [-2, 0, 5])).toEqual([1, 0, 0]);
    expect(evenGifts(4, [-10, -30])).toEqual([1, 3]);
    expect(evenGifts(0, [-1])).toEqual([0]);
  });
});
