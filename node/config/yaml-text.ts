/**
 * YAML or JSON text as plain data (JSON is a subset of YAML).
 *
 * Syntax errors and keys given twice come back with line and column: a key given twice would otherwise silently win
 * over the first. Anchors and merge keys (`<<: *common`) work; the parser bounds how far anchors may multiply.
 */

import { type Document, isCollection, LineCounter, parseDocument, visit, type YAMLError } from "yaml";
import { messageOf } from "../message-of.ts";
import { type Checked, checked, type Problem } from "./problem.ts";

/**
 * The data in `text`; null for an empty text. With `scalars: "text"` every scalar stays text, so that a secret such as
 * 0123 is not read as a number.
 */
export function parseYaml(text: string, options: { scalars?: "typed" | "text" } = {}): Checked<unknown> {
  const lines = new LineCounter();
  const schema = options.scalars === "text" ? "failsafe" : "core";
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, schema, merge: true });
    const problems = [...document.errors, ...document.warnings].map((error) => problemOf(error, lines));
    problems.push(...unknownAliases(document, lines));
    return checked(problems.length > 0 ? undefined : (document.toJS() as unknown), problems);
  } catch (error) {
    // The parser throws for anchors that multiply too far, and for lists too deep for its stack: the text is at fault.
    const isDeep = error instanceof RangeError;
    const problem = isDeep ? "is nested too deeply to be read" : messageOf(error);
    const repair = isDeep
      ? "no field of a room is deeper than three levels"
      : "write the values out instead of *aliases and <<";
    return { ok: false, problems: [{ path: "", problem, repair }] };
  }
}

/** Aliases of anchors that do not stand before them, or that they lie within: the parser does not say where they are. */
function unknownAliases(document: Document, lines: LineCounter): Problem[] {
  const known = new Set<string>();
  const problems: Problem[] = [];
  visit(document, {
    Alias(_, { source, range }, around) {
      const isWithin = around.some((node) => isCollection(node) && node.anchor === source);
      if (known.has(source) && !isWithin) return;
      const { line, col } = lines.linePos(range?.[0] ?? 0);
      const problem = isWithin ? "stands for what it lies in" : "stands for nothing";
      const repair = `write &${source} before the values that it stands for, further up`;
      problems.push({ path: `line ${line}, column ${col}`, problem: `*${source} ${problem}`, repair });
    },
    Value(_, { anchor }) {
      if (anchor !== undefined) known.add(anchor);
    },
  });
  return problems;
}

/** A key that is for the file's author alone, such as a place for shared values: `x-common: &common`. */
export function isOwnKey(key: string): boolean {
  return key.startsWith("x-");
}

function problemOf(error: YAMLError, lines: LineCounter): Problem {
  const { line, col } = lines.linePos(error.pos[0]);
  const path = `line ${line}, column ${col}`;
  if (error.code === "DUPLICATE_KEY") {
    return { path, problem: "the key occurs twice in one mapping", repair: "remove one of the two" };
  }
  return { path, problem: `is not YAML: ${error.message}`, repair: "correct the line; indentation is by spaces" };
}
