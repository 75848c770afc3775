import { expect, test } from "vitest";
import { accepts } from "../../../node/gate/accepts.ts";

test.each([
  ["text/html", true],
  ["TEXT/HTML;q=0.1", true],
  ["application/json, text/html ; level=1", true],
  ["", false],
  ["*/*", false],
  ["text/*", false],
  ["text/html-fragment", false],
  ["x-text/html", false],
  ["text/html;q=0", false],
  ["text/html; q=0.000", false],
  ["text/html;q=0.001", true],
])("%j names text/html: %s", (accept, isNamed) => {
  expect(accepts(accept, "text/html")).toBe(isNamed);
});

/** The fastest of several runs says what the work takes, whatever else the machine does. */
const RUNS = [1, 2, 3, 4, 5, 6, 7];

test("takes time in proportion to the length of what it reads", () => {
  const timeOf = (text: string): number => {
    const fromMs = performance.now();
    for (let time = 0; time < 20; time += 1) accepts(text, "text/html");
    return performance.now() - fromMs;
  };
  for (const piece of ["text/html;", "text/html;q=0.", ",text/html;q=0,", " text/html "]) {
    timeOf(piece.repeat(1_000));
    const once = Math.min(...RUNS.map(() => timeOf(piece.repeat(2_000))));
    const eightfold = Math.min(...RUNS.map(() => timeOf(piece.repeat(16_000))));
    expect(eightfold / once).toBeLessThan(32);
  }
});
