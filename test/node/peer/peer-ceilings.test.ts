/**
 * What an heir has of the share of removed nodes at once, and what it holds for their sessions, in whole worlds without
 * other faults.
 */

import { describe, expect, test } from "vitest";
import { type AccountId, accountOf, type Minute, type NodeId } from "../../../mesh/core/ids.ts";
import { Ledger } from "../../../mesh/core/ledger/ledger.ts";
import { slotsOf, unitsForSlots } from "../../../mesh/core/ledger/shares.ts";
import { idleStatus, sharesOf } from "../../../node/operator/status/shares.ts";
import { OwnAuthority } from "../../../node/peer/own-authority.ts";
import { ROOM, type SimNode } from "../../sim/sim-node.ts";
import { World } from "../../sim/world.ts";

const TIMES = { minuteMs: 60_000, leaseMs: 30_000 };
const LIMIT = 200;

/** Three nodes of a room with as many visitors inside. */
function crowd(visitors: number) {
  const room = { totalActiveUsers: LIMIT, newUsersPerMinute: LIMIT, sessionDuration: 5 };
  const world = new World({ seed: 1, localities: ["sjc", "sjc", "sjc"], ...TIMES, room });
  world.pass(8_000);
  for (let count = 0; count < visitors; count++) world.arrive({ locality: "sjc", staysMs: 10 * TIMES.minuteMs });
  world.pass(10_000);
  return world;
}

function inside(node: SimNode | undefined): number {
  return node?.peer?.rooms.get(ROOM)?.admission.inside(node.peer.roomMs) ?? 0;
}

/** Slots of all nodes that run, whether in use or free. */
function slots(world: World, limit = LIMIT): number {
  return world.nodes.reduce((sum, { peer }) => {
    const units = peer?.roomNode.units(ROOM, "active", world.minute as Minute) ?? 0;
    return sum + slotsOf(limit, units);
  }, 0);
}

/**
 * Slots that can be used once a node is removed, if a voter does something meanwhile, and those of the removed node.
 */
function lostWhile(something: (voter: SimNode | undefined) => void) {
  const world = crowd(60);
  const [, voter, lost] = world.nodes;
  const ceiling = lost?.peer?.members.pledges.ceiling(ROOM) ?? 0;
  const share = slotsOf(LIMIT, lost?.peer?.roomNode.units(ROOM, "active", world.minute as Minute) ?? 0);
  expect(share).toBeGreaterThan(ceiling + 10);
  lost?.crash();
  something(voter);
  world.pass(TIMES.leaseMs + 5_000);
  return { usable: slots(world), ceiling, share };
}

describe("the heir of a lost node", () => {
  test("has all of its share at once that it had pledged not to hold, and gives it on", () => {
    const world = crowd(60);
    const [, , lost] = world.nodes;
    const held = inside(lost);
    const ceiling = lost?.peer?.members.pledges.ceiling(ROOM) ?? 0;
    expect(held).toBeGreaterThan(10);
    expect(ceiling - held).toBeLessThanOrEqual(10);
    lost?.crash();
    world.pass(TIMES.leaseMs + 5_000);
    // Fractions of a slot lie apart for a moment.
    expect(slots(world)).toBeGreaterThanOrEqual(LIMIT - ceiling - 2);
    expect(slots(world)).toBeLessThanOrEqual(LIMIT - held);
    for (let count = 0; count < LIMIT; count++) world.arrive({ locality: "sjc", staysMs: 10 * TIMES.minuteMs });
    world.pass(TIMES.minuteMs);
    const others = world.nodes.reduce((sum, node) => sum + inside(node), 0);
    expect(others + ceiling).toBeLessThanOrEqual(LIMIT);
    expect(others + ceiling).toBeGreaterThan(LIMIT - 10);
  });

  test("has nothing at once where another voter has lost power, as a pledge may be missing on its disk", () => {
    const { usable, share } = lostWhile((voter) => voter?.losePower(0));
    expect(usable).toBeLessThanOrEqual(LIMIT - share);
  });

  test("reports slots of its sessions as idle until these are shown again, to all nodes", () => {
    const world = crowd(60);
    const [, , lost] = world.nodes;
    const ceiling = lost?.peer?.members.pledges.ceiling(ROOM) ?? 0;
    lost?.crash();
    world.pass(TIMES.leaseMs + 2 * TIMES.minuteMs);
    const peers = world.nodes.slice(0, 2).flatMap(({ peer }) => peer ?? []);
    const shown = peers.reduce((sum, each) => sum + (each.rooms.get(ROOM)?.admission.insidePots(each.roomMs) ?? 0), 0);
    expect(shown).toBeGreaterThan(10);
    const room = { totalActiveUsers: LIMIT, newUsersPerMinute: LIMIT };
    for (const peer of peers) {
      const shares = sharesOf(room, peer, { room: ROOM, minute: world.minute });
      expect(idleStatus(shares, room).active_slots).toBe(ceiling - shown);
      const all = shares.reduce((sum, share) => sum + share.active_slots, 0);
      expect(all).toBeGreaterThanOrEqual(LIMIT - shares.length);
    }
  });

  test("acknowledges no more of its sessions than it had pledged", () => {
    const world = crowd(60);
    const [, , lost] = world.nodes;
    const account = accountOf(lost?.identity ?? ("" as NodeId));
    const ceiling = lost?.peer?.members.pledges.ceiling(ROOM) ?? 0;
    lost?.crash();
    world.pass(TIMES.leaseMs + 5_000);
    const heir = world.nodes.find(({ peer }) => peer?.members.writes().includes(account))?.peer;
    const group = heir?.roomNode.potOf(account) ?? "";
    const admission = heir?.rooms.get(ROOM)?.admission;
    const before = admission?.insidePots(heir?.roomMs ?? 0) ?? 0;
    for (let id = 0; id < 2 * ceiling; id++)
      admission?.sessions.checkInPot(
        group,
        { id: `${id}`, home: account, lastGood: (world.minute + 5) as Minute },
        heir?.roomMs ?? 0,
      );
    expect([before <= ceiling, admission?.insidePots(heir?.roomMs ?? 0)]).toEqual([true, ceiling]);
  });
});

test("two nodes that were removed at once are counted as one: nobody knows what they gave each other", () => {
  const [self, poor, rich] = ["self", "poor", "rich"] as AccountId[] as [AccountId, AccountId, AccountId];
  const ledger = new Ledger({ self: rich, founder: self });
  const slot = unitsForSlots(LIMIT, 1);
  const gift = (account: AccountId, to: AccountId, units: number) =>
    ledger.merge({
      account,
      gifts: [{ room: ROOM, resource: "active", to, totals: [[0 as Minute, units]] }],
      counts: [],
    });
  // The poor one is known to have given what it was given unseen; its net is below nothing.
  gift(self, rich, 100 * slot);
  gift(poor, self, 30 * slot);
  const authority = new OwnAuthority({
    replica: { netUnits: (accounts: Iterable<AccountId>, purse: never) => ledger.netUnits(accounts, purse) },
    limitOf: () => LIMIT,
    pots: {
      settled: () => [],
      boundedGroups: ["view 2"],
      accountsIn: () => [poor, rich],
      ceilingIn: () => 40,
    },
  } as unknown as ConstructorParameters<typeof OwnAuthority>[0]);
  expect(authority.units(ROOM, "active", 0 as Minute)).toBe(70 * slot - unitsForSlots(LIMIT, 40));
});
