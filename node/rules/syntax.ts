/**
 * Reads a rule's expression into a tree. expression.ts decides what the words mean, and whether they fit together.
 *
 *     not http.request.uri.path starts_with "/api/" and (ip.src in {10.0.0.0/8} or http.request.cookies["staff"] eq "yes")
 *
 * From the loosest to the tightest: or, xor, and, not, comparisons. Each token is looked at once, from left to right.
 */

/** A word of the expression, and where it begins, from 1. */
export interface Word {
  readonly text: string;
  readonly column: number;
}

export interface Literal extends Word {
  readonly kind: "text" | "range" | "number";
  /** Without its quotes. */
  readonly value: string;
}

/** A field, an entry of a field, or a function of these. */
export type Operand =
  | { readonly kind: "field"; readonly name: Word; readonly key: Literal | undefined }
  | { readonly kind: "call"; readonly name: Word; readonly of: Operand; readonly argument: Literal | undefined };

export type Tree =
  | { readonly kind: "and" | "or" | "xor"; readonly parts: readonly Tree[] }
  | { readonly kind: "not"; readonly part: Tree }
  /** `word` compares `operand` with each of `literals`; a switch or a function alone has neither. */
  | {
      readonly kind: "test";
      readonly operand: Operand;
      readonly word: (Word & { readonly operator: Operator }) | undefined;
      readonly literals: readonly Literal[];
    };

const COMPARISONS = [
  ...(["eq", "ne", "contains", "matches", "starts_with", "ends_with", "wildcard", "strict wildcard", "in"] as const),
] as const;
export type Operator = (typeof COMPARISONS)[number];

/** What is wrong with an expression, and where. */
export class ExpressionFault extends Error {
  readonly column: number;

  constructor(column: number, problem: string) {
    super(problem);
    this.column = column;
  }
}

/** Parentheses and `not` within each other; each is a call deeper. No person reads ten. */
const DEPTH_MAX = 32;

/** The tree of an expression. Throws an `ExpressionFault`. */
export function readExpression(text: string): Tree {
  return new Reader(tokensIn(text), text.length + 1).expression();
}

interface Token extends Word {
  /** What it means: a keyword or sign itself, also for those that are written in two ways; otherwise its kind. */
  readonly means: string;
}

/**
 * A text in double quotes has `\"` and `\\`; one between `r"` and `"` is as it is. What an address has in it is checked
 * later. The first that fits is taken, so what can be confused with a word comes before it.
 */
const PATTERNS = {
  space: /\s+/y,
  raw: /r"[^"]*"/y,
  text: /"(?:[^"\\]|\\["\\])*"/y,
  range: /(?:\d+\.){3}\d+(?:\/\d+)?|[\da-fA-F]*:[\da-fA-F:.]+(?:\/\d+)?/y,
  number: /\d+/y,
  word: /strict\s+wildcard|[a-zA-Z_]\w*(?:\.[a-zA-Z_]\w*)*/y,
  sign: /&&|\|\||\^\^|[=!]=|[!~(){}[\],]/y,
};

/** Signs that stand for words. */
const SIGNS: Readonly<Record<string, string>> = {
  "&&": "and",
  "||": "or",
  "^^": "xor",
  "!": "not",
  "==": "eq",
  "!=": "ne",
  "~": "matches",
};
const KEYWORDS: ReadonlySet<string> = new Set(["and", "or", "xor", "not", ...COMPARISONS]);

function tokensIn(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    const { kind, found } = tokenAt(text, at);
    if (kind !== "space") tokens.push({ text: found, column: at + 1, means: meaningOf(found, kind) });
    at += found.length;
  }
  return tokens;
}

function tokenAt(text: string, at: number): { readonly kind: string; readonly found: string } {
  for (const [kind, pattern] of Object.entries(PATTERNS)) {
    pattern.lastIndex = at;
    const [found] = pattern.exec(text) ?? [];
    if (found !== undefined) return { kind, found };
  }
  const sign = text[at] ?? "";
  const problem = sign === '"' ? "a text has no closing quote" : `${JSON.stringify(sign)} has no meaning`;
  throw new ExpressionFault(at + 1, problem);
}

