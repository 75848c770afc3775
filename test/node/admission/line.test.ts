import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Line, type LineSummary } from "../../../node/admission/line.ts";

const NOW_MS = 1_790_000_000_000;
const REFRESH_MS = 20_000;
const GONE_MS = 2.5 * REFRESH_MS;
const TICK_MS = 500;

/** A line of `count` visitors who joined a ms apart, the last one now, and their keys. */
function lineOf(count: number): { line: Line; keys: number[] } {
  const line = new Line();
  return { line, keys: Array.from({ length: count }, (_, index) => line.join(NOW_MS - count + 1 + index)) };
}

function restored(summary: LineSummary, nowMs: number): Line {
  const line = new Line();
  line.restore(JSON.parse(JSON.stringify(summary)), { nowMs, refreshMs: REFRESH_MS });
  return line;
}

/** Looks at the line twice a second from `fromMs` to `toMs`; returns how many were gone. */
function pass(line: Line, fromMs: number, toMs: number): number {
  let gone = 0;
  for (let nowMs = fromMs; nowMs < toMs; nowMs += TICK_MS) gone += line.removeGone(nowMs, REFRESH_MS);
  return gone + line.removeGone(toMs, REFRESH_MS);
}

function called(line: Line, keys: readonly number[]): number[] {
  return keys.flatMap((key, index) => (line.isCalled(key) ? [index] : []));
}

/** Calls one visitor at a time, who does not show up, perhaps after one poll. */
function abandon(line: Line, visitors: number, pollOnce = false): void {
  for (let visitor = 0; visitor < visitors; visitor++) {
    const nowMs = NOW_MS + 1_000_000 * (visitor + 1);
    const key = line.join(nowMs);
    if (pollOnce) line.poll(key, nowMs);
    line.call(1);
    pass(line, nowMs, nowMs + GONE_MS + TICK_MS);
  }
}

describe("a queue key", () => {
  test("is above every key that a visitor has shown", () => {
    const line = new Line();
    line.poll(NOW_MS * 2_000, NOW_MS);
    expect(line.join(NOW_MS)).toBe(NOW_MS * 2_000 + 1_000);
  });

  test("differs from those of a line with another offset, also after a visitor of both whose clock was ahead", () => {
    const lines = [158, 681].map((keyOffset) => new Line(undefined, { keyOffset }));
    const ahead = NOW_MS * 1_000 + 600_000_158;
    for (const line of lines) line.poll(ahead, NOW_MS);
    const keys = lines.flatMap((line) => Array.from({ length: 1_000 }, () => line.join(NOW_MS)));
    expect(new Set(keys).size).toBe(2_000);
    expect(Math.min(...keys)).toBeGreaterThan(ahead);
  });

  test("is above those given out before a restart, also when the clock was set back meanwhile", () => {
    const { line, keys } = lineOf(3);
    expect(restored(line.summary(), NOW_MS - 60_000).join(NOW_MS - 60_000)).toBeGreaterThan(keys[2] ?? Infinity);
  });
});

describe("calling", () => {
  test("counts on no-shows, as many as there were, and at most on half of those called", () => {
    const { line, keys } = lineOf(0);
    const pollOnce = true;
    abandon(line, 20, pollOnce);
    const nowMs = NOW_MS + 100_000_000;
    for (let visitor = 0; visitor < 40; visitor++) keys.push(line.join(nowMs));
    line.call(10);
    // 1 − 0.98^20 = 33 % of the last ones called did not come.
    expect(called(line, keys).length).toBe(14);
    abandon(line, 200, pollOnce);
    for (let visitor = 0; visitor < 40; visitor++) keys.push(line.join(nowMs * 2));
    line.call(10);
    expect(called(line, keys.slice(-40)).length).toBe(20);
  });

  test("goes past those who join and never ask again, once many have done so", () => {
    const { line } = lineOf(0);
    abandon(line, 200);
    const nowMs = NOW_MS * 2;
    const silent = Array.from({ length: 300 }, () => line.join(nowMs));
    const asks = line.join(nowMs + 1);
    line.poll(asks, nowMs + 2_000);
    line.call(20);
    expect(line.isCalled(asks)).toBe(true);
    expect(line.expected).toBeLessThan(20);
    // Those who ask after all count in full again.
    for (const key of silent) line.poll(key, nowMs + 3_000);
    line.call(20);
    expect(line.isCalled(asks)).toBe(false);
  });
});

test("a visitor who has not polled for 2.5 refresh intervals is not gone because the process was stopped, or the clock set forth", () => {
  const { line } = lineOf(1);
  pass(line, NOW_MS, NOW_MS + 10_000);
  expect(line.removeGone(NOW_MS + 3_600_000, REFRESH_MS)).toBe(0);
  expect(pass(line, NOW_MS + 3_600_000, NOW_MS + 3_600_000 + GONE_MS - 10_000)).toBe(0);
  expect(pass(line, NOW_MS + 3_600_000 + GONE_MS - 10_000, NOW_MS + 3_600_000 + GONE_MS)).toBe(1);
});

