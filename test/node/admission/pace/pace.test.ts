import { describe, expect, test } from "vitest";
import { Pace, type PacedRoom, type Scene } from "../../../../node/admission/pace/pace.ts";

const MINUTE_MS = 60_000;
const START_MS = 29_000_000 * MINUTE_MS;
const RAMP = { start: 60, unit: "min" as const, percent: 50, minutes: 5 };
const ROOM: PacedRoom = {
  totalActiveUsers: 1_000,
  newUsersPerMinute: 6_000,
  ramp: undefined,
  pace: false,
  throttle: { k: 2, latency: 3 },
};
const SCENE: Scene = { inside: 0, admitted: 0, seen: 0, isLine: false };

/** One node's pace, looked at twice a second. */
class Watch {
  readonly pace: Pace;
  readonly #config: { room: PacedRoom };
  scene = SCENE;
  nowMs = START_MS;

  constructor(change: Partial<PacedRoom> = {}) {
    const past = { startMs: START_MS, activeMs: START_MS, nowMs: START_MS, minuteMs: MINUTE_MS };
    this.#config = { room: { ...ROOM, ...change } };
    this.pace = new Pace(this.#config, past);
    this.pace.tick(this.scene, this.nowMs);
  }

  configure(room: PacedRoom, isCold: boolean, wasLong = false): void {
    const before = this.#config.room;
    this.#config.room = room;
    this.pace.roomChanged(before, { isCold, wasLong, atMs: this.nowMs });
  }

  get perMinute(): number {
    return this.pace.holding?.perMinute ?? Number.POSITIVE_INFINITY;
  }

  get arrivals(): number {
    return this.pace.arrivals(Math.floor(this.nowMs / MINUTE_MS), this.nowMs);
  }

  /** Lets time pass; `each` is done before each look. */
  pass(seconds: number, each: () => void = () => {}): void {
    for (let half = 0; half < seconds * 2; half++) {
      each();
      this.nowMs += 500;
      this.pace.tick(this.scene, this.nowMs);
    }
  }

  /** Ten requests that were answered, or not. */
  requests(isAccepted: boolean, tookMs = 50): void {
    for (let count = 0; count < 10; count++) {
      this.pace.sent(this.nowMs);
      this.pace.answered(isAccepted, tookMs, this.nowMs);
    }
  }
}

describe("a pace", () => {
  test("releases a ramp's slots evenly, and no more than a few seconds' at once", () => {
    const watch = new Watch({ ramp: RAMP });
    expect(watch.pace.holding).toEqual({ reason: "ramp", perMinute: 60 });
    expect(watch.arrivals).toBe(1);
    watch.pass(30);
    expect(watch.arrivals).toBe(5);
    const paced = new Watch({ pace: true, newUsersPerMinute: 60 });
    for (let second = 1; second < 60; second++) {
      paced.pass(1);
      paced.scene = { ...SCENE, admitted: paced.arrivals };
      expect(Math.abs(paced.arrivals - second)).toBeLessThanOrEqual(2);
    }
  });

  test("its origin counts as used until nobody is inside, and no request went there for two minutes", () => {
    const watch = new Watch({});
    watch.scene = { ...SCENE, inside: 1 };
    watch.pass(5, () => watch.requests(true));
    watch.pass(150);
    expect(watch.pace.isUsed).toBe(true);
    watch.scene = SCENE;
    watch.pass(1, () => watch.requests(true));
    watch.pass(110);
    expect(watch.pace.isUsed).toBe(true);
    watch.pass(15);
    expect(watch.pace.isUsed).toBe(false);
  });

  const restarts: [string, (watch: Watch) => void][] = [
    ["the room was held and opens", (watch) => watch.configure({ ...ROOM, ramp: RAMP }, true)],
    ["a limit was raised", (watch) => watch.configure({ ...ROOM, ramp: RAMP, totalActiveUsers: 1_001 }, false)],
    ["another node began it", (watch) => watch.pace.hear(watch.nowMs, watch.nowMs)],
    [
      "nobody came for five minutes",
      (watch) => {
        watch.scene = SCENE;
        watch.pass(301);
        watch.pace.noteVisitor(watch.nowMs);
      },
    ],
    [
      "the origin was down",
      (watch) => {
        watch.pace.reachable(false);
        watch.pass(1);
        expect(watch.pace.holding).toEqual({ reason: "down", perMinute: 0 });
        watch.pace.reachable(true);
      },
    ],
    [
      "the origin failed",
      (watch) => {
        watch.pass(20, () => watch.requests(false));
        expect(watch.pace.holding?.reason).toBe("failing");
        watch.pass(20, () => watch.requests(true));
      },
    ],
  ];
  test.each(restarts)("starts the ramp again after %s", (_what, act) => {
    const watch = new Watch({ ramp: RAMP });
    watch.scene = { ...SCENE, admitted: 1, inside: 100 };
    watch.pass(16 * 60);
    expect(watch.perMinute).toBeCloseTo(202.5);
    act(watch);
    watch.pass(1);
    expect(watch.pace.startMs).toBeGreaterThan(START_MS + 16 * MINUTE_MS - 1);
    expect(watch.perMinute).toBeLessThanOrEqual(60);
  });

  test.each(restarts.slice(0, 3))("holds back from the moment on at which %s, before the next look", (_, restart) => {
    const watch = new Watch({ ramp: RAMP });
    watch.scene = { ...SCENE, admitted: 1 };
    watch.pass(3_700);
    expect(watch.pace.holding).toBeUndefined();
    watch.scene = { ...SCENE, admitted: 40 };
    restart(watch);
    expect(watch.arrivals).toBeLessThanOrEqual(5);
    // Those who came in before count at the next look, and a minute's slots go on from there.
    watch.pass(0.5);
    expect(watch.arrivals).toBe(41);
  });

  test("the start of a ramp lets no more in than what holds back already", () => {
    const watch = new Watch({ ramp: RAMP });
    watch.pace.reachable(false);
    watch.pass(1);
    watch.configure({ ...ROOM, ramp: RAMP, totalActiveUsers: 1_001 }, true);
    expect(watch.perMinute).toBe(0);
  });

  test("a lowered limit, and a start that lies ahead, restart nothing", () => {
    const watch = new Watch({ ramp: RAMP });
    watch.pass(10);
    watch.configure({ ...ROOM, ramp: RAMP, totalActiveUsers: 999 }, false);
    watch.pace.hear(watch.nowMs + 3_000, watch.nowMs);
    expect(watch.pace.startMs).toBe(START_MS);
  });

  test("CT-10: of a demand of 1,000 a minute, what K times the accepted ones leave comes in; then more, step by step", () => {
    const watch = new Watch({ throttle: { k: 1.25, latency: 0 } });
    watch.scene = { ...SCENE, seen: 1_000, inside: 100, isLine: true };
    let count = 0;
    watch.pass(130, () => watch.requests(count++ % 5 < 3));
    const { holding } = watch.pace;
    expect(holding?.reason).toBe("failing");
    expect(holding?.share).toBeCloseTo(0.25, 1);
    expect(Math.abs(watch.perMinute - 750)).toBeLessThan(60);
    watch.pass(125, () => watch.requests(true));
    const released = watch.perMinute;
    expect(released).toBeGreaterThan(750);
    watch.pass(60, () => watch.requests(true));
    expect(watch.perMinute).toBeCloseTo(released * 1.5, -2);
    watch.pass(600, () => watch.requests(true));
    expect(watch.pace.holding).toBeUndefined();
  });

  test("a line that a dead origin stopped comes in again as fast as before, once two minutes have passed", () => {
    const watch = new Watch({ throttle: { k: 2, latency: 0 } });
    watch.scene = { ...SCENE, inside: 400, admitted: 500, isLine: true };
    watch.pass(60, () => watch.requests(true));
    watch.scene = { ...SCENE, inside: 400, isLine: true };
    watch.pass(180, () => watch.requests(false));
    expect(watch.perMinute).toBeLessThan(5);
    watch.scene = { ...SCENE, inside: 300, isLine: true };
    watch.pass(120, () => watch.requests(true));
    expect(watch.perMinute).toBeGreaterThan(400);
    watch.pass(600, () => watch.requests(true));
    expect(watch.pace.holding).toBeUndefined();
  });

  test("an origin that failed is not said to have been slow, nor one that hangs to answer", () => {
    const failed = new Watch();
    failed.scene = { ...SCENE, inside: 400, seen: 100 };
    failed.pass(60, () => failed.requests(true));
    failed.pass(12, () => failed.requests(false));
    expect(failed.pace.holding).toMatchObject({ reason: "failing", answers: true });
    failed.pass(20, () => failed.requests(true));
    expect(failed.pace.holding).toMatchObject({ reason: "failing", share: 0 });
    const hangs = new Watch();
    hangs.scene = { ...SCENE, inside: 400, seen: 100 };
    hangs.pass(20, () => hangs.pace.sent(hangs.nowMs));
    expect(hangs.pace.holding).toMatchObject({ reason: "failing", answers: false });
  });

  test("of a slow origin, nobody comes in above the visitors that it bore; then as many as it bears, and slowly more", () => {
    const watch = new Watch();
    watch.scene = { ...SCENE, inside: 400 };
    watch.pass(60, () => watch.requests(true, 50));
    expect(watch.pace.holding).toBeUndefined();
    watch.pass(12, () => watch.requests(true, 800));
    expect(watch.pace.holding).toMatchObject({ reason: "slow", perMinute: 0 });
    expect(watch.pace.holding?.recentMs).toBeGreaterThan(700);
    expect(watch.pace.holding?.usualMs).toBeLessThan(70);
    watch.scene = { ...SCENE, inside: 340 };
    watch.pass(12, () => watch.requests(true, 60));
    watch.scene = { ...SCENE, inside: 200 };
    watch.pass(1, () => watch.requests(true, 60));
    expect(watch.perMinute).toBeGreaterThan(0);
    expect(watch.perMinute).toBeLessThan(2_400);
    watch.pass(60 * 20, () => watch.requests(true, 60));
    expect(watch.pace.holding).toBeUndefined();
  });

  test("after a long illness the cap grows back by half a minute, and only near the old level as slowly as a ramp", () => {
    const watch = new Watch();
    watch.scene = { ...SCENE, inside: 400 };
    watch.pass(60, () => watch.requests(true, 50));
    for (let inside = 400; inside > 40; inside -= 10) {
      watch.scene = { ...SCENE, inside };
      watch.pass(12, () => watch.requests(true, 800));
    }
    watch.pass(12, () => watch.requests(true, 50));
    watch.scene = { ...SCENE, inside: 0 };
    const capAfter = (seconds: number): number => {
      watch.pass(seconds, () => watch.requests(true, 50));
      return watch.perMinute / 12;
    };
    const first = capAfter(15);
    expect(first).toBeLessThan(65);
    expect(capAfter(60)).toBeCloseTo(first * 1.5, 0);
    const near = capAfter(4 * 60);
    expect(near).toBeGreaterThan(280);
    expect(capAfter(60)).toBeLessThan(near * 1.2);
  });

  test("a throttle of 0 is none", () => {
    const watch = new Watch({ throttle: { k: 0, latency: 0 } });
    watch.scene = { ...SCENE, inside: 100, seen: 100 };
    watch.pass(30, () => watch.requests(true, 50));
    watch.pass(30, () => watch.requests(false));
    expect(watch.pace.holding).toBeUndefined();
  });
});
