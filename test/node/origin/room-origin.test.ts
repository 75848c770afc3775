import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseOrigin } from "../../../node/http/origin-target.ts";
import { type OriginPlan, RoomOrigin } from "../../../node/origin/room-origin.ts";
import type { Target } from "../../../node/origin/target.ts";

const MINUTE_MS = 60_000;
const START_MS = 29_000_000 * MINUTE_MS;
const SESSIONS = 20_000;
const KEYS = Array.from({ length: SESSIONS }, (_, index) => `session ${index}`);

type Weights = Readonly<Record<string, number>>;

function placed(weights: Weights) {
  return Object.entries(weights).map(([name, weight]) => ({ ...place(name), weight }));
}

/** With `from`, what the weights were before the rollout that begins now. */
function plan(weights: Weights, from?: Weights, perMinute = 1_000): OriginPlan {
  const began = { startedMs: START_MS, state: "running", percent: 0, reason: "" } as const;
  const rollout = from && { from: placed(from), ...began };
  return { shares: placed(weights), rollout, perMinute };
}

function place(name: string) {
  const url = `http://${name}.example`;
  const address = parseOrigin(url);
  if (address === undefined) throw new Error("Broken: it is an origin");
  return { url, address };
}

function originOf(weights: Weights, from?: Weights): RoomOrigin {
  const origin = new RoomOrigin(MINUTE_MS);
  origin.configure(plan(weights, from), START_MS);
  return origin;
}

/** How many of the keys each target gets, by name. */
function counts(choose: (key: string) => Target | undefined): Record<string, number> {
  const found: Record<string, number> = {};
  for (const key of KEYS) {
    const name = nameOf(choose(key));
    found[name] = (found[name] ?? 0) + 1;
  }
  return found;
}

function nameOf(target: Target | undefined): string {
  return target === undefined ? "none" : target.address.hostname.replace(".example", "");
}

function take(origin: RoomOrigin, name: string, isUp: boolean): void {
  const target = origin.all.find((each) => nameOf(each) === name);
  for (let probe = 0; probe < 3; probe++) target?.health.probed(isUp ? undefined : "refused", START_MS);
}

/** Within four standard deviations of a binomial draw: missed once in 16,000 times, and the keys never change. */
function expectPart(count: number | undefined, part: number): void {
  const deviation = Math.sqrt(SESSIONS * part * (1 - part));
  expect(Math.abs((count ?? 0) - SESSIONS * part)).toBeLessThan(4 * deviation);
}

