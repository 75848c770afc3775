import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Line } from "../../../node/admission/line.ts";
import { QueueOrder } from "../../../node/admission/queue-order.ts";
import { lanesOf } from "../../../node/config/lane-fields.ts";

const NOW_MS = Date.UTC(2026, 10, 22);
const SHARES = lanesOf({ 1: 50, 2: 20 });

/** Visitors in line, by lane, in the order in which they joined. */
function joined(line: Line, lanes: readonly number[], nowMs = NOW_MS): { key: number; lane: number }[] {
  return lanes.map((lane) => ({ key: line.join(nowMs, lane), lane }));
}

/** Lanes of those in line, from the front. */
function order(places: readonly { key: number; lane: number }[]): number[] {
  return [...places].sort((one, other) => one.key - other.key).map(({ lane }) => lane);
}

const many = (count: number, lane: number): number[] => Array<number>(count).fill(lane);
const part = (lanes: readonly number[], lane: number): number => lanes.filter((each) => each === lane).length;

describe("lanes", () => {
  test.each([
    ["one lane after the other", [...many(300, 0), ...many(300, 1), ...many(300, 2)]],
    ["the other way round", [...many(300, 2), ...many(300, 1), ...many(300, 0)]],
    ["in turns", Array.from({ length: 900 }, (_, at) => at % 3)],
  ])("get their shares of the slots while all have visitors, who come %s", (_, lanes) => {
    const line = new Line(undefined, { shares: SHARES });
    const front = order(joined(line, lanes)).slice(0, 400);
    for (const [lane, share] of [0.3, 0.5, 0.2].entries()) {
      expect(Math.abs(part(front, lane) - 400 * share)).toBeLessThanOrEqual(2);
      expect(Math.abs(part(front.slice(0, 100), lane) - 100 * share)).toBeLessThanOrEqual(2);
    }
  });

  test("leave the share of an empty lane to the others, in the proportion of theirs", () => {
    const line = new Line(undefined, { shares: SHARES });
    const front = order(joined(line, [...many(300, 1), ...many(300, 2)])).slice(0, 280);
    expect(Math.abs(part(front, 1) - 200)).toBeLessThanOrEqual(2);
  });

  test("keep the order of arrival within each, and in a room without lanes", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 200 }), fc.boolean(), (lanes, hasLanes) => {
        const places = joined(new Line(undefined, { shares: hasLanes ? SHARES : [] }), lanes);
        for (const lane of hasLanes ? [1, 2] : [0, 1, 2, 3, 4]) {
          const keys = places.filter((place) => place.lane === lane).map(({ key }) => key);
          expect(keys).toEqual([...keys].sort((one, other) => one - other));
        }
        expect(new Set(places.map(({ key }) => key)).size).toBe(lanes.length);
      }),
    );
  });

  test.each([
    [0.8, [20, 80]],
    [0.95, [20, 80]],
    [1, [20, 80]],
    [0.95, [10, 90]],
    [1, [5, 95]],
    [0.9, [30, 50, 20]],
  ])(
    "let nobody starve: of a lane whose visitors come as slots do, one by one, %f per slot, with shares %j",
    (load, shares) => {
      const line = new Line(undefined, { shares });
      const waiting = joined(line, many(1_200, 0), NOW_MS - 60_000);
      const slots = 1_000;
      let without = 0;
      for (let slot = 1; slot <= slots; slot++) {
        const isNew = Math.floor(slot * load) > Math.floor((slot - 1) * load);
        if (isNew) waiting.push(...joined(line, [1], NOW_MS + slot * 1_000));
        waiting.sort((one, other) => one.key - other.key);
        line.call(1);
        const [first] = waiting.splice(0, 1);
        if (first === undefined || !line.isCalled(first.key)) throw new Error("nobody is called");
        line.leave(first.key);
        if (first.lane === 0) without += 1;
      }
      const [share = 0, other = 0] = shares;
      const due = Math.max(1 - load, share / (share + other));
      expect(without).toBeGreaterThan(slots * due * 0.8 - 5);
      expect(without).toBeLessThan(slots * due * 1.1 + 5);
    },
  );

  test("put nobody among those who are called", () => {
    const line = new Line(undefined, { shares: SHARES });
    joined(line, many(50, 0));
    line.call(10);
    const [key = 0] = joined(line, [1]).map((place) => place.key);
    expect(line.isCalled(key)).toBe(false);
    expect(line.poll(key, NOW_MS)).toBeLessThanOrEqual(12);
    expect(line.poll(key, NOW_MS)).toBeGreaterThan(10);
  });

  test("know those who wait again after a restart, once they poll", () => {
    const before = new Line(undefined, { shares: SHARES });
    const places = joined(before, [...many(100, 0), ...many(50, 1)]);
    const line = new Line(undefined, { shares: SHARES });
    line.restore(before.summary(), { nowMs: NOW_MS, refreshMs: 20_000 });
    for (const { key, lane } of places) line.poll(key, NOW_MS, lane);
    const more = joined(line, many(10, 1), NOW_MS + 1_000);
    const last = Math.max(...places.filter(({ lane }) => lane === 1).map(({ key }) => key));
    for (const { key } of more) expect(key).toBeGreaterThan(last);
    expect(line.size).toBe(160);
  });

  test("stay those of the visitors in line when their shares change", () => {
    const line = new Line(undefined, { shares: SHARES });
    const places = joined(line, [...many(100, 0), ...many(50, 1), ...many(20, 2)]);
    line.share(lanesOf({ 1: 60 }));
    const last = Math.max(...places.filter(({ lane }) => lane === 1).map(({ key }) => key));
    for (const { key } of joined(line, many(10, 1), NOW_MS + 1_000)) expect(key).toBeGreaterThan(last);
    // Lane 2 is gone: its visitors count as without a lane.
    for (const { key } of places) line.leave(key);
    expect(line.size).toBe(10);
  });

  test("do not count while places are drawn, and count again afterwards", () => {
    const drawn = new QueueOrder({ seed: "x", isRandom: true, shuffleMs: 0 });
    const line = new Line(drawn, { shares: SHARES });
    const places = joined(line, [...many(50, 0), ...many(50, 1)]);
    expect(order(places)).toEqual([...many(50, 0), ...many(50, 1)]);
    line.follow(new QueueOrder());
    expect(order([...places, ...joined(line, [1])]).indexOf(1)).toBeLessThan(60);
  });
});
