/**
 * The regular expressions of the product: literals, and what `new RegExp` is given, with its holes filled.
 *
 * Scripts of pages are left out but for what is in files of their own: they run in a visitor's browser.
 */

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Glob } from "bun";
import { parseAst } from "vitest/node";

export interface Expression {
  readonly file: string;
  readonly line: number;
  readonly source: string;
  readonly flags: string;
}

const ROOT = resolve(import.meta.dirname, "../..");

/** All files of the product that run in a process of ours. */
export function* productFiles(): Iterable<{ readonly file: string; readonly text: string }> {
  const glob = new Glob("{cmd,node,mesh,deploy}/**/*.ts");
  for (const file of [...glob.scanSync(ROOT)].sort()) yield { file, text: readFileSync(join(ROOT, file), "utf8") };
}

/**
 * The expressions in a file. `holes` by the text of an expression within `new RegExp`: what it may stand for. Throws for
 * one that is not there.
 */
export function expressionsIn(file: string, text: string, holes: Readonly<Record<string, string>>): Expression[] {
  const found: Expression[] = [];
  const at = (start: number) => ({ file, line: text.slice(0, start).split("\n").length });
  walk(parseAst(text, { lang: "ts" }), (node) => {
    if (node.regex !== undefined)
      found.push({ ...at(node.start), source: node.regex.pattern, flags: node.regex.flags });
    if ((node.type !== "NewExpression" && node.type !== "CallExpression") || node.callee?.name !== "RegExp") return;
    const [source, flags] = node.arguments ?? [];
    if (source === undefined) throw new Error(`${file}: RegExp without a text`);
    found.push({ ...at(node.start), source: filled(source, { file, text, holes }), flags: String(flags?.value ?? "") });
  });
  return found;
}

interface AstNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly regex?: { readonly pattern: string; readonly flags: string };
  readonly callee?: { readonly name?: string };
  readonly arguments?: readonly AstNode[];
  readonly value?: unknown;
  readonly quasi?: AstNode;
  readonly quasis?: readonly { readonly value: { readonly raw: string; readonly cooked: string } }[];
  readonly expressions?: readonly AstNode[];
}

interface Filling {
  readonly file: string;
  readonly text: string;
  readonly holes: Readonly<Record<string, string>>;
}

function filled(node: AstNode, { file, text, holes }: Filling): string {
  const { quasis, expressions = [] } = node.quasi ?? node;
  if (quasis === undefined && typeof node.value === "string") return node.value;
  const hole = (each: AstNode): string => {
    const written = text.slice(each.start, each.end);
    const value = holes[written];
    if (value === undefined) throw new Error(`${file}: say what may be in new RegExp for ${written}`);
    return value;
  };
  if (quasis === undefined) return hole(node);
  const isRaw = node.type === "TaggedTemplateExpression";
  const parts = quasis.map(({ value }) => (isRaw ? value.raw : value.cooked));
  return parts.map((part, at) => (expressions[at] === undefined ? part : part + hole(expressions[at]))).join("");
}

function walk(node: unknown, visit: (node: AstNode) => void): void {
  if (typeof node !== "object" || node === null) return;
  if ("type" in node && "start" in node) visit(node as AstNode);
  for (const child of Object.values(node)) walk(child, visit);
}
