import { describe, expect, test } from "vitest";
import { count, number, padOrCut, problemList, span, table, wrap } from "../../cmd/print.ts";

test.each([
  [0, "0 s"],
  [0.2, "1 s"],
  [59, "59 s"],
  [61, "1 min"],
  [3_599, "1 h"],
  [7_500, "2 h 05 min"],
  [100_000, "1 d 3 h"],
])("%d seconds are %s", (seconds, text) => expect(span(seconds)).toBe(text));

test("numbers have commas, counted things a plural", () => {
  expect(number(1_234_567)).toBe("1,234,567");
  expect(count(1, "room")).toBe("1 room");
  expect(count(2_000, "room")).toBe("2,000 rooms");
});

describe("a table", () => {
  const columns = [
    { title: "NAME", cutTo: 4 },
    { title: "N", align: "right" as const },
  ];

  test("is cut nowhere where lines have no end, as in a pipe", () => {
    const name = "shop".repeat(100);
    expect(table(columns, [[name, "1"]], { color: false, width: Number.POSITIVE_INFINITY })).toContain(`${name}  1`);
  });

  test("aligns, and has no blanks at line ends", () => {
    expect(
      table(
        columns,
        [
          ["shop", "1"],
          ["tickets", "1,000"],
        ],
        { color: false, width: 80 },
      ),
    ).toBe("NAME         N\nshop         1\ntickets  1,000");
  });

  test("cuts what may be cut, no further than it may", () => {
    const rows = [
      ["wartezimmer", "1"],
      ["待合室の名前", "2"],
    ];
    expect(table(columns, rows, { color: false, width: 10 })).toBe("NAME     N\nwartez…  1\n待合室…  2");
    expect(table(columns, rows, { color: false, width: 1 })).toBe("NAME  N\nwar…  1\n待…   2");
  });
});

test("text is padded or cut to exactly the width", () => {
  expect(["a", "abc", "abcd"].map((text) => padOrCut(text, 3))).toEqual(["a  ", "abc", "ab…"]);
  expect(padOrCut("a待b", 3)).toBe("a… ");
  expect(padOrCut("a", 3, "right")).toBe("  a");
  expect(padOrCut("abc", 0)).toBe("");
});

test("lines break between words", () => {
  expect(wrap("  one two three", 9, "    ")).toBe("  one two\n    three");
  expect(wrap("unbreakable", 3)).toBe("unbreakable");
});

test("problems stand below what they prevent", () => {
  const problem = { path: "--listen", value: '"x"', problem: "has no port", repair: "write :8080" };
  expect(problemList([problem], "nothing was started")).toBe(
    '1 problem: nothing was started\n\n  --listen = "x": has no port\n      write :8080',
  );
});
