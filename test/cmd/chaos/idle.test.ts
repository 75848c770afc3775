import { expect, test } from "vitest";
import { IdleTime } from "../../../cmd/chaos/idle.ts";

/** Looks a second apart, each [waiting, free, admitted]. */
function longest(...looks: readonly (readonly [number, number, number])[]) {
  const idle = new IdleTime();
  for (const [at, [waiting, free, admitted]] of looks.entries())
    idle.look({ nowMs: at * 1_000, waiting, free, inside: 3, admitted });
  return idle.longest;
}

test("time passes idly while somebody waits and something is free", () => {
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
  idle.look({ nowMs: 0, waiting: 1, free: 5, inside: 3, admitted: 3 });
  expect(idle.use).toBe(0.75);
  idle.look({ nowMs: 1_000, waiting: 0, free: 5, inside: 3, admitted: 3 });
  expect(idle.use).toBe(0.75);
});
