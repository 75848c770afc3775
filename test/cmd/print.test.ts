import { describe, expect, test } from "vitest";
import { count, fits, number, padOrCut, problemList, span, table, tableOrBlocks, wrap } from "../../cmd/print.ts";

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

describe("a table, or blocks where its lines would be too long,", () => {
  const columns = [{ title: "ROOM", cutTo: 4 }, { title: "LOCALITY" }, { title: "FREE", align: "right" as const }];
  const rows = [
    ["tickets", "fra", { text: "12", style: "red" as const }],
    ["", "a-locality-of-some-length", "3"],
  ];

  test("is a table where it fits once it is cut", () => {
    expect(tableOrBlocks(columns, rows, { color: false, width: 40 })).toContain("tickets  fra");
  });

  test("names its columns in each block, and repeats what a row has of the one above", () => {
    expect(tableOrBlocks(columns, rows, { color: false, width: 30 })).toBe(
      "ROOM      tickets\nLOCALITY  fra\nFREE      12\n\nROOM      tickets\nLOCALITY  a-locality-of-some-…\nFREE      3",
    );
  });

  test("marks what needs attention, and is no wider than the terminal", () => {
    const shown = tableOrBlocks(columns, rows, { color: true, width: 20 });
    expect(shown).toContain("\x1b[1;31m12\x1b[0m");
    expect(fits(shown, 20)).toBe(true);
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
