/**
 * A rule's expression: parsed once, and evaluated for each request.
 *
 * The answer is `true`, `false`, or `unsure`, where a deciding value is unknown (facts.ts) or is longer than `matches`
 * searches. `and`, `or` and `not` follow three-valued logic (Kleene): unsure and false is false. Regular expressions
 * run in RE2, in time linear in the text.
 */

import ipaddr from "ipaddr.js";
import { RE2JS, RE2JSException } from "re2js";
import { type Cidr, isIn, parseCidr } from "../http/client.ts";
import { ADDRESS_FIELD, FIELD_NAMES, MAP_FIELDS, type RuleRequest, SWITCH_FIELDS, TEXT_FIELDS } from "./facts.ts";
import {
  ExpressionFault,
  type Literal,
  type Operand,
  type Operator,
  readExpression,
  type Tree,
  type Word,
} from "./syntax.ts";

export type Truth = boolean | "unsure";
export type Expression = (from: RuleRequest) => Truth;

/** Characters of an expression. Cloudflare allows as many. */
export const EXPRESSION_CHARS_MAX = 4_096;
/** Characters of a regular expression. */
const PATTERN_CHARS_MAX = 256;
/**
 * Steps of a regular expression: a character or a class is one, and a repetition counts as often as it may occur. All
 * may be under way at once, at each character that is searched: that takes 3 ms of CPU, and 9 ms with three times as
 * many. What is written without a counted repetition has fewer.
 */
const PATTERN_STEPS_MAX = 300;
/** Characters of a text that `matches` searches: doubled, a hostile request takes twice as long. */
const SEARCHED_CHARS_MAX = 1_024;
/** Regular expressions in one expression: the cost of a hostile request is bounded by their number. */
const PATTERNS_MAX = 8;

/** The expression as a function. Throws an `ExpressionFault`. */
export function compileExpression(text: string): Expression {
  const counted = { patterns: 0 };
  return compiled(readExpression(text), counted);
}

interface Counted {
  patterns: number;
}

function compiled(tree: Tree, counted: Counted): Expression {
  switch (tree.kind) {
    case "not": {
      const part = compiled(tree.part, counted);
      return (from) => not(part(from));
    }
    case "and":
    case "or": {
      const parts = tree.parts.map((part) => compiled(part, counted));
      return (from) => least(parts, from, tree.kind === "or");
    }
    case "xor": {
      const parts = tree.parts.map((part) => compiled(part, counted));
      return (from) => parts.map((part) => part(from)).reduce((one, other) => differ(one, other));
    }
    case "test":
      return tree.word === undefined ? alone(tree.operand) : compared(tree, tree.word, counted);
  }
}

function not(truth: Truth): Truth {
  return truth === "unsure" ? truth : !truth;
}

function differ(one: Truth, other: Truth): Truth {
  return one === "unsure" || other === "unsure" ? "unsure" : one !== other;
}

/** `decided` as soon as a part is that; otherwise unsure if any part is. */
function least(parts: readonly Expression[], from: RuleRequest, decided: boolean): Truth {
  let truth: Truth = !decided;
  for (const part of parts) {
    const one = part(from);
    if (one === decided) return decided;
    if (one === "unsure") truth = one;
  }
  return truth;
}

/** A switch, or a function that answers yes or no. */
function alone(operand: Operand): Expression {
  const { name } = operand;
  if (operand.kind === "field") {
    const field = SWITCH_FIELDS.get(name.text);
    if (field !== undefined && operand.key === undefined) return field;
    textOf(operand);
    throw new ExpressionFault(name.column, `${name.text} is compared with nothing`);
  }
  if (name.text !== "starts_with" && name.text !== "ends_with") {
    textOf(operand);
    throw new ExpressionFault(name.column, `${name.text}() is compared with nothing`);
  }
  if (operand.argument === undefined) throw new ExpressionFault(name.column, `${name.text}() takes a field and a text`);
  const value = textOf(operand.of);
  const wanted = textIn(operand.argument);
  const test = name.text === "starts_with" ? startsWith : endsWith;
  return (from) => testKnown(value(from), (text) => test(text, wanted));
}