describe("sessions", () => {
  test("go to the targets by weight, each weight to its part", () => {
    const origin = originOf({ a: 1, b: 2, c: 0.5, d: 0 });
    const found = counts((key) => origin.choose(key, START_MS));
    expectPart(found.a, 1 / 3.5);
    expectPart(found.b, 2 / 3.5);
    expectPart(found.c, 0.5 / 3.5);
    expect(found.d).toBeUndefined();
  });

  test("of a target that is down move to the others by their weights; nobody else moves, at any node", () => {
    const origin = originOf({ a: 1, b: 1, c: 2 });
    const before = new Map(KEYS.map((key) => [key, nameOf(origin.choose(key, START_MS))]));
    take(origin, "c", false);
    const other = originOf({ c: 2, b: 1, a: 1 });
    take(other, "c", false);
    const moved: Record<string, number> = {};
    for (const [key, name] of before) {
      const now = nameOf(origin.choose(key, START_MS));
      expect(nameOf(other.choose(key, START_MS))).toBe(now);
      if (name !== "c") expect(now).toBe(name);
      else moved[now] = (moved[now] ?? 0) + 1;
    }
    expectPart((moved.a ?? 0) * 2, 0.5);
    expect(Object.keys(moved).sort()).toEqual(["a", "b"]);
  });

  test("stay where their cookie says, also at weight 0, until that is down or gone", () => {
    const origin = originOf({ a: 1, b: 1, c: 0 });
    const c = origin.all[2];
    expect(KEYS.slice(0, 100).every((key) => origin.keep(key, c?.id, START_MS) === c)).toBe(true);
    take(origin, "c", false);
    expect(KEYS.slice(0, 100).every((key) => origin.keep(key, c?.id, START_MS) === origin.choose(key, START_MS))).toBe(
      true,
    );
    take(origin, "c", true);
    expect(origin.keep("x", c?.id, START_MS)).toBe(c);
    origin.configure(plan({ a: 1, b: 1 }), START_MS);
    expect(KEYS.slice(0, 100).every((key) => origin.keep(key, c?.id, START_MS) === origin.choose(key, START_MS))).toBe(
      true,
    );
  });

  test("stay where they are when nothing is up, as nowhere is better", () => {
    const origin = originOf({ a: 1, b: 1 });
    const [a, b] = origin.all;
    take(origin, "a", false);
    take(origin, "b", false);
    expect(origin.isReachable(START_MS)).toBe(false);
    expect([origin.keep("x", a?.id, START_MS), origin.keep("x", b?.id, START_MS)]).toEqual([a, b]);
    expect(origin.choose("x", START_MS)).toBeDefined();
  });

  test("have nothing to choose of one target; its state stays over a change of the room", () => {
    const origin = originOf({ a: 1 });
    const [a] = origin.all;
    expect([origin.isSeveral, origin.choose("x", START_MS), origin.keep("x", "gone", START_MS)]).toEqual([false, a, a]);
    take(origin, "a", false);
    origin.configure(plan({ a: 3, b: 1 }), START_MS);
    expect(origin.all[0]).toBe(a);
    expect(a?.health.isUp).toBe(false);
  });
});

test("a retry goes to another target that is up, else to the same", () => {
  const origin = originOf({ a: 1, b: 1, c: 1, d: 0 });
  const [a, b] = origin.all;
  if (a === undefined || b === undefined) throw new Error("Broken");
  const others = new Set(KEYS.slice(0, 100).map((key) => nameOf(origin.another(a, key, START_MS))));
  expect([...others].sort()).toEqual(["b", "c"]);
  take(origin, "c", false);
  expect(origin.another(a, "x", START_MS)).toBe(b);
  take(origin, "b", false);
  expect(origin.another(a, "x", START_MS)).toBe(a);
});

const AFTER: readonly [minutes: number, part: number][] = [
  [0, 0.01],
  [20, 0.050625],
  [45, 0.38443359375],
  [55, 0.8649755859375],
];
const LATER = START_MS + 60 * MINUTE_MS;

