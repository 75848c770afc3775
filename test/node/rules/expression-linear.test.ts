/** An expression costs its length to compile, and what a stranger sends its length to match. */

import { expect, test } from "vitest";
import { compileExpression } from "../../../node/rules/expression.ts";
import { Facts } from "../../../node/rules/facts.ts";
import { expectLinear } from "../../linear.ts";

test.each(["^/(a+)+$", "^/(a|aa)+$", "(x+x+)+y", "^/(a?){30}a{30}$", "(.*){1,20}b"])("%s", (pattern) => {
  const client = { address: "203.0.113.9", secure: false };
  const askOf = (bytes: number) => ({
    request: { method: "GET", target: `/${"a".repeat(bytes - 2)}!`, host: "shop.example", headers: [] },
    client,
  });
  const { is } = compileExpression(`http.request.uri.path matches "${pattern}"`);
  expectLinear(128, askOf, (request) => void is(new Facts(request)));
});

test("an expression of any length", () => {
  const textOf = (bytes: number): string => `${"ssl or ".repeat(bytes / 8)}ssl`;
  expectLinear(500, textOf, (text) => expect(compileExpression(text).is).toBeTypeOf("function"));
});
