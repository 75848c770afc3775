import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import { EMPTY_JOURNAL, type Journal, noted, pruned } from "../../../../node/operator/notices/journal.ts";
import type { Notice } from "../../../../node/operator/notices/notice.ts";
import {
  Deliveries,
  GIVE_UP_MS,
  type Outcome,
  WAIT_MS_MAX,
  waitAfter,
} from "../../../../node/operator/webhooks/deliveries.ts";
import {
  mergedProgress,
  NO_PROGRESS,
  type Progress,
  progressIn,
  progressRegister,
  totals,
} from "../../../../node/operator/webhooks/progress.ts";

const NOW = Date.parse("2026-11-22T12:00:00Z");
const OK: Outcome = { kind: "delivered", error: "" };
const DOWN: Outcome = { kind: "down", error: "status 503" };
const REFUSED: Outcome = { kind: "refused", error: "status 400" };

/** A receiver, a journal, and a sender that may be replaced by another one. */
class Receiver {
  nowMs = NOW;
  journal: Journal = EMPTY_JOURNAL;
  deliveries = new Deliveries("node1");
  /** As it lies in the register. */
  saved: Progress = NO_PROGRESS;
  wants: (notice: Notice) => boolean = () => true;
  answer: (notice: Notice) => Outcome = () => OK;
  readonly got: string[] = [];
  attempts = 0;

  happens(subject: string, value = "yes"): void {
    const change = { subject, value, type: "room.held", atMs: this.nowMs, data: {} } as const;
    const reporter = { mesh: "m", node: "node1" as NodeId, key: "notices:r", room: "shop" };
    this.journal = noted(this.journal, change, reporter);
  }

  /** Seconds pass; of each second's end progress is on the disk. */
  pass(seconds: number): number {
    let dead = 0;
    for (let second = 0; second < seconds; second++) {
      this.nowMs += 1_000;
      this.journal = pruned(this.journal, this.nowMs, () => false);
      this.deliveries.learn(this.saved);
      dead += this.deliveries.look([{ key: "notices:r", journal: this.journal }], {
        ...{ nowMs: this.nowMs, sinceMs: NOW, wants: this.wants },
      });
      for (let notice = this.deliveries.next(this.nowMs); notice; notice = this.deliveries.next(this.nowMs)) {
        this.attempts += 1;
        const outcome = this.answer(notice);
        if (outcome.kind === "delivered") this.got.push(notice.id);
        this.deliveries.ended(notice, outcome, { nowMs: this.nowMs, random: 0.5 });
      }
      if (this.deliveries.takeDirty()) this.saved = this.deliveries.progress;
    }
    return dead;
  }

  /** Another node sends from now on. */
  take(node: string): void {
    this.deliveries = new Deliveries(node);
  }

  get ids(): string[] {
    return this.journal.notices.map(({ id }) => id);
  }
}

describe("a receiver", () => {
  test("that was down for ten minutes gets everything afterwards, in order of age", () => {
    const receiver = new Receiver();
    receiver.answer = () => DOWN;
    for (let at = 0; at < 60; at++) {
      receiver.happens(`subject ${at % 7}`);
      receiver.pass(10);
    }
    expect(receiver.got).toEqual([]);
    expect(receiver.attempts).toBeLessThan(20);
    receiver.answer = () => OK;
    receiver.pass(WAIT_MS_MAX / 1_000);
    expect(receiver.got).toEqual(receiver.ids);
    expect(totals(receiver.saved)).toEqual({ delivered: 60, dead: 0 });
  });

  test("that refuses one notice gets the others meanwhile, and that one once it takes it", () => {
    const receiver = new Receiver();
    receiver.happens("bad");
    const [bad = ""] = receiver.ids;
    receiver.answer = ({ id }) => (id === bad ? REFUSED : OK);
    receiver.pass(5);
    receiver.happens("good");
    receiver.pass(5);
    expect(receiver.got).toEqual(receiver.ids.slice(1));
    receiver.answer = () => OK;
    receiver.pass(60);
    expect(receiver.got).toEqual([...receiver.ids.slice(1), bad]);
  });

  test("that takes nothing for a day has dead letters, and then gets what is younger", () => {
    const receiver = new Receiver();
    receiver.answer = () => DOWN;
    receiver.happens("one");
    receiver.happens("two");
    receiver.pass(GIVE_UP_MS / 1_000 - 100);
    expect(totals(receiver.saved).dead).toBe(0);
    receiver.happens("three");
    expect(receiver.pass(200)).toBe(2);
    receiver.answer = () => OK;
    receiver.pass(WAIT_MS_MAX / 1_000);
    expect(receiver.got).toEqual(receiver.ids.slice(-1));
    expect(totals(receiver.saved)).toEqual({ delivered: 1, dead: 2 });
  });

  test("for which a journal has no more room has dead letters", () => {
    const receiver = new Receiver();
    receiver.answer = () => DOWN;
    let dead = 0;
    for (let at = 0; at < 130; at++) {
      receiver.happens("order", String(at));
      dead += receiver.pass(2);
    }
    expect(dead).toBe(30);
    receiver.answer = () => OK;
    receiver.pass(WAIT_MS_MAX / 1_000);
    expect(receiver.got).toEqual(receiver.ids);
    expect(totals(receiver.saved)).toEqual({ delivered: 100, dead: 30 });
  });

  test("is asked as late as it asks for, within the longest wait", () => {
    const receiver = new Receiver();
    receiver.happens("one");
    receiver.answer = () => ({ ...DOWN, retryAfterMs: 60_000 });
    receiver.pass(55);
    expect(receiver.attempts).toBe(1);
    receiver.answer = () => ({ ...DOWN, retryAfterMs: 86_400_000 });
    receiver.pass(20);
    receiver.answer = () => OK;
    receiver.pass(WAIT_MS_MAX / 1_000);
    expect(receiver.got).toHaveLength(1);
  });

  test("gets what the next sender finds, and nothing that it had", () => {
    const receiver = new Receiver();
    receiver.happens("one");
    receiver.pass(5);
    receiver.answer = () => DOWN;
    receiver.happens("one", "no");
    receiver.happens("two");
    receiver.pass(3);
    receiver.take("node2");
    receiver.answer = () => OK;
    receiver.pass(5);
    expect(receiver.got).toEqual(receiver.ids);
  });

  test("gets neither what was before it was made nor what its filter does not name, now or later", () => {
    const receiver = new Receiver();
    receiver.nowMs = NOW - 10_000;
    receiver.happens("early");
    receiver.nowMs = NOW;
    receiver.wants = ({ subject }) => subject !== "not wanted";
    receiver.happens("not wanted");
    receiver.happens("wanted");
    receiver.pass(5);
    receiver.wants = () => true;
    receiver.take("node2");
    receiver.pass(5);
    const wanted = receiver.journal.notices.filter(({ subject }) => subject === "wanted");
    expect(receiver.got).toEqual(wanted.map(({ id }) => id));
  });
});

