import { describe, expect, test } from "vitest";
import { accountOf, type Minute, type NodeId } from "../../../mesh/core/ids.ts";
import type { View } from "../../../mesh/core/members/view.ts";
import { Outbox } from "../../../mesh/core/wire/outbox.ts";
import { CutOff } from "../../../node/peer/cut-off.ts";

const [SELF, LOST] = ["self", "lost"] as [NodeId, NodeId];
const RUNS_ON_MS = 1_000;

function node(restored: ReadonlyMap<string, unknown> = new Map()) {
  const outbox = new Outbox();
  return { cutOff: new CutOff({ restored, outbox }), outbox };
}

function viewWithout(lost: readonly NodeId[]): View {
  const heirs = lost.map((one) => [accountOf(one), SELF, 0] as const);
  return { number: 2, members: [], voters: [], heirs, openings: [], root: accountOf(SELF) };
}

function instant(ms: number) {
  return { wallMs: 1_000_000 + ms, steadyMs: ms };
}

describe("a node that may be cut off", () => {
  test("believes none if it never was a member", () => {
    expect(node().cutOff.believedTo(5)).toBe(Number.NEGATIVE_INFINITY);
  });

  test("has that time on its disk, once a minute", () => {
    const { cutOff, outbox } = node();
    cutOff.extends(7 as Minute);
    const { writes } = outbox.take();
    cutOff.extends(7 as Minute);
    expect(outbox.take().writes.size).toBe(0);
    expect(node(new Map(writes)).cutOff.believedTo(5)).toBe(12);
  });
});

describe("nodes that a view has removed", () => {
  test("may run on for a time from when this node learns of it", () => {
    const { cutOff } = node();
    cutOff.learn(viewWithout([]), RUNS_ON_MS, instant(0));
    expect(cutOff.mayRunOn(instant(0))).toBe(false);
    cutOff.learn(viewWithout([LOST]), RUNS_ON_MS, instant(500));
    expect([0, 1_499, 1_500].map((ms) => cutOff.mayRunOn(instant(ms)))).toEqual([true, true, false]);
  });

  test("do not run on for longer by later views", () => {
    const { cutOff } = node();
    cutOff.learn(viewWithout([LOST]), RUNS_ON_MS, instant(0));
    cutOff.learn(viewWithout([LOST]), RUNS_ON_MS, instant(900));
    expect(cutOff.mayRunOn(instant(1_000))).toBe(false);
  });
});
