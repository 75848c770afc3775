import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ASSUMED, SortedPlaces } from "../../../node/admission/sorted-places.ts";

interface Place {
  readonly key: number;
  polledMs: number;
  dueMs: number;
  shown: number;
}

/** The same by plain means: an array in order. */
interface PlainPlaces {
  places: Place[];
}

type Operation =
  | { readonly kind: "insert"; readonly keys: readonly number[]; readonly polledMs: number; readonly shown: number }
  | { readonly kind: "remove"; readonly from: number; readonly count: number }
  | { readonly kind: "show"; readonly rank: number; readonly polledMs: number; readonly position: number }
  | { readonly kind: "expect"; readonly rank: number; readonly dueMs: number }
  | { readonly kind: "gone"; readonly polledMs: number };

const time = fc.nat(100);
const shown = fc.oneof(fc.constant(ASSUMED), fc.constant(0), fc.integer({ min: 1, max: 50 }));
/** Runs of keys fill blocks until they split, in order as joins do or in the middle as returns do. */
const keys = fc.oneof(
  fc.array(fc.nat(20_000), { maxLength: 20 }),
  fc
    .record({ start: fc.nat(15_000), length: fc.integer({ min: 1, max: 900 }), step: fc.integer({ min: 1, max: 5 }) })
    .map(({ start, length, step }) => Array.from({ length }, (_, index) => start + index * step)),
);
const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ kind: fc.constant("insert" as const), keys, polledMs: time, shown }),
  fc.record({ kind: fc.constant("insert" as const), keys, polledMs: time, shown }),
  fc.record({ kind: fc.constant("remove" as const), from: fc.nat(3_000), count: fc.nat(700) }),
  fc.record({
    kind: fc.constant("show" as const),
    rank: fc.nat(3_000),
    polledMs: time,
    position: fc.integer({ min: 1, max: 50 }),
  }),
  fc.record({ kind: fc.constant("expect" as const), rank: fc.nat(3_000), dueMs: time }),
  fc.record({ kind: fc.constant("gone" as const), polledMs: fc.nat(60) }),
);

function apply(places: SortedPlaces, plain: PlainPlaces, operation: Operation): void {
  switch (operation.kind) {
    case "insert":
      for (const key of operation.keys) {
        if (plain.places.some((place) => place.key === key)) continue;
        const { polledMs, shown } = operation;
        places.insert(key, polledMs, shown);
        plain.places.push({ key, polledMs, dueMs: Infinity, shown });
      }
      plain.places.sort((a, b) => a.key - b.key);
      break;
    case "remove":
      for (const { key } of plain.places.splice(operation.from % (plain.places.length + 1), operation.count)) {
        const ref = places.find(key);
        if (ref !== undefined) places.remove(ref);
      }
      break;
    case "show": {
      const place = plain.places[operation.rank % Math.max(1, plain.places.length)];
      const ref = place === undefined ? undefined : places.find(place.key);
      if (place === undefined || ref === undefined) break;
      const before = place.shown < ASSUMED ? ASSUMED - place.shown : place.shown;
      const lowest = before > 0 ? Math.min(before, operation.position) : operation.position;
      expect(places.show(ref, operation.polledMs, operation.position)).toBe(lowest);
      place.shown = lowest;
      place.polledMs = operation.polledMs;
      place.dueMs = Infinity;
      break;
    }
    case "expect": {
      const place = plain.places[operation.rank % Math.max(1, plain.places.length)];
      const ref = place === undefined ? undefined : places.find(place.key);
      if (place === undefined || ref === undefined) break;
      places.expect(ref, operation.dueMs);
      place.dueMs = operation.dueMs;
      break;
    }
    case "gone": {
      const gone = plain.places.filter(({ polledMs }) => polledMs < operation.polledMs);
      plain.places = plain.places.filter(({ polledMs }) => polledMs >= operation.polledMs);
      const removed = places.removePolledBefore(operation.polledMs).sort((a, b) => a.key - b.key);
      expect(removed).toEqual(
        gone.map(({ key, shown }) => ({ key, assumed: shown === ASSUMED, fresh: shown < ASSUMED })),
      );
    }
  }
}

