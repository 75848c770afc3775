/**
 * A rule's expression: parsed once, and evaluated for each request.
 *
 * The answer is `true`, `false`, or `unsure`, where a deciding value is unknown (facts.ts), is longer than `matches`
 * searches, or is a path for which the answer is no, while a loose server reads it as one for which it is yes. `and`,
 * `or` and `not` follow three-valued logic (Kleene): unsure and false is false. Regular expressions run in RE2, in time
 * linear in the text.
 */

import ipaddr from "ipaddr.js";
import { RE2JS, RE2JSException } from "re2js";
import { type Cidr, isIn, parseCidr } from "../http/client.ts";
import {
  ADDRESS_FIELD,
  type Facts,
  FIELD_NAMES,
  looseText,
  MAP_FIELDS,
  NUMBER_FIELDS,
  PATH_FIELDS,
  SWITCH_FIELDS,
  TEXT_FIELDS,
  type TextOf,
} from "./facts.ts";
import {
  ExpressionFault,
  type Literal,
  type Operand,
  type Operator,
  readExpression,
  type Tree,
  type Word,
} from "./syntax.ts";
import { wildcard } from "./wildcard.ts";

export type Truth = boolean | "unsure";
export type Expression = (from: Facts) => Truth;

export interface Compiled {
  readonly is: Expression;
  /** Steps of its regular expressions, as often as each may search a request. */
  readonly steps: number;
  /** The fields that it asks for. */
  readonly fields: ReadonlySet<string>;
}

/** Characters of an expression. Cloudflare allows as many. */
export const EXPRESSION_CHARS_MAX = 4_096;
/** Characters of a regular expression. */
const PATTERN_CHARS_MAX = 256;
/**
 * Steps of all regular expressions of a room: a character or a class is one, and a repetition counts as often as it may
 * occur. All may be under way at once, at each character that is searched, for up to 0.15 µs each: a hostile request
 * costs 45 ms at most.
 */
export const STEPS_MAX = 600;
/** Characters of a text that `matches` searches: doubled, a hostile request takes twice as long. */
const SEARCHED_CHARS_MAX = 512;
/** A path is searched as it is, and as loose servers read it: with a slash at its end and without. */
const SEARCHES_OF_A_PATH = 3;

/** The expression as a function. Throws an `ExpressionFault`. */
export function compileExpression(text: string): Compiled {
  const counted: Counted = { steps: 0, fields: new Set() };
  const is = compiled(readExpression(text), counted);
  return { is, ...counted };
}

interface Counted {
  steps: number;
  readonly fields: Set<string>;
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
      counted.fields.add(fieldOf(tree.operand));
      return tree.word === undefined ? alone(tree.operand) : compared(tree, tree.word, counted);
  }
}

function fieldOf(operand: Operand): string {
  return operand.kind === "call" ? fieldOf(operand.of) : operand.name.text;
}

function not(truth: Truth): Truth {
  return truth === "unsure" ? truth : !truth;
}

function differ(one: Truth, other: Truth): Truth {
  return one === "unsure" || other === "unsure" ? "unsure" : one !== other;
}

/** `decided` as soon as a part is that; otherwise unsure if any part is. */
function least(parts: readonly Expression[], from: Facts, decided: boolean): Truth {
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
  const test = name.text === "starts_with" ? startsWith : endsWith;
  return tested(operand.of, textIn(operand.argument), test);
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
  const number =
    operand.kind === "field" && operand.key === undefined ? NUMBER_FIELDS.get(operand.name.text) : undefined;
  if (number !== undefined) {
    if (operator !== "in" && operator !== "eq" && operator !== "ne")
      throw new ExpressionFault(word.column, `${operand.name.text} can be compared by eq, ne and in only`);
    const numbers = new Set(literals.map(numberIn));
    const is: Expression = (from) => {
      const found = from.text(operand.name.text, number);
      return found === undefined ? "unsure" : numbers.has(found);
    };
    return operator === "ne" ? (from) => not(is(from)) : is;
  }
  const [first] = literals;
  if (first === undefined) throw new Error("Broken: a comparison has a literal");
  if (operator === "matches") return matching(operand, first, counted);
  const wanted = textIn(first);
  switch (operator) {
    case "ne": {
      const is = tested(operand, wanted, equals);
      return (from) => not(is(from));
    }
    case "in": {
      const each = literals.map(textIn);
      const [exact, loose] = [new Set(each), new Set(each.map(looseText))];
      return decided(operand, { exact: (text) => exact.has(text), loose: (text) => loose.has(text) });
    }
    case "eq":
      return tested(operand, wanted, equals);
    case "contains":
      return tested(operand, wanted, contains);
    case "starts_with":
      return tested(operand, wanted, startsWith);
    case "ends_with":
      return tested(operand, wanted, endsWith);
    case "wildcard": {
      const fits = wildcard(looseCase(wanted));
      const loose = wildcard(looseText(wanted));
      return decided(operand, { exact: (text) => fits(looseCase(text)), loose });
    }
    case "strict wildcard":
      return decided(operand, { exact: wildcard(wanted), loose: wildcard(looseText(wanted)) });
  }
}

