import { expect, test } from "vitest";
import { accountOf, type NodeId } from "../../../../mesh/core/ids.ts";
import { RESOURCES, type Resource } from "../../../../mesh/core/ledger/row.ts";
import { slotsOf, UNITS } from "../../../../mesh/core/ledger/shares.ts";
import { at, FakeRoomNode, M, partsOf, ROOM, SELF } from "./fake-room-node.ts";

const OTHER = "other" as NodeId;
const HALF_SLOT = Math.floor(UNITS / 20);

/** A room with 10 slots of each resource, all of them this node's. */
function tenSlots() {
  const roomNode = new FakeRoomNode();
  const { slots } = partsOf(roomNode, { totalActiveUsers: 10, newUsersPerMinute: 10 });
  const unitsOf = (node: NodeId, resource: Resource) =>
    roomNode.ledger.unitsOf(accountOf(node), { room: ROOM, resource, minute: M });
  /** Slots that a node's units make, as `active` and `arrivals`. */
  const slotsAt = (node: NodeId) => RESOURCES.map((resource) => slotsOf(10, unitsOf(node, resource)));
  return { roomNode, slots, unitsOf, slotsAt };
}

test("slots given to another node top up what it has: less than a slot's units where it has a part of one", () => {
  const { slots, unitsOf } = tenSlots();
  const has = Math.floor(UNITS / 10) - 1_000;
  slots.give(OTHER, { slots: { active: 1, arrivals: 0 }, units: { active: has, arrivals: 0 } }, at(0));
  expect(unitsOf(OTHER, "active")).toBeLessThanOrEqual(1_000);
});

test("fractions of a slot are given away, and whole slots stay", () => {
  const { roomNode, slots, unitsOf, slotsAt } = tenSlots();
  roomNode.give({ room: ROOM, resource: "active", minute: M, to: OTHER, units: HALF_SLOT });
  const row = slots.giveFractions("root" as NodeId, at(0));
  expect(row?.gifts.map(({ resource }) => resource)).toEqual(["active"]);
  expect(slotsAt(SELF)).toEqual([9, 10]);
  expect(unitsOf("root" as NodeId, "active")).toBeCloseTo(HALF_SLOT, -1);
});
