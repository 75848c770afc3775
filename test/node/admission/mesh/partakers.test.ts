import { describe, expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import { Partakers } from "../../../../node/admission/mesh/partakers.ts";
import { FakeRoomNode, gaugeOf, nodes, ROOM, SELF, siteOf } from "./fake-room-node.ts";

const [A, B, C] = nodes("a", "b", "c") as [NodeId, NodeId, NodeId];

function open() {
  const roomNode = new FakeRoomNode();
  roomNode.localities = new Map([
    ["here", [SELF, A]],
    ["there", [B]],
  ]);
  const partakers = new Partakers(ROOM, roomNode);
  const here = () => {
    partakers.refresh();
    return partakers.nodes().get("here");
  };
  return { roomNode, partakers, here };
}

describe("who takes part in handing out slots", () => {
  test("all that answer, also those that have said nothing yet", () => {
    const { partakers, roomNode } = open();
    expect(partakers.nodes()).toEqual(roomNode.localities);
  });

  test("not a node that says that it may not act, nor this one if it may not", () => {
    const { roomNode, here } = open();
    roomNode.gauges.set(A, { ...gaugeOf(5), mayAct: false });
    expect(here()).toEqual([SELF]);
    roomNode.isActing = false;
    expect(here()).toEqual([SELF, A]);
    roomNode.gauges.set(A, gaugeOf(5));
    expect(here()).toEqual([A]);
  });

  test("not a node that has only just joined, unless a locality has no others", () => {
    const { roomNode, partakers, here } = open();
    roomNode.young.add(A).add(B);
    expect(here()).toEqual([SELF]);
    expect(partakers.nodes().get("there")).toEqual([B]);
  });

  test("the map is the same one until something changes", () => {
    const { roomNode, partakers } = open();
    const before = partakers.nodes();
    partakers.refresh();
    expect(partakers.nodes()).toBe(before);
    roomNode.young.add(A);
    partakers.refresh();
    expect(partakers.nodes()).not.toBe(before);
  });

  test("slots are sent only to who takes part and has said what it has", () => {
    const { roomNode, partakers } = open();
    expect(partakers.mayReceive(A)).toBe(false);
    roomNode.gauges.set(A, gaugeOf(0));
    expect(partakers.mayReceive(A)).toBe(true);
    roomNode.young.add(A);
    partakers.refresh();
    expect(partakers.mayReceive(A)).toBe(false);
  });

  test("of another locality are looked up again only when its digest says something else of them", () => {
    const { roomNode, partakers } = open();
    const site = siteOf({});
    roomNode.told.set("there", site);
    roomNode.heldVersion = 1;
    expect(partakers.nodes().get("there")).toEqual([B]);
    roomNode.localities = new Map([
      ["here", [SELF, A]],
      ["there", [B, C]],
    ]);
    expect(partakers.nodes().get("there")).toEqual([B, C]);
    roomNode.gauges.set(C, { ...gaugeOf(0), mayAct: false });
    roomNode.told.set("there", { ...site, held: [1] });
    roomNode.heldVersion = 2;
    partakers.refresh();
    expect(partakers.nodes().get("there")).toEqual([B]);
    roomNode.gauges.set(A, { ...gaugeOf(0), mayAct: false });
    partakers.refresh();
    expect([partakers.nodes().get("here"), partakers.nodes().get("there")]).toEqual([[SELF], [B]]);
  });

  test("of another locality takes part who was young, though its digest says nothing new", () => {
    const { roomNode, partakers } = open();
    roomNode.localities = new Map([
      ["here", [SELF, A]],
      ["there", [B, C]],
    ]);
    roomNode.told.set("there", siteOf({}));
    roomNode.heldVersion = 1;
    roomNode.young.add(C);
    expect(partakers.nodes().get("there")).toEqual([B]);
    roomNode.young.delete(C);
    partakers.refresh();
    expect(partakers.nodes().get("there")).toEqual([B, C]);
  });
});
