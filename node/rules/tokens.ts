/** The words of a rule's expression, as the lexer knows them. */

import { createToken, Lexer, type TokenType } from "chevrotain";

export const Name = createToken({ name: "name", pattern: /[a-zA-Z_]\w*(?:\.[a-zA-Z_]\w*)*/ });

/** A keyword, or the sign that means the same. A longer name that begins with it stays a name. */
function word(name: string, pattern: RegExp): TokenType {
  return createToken({ name, pattern, longer_alt: Name });
}

export const And = word("and", /and|&&/);
export const Or = word("or", /or|\|\|/);
export const Xor = word("xor", /xor|\^\^/);
export const Not = word("not", /not|!(?!=)/);
export const Eq = word("eq", /eq|==/);
export const Ne = word("ne", /ne|!=/);
export const Contains = word("contains", /contains/);
export const Matches = word("matches", /matches|~/);
export const StartsWith = word("starts_with", /starts_with/);
export const EndsWith = word("ends_with", /ends_with/);
export const Wildcard = word("wildcard", /wildcard/);
export const StrictWildcard = word("strict wildcard", /strict\s+wildcard/);
export const In = word("in", /in/);

/** In double quotes, with `\"` and `\\`; or as it is, between `r"` and `"`. */
export const Text = createToken({ name: "text", pattern: /"(?:[^"\\]|\\["\\])*"/ });
export const RawText = createToken({ name: "raw text", pattern: /r"[^"]*"/ });
/** An address or a range. What it has in it is checked later. */
export const Range = createToken({
  name: "address",
  pattern: /(?:\d+\.){3}\d+(?:\/\d+)?|[\da-fA-F]*:[\da-fA-F:.]+(?:\/\d+)?/,
});
export const Index = createToken({ name: "number", pattern: /\d+/ });

export const OpenParen = createToken({ name: "(", pattern: /\(/ });
export const CloseParen = createToken({ name: ")", pattern: /\)/ });
export const OpenBrace = createToken({ name: "{", pattern: /\{/ });
export const CloseBrace = createToken({ name: "}", pattern: /\}/ });
export const OpenBracket = createToken({ name: "[", pattern: /\[/ });
export const CloseBracket = createToken({ name: "]", pattern: /\]/ });
export const Comma = createToken({ name: ",", pattern: /,/ });
const Space = createToken({ name: "space", pattern: /\s+/, group: Lexer.SKIPPED });

/** The first that fits is taken, so what can be confused with a name comes before it. */
export const TOKENS: readonly TokenType[] = [
  ...[Space, RawText, Text, Range, Index],
  ...[And, Or, Xor, Not, Eq, Ne, Contains, Matches, StartsWith, EndsWith, StrictWildcard, Wildcard, In],
  ...[OpenParen, CloseParen, OpenBrace, CloseBrace, OpenBracket, CloseBracket, Comma, Name],
];
