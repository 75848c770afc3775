/** One node at most gets the right to change one state. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { NodeId, RoomId } from "../../../mesh/core/ids.ts";
import { RIGHT_MS, RIGHTS_MAX, RightsGiven } from "../../../node/peer/rights-given.ts";

const [ONE, OTHER] = ["one", "other"] as NodeId[] as [NodeId, NodeId];
const SHOP = "shop" as RoomId;
const stampAt = (wallMs: number, node = ONE) => ({ wallMs, counter: 0, node });
const [FIRST, SECOND, THIRD] = [stampAt(1), stampAt(2), stampAt(3)];
const stateAt = (stamp: ReturnType<typeof stampAt>, subject = SHOP) => ({ subject, stamp });

describe("the right to change a state", () => {
  test("is given to one node, again and again, and to no other", () => {
    const rights = new RightsGiven();
    const asked = [ONE, OTHER, ONE, OTHER].map((node) => rights.give(node, stateAt(FIRST), FIRST, 0));
    expect(asked).toEqual([true, false, true, false]);
  });

  test("is of one state: after a change, and a change back, there is another one to get", () => {
    const rights = new RightsGiven();
    expect(rights.give(ONE, stateAt(FIRST), FIRST, 0)).toBe(true);
    expect(rights.give(OTHER, stateAt(SECOND), FIRST, 1)).toBe(true);
    expect(rights.give(ONE, stateAt(THIRD), FIRST, 2)).toBe(true);
    expect(rights.give(OTHER, stateAt(SECOND), FIRST, 3)).toBe(false);
  });

  test("is not given for a state before that which the arbiter knows", () => {
    const rights = new RightsGiven();
    expect(rights.give(ONE, stateAt(FIRST), SECOND, 0)).toBe(false);
    expect(rights.give(ONE, stateAt(SECOND), SECOND, 0)).toBe(true);
  });

  test("is of one subject, and ends after a time", () => {
    const rights = new RightsGiven();
    expect(rights.give(ONE, stateAt(FIRST), FIRST, 0)).toBe(true);
    expect(rights.give(OTHER, stateAt(FIRST, "museum" as RoomId), FIRST, 0)).toBe(true);
    expect(rights.give(OTHER, stateAt(FIRST), FIRST, RIGHT_MS - 1)).toBe(false);
    expect(rights.give(OTHER, stateAt(FIRST), FIRST, RIGHT_MS)).toBe(true);
  });

  test("that is taken back is given to another node, once all changes that had it are over", () => {
    const rights = new RightsGiven();
    for (const times of [1, 2]) expect([times, rights.give(ONE, stateAt(FIRST), FIRST, 0)]).toEqual([times, true]);
    rights.takeBack(OTHER, stateAt(FIRST));
    rights.takeBack(ONE, stateAt(SECOND));
    rights.takeBack(ONE, stateAt(FIRST));
    expect(rights.give(OTHER, stateAt(FIRST), FIRST, 0)).toBe(false);
    rights.takeBack(ONE, stateAt(FIRST));
    expect(rights.give(OTHER, stateAt(FIRST), FIRST, 0)).toBe(true);
  });

  test("is forgotten, the oldest first, where there are too many", () => {
    const rights = new RightsGiven();
    for (let room = 0; room <= RIGHTS_MAX; room++) rights.give(ONE, stateAt(FIRST, `r${room}` as RoomId), FIRST, 0);
    expect(rights.give(OTHER, stateAt(FIRST, `r${RIGHTS_MAX}` as RoomId), FIRST, 0)).toBe(false);
    expect(rights.give(OTHER, stateAt(FIRST, "r0" as RoomId), FIRST, 0)).toBe(true);
  });

  test("has one owner for each state, in whatever order nodes ask", () => {
    const asked = fc.record({
      node: fc.constantFrom(...(["a", "b", "c"] as NodeId[])),
      room: fc.constantFrom(...(["shop", "museum"] as RoomId[])),
      stamp: fc.constantFrom(FIRST, stampAt(1, OTHER), SECOND, THIRD),
      known: fc.constantFrom(FIRST, SECOND),
      afterMs: fc.nat(40),
    });
    fc.assert(
      fc.property(fc.array(asked, { maxLength: 60 }), (all) => {
        const rights = new RightsGiven();
        const owners = new Map<string, NodeId>();
        let nowMs = 0;
        for (const { node, room, stamp, known, afterMs } of all) {
          nowMs += afterMs;
          if (!rights.give(node, stateAt(stamp, room), known, nowMs)) continue;
          const state = JSON.stringify([room, stamp]);
          expect(owners.get(state) ?? node).toBe(node);
          owners.set(state, node);
        }
      }),
    );
  });
});
