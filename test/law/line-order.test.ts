/**
 * The promises of the line under random schedules: the first in its order come in first whatever becomes of the
 * process, nobody new overtakes, no position goes back, and free slots go to those who wait within a poll interval.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { must } from "./onlooker.ts";
import type { Change, CrashPoint, Step, Visitor } from "./room-steps.ts";
import { REFRESH_MS, RoomWorld } from "./room-world.ts";

const GONE_MS = 2.5 * REFRESH_MS;
/** These worlds go by the second: an idle slot is seen, and a gone visitor noticed, a little late. */
const SLACK_MS = 3_000;

const limit = fc.integer({ min: 1, max: 6 });
const room: fc.Arbitrary<Change> = fc.record({
  totalActiveUsers: limit,
  newUsersPerMinute: limit,
  sessionDuration: fc.integer({ min: 1, max: 3 }),
});

const arrive: fc.Arbitrary<Step> = fc.record({ kind: fc.constant("arrive"), times: fc.integer({ min: 1, max: 8 }) });
const ask: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant("ask"),
  visitor: fc.nat(60),
  cookiesBack: fc.constant(0),
  lost: fc.constant(false),
});
const round: fc.Arbitrary<Step> = fc.record({ kind: fc.constant("round"), from: fc.nat(60) });
const pass: fc.Arbitrary<Step> = fc.record({ kind: fc.constant("pass"), ms: fc.nat(5_000) });
const edge: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant("edge"),
  minutes: fc.constant(0),
  afterMs: fc.constantFrom(1, 5_001),
});
const turn: fc.Arbitrary<Step> = fc.constant({ kind: "turn", disk: "works" });
const crash: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant("crash"),
  at: fc.constantFrom<CrashPoint>("decided", "committed", "told"),
  downMs: fc.integer({ min: 50, max: 60_000 }),
});
const clock: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant("clock"),
  ms: fc.integer({ min: -400_000, max: 400_000 }),
});
const hold: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant("configure"),
  change: fc.record({ queueAll: fc.boolean() }),
});
/** Who asks often gains nothing, whatever the method, and the method may change at any time. */
const method: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant("configure"),
  change: fc.record({ queueingMethod: fc.constantFrom("fifo" as const, "random" as const) }),
});

const steps = (...more: fc.Arbitrary<Step>[]): fc.Arbitrary<Step[]> =>
  fc.array(fc.oneof(arrive, ask, ask, round, round, turn, pass, edge, edge, ...more), {
    minLength: 30,
    maxLength: 60,
    size: "max",
  });
const runs = { numRuns: 300 };

/**
 * A world in which every visitor polls again within 2.5 intervals, and none is admitted before those who waited longer.
 */
class OrderedWorld extends RoomWorld {
  /** Who joined in the last moment before a crash and has not asked since: the line does not know of them. */
  readonly #forgotten = new Set<Visitor>();

