import { describe, expect, test } from "vitest";
import { fits, span, table, tableOrBlocks } from "../../cmd/print.ts";

test.each([
  [0, "0 s"],
  [0.2, "1 s"],
  [59, "59 s"],
  [61, "1 min"],
  [3_599, "1 h"],
  [7_500, "2 h 05 min"],
  [100_000, "1 d 3 h"],
])("%d seconds are %s", (seconds, text) => expect(span(seconds)).toBe(text));

describe("a table", () => {
  const columns = [
    { title: "NAME", cutTo: 4 },
    { title: "N", align: "right" as const },
  ];

  test("is cut nowhere where lines have no end, as in a pipe", () => {
    const name = "shop".repeat(100);
    expect(table(columns, [[name, "1"]], { color: false, width: Number.POSITIVE_INFINITY })).toContain(`${name}  1`);
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
