import { describe, expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import { Partakers } from "../../../../node/admission/mesh/partakers.ts";
import { FakeMesh, gaugeOf, nodes, ROOM, SELF, siteOf } from "./fake-mesh.ts";

const [A, B, C] = nodes("a", "b", "c") as [NodeId, NodeId, NodeId];

function open() {
  const mesh = new FakeMesh();
  mesh.localities = new Map([
    ["here", [SELF, A]],
    ["there", [B]],
  ]);
  const partakers = new Partakers(ROOM, mesh);
  const here = () => {
    partakers.refresh();
    return partakers.nodes().get("here");
  };
  return { mesh, partakers, here };
}

describe("who takes part in handing out slots", () => {
  test("all that answer, also those that have said nothing yet", () => {
    const { partakers, mesh } = open();
    expect(partakers.nodes()).toEqual(mesh.localities);
  });

  test("not a node that says that it may not act, nor this one if it may not", () => {
    const { mesh, here } = open();
    mesh.gauges.set(A, { ...gaugeOf(5), mayAct: false });
    expect(here()).toEqual([SELF]);
    mesh.isActing = false;
    expect(here()).toEqual([SELF, A]);
    mesh.gauges.set(A, gaugeOf(5));
    expect(here()).toEqual([A]);
  });

  test("not a node that has only just joined, unless a locality has no others", () => {
    const { mesh, partakers, here } = open();
    mesh.young.add(A).add(B);
    expect(here()).toEqual([SELF]);
    expect(partakers.nodes().get("there")).toEqual([B]);
  });

  test("the map is the same one until something changes", () => {
    const { mesh, partakers } = open();
    const before = partakers.nodes();
    partakers.refresh();
    expect(partakers.nodes()).toBe(before);
    mesh.young.add(A);
    partakers.refresh();
    expect(partakers.nodes()).not.toBe(before);
  });

  test("slots are sent only to who takes part and has said what it has", () => {
    const { mesh, partakers } = open();
    expect(partakers.mayReceive(A)).toBe(false);
    mesh.gauges.set(A, gaugeOf(0));
    expect(partakers.mayReceive(A)).toBe(true);
    mesh.young.add(A);
    partakers.refresh();
    expect(partakers.mayReceive(A)).toBe(false);
  });

  test("of another locality are looked up again only when its digest says something else of them", () => {
    const { mesh, partakers } = open();
    const site = siteOf({});
    mesh.told.set("there", site);
    mesh.heldVersion = 1;
    expect(partakers.nodes().get("there")).toEqual([B]);
    mesh.localities = new Map([
      ["here", [SELF, A]],
      ["there", [B, C]],
    ]);
    expect(partakers.nodes().get("there")).toEqual([B, C]);
    mesh.gauges.set(C, { ...gaugeOf(0), mayAct: false });
    mesh.told.set("there", { ...site, held: [1] });
    mesh.heldVersion = 2;
    partakers.refresh();
    expect(partakers.nodes().get("there")).toEqual([B]);
    mesh.gauges.set(A, { ...gaugeOf(0), mayAct: false });
    partakers.refresh();
    expect([partakers.nodes().get("here"), partakers.nodes().get("there")]).toEqual([[SELF], [B]]);
  });

  test("of another locality takes part who was young, though its digest says nothing new", () => {
    const { mesh, partakers } = open();
    mesh.localities = new Map([
      ["here", [SELF, A]],
      ["there", [B, C]],
    ]);
    mesh.told.set("there", siteOf({}));
    mesh.heldVersion = 1;
    mesh.young.add(C);
    expect(partakers.nodes().get("there")).toEqual([B]);
    mesh.young.delete(C);
    partakers.refresh();
    expect(partakers.nodes().get("there")).toEqual([B, C]);
  });
});