function compared(
  { operand, literals }: Extract<Tree, { kind: "test" }>,
  word: Word & { readonly operator: Operator },
  counted: Counted,
): Expression {
  const { operator } = word;
  const isAddress = operand.kind === "field" && operand.name.text === ADDRESS_FIELD;
  if (isAddress) {
    if (operator !== "in" && operator !== "eq" && operator !== "ne")
      throw new ExpressionFault(word.column, `${ADDRESS_FIELD} can be compared by eq, ne and in only`);
    const ranges = literals.map(rangeIn);
    return operator === "ne"
      ? ({ client }) => !isIn(client.address, ranges)
      : ({ client }) => isIn(client.address, ranges);
  }
  const value = textOf(operand);
  const [first] = literals;
  if (first === undefined) throw new Error("Broken: a comparison has a literal");
  if (operator === "matches") return matching(value, first, counted);
  const wanted = new Set(literals.map(textIn));
  const one = textIn(first);
  const test: Record<Exclude<Operator, "matches">, (text: string) => boolean> = {
    eq: (text) => text === one,
    ne: (text) => text !== one,
    contains: (text) => text.includes(one),
    starts_with: (text) => startsWith(text, one),
    ends_with: (text) => endsWith(text, one),
    in: (text) => wanted.has(text),
  };
  return (from) => testKnown(value(from), test[operator]);
}

function matching(value: (from: RuleRequest) => string | undefined, literal: Literal, counted: Counted): Expression {
  const pattern = textIn(literal);
  counted.patterns += 1;
  if (counted.patterns > PATTERNS_MAX)
    throw new ExpressionFault(literal.column, `more than ${PATTERNS_MAX} regular expressions`);
  if (pattern.length > PATTERN_CHARS_MAX)
    throw new ExpressionFault(literal.column, `a regular expression is longer than ${PATTERN_CHARS_MAX} characters`);
  const search = patternOf(pattern, literal.column);
  return (from) => {
    const text = value(from);
    if (text === undefined || text.length > SEARCHED_CHARS_MAX) return "unsure";
    return search.matcher(text).find();
  };
}

function patternOf(pattern: string, column: number): RE2JS {
  const search = compiledPattern(pattern, column);
  const steps = search.programSize();
  if (steps <= PATTERN_STEPS_MAX) return search;
  const problem = `a regular expression has more than ${PATTERN_STEPS_MAX} steps: its repetitions make it ${steps}`;
  throw new ExpressionFault(column, problem);
}

function compiledPattern(pattern: string, column: number): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new ExpressionFault(column, `not a regular expression of RE2: ${error.message}`);
  }
}

/** The text of an operand in a request; undefined where it is unknown. */
function textOf(operand: Operand): (from: RuleRequest) => string | undefined {
  const { name } = operand;
  if (operand.kind === "call") {
    if (name.text !== "lower" && name.text !== "upper") {
      const problem = FUNCTIONS.includes(name.text) ? `${name.text}() is no text` : `${name.text}() is no function`;
      throw new ExpressionFault(name.column, problem);
    }
    if (operand.argument !== undefined)
      throw new ExpressionFault(operand.argument.column, `${name.text}() takes one field`);
    const value = textOf(operand.of);
    return name.text === "lower" ? (from) => value(from)?.toLowerCase() : (from) => value(from)?.toUpperCase();
  }
  if (MAP_FIELDS.has(name.text)) return entryOf(operand);
  const field = TEXT_FIELDS.get(name.text);
  if (field === undefined) throw new ExpressionFault(name.column, whyNoText(name.text));
  if (operand.key !== undefined) throw new ExpressionFault(operand.key.column, `${name.text} has no entries`);
  return field;
}

const FUNCTIONS: readonly string[] = ["lower", "upper", "starts_with", "ends_with"];

function entryOf({ name, key }: Extract<Operand, { kind: "field" }>): (from: RuleRequest) => string | undefined {
  const field = MAP_FIELDS.get(name.text);
  if (field === undefined || key === undefined)
    throw new ExpressionFault(name.column, `${name.text} needs the name of an entry: ${name.text}["name"]`);
  const entry = textIn(key);
  return (from) => field(from, entry);
}

function whyNoText(name: string): string {
  if (name === ADDRESS_FIELD || SWITCH_FIELDS.has(name)) return `${name} is no text`;
  return `${name} is no field; there are ${FIELD_NAMES.join(", ")}`;
}

function textIn({ kind, value, column }: Literal): string {
  if (kind === "text") return value;
  throw new ExpressionFault(column, `${value} is no text: write it in double quotes`);
}

function rangeIn({ kind, value, column }: Literal): Cidr {
  const isRange = value.includes("/") ? ipaddr.isValidCIDR(value) : ipaddr.isValid(value);
  if (kind === "range" && isRange) return parseCidr(value);
  throw new ExpressionFault(column, `${value} is no address or range: write one such as 10.0.0.0/8, without quotes`);
}

/** Unsure of a text that cannot be told. */
function testKnown(text: string | undefined, test: (text: string) => boolean): Truth {
  return text === undefined ? "unsure" : test(text);
}

function startsWith(text: string, start: string): boolean {
  return text.startsWith(start);
}

function endsWith(text: string, end: string): boolean {
  return text.endsWith(end);
}
