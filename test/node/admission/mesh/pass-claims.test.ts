import { expect, test } from "vitest";
import type { Claim } from "../../../../node/admission/mesh/pass-claims.ts";
import { MINUTE_MS, RoomsWorld } from "./rooms-world.ts";

const THREE = ["sjc", "sjc", "sjc"];

function worldOf(localities: readonly string[] = THREE) {
  const world = new RoomsWorld(localities, { totalActiveUsers: 100, newUsersPerMinute: 100 });
  world.pass(1_000);
  /** Claims the pass `a` for a visitor at a node; undefined until the answer comes. */
  const claim = (node: number, id: string, more: Partial<Claim> = {}): { isGranted?: boolean } => {
    const heard: { isGranted?: boolean } = {};
    const { nowMs } = world;
    const asked = { pass: "a", id, atMs: nowMs, untilMs: nowMs + 5 * MINUTE_MS, isFirst: true, ...more };
    world.node(node).room.claimPass(asked, nowMs, (isGranted) => {
      heard.isGranted = isGranted;
    });
    // Until the next tick sends what is in the outbox, and the answer is back.
    world.pass(1_100);
    return heard;
  };
  return { world, claim };
}

test("a pass is good for one visitor at a time, whatever the node", () => {
  const { claim } = worldOf();
  expect(claim(0, "anna")).toEqual({ isGranted: true });
  for (const node of [0, 1, 2]) expect(claim(node, "bert")).toEqual({ isGranted: false });
  for (const node of [0, 1, 2]) expect(claim(node, "anna", { isFirst: false })).toEqual({ isGranted: true });
  expect(claim(1, "bert", { pass: "b" })).toEqual({ isGranted: true });
});

test("a clock that is behind takes no pass from its visitor", () => {
  const { world, claim } = worldOf();
  claim(0, "anna");
  expect(claim(1, "bert", { atMs: world.nowMs - 3_000 })).toEqual({ isGranted: false });
});

test("a pass is free when its time is over, or when it is given up", () => {
  const { world, claim } = worldOf();
  claim(0, "anna");
  world.pass(5 * MINUTE_MS);
  expect(claim(1, "bert")).toEqual({ isGranted: true });
  claim(2, "anna", { untilMs: world.nowMs });
  expect(claim(2, "cora")).toEqual({ isGranted: false });
  claim(0, "bert", { untilMs: world.nowMs });
  expect(claim(2, "cora")).toEqual({ isGranted: true });
});

test("the loss of the keeper costs a moment: its claims are repeated", () => {
  for (let keeper = 0; keeper < 3; keeper++) {
    const { world, claim } = worldOf();
    claim((keeper + 1) % 3, "anna");
    const atMs = world.nowMs;
    world.pass(1_000);
    world.kill(keeper);
    const [one, other] = [(keeper + 1) % 3, (keeper + 2) % 3];
    world.pass(30_000);
    claim(one, "anna", { atMs, untilMs: atMs + 9 * MINUTE_MS, isFirst: false });
    expect(claim(other, "bert")).toEqual({ isGranted: false });
  }
});

test("of two visitors who both have it the later one loses it, in whatever order they are heard", () => {
  for (const first of ["anna", "bert"]) {
    const { world, claim } = worldOf(["sjc"]);
    const atMs = { anna: world.nowMs - 90_000, bert: world.nowMs - 60_000 } as const;
    const order = first === "anna" ? (["anna", "bert"] as const) : (["bert", "anna"] as const);
    for (let round = 0; round < 3; round++) {
      for (const id of order) {
        const untilMs = world.nowMs + 5 * MINUTE_MS + round;
        const { isGranted } = claim(0, id, { atMs: atMs[id], isFirst: false, untilMs });
        if (round > 0) expect([id, isGranted]).toEqual([id, id === "anna"]);
      }
      world.pass(30_000);
    }
  }
});
