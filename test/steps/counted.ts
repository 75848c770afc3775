/**
 * A plugin for Vite that makes the product count its own steps: each function that is entered, each turn of a loop, and
 * what a spread copies. What the language itself does within one call is counted by natives.ts.
 *
 * The source is changed as it is loaded, on the same lines, and only in the project `counted` of vitest.config.ts.
 */

import { resolve } from "node:path";
import { parseAst } from "vitest/node";

const ROOT = resolve(import.meta.dirname, "../..");

/** The product, and libraries that read what strangers or operators wrote. */
const COUNTED = /^\/(?:(?:cmd|node|mesh)\/.*\.ts|node_modules\/(?:re2js|@?chevrotain|mustache|leven)\/.*\.m?js)$/;
export const COUNTED_LIBRARIES = [/\/node_modules\/(?:re2js|@?chevrotain|mustache|leven)\//];

/** The name of the count (steps.ts), which all modules share. */
export const STEPS = "anteroomSteps";

export const countSteps = {
  name: "count-steps",
  enforce: "pre" as const,
  transform(code: string, id: string): string | undefined {
    const [path = ""] = id.split("?");
    return path.startsWith(ROOT) && COUNTED.test(path.slice(ROOT.length))
      ? withSteps(code, path.slice(ROOT.length + 1))
      : undefined;
  },
};

/** `code` with its counters. */
export function withSteps(code: string, path: string): string {
  const inserts: { readonly at: number; readonly text: string }[] = [];
  const insert = (at: number, text: string): void => void inserts.push({ at, text });
  const around = ({ start, end }: AstNode, before: string, after: string): void => {
    insert(start, before);
    insert(end, after);
  };
  visit(parseAst(code, { lang: path.endsWith(".ts") ? "ts" : "js" }), (node) => {
    const body = "type" in (node.body ?? []) ? (node.body as AstNode) : undefined;
    if (node.type === "SpreadElement" && node.argument !== undefined) around(node.argument, `${STEPS}.spread(`, ")");
    if (!LOOPS.has(node.type) && !FUNCTIONS.has(node.type)) return;
    if (body === undefined) return;
    const isCallback = node.type === "ArrowFunctionExpression";
    const step = LOOPS.has(node.type) ? `${STEPS}.count++` : `${STEPS}.enter("${path}",${isCallback})`;
    if (body.type === "BlockStatement") insert(body.start + 1, `${step};`);
    else if (LOOPS.has(node.type)) around(body, `{${step};`, "}");
    else around(body, `(${step},`, ")");
  });
  let counted = "";
  let from = 0;
  // Of those at one place the outer one was put in first, which is right for what begins; what ends there is alike.
  for (const { at, text } of inserts.toSorted((one, other) => one.at - other.at)) {
    counted += code.slice(from, at) + text;
    from = at;
  }
  return counted + code.slice(from);
}

const LOOPS = new Set(["ForStatement", "ForInStatement", "ForOfStatement", "WhileStatement", "DoWhileStatement"]);
const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

interface AstNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly body?: AstNode | readonly AstNode[] | null;
  readonly argument?: AstNode;
}

function visit(node: unknown, each: (node: AstNode) => void): void {
  if (typeof node !== "object" || node === null) return;
  if ("type" in node && "start" in node) each(node as AstNode);
  for (const child of Object.values(node)) visit(child, each);
}
