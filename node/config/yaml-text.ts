/**
 * YAML or JSON text as plain data (JSON is read as the YAML that it is).
 *
 * Syntax errors and keys given twice come back with line and column: a key given twice would otherwise silently win
 * over the first. Anchors work; the parser bounds how far they may multiply.
 */

import { LineCounter, parseDocument, type YAMLError } from "yaml";
import { messageOf } from "../message-of.ts";
import { type Checked, checked, type Problem } from "./problem.ts";

/**
 * The data in `text`; null for an empty text. With `scalars: "text"` every scalar stays the text that it is, so that a
 * secret such as 0123 is not read as a number.
 */
export function parseYaml(text: string, options: { scalars?: "typed" | "text" } = {}): Checked<unknown> {
  const lines = new LineCounter();
  const schema = options.scalars === "text" ? "failsafe" : "core";
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, schema });
  const problems = [...document.errors, ...document.warnings].map((error) => problemOf(error, lines));
  if (problems.length > 0) return { ok: false, problems };
  try {
    return checked(document.toJS() as unknown, []);
  } catch (error) {
    // The parser throws for unknown anchors and for anchors that multiply too far; both are the text's fault.
    const problem = messageOf(error);
    return { ok: false, problems: [{ path: "", problem, repair: "write the values out instead of *aliases" }] };
  }
}

function problemOf(error: YAMLError, lines: LineCounter): Problem {
  const { line, col } = lines.linePos(error.pos[0]);
  const path = `line ${line}, column ${col}`;
  if (error.code === "DUPLICATE_KEY") {
    return { path, problem: "the key is there twice in one mapping", repair: "remove one of the two" };
  }
  return { path, problem: `is not YAML: ${error.message}`, repair: "correct the line; indentation is by spaces" };
}
