import { expect, test } from "vitest";
import { IdleTime } from "../../../cmd/crowd/idle.ts";

const ROOM = { limit: 10, mayCome: 10 };

/** Looks a second apart, each [waiting, free, admitted]. */
function longest(...looks: readonly (readonly [number, number, number])[]) {
  const idle = new IdleTime();
  for (const [at, [waiting, free, admitted]] of looks.entries())
    idle.look({ nowMs: at * 1_000, waiting, free, inside: 3, ...ROOM, admitted });
  return idle.longest;
}

test("time passes idly while a visitor waits and something is free", () => {
  expect(longest([0, 5, 0], [1, 5, 0], [1, 5, 0], [1, 5, 0], [1, 0, 0])).toEqual({ ms: 2_000, atMs: 1_000 });
});

test.each([
  ["an admission", [1, 5, 1]],
  ["nobody waiting", [0, 5, 0]],
  ["nothing free", [1, 0, 0]],
] as const)("%s ends it", (_, look) => {
  expect(longest([1, 5, 0], [1, 5, 0], look, [1, 5, look[2]]).ms).toBe(1_000);
});

test("slots that are free and wanted count as not used; more than are wanted do not", () => {
  const idle = new IdleTime();
  expect(idle.use).toBe(1);
  idle.look({ nowMs: 0, waiting: 1, free: 5, inside: 3, ...ROOM, admitted: 3 });
  expect(idle.use).toBe(0.75);
  idle.look({ nowMs: 1_000, waiting: 0, free: 5, inside: 3, ...ROOM, admitted: 3 });
  expect(idle.use).toBe(0.75);
});

test("of the whole room each slot counts that the limits allow and a visitor waits for, out of reach or not", () => {
  const whole = (...[waiting, mayCome, free]: readonly [number, number, number]): number => {
    const idle = new IdleTime();
    idle.look({ nowMs: 0, waiting, free, inside: 3, limit: 10, mayCome, admitted: 3 });
    return idle.useOfWhole;
  };
  // A mesh that stands still has nothing within reach: all of its slots are used, and 3 of 10.
  expect(whole(50, 20, 0)).toBe(0.3);
  expect(whole(3, 20, 0)).toBe(0.5);
  expect(whole(50, 1, 0)).toBe(0.75);
  expect(whole(50, 0, 5)).toBe(1);
  expect(whole(0, 20, 7)).toBe(1);
});
