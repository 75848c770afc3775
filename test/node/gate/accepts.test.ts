import { expect, test } from "vitest";
import { accepts } from "../../../node/gate/accepts.ts";
import { expectLinear } from "../../linear.ts";

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

test.each(["text/html;", "text/html;q=0.", ",text/html;q=0,", " text/html "])(
  "takes time in proportion to the length of what it reads: %j",
  (piece) => {
    const textOf = (bytes: number): string => piece.repeat(Math.ceil(bytes / piece.length));
    expectLinear(20_000, textOf, (text) => void accepts(text, "text/html"));
  },
);
