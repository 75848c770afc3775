import { describe, expect, test } from "vitest";
import { judgedBy } from "../../../cmd/chaos/verdict.ts";
import { atLeast, atMost } from "../../../cmd/checks.ts";

describe("checks of a starved run", () => {
  const slow = atMost({ promise: "never slow", name: "until its gates answer", value: 4, limit: 2, unit: "s" });
  const used = atLeast({ promise: "never early", name: "in use", value: 50, limit: 92, unit: "%", note: "at 0:03" });
  const over = atMost({ promise: "never over", name: "most inside at once", value: 61, limit: 60 });
  const held = atMost({ promise: "never over", name: "most let in a minute", value: 5, limit: 5 });

  test("that need time are reported with their limits, and not judged", () => {
    const { checks, isJudged } = judgedBy([slow, used, held], { is_starved: true });
    expect(isJudged).toBe(false);
    expect(checks).toEqual([
      { ...slow, ok: true, limit: null, aim: 2, note: "not judged: the machine was busy" },
      { ...used, ok: true, limit: null, aim: 92, note: "not judged: the machine was busy; at 0:03" },
      held,
    ]);
  });

  test("fail where a limit was exceeded: that has no excuse", () => {
    const { checks } = judgedBy([slow, over], { is_starved: true });
    expect(checks.filter(({ ok }) => !ok)).toEqual([over]);
  });

  test("are judged as ever when they hold, and those of a quiet run in any case", () => {
    expect(judgedBy([held], { is_starved: true })).toEqual({ checks: [held], isJudged: true });
    expect(judgedBy([slow, used, over], { is_starved: false })).toEqual({ checks: [slow, used, over], isJudged: true });
  });
});
