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

test("takes time in proportion to the length of what it reads", () => {
  const timeOf = (text: string): number => {
    const fromMs = performance.now();
    for (let time = 0; time < 20; time += 1) accepts(text, "text/html");
    return performance.now() - fromMs;
  };
  for (const piece of ["text/html;", "text/html;q=0.", ",text/html;q=0,", " text/html "]) {
    timeOf(piece.repeat(1_000));
    const once = Math.min(...[1, 2, 3].map(() => timeOf(piece.repeat(1_000))));
    const sixteenfold = Math.min(...[1, 2, 3].map(() => timeOf(piece.repeat(16_000))));
    expect(sixteenfold / once).toBeLessThan(80);
  }
});
