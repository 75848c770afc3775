import { expect, test } from "vitest";
import { queueingOf } from "../sim/queueing.ts";

const MINUTE_MS = 10_000;

/** Ten looks a minute; each number is how many of them found a visitor in line. */
function times(...minutes: readonly number[]) {
  const samples = minutes.flatMap((looks, minute) =>
    Array.from({ length: 10 }, (_, look) => ({
      atMs: minute * MINUTE_MS + look * 1_000,
      waiting: look < looks ? 7 : 0,
    })),
  );
  return queueingOf(samples, MINUTE_MS).map(({ fromMs, toMs, isOpen }) => [
    fromMs / MINUTE_MS,
    toMs / MINUTE_MS,
    isOpen,
  ]);
}

test("queueing is minutes in which a visitor waited for half of the time", () => {
  expect(times(0, 4, 5, 10, 4, 0)).toEqual([[2, 4, false]]);
});

test("gaps of less than five minutes do not end it, longer ones do", () => {
  expect(times(10, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0, 10, 0)).toEqual([
    [0, 6, false],
    [11, 12, false],
  ]);
});

test("it may continue when the run ends; a run without any has none", () => {
  expect(times(0, 10)).toEqual([[1, 2, true]]);
  expect(times(0, 0)).toEqual([]);
  expect(queueingOf([], MINUTE_MS)).toEqual([]);
});