describe("a rollout", () => {
  test.each(AFTER)(
    "after %i minutes gives new origins the part %d of new sessions, the same at all nodes",
    (minutes, part) => {
      const [one, other] = [originOf({ new: 1, a: 0 }, { a: 1, b: 1 }), originOf({ a: 0, new: 1 }, { b: 1, a: 1 })];
      const nowMs = START_MS + minutes * MINUTE_MS;
      const found = counts((key) => one.choose(key, nowMs));
      expectPart(found.new, part);
      expectPart(found.a, (1 - part) / 2);
      expect(counts((key) => other.choose(key, nowMs))).toEqual(found);
    },
  );

  test("CT-2, CT-4: no target gets 500 a second more at first, nor more than half as much again in five minutes", () => {
    const weights = fc.dictionary(
      fc.constantFrom("a", "b", "c", "d", "e"),
      fc.double({ min: 0, max: 10, noNaN: true }),
    );
    const some = weights.filter((each) => Object.values(each).some((weight) => weight > 0.001));
    fc.assert(
      fc.property(some, some, fc.integer({ min: 1, max: 10_000_000 }), (from, to, perMinute) => {
        const origin = new RoomOrigin(MINUTE_MS);
        origin.configure(plan(to, from, perMinute), START_MS);
        const perSecondAt = (minutes: number) =>
          origin.all.map((target) => (origin.weightAt(target, START_MS + minutes * MINUTE_MS) * perMinute) / 60);
        let last = perSecondAt(-1);
        for (const [at, now] of perSecondAt(0).entries()) expect(now).toBeLessThanOrEqual((last[at] ?? 0) + 500.001);
        last = perSecondAt(0);
        for (let minutes = 5; minutes <= 120; minutes += 5) {
          const next = perSecondAt(minutes);
          for (const [at, now] of next.entries()) expect(now).toBeLessThanOrEqual((last[at] ?? 0) * 1.500_001 + 1e-6);
          last = next;
        }
        const sum = Object.values(to).reduce((all, weight) => all + weight, 0);
        for (const [at, { weight }] of origin.all.entries())
          expect(last[at]).toBeCloseTo((weight / sum / 60) * perMinute, 3);
      }),
    );
  });

  test("only ever gains sessions by the hash: who has come over comes over at every later step", () => {
    const origin = originOf({ new: 1 }, { a: 1 });
    const at = (minutes: number) =>
      new Set(KEYS.filter((key) => nameOf(origin.choose(key, START_MS + minutes * MINUTE_MS)) === "new"));
    const early = at(10);
    const late = at(30);
    expect([...early].every((key) => late.has(key))).toBe(true);
  });

  test("moves no session of a target that stays, with or without a target in the cookie", () => {
    const origin = originOf({ new: 1, a: 0 }, { a: 1 });
    const [next, a] = origin.all;
    const keys = KEYS.slice(0, 200);
    expect(keys.every((key) => origin.keep(key, undefined, LATER) === a)).toBe(true);
    expect(keys.every((key) => origin.keep(key, a?.id, LATER) === a)).toBe(true);
    expect(keys.every((key) => origin.keep(key, next?.id, LATER) === next)).toBe(true);
  });

  test.each(AFTER)(
    "after %i minutes has moved the part %d of a leaving target's sessions, to those that stay",
    (minutes, part) => {
      const origin = originOf({ a: 1, b: 1 }, { a: 1, b: 1, c: 1 });
      const c = origin.all.find((target) => nameOf(target) === "c");
      const nowMs = START_MS + minutes * MINUTE_MS;
      const found = counts((key) => origin.keep(key, c?.id, nowMs));
      expectPart(found.c, 1 - part);
      expectPart(found.a ?? 0, part / 2);
      expect(counts((key) => origin.keep(key, c?.id, LATER)).c).toBeUndefined();
      expect(KEYS.every((key) => origin.keep(key, origin.all[0]?.id, nowMs) === origin.all[0])).toBe(true);
    },
  );

  test("begins from the weights of the moment, where another one is under way", () => {
    const origin = originOf({ b: 1 }, { a: 1 });
    const halfMs = START_MS + 50 * MINUTE_MS;
    const from = Object.fromEntries(origin.sharesAt(halfMs).map(({ url, weight }) => [url, weight]));
    expect(from).toEqual({ "http://a.example": 0.42335, "http://b.example": 0.57665 });
    const before = counts((key) => origin.choose(key, halfMs));
    origin.configure(plan({ c: 1 }, { a: 0.42335, b: 0.57665 }), halfMs);
    expect(origin.sharesAt(START_MS - 1).map(({ weight }) => weight)).toEqual([0, 0.42335, 0.57665]);
    const after = counts((key) => origin.choose(key, START_MS - 1));
    expectPart(after.a, 0.42335);
    expect(Math.abs((after.a ?? 0) - (before.a ?? 0))).toBeLessThan(10);
  });

  test("whose target is down has its sessions move back, and gets no new ones", () => {
    const origin = originOf({ new: 1, a: 0 }, { a: 1 });
    const nowMs = START_MS + 55 * MINUTE_MS;
    const [next, a] = origin.all;
    take(origin, "new", false);
    expect(origin.keep("x", next?.id, nowMs)).toBe(a);
    expect(counts((key) => origin.choose(key, nowMs))).toEqual({ a: SESSIONS });
    expect(origin.reasonToReverse(nowMs)).toBe("it is down: refused");
  });

  test("that starts again is not reversed for an earlier outage", () => {
    const origin = originOf({ new: 1, a: 0 }, { a: 1 });
    take(origin, "new", false);
    origin.configure(plan({ new: 1, a: 0 }, { a: 1 }), START_MS);
    expect(origin.reasonToReverse(START_MS)).toContain("it is down");
    const again = plan({ new: 1, a: 0 }, { a: 1 });
    const rollout = again.rollout && { ...again.rollout, startedMs: START_MS + 1_000 };
    origin.configure({ ...again, rollout }, START_MS + 1_000);
    expect(origin.reasonToReverse(START_MS + 1_000)).toBeUndefined();
    take(origin, "new", false);
    expect(origin.reasonToReverse(START_MS + 1_000)).toContain("it is down");
  });

  test("is judged by the last minute of both, as they were since it began", () => {
    const origin = originOf({ a: 1 });
    const [a] = origin.all;
    for (let request = 0; request < 50; request++) a?.failed({ kind: "timeout", detail: "no answer" }, START_MS);
    take(origin, "a", true);
    origin.configure(plan({ new: 1, a: 0 }, { a: 1 }), START_MS);
    const [next] = origin.all;
    for (let request = 0; request < 40; request++) {
      for (const target of [a, next]) target?.sent(START_MS + request);
      next?.answered(request % 4 !== 0, START_MS + request);
    }
    expect(origin.reasonToReverse(START_MS + 100)).toMatch(/^10 of its 40 requests failed/);
    expect(origin.reasonToReverse(START_MS + 2 * MINUTE_MS)).toBeUndefined();
  });

  test("that was reversed leaves the sessions of its targets where they are, and sends no new ones", () => {
    const origin = originOf({ new: 1, a: 0 }, { a: 1 });
    const id = origin.all[0]?.id;
    const { rollout, ...rest } = plan({ a: 1 }, { new: 1, a: 0 });
    origin.configure({ ...rest, rollout: rollout && { ...rollout, state: "reversed" } }, START_MS);
    expect(KEYS.slice(0, 200).every((key) => nameOf(origin.keep(key, id, LATER)) === "new")).toBe(true);
    expect(counts((key) => origin.choose(key, LATER))).toEqual({ a: SESSIONS });
    expect(origin.reasonToReverse(LATER)).toBeUndefined();
  });
});

describe("a target that is up again", () => {
  test("gets half of its part at this node at first, half as much again every five minutes, and keeps its sessions", () => {
    const origin = originOf({ a: 1, b: 1 });
    const [a] = origin.all;
    take(origin, "a", false);
    take(origin, "a", true);
    const weight = (minutes: number): number | undefined => a && origin.weightAt(a, START_MS + minutes * MINUTE_MS);
    expect([0, 4.9, 5, 10].map(weight)).toEqual([0.25, 0.25, 0.375, 0.5]);
    expectPart(counts((key) => origin.choose(key, START_MS)).a, 1 / 3);
    expect(KEYS.slice(0, 200).every((key) => origin.keep(key, a?.id, START_MS) === a)).toBe(true);
    const other = originOf({ a: 1, b: 1 });
    expectPart(counts((key) => other.choose(key, START_MS)).a, 1 / 2);
  });

  test("gets all where the others are down", () => {
    const origin = originOf({ a: 1, b: 1 });
    take(origin, "a", false);
    take(origin, "b", false);
    take(origin, "a", true);
    expect(counts((key) => origin.choose(key, START_MS))).toEqual({ a: SESSIONS });
  });
});
