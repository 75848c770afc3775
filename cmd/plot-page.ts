/**
 * A page with plots: one file that loads nothing from outside, so that it can be sent to others and printed. Its verdict
 * is text for a terminal as well.
 */

import { writeFileSync } from "node:fs";
import mustache from "mustache";
import plotScript from "uplot/dist/uPlot.iife.min.js" with { type: "text" };
import plotStyle from "uplot/dist/uPlot.min.css" with { type: "text" };
import { messageOf } from "../node/message-of.ts";
import { Failure } from "./failure.ts";
import page from "./plot-page.html" with { type: "text" };
import { type Column, capital, wrap } from "./print.ts";

export interface Plot {
  readonly title: string;
  /** What the vertical axis counts. */
  readonly unit: string;
  /** The times of all lines: seconds since the start, or Unix seconds if `isOfDay`. */
  readonly at: readonly number[];
  readonly isOfDay: boolean;
  readonly lines: readonly {
    readonly name: string;
    readonly values: readonly (number | null)[];
    readonly isLimit: boolean;
  }[];
  /** Text in place of lines that show nothing. */
  readonly without: string;
}

export interface PageTable {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
}

export interface Page {
  readonly title: string;
  readonly lead: string;
  /** What the page comes to, one sentence each; `bad` where a promise did not hold or figures are missing. */
  readonly verdict: readonly { readonly text: string; readonly look: "good" | "plain" | "bad" }[];
  /** The figures that a reader wants first. */
  readonly facts: readonly { readonly name: string; readonly value: string }[];
  readonly plots: readonly Plot[];
  readonly table: PageTable;
  readonly notes: readonly string[];
  /** The time zone of all times of day; UTC unless given. */
  readonly zone?: string;
  /** Where the figures are from. */
  readonly footer: string;
}

export function plotPage({ table, plots, zone = "UTC", ...parts }: Page): string {
  const sections = plots.map((plot) => ({ ...plot, isEmpty: isEmpty(plot) }));
  const drawn = plots.filter((plot) => !isEmpty(plot));
  const filled = mustache.render(String(page), {
    ...parts,
    ...tableView(table),
    plots: sections,
  });
  // A page's script ends at its first closing tag, wherever that stands.
  const data = JSON.stringify({ zone, plots: drawn }).replaceAll("<", "\\u003c");
  // By functions: a dollar sign in a replacement text has a meaning of its own.
  return filled
    .replace("<!--plotStyle-->", () => `<style>${plotStyle}</style>`)
    .replace("<!--plotScript-->", () => `<script>${plotScript}</script>`)
    .replace('id="data">', (tag) => tag + data);
}

/** Writes the page to the file that a flag names, if one does. Throws `Failure`. */
export function writePage(path: string, say: (text: string) => void, page: () => Page): void {
  if (path === "") return;
  const text = plotPage(page());
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw new Failure(`cannot write the page to ${path}: ${messageOf(error)}`);
  }
  say(`\nThe page is in ${path}.`);
}

const MARKS = { good: "ok", plain: "-", bad: "!" } as const;

/** The verdict in lines of at most `width` characters, one mark for each sentence. */
export function verdictLines(verdict: Page["verdict"], width: number): string[] {
  return verdict.map(({ text, look }) => wrap(`${MARKS[look].padEnd(2)} ${text}`, width, "   "));
}

function isEmpty({ lines }: Plot): boolean {
  return lines.every(({ isLimit, values }) => isLimit || values.every((value) => (value ?? 0) === 0));
}

/** The table as the template takes it. */
function tableView({ columns, rows }: PageTable) {
  const classAt = (index: number): string => (columns[index]?.align === "right" ? "figure" : "");
  return {
    columns: columns.map(({ title }, index) => ({ text: capital(title.toLowerCase()), look: classAt(index) })),
    rows: rows.map((row) => ({
      cells: row.map((text, index) => ({ text, look: classAt(index) })),
    })),
  };
}
