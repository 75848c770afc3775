import fc from "fast-check";
import { expect, test } from "vitest";
import { seedOf } from "../vitest.config.ts";
import { SEED } from "./seed.ts";

test("each draw begins with the seed of the run", () => {
  const seen: number[] = [];
  const numbers = fc.property(fc.integer(), (number) => void seen.push(number));
  for (const options of [{}, {}, { seed: SEED }]) fc.assert(numbers, { ...options, numRuns: 20 });
  expect(seen.slice(20, 40)).toEqual(seen.slice(0, 20));
  expect(seen.slice(40)).toEqual(seen.slice(0, 20));
  fc.assert(numbers, { seed: SEED + 1, numRuns: 20 });
  expect(seen.slice(60)).not.toEqual(seen.slice(0, 20));
});

const never = () => expect(1).toBe(2);

test("a draw that fails names its seed and how to repeat it", async () => {
  const repeat = `ANTEROOM_SEED=${SEED} repeats it`;
  expect(() => fc.assert(fc.property(fc.integer(), never))).toThrow(repeat);
  await expect(fc.assert(fc.asyncProperty(fc.integer(), async () => never()))).rejects.toThrow(repeat);
});

test("the seed is a whole number of 32 bits", () => {
  expect([undefined, "", "0", "268435455", "-7"].map(seedOf)).toEqual([1, 1, 0, 268_435_455, -7]);
  for (const text of ["one", "1.5", "0x10", "2147483648", " 1"]) expect(() => seedOf(text)).toThrow(text);
});
