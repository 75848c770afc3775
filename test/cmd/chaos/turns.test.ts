import { expect, test } from "vitest";
import { Turns } from "../../../cmd/chaos/turns.ts";

/** A line in sjc of visitors named by their keys. */
function line(...keys: readonly number[]): Turns {
  const turns = new Turns();
  turns.calm(true);
  for (const key of keys) turns.waits(place(key), 0);
  return turns;
}

const place = (key: number, { locality = "sjc", position = key } = {}) => ({
  visitor: `v${key}`,
  ...{ locality, key, position },
});

test("in the order of their keys nobody is overtaken", () => {
  const turns = line(1, 2, 3);
  for (const key of [1, 2, 3]) turns.letIn(`v${key}`, 1_000 * key);
  expect(turns.longest.ms).toBe(0);
  expect(turns.overtakingPart).toBe(0);
});

test("an overtaken visitor counts from then on, whether admitted or still waiting", () => {
  const turns = line(1, 2, 3);
  turns.letIn("v3", 1_000);
  turns.letIn("v1", 2_500);
  expect(turns.longest).toEqual({ ms: 1_500, atMs: 1_000 });
  turns.waits(place(2), 5_000);
  expect(turns.longest).toEqual({ ms: 4_000, atMs: 1_000 });
  expect(turns.overtakingPart).toBe(0.5);
});

test("who gives up, is in another line, or goes to all gates is not overtaken", () => {
  const turns = line(1, 2, 9);
  turns.left("v1");
  turns.waits(place(2, { locality: "lon" }), 100);
  turns.waits(place(3, { locality: "lon" }), 100);
  turns.letIn("v9", 1_000);
  for (const key of [2, 3]) turns.letIn(`v${key}`, 9_000);
  expect(turns.longest.ms).toBe(0);
});

test("in a fault nothing counts, and after it everything starts again", () => {
  const turns = line(1, 2, 3);
  turns.letIn("v2", 1_000);
  turns.calm(false);
  turns.letIn("v3", 1_500);
  turns.calm(true);
  turns.letIn("v1", 9_000);
  expect(turns.longest.ms).toBe(0);
});

test("a position behind the one shown before in the same calm went back", () => {
  const turns = line(5);
  const tell = (position: number): void => turns.waits(place(5, { position }), 1_000);
  tell(3);
  tell(4);
  expect(turns.wentBack).toEqual({ part: 1 / 3, furthest: 1 });
  turns.calm(false);
  tell(9);
  turns.calm(true);
  tell(20);
  tell(19);
  expect(turns.wentBack).toEqual({ part: 1 / 5, furthest: 1 });
});
