import { expect, test } from "vitest";
import { Lines } from "../../../cmd/chaos/lines.ts";

const NONE = { visitors: 0, beyondInterval: 0, longestMs: 0 };

/** Calm lines, in which a visitor named `v<key>` is shown a place. */
function calmLines() {
  const lines = new Lines();
  lines.calm(true);
  const shows = (key: number, { visitor = `v${key}`, locality = "sjc", position = key, askedMs = 0 } = {}) =>
    lines.shown({ visitor, locality, key, position, askedMs, intervalMs: 1_000 }, askedMs + 1);
  return { lines, shows };
}

test("who is given a later place has lost it; an earlier one is none lost", () => {
  const { lines, shows } = calmLines();
  for (const key of [100, 90]) shows(key, { visitor: "one" });
  expect(lines.lost).toBe(0);
  shows(91, { visitor: "one" });
  expect(lines.lost).toBe(1);
});

test("who has left and comes again is a new one", () => {
  const { lines, shows } = calmLines();
  for (const key of [1, 2]) shows(key);
  lines.left("v1");
  expect([lines.waiting, lines.longest, lines.joined]).toEqual([1, 2, 2]);
  shows(9, { visitor: "v1" });
  expect([lines.lost, lines.wentBack.part, lines.joined]).toEqual([0, 0, 3]);
});

test("who gives up, is in another line, or goes to all gates is not overtaken", () => {
  const { lines, shows } = calmLines();
  for (const key of [1, 2, 9]) shows(key);
  lines.left("v1");
  for (const key of [2, 3]) shows(key, { locality: "lon" });
  lines.admitted("v9", 1_000);
  for (const key of [2, 3]) shows(key, { locality: "lon", askedMs: 9_000 });
  shows(2, { askedMs: 9_100 });
  expect(lines.overtakes).toEqual(NONE);
});

test("in a fault nothing counts, and after it everything starts again", () => {
  const { lines, shows } = calmLines();
  for (const key of [1, 2, 3]) shows(key);
  lines.admitted("v2", 1_000);
  lines.calm(false);
  lines.admitted("v3", 1_500);
  lines.calm(true);
  for (const askedMs of [9_000, 19_000]) shows(1, { askedMs });
  expect(lines.overtakes).toEqual(NONE);
});

test("who stood in line before the fault was over overtakes only those ahead", () => {
  const { lines, shows } = calmLines();
  lines.calm(false);
  for (const key of [1, 2, 3]) shows(key);
  lines.calm(true);
  for (const key of [1, 3]) shows(key, { askedMs: 500 });
  lines.admitted("v2", 1_000);
  shows(3, { askedMs: 5_000 });
  expect(lines.overtakes).toEqual(NONE);
  shows(1, { askedMs: 5_000 });
  expect(lines.overtakes.visitors).toBe(1);
});

test("a position behind the one shown before in the same calm went back", () => {
  const { lines, shows } = calmLines();
  const tell = (position: number): void => shows(5, { position });
  for (const position of [3, 4, 4]) tell(position);
  expect(lines.wentBack).toEqual({ part: 1 / 3, furthest: 1 });
  lines.calm(false);
  tell(9);
  lines.calm(true);
  for (const position of [20, 19]) tell(position);
  expect(lines.wentBack).toEqual({ part: 1 / 5, furthest: 1 });
});