function meaningOf(text: string, kind: string): string {
  if (kind === "sign") return SIGNS[text] ?? text;
  if (kind !== "word") return kind;
  const word = text.replace(/\s+/, " ");
  return KEYWORDS.has(word) ? word : "name";
}

/** Reads from left to right, a method for each part of the grammar. */
class Reader {
  readonly #tokens: readonly Token[];
  readonly #endColumn: number;
  #at = 0;

  constructor(tokens: readonly Token[], endColumn: number) {
    this.#tokens = tokens;
    this.#endColumn = endColumn;
  }

  expression(): Tree {
    const tree = this.#either(0);
    if (this.#next !== undefined) throw this.#unexpected();
    return tree;
  }

  #either(depth: number): Tree {
    const both = () => this.#joined("and", () => this.#negated(depth));
    return this.#joined("or", () => this.#joined("xor", both));
  }

  /** Parts with `kind` between them; one alone is itself. */
  #joined(kind: "and" | "or" | "xor", part: () => Tree): Tree {
    const first = part();
    const parts = [first];
    while (this.#passes(kind)) parts.push(part());
    return parts.length === 1 ? first : { kind, parts };
  }

  #negated(depth: number): Tree {
    if (this.#deeper("not", depth)) return { kind: "not", part: this.#negated(depth + 1) };
    if (!this.#deeper("(", depth)) return this.#test(depth);
    const tree = this.#either(depth + 1);
    this.#take(")");
    return tree;
  }

  #test(depth: number): Tree {
    const operand = this.#operand(depth);
    const word = this.#next;
    const operator = COMPARISONS.find((each) => each === word?.means);
    if (word === undefined || operator === undefined) return { kind: "test", operand, word: undefined, literals: [] };
    this.#at += 1;
    if (operator === "in") this.#take("{");
    const literals = [this.#literal()];
    while (operator === "in" && !this.#passes("}")) literals.push(this.#literal());
    return { kind: "test", operand, word: { ...word, operator }, literals };
  }

  #operand(depth: number): Operand {
    const name = this.#take("name", "starts_with", "ends_with");
    if (this.#deeper("(", depth)) {
      const of = this.#operand(depth + 1);
      const argument = this.#passes(",") ? this.#literal() : undefined;
      this.#take(")");
      return { kind: "call", name, of, argument };
    }
    if (!this.#passes("[")) return { kind: "field", name, key: undefined };
    const key = this.#literal();
    this.#take("]");
    // Elsewhere an entry is a list of values; here the first is meant with and without its number.
    if (this.#passes("[")) {
      this.#take("number");
      this.#take("]");
    }
    return { kind: "field", name, key };
  }

  #literal(): Literal {
    const { means, text, column } = this.#take("text", "raw", "range", "number");
    if (means === "text") return { text, column, kind: means, value: text.slice(1, -1).replaceAll(/\\(["\\])/g, "$1") };
    if (means === "raw") return { text, column, kind: "text", value: text.slice(2, -1) };
    return { text, column, kind: means === "range" ? means : "number", value: text };
  }

  /** Undefined at the end. */
  get #next(): Token | undefined {
    return this.#tokens[this.#at];
  }

  /** Goes past the next token if it means this; whether it does. */
  #passes(meaning: string): boolean {
    if (this.#next?.means !== meaning) return false;
    this.#at += 1;
    return true;
  }

  /** The same for what begins a level within that of `depth`. */
  #deeper(meaning: string, depth: number): boolean {
    const column = this.#next?.column ?? this.#endColumn;
    if (!this.#passes(meaning)) return false;
    if (depth < DEPTH_MAX) return true;
    throw new ExpressionFault(column, `more than ${DEPTH_MAX} levels lie within each other`);
  }

  /** The next token, which must mean one of these. */
  #take(...meanings: readonly string[]): Token {
    const token = this.#next;
    if (token === undefined || !meanings.includes(token.means)) throw this.#unexpected();
    this.#at += 1;
    return token;
  }

  #unexpected(): ExpressionFault {
    const token = this.#next;
    if (token === undefined) return new ExpressionFault(this.#endColumn, "the expression ends here");
    return new ExpressionFault(token.column, `${JSON.stringify(token.text)} is not expected here`);
  }
}