  override ask(visitor: Visitor, how?: { cookiesBack: number; lost: boolean }): ReturnType<RoomWorld["ask"]> {
    this.#forgotten.delete(visitor);
    const waiting = this.waiting().filter((place) => !this.#forgotten.has(place.visitor));
    const free = this.admission.free(this.nowMs);
    const own = waiting.find((place) => place.visitor === visitor)?.key;
    const { order } = this;
    const isBefore = (key: number, other: number): boolean => order.placeOf(key) < order.placeOf(other);
    const older = own === undefined ? waiting.length : waiting.filter(({ key }) => isBefore(key, own)).length;
    const before = this.seen.letIn.length;
    const decision = super.ask(visitor, how);
    if (this.seen.letIn.length > before)
      must(older < free + this.ghosts, `only the oldest ${free} come in, not one with ${older} before`);
    return decision;
  }

  override crash(at: CrashPoint, downMs: number): void {
    super.crash(at, downMs);
    for (const visitor of this.visitors) if (!visitor.isSaved) this.#forgotten.add(visitor);
  }

  override pass(ms: number): void {
    for (let leftMs = ms; leftMs > 0; leftMs -= REFRESH_MS) {
      super.pass(Math.min(leftMs, REFRESH_MS));
      this.round(0);
    }
  }
}

function play(change: Change, script: readonly Step[]): void {
  const world = new OrderedWorld(change);
  for (const step of script) world.step(step);
}

describe("of those who ask again at every interval, the oldest come in first", () => {
  test("and new visitors don't overtake them", () => {
    fc.assert(fc.property(room, steps(hold), play), runs);
  });

  test("also when the process is killed at any point and started again", () => {
    fc.assert(fc.property(room, steps(crash, crash, hold), play), runs);
  });

  test("also where places are drawn, and where the method changes while they wait", () => {
    const drawn = room.map((change): Change => ({ ...change, queueingMethod: "random" }));
    fc.assert(fc.property(fc.oneof(room, drawn), steps(method, hold, crash), play), runs);
  });

  test("also when the process is stopped, or the clock is set, forth and back", () => {
    fc.assert(fc.property(room, steps(clock, hold), play), runs);
  });
});

describe("no position goes back", () => {
  test("for visitors who keep asking", () => {
    fc.assert(
      fc.property(room, steps(hold), (change, script) => {
        const world = new OrderedWorld(change);
        for (const step of script) {
          world.step(step);
          for (const { positions } of world.visitors)
            for (const [index, position] of positions.entries())
              must(position <= (positions[index - 1] ?? position), `positions don't go back: ${positions.join(" ")}`);
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe("free slots go to those who wait", () => {
  const crowd = fc.record({
    visitors: fc.array(
      fc.record({
        joinsAtS: fc.nat(90),
        // Seconds from joining after which the visitor asks no more.
        leavesAfterS: fc.oneof({ arbitrary: fc.constant(Infinity), weight: 2 }, fc.nat(60)),
      }),
      { minLength: 5, maxLength: 40, size: "max" },
    ),
    change: room,
  });

  /**
   * Longest time in ms for which a slot was free and not taken while a visitor waited who polls at every interval,
   * since those who left could be noticed. Of several free slots, the one that has been free for longest is taken.
   */
  function longestIdleMs(change: Change, visitors: readonly { joinsAtS: number; leavesAfterS: number }[]): number {
    const world = new RoomWorld(change);
    const coming = visitors.map((plan) => ({ ...plan, visitor: world.newVisitor() }));
    /** By free slot, the longest free first: the second since when. */
    const freeSince: number[] = [];
    let longest = 0;
    for (let second = 0; second < 300; second++) {
      const admittedBefore = world.seen.letIn.length;
      for (const { visitor, joinsAtS, leavesAfterS } of coming) {
        const since = second - joinsAtS;
        if (since >= 0 && since % (REFRESH_MS / 1_000) === 0 && since <= leavesAfterS) world.ask(visitor);
      }
      world.turn();
      const patient = coming.filter(({ joinsAtS, leavesAfterS }) => joinsAtS <= second && leavesAfterS === Infinity);
      const waiting = new Set(world.waiting().map(({ visitor }) => visitor));
      const unnoticed = coming.some(
        ({ visitor, leavesAfterS }) => leavesAfterS !== Infinity && world.nowMs - visitor.polledMs <= GONE_MS,
      );
      const isWaiting = !unnoticed && patient.some(({ visitor }) => waiting.has(visitor));
      const free = isWaiting ? world.admission.free(world.nowMs) : 0;
      freeSince.splice(0, world.seen.letIn.length - admittedBefore);
      freeSince.length = Math.min(freeSince.length, free);
      while (freeSince.length < free) freeSince.push(second);
      longest = Math.max(longest, (second + 1 - (freeSince[0] ?? second + 1)) * 1_000);
      world.pass(1_000);
      world.checkLimits();
    }
    return longest;
  }

  test("within one interval when all ask at every interval", () => {
    fc.assert(
      fc.property(crowd, ({ change, visitors }) => {
        const patient = visitors.map((plan) => ({ ...plan, leavesAfterS: Infinity }));
        expect(longestIdleMs(change, patient)).toBeLessThanOrEqual(REFRESH_MS + SLACK_MS);
      }),
      { numRuns: 60 },
    );
  });

  test("within one interval when some leave without a word, as soon as these are gone", () => {
    fc.assert(
      fc.property(crowd, ({ change, visitors }) => {
        expect(longestIdleMs(change, visitors)).toBeLessThanOrEqual(REFRESH_MS + SLACK_MS);
      }),
      { numRuns: 60 },
    );
  });
});