test("waits grow exponentially to the longest, and part of each is chance", () => {
  expect([1, 2, 3, 4].map((failures) => waitAfter(failures, 0))).toEqual([1_000, 2_000, 4_000, 8_000]);
  expect(waitAfter(1, 1)).toBe(700);
  expect(waitAfter(1_000, 0)).toBe(WAIT_MS_MAX);
});

test("whatever a receiver answers, it gets all notices from any sender, and doubles only after a change of sender", () => {
  const step = fc.record({
    answer: fc.constantFrom(OK, DOWN, REFUSED),
    subject: fc.constantFrom("a", "b", "c"),
    seconds: fc.integer({ min: 1, max: 40 }),
    isTaken: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const receiver = new Receiver();
      let takes = 0;
      for (const { answer, subject, seconds, isTaken } of steps) {
        receiver.answer = () => answer;
        receiver.happens(subject);
        receiver.pass(seconds);
        if (!isTaken) continue;
        takes += 1;
        receiver.take(`node${takes + 1}`);
      }
      receiver.answer = () => OK;
      receiver.pass(WAIT_MS_MAX / 1_000 + 10);
      expect(new Set(receiver.got)).toEqual(new Set(receiver.ids));
      if (takes === 0) expect(receiver.got.length).toBe(receiver.ids.length);
      expect(receiver.deliveries.waiting).toBe(0);
    }),
    { numRuns: 100 },
  );
});

test("progress merges to the same whatever the order, and is in a register what it was", () => {
  const progress = fc
    .record({
      counts: fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.nat(9))),
      tallies: fc.array(fc.tuple(fc.constantFrom("n1", "n2"), fc.record({ delivered: fc.nat(9), dead: fc.nat(9) }))),
      deadMs: fc.nat(9),
    })
    .map(({ counts, tallies, deadMs }): Progress => {
      return { counts: new Map(counts), tallies: new Map(tallies), deadMs, trouble: undefined };
    });
  const plain = ({ counts, tallies, ...rest }: Progress) => ({
    ...rest,
    counts: byKey(counts),
    tallies: byKey(tallies),
  });
  fc.assert(
    fc.property(progress, progress, progress, (one, two, three) => {
      expect(plain(mergedProgress(one, two))).toEqual(plain(mergedProgress(two, one)));
      const all = mergedProgress(one, mergedProgress(two, three));
      expect(plain(mergedProgress(mergedProgress(one, two), three))).toEqual(plain(all));
      expect(plain(mergedProgress(all, all))).toEqual(plain(all));
      const register = {
        ...progressRegister(all, "wh_1", NOW),
        stamp: { wallMs: NOW, counter: 0, node: "n" as NodeId },
      };
      expect(plain(progressIn(register, "wh_1"))).toEqual(plain(all));
      expect(progressIn(register, "wh_2")).toBe(NO_PROGRESS);
    }),
  );
});

function byKey<Value>(map: ReadonlyMap<string, Value>): [string, Value][] {
  return [...map].sort(([one], [other]) => (one < other ? -1 : 1));
}
