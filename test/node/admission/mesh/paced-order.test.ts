/**
 * The order of a line whose slots come one by one: the oldest visitor who polls is admitted first, at any gate and
 * however often they poll.
 */

import { expect, test } from "vitest";
import { MINUTE_MS } from "../../../../mesh/core/minute.ts";
import { pollPauseMs } from "../../../../node/admission/poll-pause.ts";
import type { Room } from "../../../../node/config/room.ts";
import { Flood } from "./flood.ts";
import { RoomsWorld } from "./rooms-world.ts";

const PACED: Partial<Room> = {
  totalActiveUsers: 100_000,
  newUsersPerMinute: 60,
  pace: true,
  refreshIntervalSeconds: 20,
};

test.each([
  { polls: "as the page does", options: { gates: 2 } },
  { polls: "every second", options: { gates: 2, pollSeconds: 1 } },
  { polls: "as the page does, and a third leave after their first answer", options: { leavesEach: 3 } },
])("a paced line of 150 visitors at three nodes overtakes nobody who poll $polls", ({ options }) => {
  const flood = new Flood(["sjc", "sjc", "sjc"], PACED, options);
  flood.run(5, 30);
  flood.run(115, 0);
  expect(flood.overtakes.counts).toMatchObject({ beyondInterval: 0 });
  expect(flood.overtakes.counts.longestMs).toBeLessThan(2_000);
  const [, second = 0] = flood.byMinute();
  expect(second).toBeGreaterThan(options.leavesEach === undefined ? 56 : 30);
});

test("a gate reports to the ticket counter when each of its visitors will poll again", () => {
  const world = new RoomsWorld(["sjc", "sjc"], { ...PACED, refreshIntervalSeconds: 60 });
  world.pass(3_000);
  const gate = world.nodes.findIndex(({ id }) => world.node(0).room.counters()[0] !== id);
  const waiting: [id: string, key: number][] = [];
  for (let count = 0; count < 60; count++)
    world.arrive(gate, (id, decision) => decision.kind === "waiting" && waiting.push([id, decision.place.key]));
  world.pass(2_000);
  const told = new Map<number, number>();
  const sent = new Map<number, number>();
  world.loses = (message) => {
    const { kind, keys = [], pauses = [] } = message as unknown as { kind: string; keys: number[]; pauses: number[] };
    if (kind === "polls") for (const [index, key] of keys.entries()) sent.set(key, pauses[index] ?? 0);
    return false;
  };
  for (const [id, key] of waiting.slice(20))
    world.poll(gate, id, key, (decision) => {
      if (decision.kind !== "waiting") return;
      const moment = { refreshSeconds: 60, nowMs: world.nowMs, minuteMs: MINUTE_MS };
      told.set(key, Math.ceil(pollPauseMs(decision.place, moment) / 1_000));
    });
  world.pass(1_000);
  expect(told.size).toBeGreaterThan(30);
  expect([...sent].sort()).toEqual([...told].sort());
});
