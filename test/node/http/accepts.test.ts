import fc from "fast-check";
import { expect, test } from "vitest";
import { accepts } from "../../../node/http/fields.ts";

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

/** The same in more steps. */
function plainly(accept: string, type: string): boolean {
  return accept
    .toLowerCase()
    .split(",")
    .map((range) => range.split(";").map((part) => part.trim()))
    .some(([named, ...parameters]) => named === type && !parameters.some((each) => /^q=0(\.0{0,3})?$/.test(each)));
}

test("a field is read as its members and their parameters, one by one", () => {
  const piece = fc.constantFrom(
    "text/html",
    "TEXT/HTML",
    "gzip",
    ",",
    ";",
    " ",
    "\t",
    "q=0",
    "q=0.00",
    "q=0.5",
    ".",
    "0",
    "x=1",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const accept = pieces.join("");
      expect(accepts(accept, "text/html")).toBe(plainly(accept, "text/html"));
    }),
    { numRuns: 2_000 },
  );
});