describe("whose turn it is", () => {
  const PAUSE_MS = 2_000;

  /** A line whose visitors were all told to ask again in two seconds. */
  function expectedLine(count: number) {
    const { line, keys } = lineOf(count);
    for (const key of keys) line.expect(key, PAUSE_MS, NOW_MS);
    const turns = (slots: number, nowMs = NOW_MS) => keys.map((key) => line.isTurn(key, slots, nowMs));
    return { line, keys, turns };
  }

  test("is decided by the slots: each older one about to ask has one first", () => {
    const { turns } = expectedLine(4);
    expect(turns(0)).toEqual([false, false, false, false]);
    expect(turns(1)).toEqual([true, false, false, false]);
    expect(turns(3)).toEqual([true, true, true, false]);
  });

  test("passes over those who have not asked in time, and not a moment sooner", () => {
    const { line, keys, turns } = expectedLine(3);
    const dueMs = NOW_MS + 1.25 * PAUSE_MS + 1_000;
    line.expect(keys[1] ?? 0, 10 * PAUSE_MS, NOW_MS);
    for (let nowMs = NOW_MS; nowMs < dueMs; nowMs += TICK_MS) line.removeGone(nowMs, REFRESH_MS);
    expect(turns(1, dueMs)).toEqual([true, false, false]);
    expect(turns(1, dueMs + 1)).toEqual([true, true, false]);
  });

  test("is owed to each visitor for whom a slot was kept when a later one was admitted", () => {
    const { line, keys } = expectedLine(4);
    expect(line.owed).toBe(0);
    line.call(3);
    line.leave(keys[2] ?? 0);
    expect(line.owed).toBe(2);
    line.leave(keys[0] ?? 0);
    expect(line.owed).toBe(1);
    pass(line, NOW_MS, NOW_MS + 10_000);
    expect(line.owed).toBe(0);
  });
});

describe("a line restored from its summary", () => {
  test.each([0, 1, 511, 512, 513, 1_024])("is exact with %i visitors", (count) => {
    const { line, keys } = lineOf(count);
    const copy = restored(line.summary(), NOW_MS + 10_000);
    expect(copy.size).toBe(count);
    const positions = keys.toReversed().map((key) => copy.poll(key, NOW_MS + 10_000));
    expect(positions).toEqual(keys.map((_, index) => count - index));
    expect(copy.size).toBe(count);
    expect(copy.summary()).toEqual(line.summary());
  });

  test("lets assumed visitors go 2.5 refresh intervals after the restart, and not as no-shows", () => {
    const { line, keys } = lineOf(5);
    line.call(5);
    const startMs = NOW_MS + 3_600_000;
    const copy = restored(line.summary(), startMs);
    expect(pass(copy, startMs, startMs + 30_000)).toBe(0);
    copy.poll(keys[3] ?? 0, startMs + 30_000);
    expect(pass(copy, startMs + 30_000, startMs + GONE_MS)).toBe(0);
    const left: number[] = [];
    expect(copy.removeGone(startMs + GONE_MS + 1, REFRESH_MS, (weight) => left.push(weight))).toBe(4);
    // Nobody knows that they were there: waits get no shorter by them.
    expect(left).toEqual([0, 0, 0, 0]);
    const more = Array.from({ length: 100 }, () => copy.join(startMs + GONE_MS));
    copy.leave(keys[3] ?? 0);
    copy.call(50);
    expect(called(copy, more).length).toBe(50);
  });

  test("gives no assumed place to those who joined after the summary, nor to those who were gone before it", () => {
    const line = new Line();
    const gone = line.join(NOW_MS);
    pass(line, NOW_MS, NOW_MS + GONE_MS + TICK_MS);
    const here = Array.from({ length: 3 }, () => line.join(NOW_MS + 60_000));
    const summary = line.summary();
    const late = line.join(NOW_MS + 60_400);
    const copy = restored(summary, NOW_MS + 70_000);
    expect(copy.poll(late, NOW_MS + 70_000)).toBe(4);
    expect(copy.poll(gone, NOW_MS + 70_000)).toBe(1);
    expect(here.map((key) => copy.poll(key, NOW_MS + 70_000))).toEqual([2, 3, 4]);
    expect(copy.size).toBe(5);
  });

  test("with thousands of visitors starts no position too low, none too high by more than a range, and loses no order", () => {
    const bursts = fc.array(fc.record({ afterMs: fc.nat(5_000), visitors: fc.integer({ min: 1, max: 900 }) }), {
      minLength: 4,
      maxLength: 8,
      size: "max",
    });
    fc.assert(
      fc.property(bursts, fc.infiniteStream(fc.nat()), fc.integer({ min: 1, max: 40 }), (bursts, draws, free) => {
        const line = new Line();
        let joinedMs = NOW_MS;
        const keys = bursts.flatMap(({ afterMs, visitors }) => {
          joinedMs += afterMs;
          return Array.from({ length: visitors }, () => line.join(joinedMs));
        });
        const summary = line.summary();
        const longest = Math.max(...summary.ranges.map(([, , count]) => count));
        const copy = restored(summary, NOW_MS + 60_000);
        const order = shuffled([...keys.keys()], draws);
        for (const index of order) {
          const position = copy.poll(keys[index] ?? 0, NOW_MS + 60_000);
          expect(position).toBeGreaterThanOrEqual(index + 1);
          expect(position).toBeLessThanOrEqual(index + 1 + longest);
          copy.call(free);
          expect(copy.isCalled(keys[index] ?? 0) && index >= free).toBe(false);
        }
        expect(keys.map((key) => copy.poll(key, NOW_MS + 60_001)).length).toBe(copy.size);
      }),
      { numRuns: 15 },
    );
  });
});

function shuffled(items: number[], draws: Iterable<number>): number[] {
  const draw = draws[Symbol.iterator]();
  for (let last = items.length - 1; last > 0; last--) {
    const other = (draw.next().value ?? 0) % (last + 1);
    [items[last], items[other]] = [items[other] ?? 0, items[last] ?? 0];
  }
  return items;
}
