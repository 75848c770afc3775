/**
 * What a gate says and hears of a session whose home may be another node: a new term that its origin gives it, and how
 * long it is good, by a question that extends nothing.
 */

import { describe, expect, test } from "vitest";
import { accountOf, type Minute, type NodeId } from "../../../../mesh/core/ids.ts";
import type { CheckInOutcome, Session } from "../../../../node/admission/mesh/check-ins.ts";
import { MINUTE_MS, RoomsWorld } from "./rooms-world.ts";

const DURATION = 5;
const NODES = ["sjc", "sjc", "lon"];

/** A room over three nodes, with one session whose home is the first. */
function worldWithSession(disableSessionRenewal = true) {
  const limits = { totalActiveUsers: 9, newUsersPerMinute: 9, sessionDuration: DURATION };
  const world = new RoomsWorld(NODES, { ...limits, disableSessionRenewal });
  world.pass(6_000);
  return { world, session: world.admitted(), minute: () => Math.floor(world.nowMs / MINUTE_MS) };
}

function extendAt(world: RoomsWorld, index: number, session: Session, minutes = DURATION): CheckInOutcome[] {
  const told: CheckInOutcome[] = [];
  world.extend(index, session, minutes, (stay) => told.push(stay));
  world.pass(2_000);
  return told;
}

describe("a session is extended", () => {
  test.each([0, 1, 2])("by its home, asked by node %i", (index) => {
    const { world, session, minute } = worldWithSession();
    world.pass(3 * MINUTE_MS);
    const at = minute();
    const [stay] = extendAt(world, index, session);
    expect(stay).toEqual({ kind: "acknowledged", home: session.home, lastGood: at + DURATION });
    world.pass((at + DURATION + 1) * MINUTE_MS - world.nowMs + 1_000);
    expect(world.inside()).toBe(1);
    world.pass(6_000);
    expect(world.inside()).toBe(0);
  });

  test("at its home alone: a check-in says what the cookie says, at the gate that asked as well", () => {
    const { world, session } = worldWithSession();
    world.pass(3 * MINUTE_MS);
    extendAt(world, 1, session);
    const told: CheckInOutcome[] = [];
    world.checkIn(1, session, (stay) => told.push(stay));
    world.pass(1_000);
    expect(told).toMatchObject([{ kind: "acknowledged", lastGood: session.lastGood }]);
  });
});

describe("a session is not extended", () => {
  test("by a node that is not its home, nor where the home is gone: no slot is taken for it", () => {
    const { world, session } = worldWithSession();
    world.kill(0);
    expect(extendAt(world, 1, session)).toEqual([{ kind: "unchanged" }]);
    expect(world.inside()).toBe(1);
    const stranger = { ...session, id: "nobody", home: accountOf("node-2" as NodeId) };
    expect(extendAt(world, 1, stranger)).toEqual([{ kind: "unchanged" }]);
    expect(extendAt(world, 2, stranger)).toEqual([{ kind: "unchanged" }]);
    expect(world.inside()).toBe(1);
  });

  test.each([
    ["before", true],
    ["after", false],
  ])("once it is revoked, %s that at another gate", (_, isFirst) => {
    const { world, session } = worldWithSession();
    world.pass(3 * MINUTE_MS);
    if (!isFirst) world.extend(2, session, DURATION);
    world.revoke(1, session);
    if (isFirst) {
      world.pass(100);
      expect(extendAt(world, 2, session)).toEqual([{ kind: "revoked" }]);
    }
    world.pass(MINUTE_MS + 6_000);
    expect(world.inside()).toBe(0);
  });
});

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
    const { world, session } = worldWithSession(false);
    world.pass(3 * MINUTE_MS);
    world.checkIn(2, session, () => undefined);
    world.pass(2_000);
    expect(knownAt(world, index, session)).toBe(Math.floor(world.nowMs / MINUTE_MS) + DURATION);
  });

  test("is not extended by the question, and over after its time, without taking a slot again", () => {
    const { world, session } = worldWithSession(false);
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
    const { world, session } = worldWithSession(false);
    world.revoke(1, session);
    world.pass(2_000);
    expect(knownAt(world, index, session)).toBeUndefined();
  });
});
