/**
 * Text for people: tables, numbers, spans of time, problems.
 *
 * Colours mark only what needs attention, and colour is never the only mark. Lengths count terminal cells, so that
 * names in any script line up.
 */

import { type Problem, problemText } from "../node/config/problem.ts";
import type { Io } from "./io.ts";

export type Style = "bold" | "dim" | "red" | "yellow" | "cyan";

const CODES: Readonly<Record<Style, string>> = { bold: "1", dim: "2", red: "1;31", yellow: "33", cyan: "36" };

/** The text in a style, or as it is without `color`. */
export function styled(text: string, style: Style, color: boolean): string {
  return color ? `\x1b[${CODES[style]}m${text}\x1b[0m` : text;
}

export interface Column {
  readonly title: string;
  readonly align?: "right";
  /** Fewest characters to which the column may be cut; if left out, it is never cut. */
  readonly cutTo?: number;
}

export interface Cell {
  readonly text: string;
  readonly style?: Style;
}

export interface TableParts {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly (Cell | string)[])[];
}

export interface TableOptions {
  readonly color: boolean;
  /** Characters in a line; columns with `cutTo` shrink. */
  readonly width: number;
}

/** The options for the terminal that a command writes to. */
export function tableOptions({ terminal }: Pick<Io, "terminal">): TableOptions {
  return { color: terminal.color, width: terminal.size().columns };
}

const GAP = "  ";

/** A table with its titles on top, one line per row, without blanks at line ends. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly (Cell | string)[])[],
  { color, width }: TableOptions,
): string {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === "string" ? { text: cell } : cell)));
  const widths = columnWidths(columns, cells, width);
  const lines = [columns.map(({ title }): Cell => ({ text: title, style: "dim" })), ...cells].map((row) =>
    row
      .map((cell, index) => {
        const padded = padOrCut(cell.text, widths[index] ?? 0, columns[index]?.align);
        return cell.style === undefined ? padded : styled(padded, cell.style, color);
      })
      .join(GAP),
  );
  return lines.map((line) => line.trimEnd()).join("\n");
}

/**
 * The table, or where its lines would be too long, as on a phone, a block of lines per row: each a title and the cell.
 * An empty cell stands for the one above it.
 */
export function tableOrBlocks(
  columns: readonly Column[],
  rows: readonly (readonly (Cell | string)[])[],
  options: TableOptions,
): string {
  const whole = table(columns, rows, options);
  if (fits(whole, options.width)) return whole;
  const titles = Math.max(...columns.map(({ title }) => Bun.stringWidth(title)));
  const above: (Cell | string)[] = [];
  const blocks = rows.map((row) =>
    columns.map(({ title }, index) => {
      const cell = row[index] || above[index] || "";
      above[index] = cell;
      const { text, style } = typeof cell === "string" ? { text: cell } : cell;
      const shown = padOrCut(text, Math.min(Bun.stringWidth(text), options.width - titles - GAP.length));
      const name = styled(padOrCut(title, titles), "dim", options.color);
      return `${name}${GAP}${style === undefined ? shown : styled(shown, style, options.color)}`.trimEnd();
    }),
  );
  return blocks.map((lines) => lines.join("\n")).join("\n\n");
}

/** Whether no line is longer than `width`. */
export function fits(text: string, width: number): boolean {
  return text.split("\n").every((line) => Bun.stringWidth(line) <= width);
}

/** `text` in exactly `width` characters: padded, or cut with an ellipsis. */
export function padOrCut(text: string, width: number, align?: "right"): string {
  const shown = Bun.stringWidth(text) <= width ? text : width < 1 ? "" : `${cut(text, width - 1)}…`;
  const blanks = " ".repeat(width - Bun.stringWidth(shown));
  return align === "right" ? blanks + shown : shown + blanks;
}

/** A whole number with commas between thousands. */
export function number(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

/** A duration in its two largest units: `45 s`, `12 min`, `2 h 05 min`, `3 d 4 h`; without a second one that is 0. */
export function span(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  if (hours < 24) return rest === 0 ? `${hours} h` : `${hours} h ${String(rest).padStart(2, "0")} min`;
  return hours % 24 === 0 ? `${hours / 24} d` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** The time of day where the reader is: `14:32:10`. */
export function timeOfDay(unixMs: number): string {
  return new Date(unixMs).toTimeString().slice(0, 8);
}

/** The text with a capital letter at its beginning. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `1 room`, `2 rooms`. */
export function count(amount: number, noun: string): string {
  return `${number(amount)} ${noun}${amount === 1 ? "" : "s"}`;
}

/** All problems under one heading that says what they prevented. */
export function problemList(problems: readonly Problem[], prevented: string): string {
  const heading = `${count(problems.length, "problem")}: ${prevented}`;
  return [heading, ...problems.map((problem) => `  ${problemText(problem).replaceAll("\n", "\n  ")}`)].join("\n\n");
}

/** `text` broken into lines of at most `width` characters, each after the first one indented. */
export function wrap(text: string, width: number, indent = ""): string {
  const lines: string[] = [];
  let [line] = /^ */.exec(text) ?? [""];
  let isStart = true;
  for (const word of text.trimStart().split(" ")) {
    if (!isStart && Bun.stringWidth(line) + 1 + Bun.stringWidth(word) > width) {
      lines.push(line);
      line = indent + word;
    } else line += isStart ? word : ` ${word}`;
    isStart = false;
  }
  return [...lines, line].join("\n");
}

function columnWidths(columns: readonly Column[], rows: readonly (readonly Cell[])[], width: number): number[] {
  const wanted = columns.map(({ title }, index) =>
    Math.max(Bun.stringWidth(title), ...rows.map((row) => Bun.stringWidth(row[index]?.text ?? ""))),
  );
  let over = wanted.reduce((sum, each) => sum + each, GAP.length * (columns.length - 1)) - width;
  return wanted.map((each, index) => {
    const cutTo = columns[index]?.cutTo;
    if (over <= 0 || cutTo === undefined) return each;
    const kept = Math.max(Math.min(cutTo, each), each - over);
    over -= each - kept;
    return kept;
  });
}

function cut(text: string, width: number): string {
  let kept = "";
  for (const character of text) {
    if (Bun.stringWidth(kept + character) > width) break;
    kept += character;
  }
  return kept;
}
