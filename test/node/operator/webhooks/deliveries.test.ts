import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import type { Notice } from "../../../../node/operator/notices/notice.ts";
import {
  Deliveries,
  GIVE_UP_MS,
  type Outcome,
  WAIT_MS_MAX,
  WAITING_MAX,
  waitAfter,
} from "../../../../node/operator/webhooks/deliveries.ts";

const NOW = Date.parse("2026-11-22T12:00:00Z");
const OK: Outcome = { kind: "delivered", error: "" };
const DOWN: Outcome = { kind: "down", error: "status 503" };
const REFUSED: Outcome = { kind: "refused", error: "status 400" };

class Receiver {
  nowMs = NOW;
  readonly deliveries = new Deliveries();
  wants: (notice: Notice) => boolean = () => true;
  answer: (notice: Notice) => Outcome = () => OK;
  readonly ids: string[] = [];
  readonly got: string[] = [];
  attempts = 0;

  happens(): string {
    const id = `ntc_${this.ids.length}`;
    this.ids.push(id);
    const node = "node1" as NodeId;
    this.deliveries.add({ id, type: "room.held", atMs: this.nowMs, node, room: "shop", data: {} });
    return id;
  }

  pass(seconds: number): number {
    let dead = 0;
    for (let second = 0; second < seconds; second++) {
      this.nowMs += 1_000;
      dead += this.deliveries.prune(this.nowMs, this.wants);
      for (let notice = this.deliveries.next(this.nowMs); notice; notice = this.deliveries.next(this.nowMs)) {
        this.attempts += 1;
        const outcome = this.answer(notice);
        if (outcome.kind === "delivered") this.got.push(notice.id);
        this.deliveries.ended(notice, outcome, { nowMs: this.nowMs, random: 0.5 });
      }
    }
    return dead;
  }
}

describe("a receiver", () => {
  test("that refuses one notice gets the others meanwhile, and that one once it takes it", () => {
    const receiver = new Receiver();
    const bad = receiver.happens();
    receiver.answer = ({ id }) => (id === bad ? REFUSED : OK);
    receiver.pass(5);
    const good = receiver.happens();
    receiver.pass(5);
    expect(receiver.got).toEqual([good]);
    receiver.answer = () => OK;
    receiver.pass(60);
    expect(receiver.got).toEqual([good, bad]);
  });

  test("that takes nothing for a day has dead letters, and then gets what is younger", () => {
    const receiver = new Receiver();
    receiver.answer = () => DOWN;
    receiver.happens();
    receiver.happens();
    receiver.pass(GIVE_UP_MS / 1_000 - 100);
    expect(receiver.deliveries.dead).toBe(0);
    receiver.happens();
    expect(receiver.pass(200)).toBe(2);
    receiver.answer = () => OK;
    receiver.pass(WAIT_MS_MAX / 1_000);
    expect(receiver.got).toEqual(receiver.ids.slice(-1));
    expect(receiver.deliveries).toMatchObject({ delivered: 1, dead: 2 });
  });

  test("for which too many wait loses the oldest", () => {
    const receiver = new Receiver();
    receiver.answer = () => DOWN;
    for (let at = 0; at < WAITING_MAX + 30; at++) {
      receiver.nowMs += 1;
      receiver.happens();
    }
    expect(receiver.pass(2)).toBe(30);
    receiver.answer = () => OK;
    receiver.pass(WAIT_MS_MAX / 1_000);
    expect(receiver.got).toEqual(receiver.ids.slice(30));
  });

  test("is asked as late as it asks for, within the longest wait", () => {
    const receiver = new Receiver();
    receiver.happens();
    receiver.answer = () => ({ ...DOWN, retryAfterMs: 60_000 });
    receiver.pass(55);
    expect(receiver.attempts).toBe(1);
    receiver.answer = () => ({ ...DOWN, retryAfterMs: 86_400_000 });
    receiver.pass(20);
    receiver.answer = () => OK;
    receiver.pass(WAIT_MS_MAX / 1_000);
    expect(receiver.got).toHaveLength(1);
  });

  test("has no trouble any more once nothing waits for it, given up or no longer wanted", () => {
    const receiver = new Receiver();
    receiver.answer = () => DOWN;
    receiver.happens();
    receiver.pass(5);
    const troubles = [receiver.deliveries.trouble];
    receiver.nowMs += GIVE_UP_MS;
    expect(receiver.pass(1)).toBe(1);
    troubles.push(receiver.deliveries.trouble);
    receiver.happens();
    receiver.pass(WAIT_MS_MAX / 1_000);
    troubles.push(receiver.deliveries.trouble);
    receiver.wants = () => false;
    expect(receiver.pass(1)).toBe(0);
    troubles.push(receiver.deliveries.trouble);
    expect(receiver.deliveries).toMatchObject({ waiting: 0, dead: 1 });
    const failing = { sinceMs: expect.any(Number), error: DOWN.error };
    expect(troubles).toEqual([failing, undefined, failing, undefined]);
  });
});

test("waits grow exponentially to the longest, and part of each is chance", () => {
  expect([1, 2, 3, 4].map((failures) => waitAfter(failures, 0))).toEqual([1_000, 2_000, 4_000, 8_000]);
  expect(waitAfter(1, 1)).toBe(700);
  expect(waitAfter(1_000, 0)).toBe(WAIT_MS_MAX);
});

test("whatever a receiver answers, it gets each notice once in the end", () => {
  const step = fc.record({
    answer: fc.constantFrom(OK, DOWN, REFUSED),
    seconds: fc.integer({ min: 1, max: 40 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const receiver = new Receiver();
      for (const { answer, seconds } of steps) {
        receiver.answer = () => answer;
        receiver.happens();
        receiver.pass(seconds);
      }
      receiver.answer = () => OK;
      receiver.pass(WAIT_MS_MAX / 1_000 + 10);
      expect([...receiver.got].sort()).toEqual([...receiver.ids].sort());
      expect(receiver.deliveries.waiting).toBe(0);
    }),
    { numRuns: 100 },
  );
});
