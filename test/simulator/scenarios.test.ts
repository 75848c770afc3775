/**
 * Scenarios without drawn faults, each a question of its own: a load balancer that sprays over localities, programs that
 * join a line and never ask again, sessions that are ended while a gate cannot hear of it.
 */

import { describe, expect, test } from "vitest";
import { run } from "../sim/run.ts";
import type { Scenario } from "../sim/scenario.ts";
import { scenarioOf } from "../sim/scenarios.ts";
import type { World } from "../sim/world.ts";

describe("behind a load balancer that sprays", () => {
  function sprayed(script: Scenario["script"] = () => {}): ReturnType<typeof run> {
    const scenario = scenarioOf("sprayed", 1);
    return run({ scenario: { ...scenario, minutes: 4, script }, seed: 1 });
  }

  test("each visitor stands in one line, and is told a number that never rises", () => {
    const { broken, oracle } = sprayed();
    expect(broken).toBeUndefined();
    expect(oracle.counts.waitedSeconds).toBeGreaterThan(1_000);
  });

  test("one who stands in two lines is found", () => {
    let isDone = false;
    const doubles = ({ rooms, nodes }: World, minute: number): void => {
      const [visitor] = rooms[0]?.lines.get("sjc") ?? [];
      const elsewhere = nodes.find(({ locality }) => locality === "del");
      if (isDone || minute < 2.5 || visitor?.cookie?.kind !== "waiting" || elsewhere === undefined) return;
      const { id, key, room } = visitor.cookie;
      elsewhere.do((peer) => peer.rooms.get(room)?.poll(id, key, peer.roomMs, () => {}));
      isDone = true;
    };
    expect(sprayed(doubles).broken).toContain("one line");
  });
});

test("four of five who ask get in within 7 s, while 25 programs a second join 100 slots in three localities and never ask again", () => {
  const scenario = scenarioOf("silent-joins", 1);
  const { broken, oracle } = run({ scenario: { ...scenario, minutes: 4 }, seed: 1 });
  expect(broken).toBeUndefined();
  expect(oracle.counts.arrived).toBeGreaterThan(4_000);
  expect(oracle.counts.admitted).toBeGreaterThan(50);
  expect(oracle.counts.insideMax).toBeLessThan(100);
});

test("in worlds whose gates hear late of it all have heard in time", () => {
  for (const seed of [1, 2]) {
    const { broken, oracle } = run({ scenario: scenarioOf("late-revokes", seed), seed });
    expect(broken).toBeUndefined();
    expect(oracle.counts.endedByOrder).toBeGreaterThan(5);
    // No limit would show a session that goes on.
    expect(oracle.counts.insideMax).toBeLessThan(200);
  }
});
