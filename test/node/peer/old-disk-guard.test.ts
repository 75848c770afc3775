import { expect, test } from "vitest";
import type { NodeId } from "../../../mesh/core/ids.ts";
import type { Members } from "../../../mesh/core/members/members.ts";
import { IN_STEP_MS, OldDiskGuard } from "../../../node/peer/old-disk-guard.ts";

const SELF = "self" as NodeId;
const OTHER = "other" as NodeId;

/** A node with one other member, which is up. */
function guardOfTwo() {
  let steadyMs = 0;
  const now = () => ({ wallMs: steadyMs, steadyMs });
  const nodes = [SELF, OTHER];
  const members = {
    view: { number: 2, members: nodes.map((node) => ({ node })) },
    reach: { hasTwoTiers: false, alive: () => nodes },
  };
  const guard = new OldDiskGuard({
    ...{ self: SELF, locality: "here", founds: false, hasSeeds: true, start: now(), now },
    members: () => members as unknown as Members,
    up: new Set([OTHER]),
  });
  const pass = (ms: number): void => {
    steadyMs += ms;
  };
  return { guard, pass };
}

test("a node is in step once a member in step has spoken, and questions have had their time", () => {
  const { guard, pass } = guardOfTwo();
  guard.compared(OTHER, true);
  expect(guard.isInStep).toBe(false);
  pass(IN_STEP_MS);
  expect(guard.isInStep).toBe(true);
});

test("what members said does not count where the disk refused a commit, and with it the questions, until they say it again", () => {
  const { guard, pass } = guardOfTwo();
  guard.compared(OTHER, true);
  guard.questionsLost();
  pass(20 * 1_000);
  expect(guard.isInStep).toBe(false);
  guard.compared(OTHER, true);
  pass(IN_STEP_MS);
  expect(guard.isInStep).toBe(true);
});
