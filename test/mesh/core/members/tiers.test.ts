import { describe, expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import { hasTwoTiers, SIZES, speakerOf } from "../../../../mesh/core/members/tiers.ts";
import { at, joined, LEASE_MS, MembersNet } from "./members-net.ts";

const nodes = (...names: string[]): NodeId[] => names as NodeId[];

describe("the size of a mesh", () => {
  test.each([
    [39, 13, false],
    [40, 14, true],
    [400, 1, false],
  ])("%d members in %d localities: two tiers is %s", (members, localities, expected) => {
    expect(hasTwoTiers(members, localities, SIZES)).toBe(expected);
  });

  test("the speaker is one of the nodes, whatever their order, and another one when it is gone", () => {
    const all = nodes("a", "b", "c", "d");
    const speaker = speakerOf("sjc", all);
    expect(all).toContain(speaker);
    expect(speakerOf("sjc", all.toReversed())).toBe(speaker);
    const left = all.filter((node) => node !== speaker);
    expect(left).toContain(speakerOf("sjc", left));
    expect(speakerOf("sjc", [])).toBeUndefined();
  });
});

/** Eight nodes of four localities in two tiers: the first three vote, w1 and z1, z2 are no voters. */
const NAMES = ["w1", "x1", "y1", "x2", "y2", "z1", "z2", "w2"];
const [z1, z2, x2, y2, w1] = nodes("z1", "z2", "x2", "y2", "w1") as [NodeId, NodeId, NodeId, NodeId, NodeId];

function tiered(): MembersNet {
  const sizes = { twoTiersFrom: 5, bankFrom: 100 };
  const net = joined(new MembersNet({ localityOf: (node) => node.slice(0, 1), sizes }), NAMES);
  expect(at(net, "z1").members.reach.hasTwoTiers).toBe(true);
  expect(at(net, "z1").members.view?.voters).toEqual(["w1", "x1", "y1"]);
  return net;
}

/** Whom a node pings within a lease. */
function pinged(net: MembersNet, from: string): string[] {
  net.carried.length = 0;
  net.run(LEASE_MS / 3);
  return [...new Set(net.sent("ping").flatMap((sent) => (sent.from === from ? sent.to : [])))].sort();
}

describe("members of a mesh with two tiers", () => {
  test("exchange heartbeats with their locality and with voters, which do so with every node", () => {
    const net = tiered();
    expect(pinged(net, "z1")).toEqual(["w1", "x1", "y1", "z2"]);
    expect(pinged(net, "w1")).toEqual(NAMES.filter((name) => name !== "w1").sort());
    for (const { self, members } of net.nodes.values()) {
      expect(`${self} ${members.lease(net.now(at(net, self)))}`).toBe(`${self} held`);
      expect(members.reach.alive(net.now(at(net, self)))).toHaveLength(8);
    }
  });

  test("voters of other localities are pinged as seldom as a lease allows", () => {
    const net = tiered();
    net.carried.length = 0;
    net.run(LEASE_MS);
    const pings = (to: string) => net.sent("ping").filter((sent) => sent.from === "z1" && sent.to === to).length;
    expect(pings("w1")).toBe(6);
    expect(pings("z2")).toBe(15);
  });

  test("take a node of another locality for gone with its connection, or by the word of its speaker", () => {
    const net = tiered();
    const node = at(net, "z1");
    const state = () => node.members.reach.state(x2, net.now(node));
    expect(state()).toBe("alive");
    const before = node.members.reach.farVersion;
    node.members.reach.reported("x", new Set([1]));
    expect([state(), node.members.reach.farVersion > before]).toEqual(["unreachable", true]);
    node.members.reach.reported("x", new Set());
    expect(state()).toBe("alive");
    node.members.down(x2, net.now(node));
    expect(state()).toBe("unreachable");
  });

  test("remove one that no voter hears and nobody of its locality, though others are connected to it", () => {
    const net = tiered();
    net.passes = ({ from, to }) => from !== y2 && to !== y2;
    net.run(2 * LEASE_MS);
    expect(at(net, "z1").members.view?.members.map(({ node }) => node)).not.toContain("y2");
    expect(at(net, "z1").members.view?.members).toHaveLength(7);
  });

  test("remove nobody whom a node of its locality hears", () => {
    const net = tiered();
    const near = new Set<NodeId>([z1, z2]);
    net.passes = ({ from, to }) => (!near.has(from) || !near.has(to) ? from !== z2 && to !== z2 : true);
    net.run(2 * LEASE_MS);
    expect(at(net, "w1").members.view?.members).toHaveLength(8);
  });

  test("fence at their word only whom they do not listen to, and never a node that they hear", () => {
    const net = tiered();
    const answers = (asked: string, about: NodeId) => {
      net.carried.length = 0;
      const node = at(net, asked);
      const view = node.members.view?.number ?? 0;
      node.members.receive(
        w1,
        { kind: "fence", view, incarnation: 100, nodes: [about], isForgetting: false },
        net.now(node),
      );
      net.passes = () => false;
      net.flush();
      return net.carried.map(({ message }) => message.kind);
    };
    expect(answers("z1", x2)).toEqual(["fenced"]);
    expect(answers("x1", x2)).toEqual(["heard"]);
  });
});
