/**
 * The judge of sessions that were ended at one gate: it sees a gate that has not heard of it, and none that could not.
 */

import { expect, test } from "vitest";
import type { AccountId, Minute, RoomId } from "../../mesh/core/ids.ts";
import type { MeshRoom } from "../../node/admission/mesh/mesh-room.ts";
import { type RevokesWorld, RevokeWatch } from "../sim/revoke-watch.ts";
import { run } from "../sim/run.ts";
import { scenarioOf } from "../sim/scenarios.ts";
import type { SimNode } from "../sim/sim-node.ts";

const SHOP = "shop" as RoomId;
const HOME = "n1" as AccountId;

/** Two gates of one view; the first has ended session v1. */
function twoGates() {
  const room = { id: SHOP, room: { sessionDuration: 5 }, revoke: () => true } as unknown as MeshRoom;
  const gateOf = (identity: string) => ({
    identity,
    process: 1,
    isRunning: true,
    disk: { isFull: false },
    peer: {
      isClockTrusted: true,
      members: { view: { number: 1 }, isMember: () => true, isStopped: false },
      roomNode: { isAlive: () => true },
      rooms: new Map([[SHOP, room]]),
    },
    refuses: () => false,
  });
  const [one, other] = [gateOf("n1"), gateOf("n2")];
  const links = { isWhole: true };
  const world = {
    minute: 10 as Minute,
    nodes: [one, other] as unknown as SimNode[],
    network: { faults: { loss: 0 }, isWhole: () => links.isWhole },
  };
  const watch = new RevokeWatch(world satisfies RevokesWorld);
  watch.listen(room, one as unknown as SimNode);
  room.revoke("v1", HOME, 0);
  /** Looks once a second, from one second to another. */
  const look = (from: number, to: number): string | undefined => {
    for (let second = from; second <= to; second++) {
      const problem = watch.look(1_000 * second);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
  return { world, other, links, look };
}

test("a gate that could hear of it and has not is found out, after a while", () => {
  const { look } = twoGates();
  expect(look(0, 12)).toBeUndefined();
  expect(look(13, 13)).toContain("n2 has not heard for 12 s that n1 has ended v1");
});

type Gates = ReturnType<typeof twoGates>;

const TROUBLES: readonly { readonly what: string; readonly set: (gates: Gates, is: boolean) => void }[] = [
  {
    what: "is cut off",
    set: ({ links }, is) => {
      links.isWhole = !is;
    },
  },
  {
    what: "loses every second frame",
    set: ({ world }, is) => {
      world.network.faults.loss = is ? 0.5 : 0;
    },
  },
  {
    what: "has another view",
    set: ({ other }, is) => {
      other.peer.members.view.number = is ? 2 : 1;
    },
  },
];

test.each(TROUBLES)("a gate that $what has its time from when that is over", ({ set }) => {
  const gates = twoGates();
  set(gates, true);
  expect(gates.look(0, 20)).toBeUndefined();
  set(gates, false);
  expect(gates.look(21, 33)).toBeUndefined();
  expect(gates.look(34, 34)).toContain("n2 has not heard");
});

test("in worlds whose gates hear late of it all have heard in time", () => {
  for (const seed of [1, 2]) {
    const scenario = scenarioOf("late-revokes", seed);
    if (scenario === undefined) throw new Error("unreachable");
    const { broken, oracle } = run({ scenario, seed });
    expect(broken).toBeUndefined();
    expect(oracle.counts.endedByOrder).toBeGreaterThan(5);
    // No limit would show a session that goes on.
    expect(oracle.counts.insideMax).toBeLessThan(200);
  }
});
