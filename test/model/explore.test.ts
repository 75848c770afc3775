import { expect, test } from "vitest";
import { explore } from "./explore.ts";

/** Jugs of 3 and 5 litres, to be filled, emptied and poured over. */
const jugs = (wanted: number) => ({
  initial: [0, 0] as readonly [number, number],
  key: (state: readonly number[]) => state.join(),
  *next([three, five]: readonly [number, number]) {
    const over = Math.min(three, 5 - five);
    const back = Math.min(five, 3 - three);
    yield { name: "fill 3", state: [3, five] as const };
    yield { name: "fill 5", state: [three, 5] as const };
    yield { name: "empty 3", state: [0, five] as const };
    yield { name: "empty 5", state: [three, 0] as const };
    yield { name: "pour 3 into 5", state: [three - over, five + over] as const };
    yield { name: "pour 5 into 3", state: [three + back, five - back] as const };
  },
  broken: (state: readonly number[]) => (state.includes(wanted) ? `nobody has ${wanted} litres` : undefined),
});

test("a broken law is answered by the shortest way to it", () => {
  const trace = ["fill 5", "pour 5 into 3", "empty 3", "pour 5 into 3", "fill 5", "pour 5 into 3"];
  expect(explore(jugs(4)).counterexample).toEqual({ law: "nobody has 4 litres", trace });
});

test("all states are visited once if no law is broken", () => {
  expect(explore(jugs(6))).toMatchObject({ states: 16, transitions: 96, counterexample: undefined });
});