/** Without capitals: upper case first, for letters that have two lower cases. */
function looseCase(text: string): string {
  return text.toUpperCase().toLowerCase();
}

/** Compares an operand with a text. */
function tested(operand: Operand, wanted: string, test: (text: string, wanted: string) => boolean): Expression {
  const loose = looseText(wanted);
  return decided(operand, { exact: (text) => test(text, wanted), loose: (text) => test(text, loose) });
}

/** Unsure of a text that is unknown, and of a path that only a loose server reads so that `loose` holds. */
function decided(
  operand: Operand,
  { exact, loose }: Readonly<Record<"exact" | "loose", (text: string) => boolean>>,
): Expression {
  const value = textOf(operand);
  const isPath = isOfPath(operand);
  return (from) => {
    const text = value(from);
    if (text === undefined) return "unsure";
    if (exact(text)) return true;
    return isPath && from.readings(text).some(loose) ? "unsure" : false;
  };
}

function isOfPath(operand: Operand): boolean {
  return PATH_FIELDS.includes(fieldOf(operand));
}

function matching(operand: Operand, literal: Literal, counted: Counted): Expression {
  const pattern = textIn(literal);
  if (pattern.length > PATTERN_CHARS_MAX)
    throw new ExpressionFault(literal.column, `a regular expression is longer than ${PATTERN_CHARS_MAX} characters`);
  const isPath = isOfPath(operand);
  const search = compiledPattern(pattern, literal.column);
  const loose = isPath ? compiledPattern(pattern, literal.column, RE2JS.CASE_INSENSITIVE) : search;
  counted.steps += search.programSize() * (isPath ? SEARCHES_OF_A_PATH : 1);
  if (counted.steps > STEPS_MAX) throw new ExpressionFault(literal.column, tooManySteps(counted.steps));
  const value = textOf(operand);
  const isFound = decided(operand, {
    exact: (text) => search.matcher(text).find(),
    loose: (text) => loose.matcher(text).find(),
  });
  return (from) => ((value(from)?.length ?? 0) > SEARCHED_CHARS_MAX ? "unsure" : isFound(from));
}

export function tooManySteps(steps: number): string {
  return `regular expressions have more than ${STEPS_MAX} steps in all, those on paths counted three times: ${steps}`;
}

function compiledPattern(pattern: string, column: number, flags = 0): RE2JS {
  try {
    return RE2JS.compile(pattern, flags);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new ExpressionFault(column, `not a regular expression of RE2: ${error.message}`);
  }
}

/** The text of an operand in a request; undefined where it is unknown. */
function textOf(operand: Operand): TextOf {
  const [written, read] = [writtenOf(operand), reading(operand)];
  return (from) => from.text(written, read);
}

function writtenOf(operand: Operand): string {
  const { name } = operand;
  return operand.kind === "call" ? `${name.text}(${writtenOf(operand.of)})` : `${name.text} ${operand.key?.value}`;
}

function reading(operand: Operand): TextOf {
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

function entryOf({ name, key }: Extract<Operand, { kind: "field" }>): TextOf {
  const field = MAP_FIELDS.get(name.text);
  if (field === undefined || key === undefined)
    throw new ExpressionFault(name.column, `${name.text} needs the name of an entry: ${name.text}["name"]`);
  const entry = textIn(key);
  return (from) => field(from, entry);
}

function whyNoText(name: string): string {
  if (name === ADDRESS_FIELD || SWITCH_FIELDS.has(name) || NUMBER_FIELDS.has(name)) return `${name} is no text`;
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

/** In decimal, without zeros before it. */
function numberIn({ kind, text, value, column }: Literal): string {
  if (kind === "number") return String(Number(value));
  throw new ExpressionFault(column, `${text} is no number: write one such as 13335, without quotes`);
}

function equals(text: string, other: string): boolean {
  return text === other;
}

function contains(text: string, part: string): boolean {
  return text.includes(part);
}

function startsWith(text: string, start: string): boolean {
  return text.startsWith(start);
}

function endsWith(text: string, end: string): boolean {
  return text.endsWith(end);
}
