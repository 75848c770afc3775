/**
 * What a gate hears of a session whose cookie looks over, or whose WebSocket is silent, from a home that may be another
 * node: how long the session is good, and that asking extends nothing.
 */

import { describe, expect, test } from "vitest";
import type { Minute } from "../../../../mesh/core/ids.ts";
import type { Session } from "../../../../node/admission/mesh/check-ins.ts";
import { MINUTE_MS, RoomsWorld } from "./rooms-world.ts";

const DURATION = 5;

/** A room over three nodes, with one session whose home is the first. */
function worldWithSession(): { world: RoomsWorld; session: Session } {
  const limits = { totalActiveUsers: 9, newUsersPerMinute: 9, sessionDuration: DURATION };
  const world = new RoomsWorld(["sjc", "sjc", "lon"], limits);
  world.pass(6_000);
  return { world, session: world.admitted() };
}

function knownAt(world: RoomsWorld, index: number, session: Session): Minute | undefined | "no answer" {
  let told: Minute | undefined | "no answer" = "no answer";
  world.node(index).room.known(session, world.nowMs, (lastGood) => {
    told = lastGood;
  });
  world.pass(2_000);
  return told;
}

describe.each([0, 1, 2])("a session, as node %i hears of it", (index) => {
  test("is good for longer than its cookie says if another gate has extended it", () => {
    const { world, session } = worldWithSession();
    world.pass(3 * MINUTE_MS);
    world.checkIn(2, session, () => undefined);
    world.pass(2_000);
    expect(knownAt(world, index, session)).toBe(Math.floor(world.nowMs / MINUTE_MS) + DURATION);
  });

  test("is not extended by the question, and over after its time, without taking a slot again", () => {
    const { world, session } = worldWithSession();
    for (let minute = 0; minute < DURATION; minute++) {
      expect(knownAt(world, index, session)).toBe(session.lastGood);
      world.pass(MINUTE_MS - 2_000);
    }
    world.pass(MINUTE_MS);
    expect(knownAt(world, index, session)).toBeUndefined();
    world.pass(6_000);
    expect(world.inside()).toBe(0);
  });

  test("is over once it is revoked", () => {
    const { world, session } = worldWithSession();
    world.revoke(1, session);
    world.pass(2_000);
    expect(knownAt(world, index, session)).toBeUndefined();
  });
});
