/** Claims of the source on its third generation: a counter hands out slots (README.md lists the facts). */

import { describe, expect, test } from "vitest";
import { goesIn, SlotCounters } from "../../node/admission/policy-counter.ts";
import { splitByTraffic } from "../../node/admission/traffic-split.ts";
import { DELHI, IN_SAN_JOSE, LONDON, SAN_JOSE } from "./waiting-room-state.ts";

const AT_ITS_START = 0;

describe("WR-15: a counter returns its value and then adds 1", () => {
  test("value 9 of 10 slots goes in, value 10 queues", () => {
    const counter = { slots: 10, value: 9 };
    expect(goesIn(counter)).toBe(true);
    expect(counter.value).toBe(10);
    expect(goesIn(counter)).toBe(false);
    expect(counter.value).toBe(11);
  });

  test.each([
    { arrivals: [7, 1], admitted: 8, queued: 0 },
    { arrivals: [8, 7], admitted: 10, queued: 5 },
  ])(
    "$arrivals arrivals at two workers with one counter: $admitted in, $queued queue",
    ({ arrivals, admitted, queued }) => {
      const counter = { slots: 10, value: 0 };
      const answers = arrivals.flatMap((visitors) => Array.from({ length: visitors }, () => goesIn(counter)));
      expect(answers.filter((in_) => in_)).toHaveLength(admitted);
      expect(answers.filter((in_) => !in_)).toHaveLength(queued);
    },
  );
});

describe("WR-16: San Jose's own 15 slots come first, then Anywhere's 113, which are open to all", () => {
  test("128 users at one San Jose worker are not queued; the next one is, before reserves open up", () => {
    const counters = new SlotCounters(splitByTraffic(IN_SAN_JOSE));
    const sources = Array.from({ length: 129 }, () => counters.admit(SAN_JOSE, AT_ITS_START));
    expect(sources.slice(0, 15)).toEqual(new Array(15).fill("reserve"));
    expect(sources.slice(15, 128)).toEqual(new Array(113).fill("anywhere"));
    expect(sources[128]).toBeUndefined();
  });

  test("what San Jose takes of Anywhere is gone for Delhi", () => {
    const counters = new SlotCounters(splitByTraffic(IN_SAN_JOSE));
    for (let visitor = 0; visitor < 15 + 100; visitor++) counters.admit(SAN_JOSE, AT_ITS_START);
    const delhi = Array.from({ length: 14 }, () => counters.admit(DELHI, AT_ITS_START));
    expect(delhi).toEqual([...new Array(13).fill("anywhere"), undefined]);
  });
});

test("WR-18: counters only count: visitors of San Jose leave London's counter alone", () => {
  const counters = new SlotCounters(splitByTraffic(IN_SAN_JOSE));
  for (let visitor = 0; visitor < 1_000; visitor++) counters.admit(SAN_JOSE, AT_ITS_START);
  expect(counters.value(SAN_JOSE)).toBe(1_000);
  expect(counters.value(LONDON)).toBe(0);
  expect(counters.admit(LONDON, AT_ITS_START)).toBe("reserve");
});
