/** The heir of a removed node, in meshes of whole nodes. */

import { expect, test } from "vitest";
import type { SimNode } from "../sim/sim-node.ts";
import { PATIENT } from "../sim/visitor.ts";
import { World } from "../sim/world.ts";

const MINUTE_MS = 60_000;
const TIMES = { minuteMs: MINUTE_MS, leaseMs: 30_000 };
const room = { totalActiveUsers: 40, newUsersPerMinute: 600, sessionDuration: 1, refreshIntervalSeconds: 2 };

test("it extends no session of a node that may still hold a lease, and let another visitor in on its slot", () => {
  const world = new World({ seed: 1, localities: ["sjc", "lon", "del", "sjc"], ...TIMES, room });
  const [heir, leaver, removed, other] = world.nodes as [SimNode, SimNode, SimNode, SimNode];
  const to = (ms: number) => world.pass(ms - world.elapsedMs);
  const come = (locality: string, count: number) => {
    for (let index = 0; index < count; index++) world.arrive({ locality, staysMs: 20 * MINUTE_MS });
  };
  for (const node of [leaver, removed, other]) node.wipe();
  for (const node of [leaver, removed, other]) {
    world.pass(5_000);
    node.start();
  }
  world.restart = () => {};
  // Half of the room is at del, with visitors who next ask when their sessions are about to end.
  to(155_000);
  for (let count = 0; count < 20; count++) {
    const next = (233_000 + 100 * count - world.elapsedMs) / MINUTE_MS;
    const behaviour = { ...PATIENT, browses: [next, next] as const };
    world.arrive({ locality: "del", staysMs: 20 * MINUTE_MS, behaviour });
    world.pass(400);
  }
  // It hears lon alone, whose answers are its lease.
  to(198_000);
  world.cut(removed, [heir, other]);
  come("sjc", 60);
  to(215_000);
  // Its visitors are sent to sjc from now on, and others come to del.
  for (const visitor of world.visitors) visitor.locality = "sjc";
  come("del", 40);
  // Nor does it hear lon any more, which would pass on what is said about the next view.
  to(222_000);
  world.cut(removed, [leaver]);
  to(230_000);
  leaver.leave();
  to(240_000);
  expect(heir.peer?.members.isMember(removed.identity)).toBe(false);
  expect(removed.peer?.members.lease(removed.now)).toBe("held");
  // The world ends the test if a limit is exceeded.
  to(330_000);
});
