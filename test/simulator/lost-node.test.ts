/** What the loss of the node with the most free slots costs: how much of the room visitors can use, second by second. */

import { describe, expect, test } from "vitest";
import { BACK_S, LOST_ROOM, type LostCase, runLost } from "../sim/lost-node.ts";

/** Seconds after the loss from which on the others have what the lost node did not hold: a lease, and the removal. */
const TAKEN_OVER_S = 35;
/** Seconds in which visitors in line take a slot: each polls every 20 s, and the first one called may be unlucky. */
const TAKEN_S = 60;
/** Slots that may lie in fractions at several nodes, until these come together at one. */
const IN_FRACTIONS = 1;
/** Slots that may be neither used nor held for visitors who are not back. */
const IDLE_MAX = 20;
/** From the loss until the last slot is usable: the lease, the longest session, and the minutes around it. */
const WHOLE_S_MAX = 440;

const ONE_PLACE = ["sjc", "sjc", "sjc"];
const THREE_PLACES = ["sjc", "lon", "del"];

/** The second after the loss from which on all slots are usable. */
function wholeAt(usable: readonly number[]): number {
  return usable.findLastIndex((slots) => slots < LOST_ROOM - IN_FRACTIONS) + 1;
}

/** A crowd that waits for slots reveals one that counts as usable although no visitor can have it. */
function takenByNobody(usable: readonly number[], inside: readonly number[]): number {
  return Math.max(...inside.slice(TAKEN_S).map((taken, at) => Math.min(...usable.slice(at, at + TAKEN_S + 1)) - taken));
}

describe("a node that is lost for good", () => {
  test("costs a room a third full what visitors who wait for it cannot have, and all of it is usable in the end", () => {
    const { usable, inside, free } = runLost({ loss: "gone", localities: ONE_PLACE, fill: 1 / 3, crowd: "rush" }, 1);
    expect(usable[0]).toBe(LOST_ROOM);
    expect(usable[5]).toBe(LOST_ROOM - free);
    expect(usable.at(-1)).toBe(LOST_ROOM);
    expect(Math.min(...usable.slice(TAKEN_OVER_S)) / LOST_ROOM).toBeGreaterThan(0.93);
    expect(wholeAt(usable)).toBeLessThanOrEqual(WHOLE_S_MAX);
    expect(takenByNobody(usable, inside)).toBeLessThanOrEqual(0);
  });

  test("costs a fuller room little beside the sessions that are not back", () => {
    const { usable, inside, away } = runLost({ loss: "gone", localities: ONE_PLACE, fill: 0.9, crowd: "rush" }, 1);
    const idle = usable.map((slots, second) => LOST_ROOM - slots - (away[second] ?? 0));
    expect(Math.max(...idle.slice(TAKEN_OVER_S))).toBeLessThanOrEqual(IDLE_MAX);
    expect(wholeAt(usable)).toBeLessThanOrEqual(WHOLE_S_MAX);
    expect(takenByNobody(usable, inside)).toBeLessThanOrEqual(0);
  });
});

test.each<LostCase>([
  { loss: "back", localities: ONE_PLACE, fill: 1 / 3, crowd: "calm" },
  { loss: "cut", localities: THREE_PLACES, fill: 0.6, crowd: "line" },
])("a node that is there again after two minutes gives all within ten seconds: $loss", (one) => {
  const { usable } = runLost(one, 1);
  expect(Math.min(...usable)).toBeLessThan(LOST_ROOM);
  expect(wholeAt(usable)).toBeLessThanOrEqual(BACK_S[one.loss] + 10);
});

test.each(["calm", "rush", "line"] as const)(
  "a process that is started again at once costs nothing for longer than a moment, and its visitors are spoken for: %s",
  (crowd) => {
    const { usable, away, held } = runLost({ loss: "restart", localities: THREE_PLACES, fill: 1 / 3, crowd }, 1);
    expect(usable.slice(5).every((slots) => slots === LOST_ROOM)).toBe(true);
    expect(usable.filter((slots) => slots / LOST_ROOM < 0.95).length).toBeLessThanOrEqual(3);
    expect(away[0]).toBe(held);
    expect(away.at(-1)).toBeLessThan(held / 2);
  },
);
