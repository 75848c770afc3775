/**
 * Reads a rule's expression into a tree. expression.ts decides what the words mean, and whether they fit together.
 *
 *     not http.request.uri.path starts_with "/api/" and (ip.src in {10.0.0.0/8} or http.request.cookies["staff"] eq "yes")
 *
 * From the loosest to the tightest: or, xor, and, not, comparisons.
 */

import { EmbeddedActionsParser, type IToken, Lexer, type ParserMethod, type TokenType } from "chevrotain";
import * as tokens from "./tokens.ts";

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

export type Operator =
  | "eq"
  | "ne"
  | "contains"
  | "matches"
  | "starts_with"
  | "ends_with"
  | "wildcard"
  | "strict wildcard"
  | "in";

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

/** Made for the first expression: they take 8 % of the CPU time of a start, and most nodes read none. */
let reader: { readonly lexer: Lexer; readonly parser: Parser } | undefined;

/** The tree of an expression. Throws an `ExpressionFault`. */
export function readExpression(text: string): Tree {
  reader ??= { lexer: new Lexer([...tokens.TOKENS], { ensureOptimizations: false }), parser: new Parser() };
  const { lexer, parser } = reader;
  const { tokens: words, errors } = lexer.tokenize(text);
  const [strange] = errors;
  if (strange !== undefined) {
    const sign = text[strange.offset] ?? "";
    const problem = sign === '"' ? "a text has no closing quote" : `${JSON.stringify(sign)} has no meaning`;
    throw new ExpressionFault(strange.offset + 1, problem);
  }
  checkDepth(words);
  parser.input = words;
  const tree = parser.expression();
  const [fault] = parser.errors;
  if (fault === undefined) return tree;
  const isEnd = Number.isNaN(fault.token.startOffset) || fault.token.image === "";
  const found = isEnd ? "the expression ends" : `${JSON.stringify(fault.token.image)} is not expected`;
  throw new ExpressionFault(isEnd ? text.length + 1 : fault.token.startOffset + 1, `${found} here`);
}

const ENDS_OF_A_PART: ReadonlySet<TokenType> = new Set([tokens.CloseParen, tokens.And, tokens.Or, tokens.Xor]);

/** Refuses an expression that is nested too deeply for the parser, which calls itself for each level. */
function checkDepth(words: readonly IToken[]): void {
  let depth = 0;
  // The depth inside each open parenthesis. A `not` ends with its operand, so an `and`, `or` or `xor` goes back to it.
  const inside: number[] = [];
  for (const { tokenType, startOffset } of words) {
    if (tokenType === tokens.OpenParen || tokenType === tokens.Not) depth += 1;
    if (tokenType === tokens.OpenParen) inside.push(depth);
    if (tokenType === tokens.CloseParen) inside.pop();
    if (ENDS_OF_A_PART.has(tokenType)) depth = inside.at(-1) ?? 0;
    if (depth > DEPTH_MAX)
      throw new ExpressionFault(startOffset + 1, `more than ${DEPTH_MAX} levels lie within each other`);
  }
}

type Rule<Result> = ParserMethod<[], Result>;

class Parser extends EmbeddedActionsParser {
  constructor() {
    super([...tokens.TOKENS]);
    this.performSelfAnalysis();
  }

  readonly expression: Rule<Tree> = this.RULE("expression", (): Tree => this.SUBRULE(this.either));

  readonly either: Rule<Tree> = this.RULE("either", (): Tree => {
    const parts = [this.SUBRULE(this.oneOfTwo)];
    this.MANY(() => {
      this.CONSUME(tokens.Or);
      parts.push(this.SUBRULE2(this.oneOfTwo));
    });
    return joined("or", parts);
  });

  readonly oneOfTwo: Rule<Tree> = this.RULE("oneOfTwo", (): Tree => {
    const parts = [this.SUBRULE(this.both)];
    this.MANY(() => {
      this.CONSUME(tokens.Xor);
      parts.push(this.SUBRULE2(this.both));
    });
    return joined("xor", parts);
  });

  readonly both: Rule<Tree> = this.RULE("both", (): Tree => {
    const parts = [this.SUBRULE(this.negated)];
    this.MANY(() => {
      this.CONSUME(tokens.And);
      parts.push(this.SUBRULE2(this.negated));
    });
    return joined("and", parts);
  });

