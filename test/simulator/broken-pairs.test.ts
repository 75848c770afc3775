/**
 * A node is lost while two pairs of the others do not hear each other: no member hears all that stay, and it is removed
 * or forgotten all the same, as what is said about the next view goes through others.
 */

import { describe, expect, test } from "vitest";
import type { NodeId } from "../../mesh/core/ids.ts";
import type { Forgot } from "../../mesh/core/members/members.ts";
import type { SimNode } from "../sim/sim-node.ts";
import { World } from "../sim/world.ts";

const TIMES = { minuteMs: 60_000, leaseMs: 30_000 };
const room = { totalActiveUsers: 100, newUsersPerMinute: 1_000, sessionDuration: 5, refreshIntervalSeconds: 5 };
/** 1.1 times the lease and half a second, and some tries. */
const REMOVED_MS_MAX = 45_000;
const FORGOTTEN_MS_MAX = 15_000;

type Five = readonly [SimNode, SimNode, SimNode, SimNode, SimNode];

/** Five nodes; `pairs` do not hear each other. */
function worldOf(seed: number, pairs: (nodes: Five) => readonly (readonly [SimNode, SimNode])[]) {
  const world = new World({ seed, localities: Array(5).fill("sjc"), ...TIMES, room });
  world.pass(30_000);
  const nodes = world.nodes as unknown as Five;
  for (const [one, other] of pairs(nodes)) world.cut(one, [other]);
  world.pass(20_000);
  return { world, nodes };
}

/** Ms until the nodes that stay have a view without `lost`, or `mostMs`. */
function goneMs(world: World, staying: readonly SimNode[], lost: NodeId, mostMs: number): number {
  const isThere = () => staying.some(({ peer }) => peer?.members.view?.members.some(({ node }) => node === lost));
  let ms = 0;
  for (; ms < mostMs && isThere(); ms += 100) world.pass(100);
  return ms;
}

const PAIRS = [
  {
    what: "the first two of them",
    pairs: ([a, b, c, d]: Five) =>
      [
        [a, c],
        [b, d],
      ] as const,
  },
  {
    what: "the others",
    pairs: ([, b, c, d, e]: Five) =>
      [
        [b, d],
        [c, e],
      ] as const,
  },
] as const;

describe.each(PAIRS)("with two broken pairs, $what among them", ({ pairs }) => {
  test.each([1, 2, 3])("a lost node is removed as usual: seed %i", (seed) => {
    const { world, nodes } = worldOf(seed, pairs);
    const [a, b, c, d, e] = nodes;
    const lost = pairs(nodes).flat().includes(a) ? e : a;
    const { identity } = lost;
    lost.crash();
    const staying = [a, b, c, d, e].filter((node) => node !== lost);
    expect(goneMs(world, staying, identity, REMOVED_MS_MAX)).toBeLessThan(REMOVED_MS_MAX);
  });

  test("a lost node is forgotten in the time that an order has", () => {
    const { world, nodes } = worldOf(1, pairs);
    const lost = pairs(nodes).flat().includes(nodes[0]) ? nodes[4] : nodes[0];
    const { identity } = lost;
    lost.crash();
    world.pass(6_000);
    const by = nodes.find((node) => node !== lost) as SimNode;
    const outcomes: Forgot[] = [];
    by.do((peer) => {
      const notify = (forgot: Forgot) => outcomes.push(forgot);
      expect(peer.members.forget([identity], by.now, { notify, forMs: FORGOTTEN_MS_MAX })).toEqual({ ok: true });
    });
    const staying = nodes.filter((node) => node !== lost);
    expect(goneMs(world, staying, identity, FORGOTTEN_MS_MAX)).toBeLessThan(FORGOTTEN_MS_MAX);
    expect(outcomes).toEqual([{}]);
  });
});

test("a node that only one other hears is not removed, and the others are admitted as before", () => {
  const { world, nodes } = worldOf(1, ([a, b, c, d]) => [
    [a, d],
    [b, d],
    [c, d],
  ]);
  world.pass(120_000);
  expect(nodes.map(({ peer }) => peer?.members.view?.members.length)).toEqual([5, 5, 5, 5, 5]);
});
