/** Claims of the source on its first generation: slots divided evenly (README.md lists the facts). */

import { describe, expect, test } from "vitest";
import { seededRandom } from "../../cmd/crowd/random.ts";
import { evenSlots } from "../../node/admission/older-policies.ts";
import { freeSlots, splitByTraffic } from "../../node/admission/traffic-split.ts";
import { DELHI, goIn, IN_DELHI, IN_SAN_JOSE, LONDON, SAN_JOSE, TEN_SLOTS } from "./waiting-room-state.ts";

test("WR-6: of 200 new users a minute San Jose's 20 are 10 %, London's 30 are 15 %, and what is left is Anywhere's", () => {
  const empty = { ...IN_SAN_JOSE, activeUsers: 0 };
  expect(splitByTraffic(empty)).toEqual({
    reserved: new Map([
      [LONDON, 30],
      [SAN_JOSE, 20],
    ]),
    anywhere: 150,
  });
});

test("WR-7: 200 − 50 = 150 slots are free and split by the shares of the minute before", () => {
  expect(freeSlots(IN_SAN_JOSE)).toBe(150);
  const { reserved, anywhere } = splitByTraffic(IN_SAN_JOSE);
  expect([reserved.get(SAN_JOSE), reserved.get(LONDON), anywhere]).toEqual([15, 22, 113]);
});

test("WR-8: San Jose's 15 slots divided by its 3 workers are 5 each", () => {
  const withoutAnywhere = { ...IN_SAN_JOSE, globalWorkersActive: Number.POSITIVE_INFINITY };
  expect(splitByTraffic(IN_SAN_JOSE).reserved.get(SAN_JOSE)).toBe(15);
  expect(evenSlots(withoutAnywhere, SAN_JOSE)).toBe(5);
});

describe("WR-9: Anywhere's 113 slots are divided by the 10 workers worldwide", () => {
  test("a Delhi worker, without history, lets 11 in and queues the 12th", () => {
    expect(evenSlots(IN_DELHI, DELHI)).toBe(11);
    expect(goIn(12, evenSlots(IN_DELHI, DELHI))).toBe(11);
  });

  test("a San Jose worker lets 5 + 11 = 16 in", () => {
    expect(evenSlots(IN_SAN_JOSE, SAN_JOSE)).toBe(16);
  });
});

describe("WR-10: even division queues early", () => {
  test("10 slots, 2 workers, 7 users at one and 1 at the other: 5 of the 7 go in and 2 queue", () => {
    const slots = evenSlots(TEN_SLOTS, SAN_JOSE);
    expect(slots).toBe(5);
    expect([goIn(7, slots), goIn(1, slots)]).toEqual([5, 1]);
  });

  test("among 10 workers reached by chance, queueing starts 20 to 30 % below the limit", () => {
    const slots = evenSlots({ ...IN_DELHI, activeUsers: 0, trafficHistory: new Map() }, DELHI);
    const random = seededRandom(20_230_920);
    const insideAtFirstQueueing = Array.from({ length: 500 }, () => {
      const admitted = new Array<number>(10).fill(0);
      for (let inside = 0; inside < 200; inside++) {
        const worker = Math.floor(random() * 10);
        const before = admitted[worker] ?? 0;
        if (before === slots) return inside;
        admitted[worker] = before + 1;
      }
      return 200;
    });
    const mean = insideAtFirstQueueing.reduce((sum, inside) => sum + inside, 0) / insideAtFirstQueueing.length;
    expect(mean).toBeGreaterThanOrEqual(0.7 * 200);
    expect(mean).toBeLessThanOrEqual(0.8 * 200);
  });

  test("in exchange the limit is kept: workers that all hear of the same state never admit more than is free", () => {
    for (const activeUsers of [0, 50, 120, 199, 200, 230]) {
      const state = { ...IN_SAN_JOSE, activeUsers };
      const sanJose = 3 * evenSlots(state, SAN_JOSE);
      const london = 4 * evenSlots({ ...state, dataCenterWorkersActive: 4 }, LONDON);
      const delhi = 3 * evenSlots({ ...state, dataCenterWorkersActive: 3 }, DELHI);
      expect(sanJose + london + delhi).toBeLessThanOrEqual(freeSlots(state));
    }
  });
});

test("WR-11: who queues far below the limit comes in at the next refresh, when the state has moved on", () => {
  const visitors = [7, 1];
  const first = visitors.map((waiting) => goIn(waiting, evenSlots(TEN_SLOTS, SAN_JOSE)));
  const left = visitors.map((waiting, worker) => waiting - (first[worker] ?? 0));
  expect(left).toEqual([2, 0]);

  const inside = TEN_SLOTS.activeUsers + 6;
  const refreshed = { ...TEN_SLOTS, activeUsers: inside, trafficHistory: new Map([[SAN_JOSE, 8]]) };
  expect(left.map((waiting) => waiting - goIn(waiting, evenSlots(refreshed, SAN_JOSE)))).toEqual([0, 0]);
});
