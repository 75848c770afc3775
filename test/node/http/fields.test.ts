import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { accepts, fieldLines } from "../../../node/http/fields.ts";

describe("writing fields", () => {
  test("keeps order, case, duplicates and high bytes", () => {
    expect(fieldLines(["B", "1", "a", "\xe9", "B", ""])).toBe("B: 1\r\na: \xe9\r\nB: \r\n");
  });

  test.each([
    ["a line break in a value", ["X", "a\r\nSet-Cookie: b"]],
    ["a bare LF in a value", ["X", "a\nb"]],
    ["NUL in a value", ["X", "a\0"]],
    ["text beyond latin1", ["X", "→"]],
    ["a space in a name", ["X Y", "a"]],
    ["an empty name", ["", "a"]],
  ])("with %s throws", (_, fields) => expect(() => fieldLines(fields)).toThrow("Cannot write a field"));
});

test.each([
  ["text/html", true],
  ["application/json, text/html ; level=1", true],
  ["*/*", false],
  ["text/html;q=0", false],
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
  const piece = fc.constantFrom(" ", "\t", ..."text/html TEXT/HTML gzip , ; q=0 q=0.00 q=0.5 . 0 x=1".split(" "));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const accept = pieces.join("");
      expect(accepts(accept, "text/html")).toBe(plainly(accept, "text/html"));
    }),
    { numRuns: 2_000 },
  );
});
