/** A load balancer that sprays over localities, and the judge that compares lines with those who wait. */

import { expect, test } from "vitest";
import { run } from "../sim/run.ts";
import type { Scenario } from "../sim/scenario.ts";
import { scenarioOf } from "../sim/scenarios.ts";
import type { World } from "../sim/world.ts";

function sprayed(script: Scenario["script"] = () => {}): ReturnType<typeof run> {
  const scenario = scenarioOf("sprayed", 1);
  if (scenario === undefined) throw new Error("unreachable");
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