  readonly negated: Rule<Tree> = this.RULE(
    "negated",
    (): Tree =>
      this.OR([
        {
          ALT: (): Tree => {
            this.CONSUME(tokens.Not);
            return { kind: "not", part: this.SUBRULE(this.negated) };
          },
        },
        {
          ALT: () => {
            this.CONSUME(tokens.OpenParen);
            const tree = this.SUBRULE(this.either);
            this.CONSUME(tokens.CloseParen);
            return tree;
          },
        },
        { ALT: () => this.SUBRULE(this.test) },
      ]),
  );

  readonly test: Rule<Tree> = this.RULE("test", (): Tree => {
    const operand = this.SUBRULE(this.operand);
    const compared = this.OPTION(() =>
      this.OR([{ ALT: () => this.SUBRULE(this.withOne) }, { ALT: () => this.SUBRULE(this.withSeveral) }]),
    );
    return { kind: "test", operand, word: compared?.word, literals: compared?.literals ?? [] };
  });

  readonly withOne: Rule<Compared> = this.RULE("withOne", (): Compared => {
    const consume = (type: TokenType, operator: Operator) => ({
      ALT: () => ({ ...wordOf(this.CONSUME(type)), operator }),
    });
    const word = this.OR([
      consume(tokens.Eq, "eq"),
      consume(tokens.Ne, "ne"),
      consume(tokens.Contains, "contains"),
      consume(tokens.Matches, "matches"),
      consume(tokens.StartsWith, "starts_with"),
      consume(tokens.EndsWith, "ends_with"),
      consume(tokens.StrictWildcard, "strict wildcard"),
      consume(tokens.Wildcard, "wildcard"),
    ]);
    return { word, literals: [this.SUBRULE(this.literal)] };
  });

  readonly withSeveral: Rule<Compared> = this.RULE("withSeveral", (): Compared => {
    const word = { ...wordOf(this.CONSUME(tokens.In)), operator: "in" as const };
    const literals: Literal[] = [];
    this.CONSUME(tokens.OpenBrace);
    this.AT_LEAST_ONE(() => {
      literals.push(this.SUBRULE(this.literal));
    });
    this.CONSUME(tokens.CloseBrace);
    return { word, literals };
  });

  readonly operand: Rule<Operand> = this.RULE("operand", (): Operand => {
    const name = wordOf(
      this.OR([
        { ALT: () => this.CONSUME(tokens.Name) },
        { ALT: () => this.CONSUME(tokens.StartsWith) },
        { ALT: () => this.CONSUME(tokens.EndsWith) },
      ]),
    );
    return (
      this.OPTION(() =>
        this.OR1([
          {
            ALT: (): Operand => {
              this.CONSUME(tokens.OpenParen);
              const of = this.SUBRULE(this.operand);
              const argument = this.OPTION1(() => {
                this.CONSUME(tokens.Comma);
                return this.SUBRULE(this.literal);
              });
              this.CONSUME(tokens.CloseParen);
              return { kind: "call", name, of, argument };
            },
          },
          {
            ALT: (): Operand => {
              this.CONSUME(tokens.OpenBracket);
              const key = this.SUBRULE1(this.literal);
              this.CONSUME(tokens.CloseBracket);
              // Elsewhere an entry is a list of values; here the first is meant with and without its number.
              this.OPTION2(() => {
                this.CONSUME1(tokens.OpenBracket);
                this.CONSUME(tokens.Index);
                this.CONSUME1(tokens.CloseBracket);
              });
              return { kind: "field", name, key };
            },
          },
        ]),
      ) ?? { kind: "field", name, key: undefined }
    );
  });

  readonly literal: Rule<Literal> = this.RULE(
    "literal",
    (): Literal =>
      this.OR([
        {
          ALT: (): Literal => {
            const word = wordOf(this.CONSUME(tokens.Text));
            return { ...word, kind: "text", value: word.text.slice(1, -1).replaceAll(/\\(["\\])/g, "$1") };
          },
        },
        {
          ALT: (): Literal => {
            const word = wordOf(this.CONSUME(tokens.RawText));
            return { ...word, kind: "text", value: word.text.slice(2, -1) };
          },
        },
        {
          ALT: (): Literal => {
            const word = wordOf(this.CONSUME(tokens.Range));
            return { ...word, kind: "range", value: word.text };
          },
        },
        {
          ALT: (): Literal => {
            const word = wordOf(this.CONSUME(tokens.Index));
            return { ...word, kind: "number", value: word.text };
          },
        },
      ]),
  );
}

interface Compared {
  readonly word: Word & { readonly operator: Operator };
  readonly literals: readonly Literal[];
}

function wordOf({ image, startOffset }: IToken): Word {
  return { text: image, column: startOffset + 1 };
}

function joined(kind: "and" | "or" | "xor", parts: readonly Tree[]): Tree {
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : { kind, parts };
}