function checkAlike(places: SortedPlaces, plain: PlainPlaces, probes: readonly number[]): void {
  expect(places.size).toBe(plain.places.length);
  const isFresh = ({ shown }: { shown: number }): boolean => shown < ASSUMED;
  expect(places.fresh).toBe(plain.places.filter(isFresh).length);
  for (const share of [0.02, 0.5, 1]) {
    const sums = plain.places.map((_, index) =>
      plain.places.slice(0, index + 1).reduce((sum, place) => sum + (isFresh(place) ? share : 1), 0),
    );
    const wanted = sums[Math.floor(sums.length / 2)];
    if (wanted === undefined) continue;
    // Sums of parts of one are not exact.
    const least = sums.findIndex((sum) => sum >= wanted - 1e-6) + 1;
    expect(places.reach(wanted - 1e-6, share)).toBe(least);
    expect(places.reach((sums.at(-1) ?? 0) + 7, share)).toBeCloseTo(plain.places.length + 7, 6);
  }
  expect([...places.runs(places.size + 1)].map(({ low }) => low)).toEqual(plain.places.map(({ key }) => key));
  for (const probe of probes) {
    expect(places.rank(probe)).toBe(plain.places.filter(({ key }) => key < probe).length);
    expect(places.select(probe)).toBe(plain.places[probe]?.key);
    const ref = places.find(probe);
    const place = plain.places.find(({ key }) => key === probe);
    expect(ref !== undefined).toBe(place !== undefined);
    if (ref !== undefined) expect(places.isAssumed(ref)).toBe(place?.shown === ASSUMED);
    const nowMs = probe % 120;
    const overdue = plain.places.filter(({ key, dueMs }) => key <= probe && dueMs < nowMs).length;
    expect(places.countOverdue(probe, nowMs)).toBe(overdue);
    const expected = plain.places.filter(({ key, dueMs }) => key < probe && dueMs >= nowMs).length;
    for (const count of [0, 1, expected, expected + 1])
      expect(places.hasExpectedBefore(probe, count, nowMs)).toBe(count <= expected);
    const low = probe - 300;
    const assumed = plain.places.findLast(({ key, shown }) => low < key && key < probe && shown === ASSUMED);
    const found = places.lastAssumedBetween(low, probe);
    expect(found).toEqual(assumed === undefined ? undefined : places.find(assumed.key));
  }
}

describe("places sorted in blocks", () => {
  test("are those of a plain sorted array, whatever is put in and taken out", () => {
    const probe = fc.oneof(fc.nat(3_000), fc.nat(20_000));
    fc.assert(
      fc.property(
        fc.array(operation, { minLength: 3, maxLength: 12, size: "max" }),
        fc.array(probe, { minLength: 30, maxLength: 30 }),
        (operations, probes) => {
          const places = new SortedPlaces();
          const plain: PlainPlaces = { places: [] };
          for (const operation of operations) {
            apply(places, plain, operation);
            checkAlike(places, plain, probes);
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  test("are summed up in runs that together hold every place once, in order", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(50_000), { maxLength: 2_000, size: "max" }),
        fc.integer({ min: 1, max: 600 }),
        (keys, most) => {
          const places = new SortedPlaces();
          for (const key of keys) places.insert(key, 0, 0);
          const runs = [...places.runs(most)];
          expect(runs.length).toBeLessThanOrEqual(most);
          const sorted = keys.toSorted((a, b) => a - b);
          let at = 0;
          for (const { low, high, count } of runs) {
            expect([low, high]).toEqual([sorted[at], sorted[at + count - 1]]);
            at += count;
          }
          expect(at).toBe(keys.length);
        },
      ),
      { numRuns: 25 },
    );
  });
});
