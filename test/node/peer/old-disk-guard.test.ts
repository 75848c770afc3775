import { expect, test } from "vitest";
import type { NodeId } from "../../../mesh/core/ids.ts";
import type { Members } from "../../../mesh/core/members/members.ts";
import { IN_STEP_MS, OldDiskGuard } from "../../../node/peer/old-disk-guard.ts";

const SELF = "self" as NodeId;
const OTHER = "other" as NodeId;
const THIRD = "third" as NodeId;

/** A node with one other member or several, which are up. */
function guardOfTwo({ asksForGifts = false, others = [OTHER] } = {}) {
  let steadyMs = 0;
  const now = () => ({ wallMs: steadyMs, steadyMs });
  const nodes = [SELF, ...others];
  const members = {
    view: { number: 2, members: nodes.map((node) => ({ node })) },
    reach: { alive: () => nodes },
    isMember: () => true,
  };
  const guard = new OldDiskGuard({
    ...{ self: SELF, locality: "here", founds: false, hasSeeds: true, start: now(), now },
    members: () => members as unknown as Members,
    up: new Set(others),
    asksForGifts: () => asksForGifts,
  });
  const pass = (ms: number): void => {
    steadyMs += ms;
  };
  return { guard, pass };
}

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

test("a member whose connection ends right after its word must say it again: the answers to this node's questions may be lost", () => {
  const { guard, pass } = guardOfTwo();
  guard.compared(OTHER, true);
  pass(IN_STEP_MS / 2);
  guard.down(OTHER);
  pass(5 * IN_STEP_MS);
  expect(guard.isInStep).toBe(false);
  // It was started again, and knows nothing but what is on its disk.
  guard.compared(OTHER, false);
  expect(guard.isInStep).toBe(false);
  pass(IN_STEP_MS);
  expect(guard.isInStep).toBe(true);
});

test("a member that was started again right after its word is no witness: another one may know more", () => {
  const { guard, pass } = guardOfTwo({ others: [OTHER, THIRD] });
  guard.compared(OTHER, true);
  guard.down(OTHER);
  guard.compared(OTHER, false);
  pass(2 * IN_STEP_MS);
  expect(guard.isInStep).toBe(false);
  guard.compared(THIRD, true);
  pass(IN_STEP_MS);
  expect(guard.isInStep).toBe(true);
});

test("a node waits until a member has said which gifts are on its disk", () => {
  for (const isInStep of [true, false]) {
    const { guard, pass } = guardOfTwo({ asksForGifts: true });
    guard.compared(OTHER, isInStep);
    pass(2 * IN_STEP_MS);
    expect([guard.wantsGifts(OTHER), guard.isInStep]).toEqual([true, false]);
    guard.hasGiftsTo(OTHER);
    expect([guard.wantsGifts(OTHER), guard.isInStep]).toEqual([false, true]);
  }
});
